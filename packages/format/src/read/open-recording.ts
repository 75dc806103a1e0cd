/**
 * Opens a recording: reads its header, finds its blocks, decodes none of them.
 */

import { pureCodec } from "../codec.ts";
import type { Codec } from "../codec.ts";
import { CheckedSource } from "./byte-source.ts";
import type { ByteSource } from "./byte-source.ts";
import { findBlocks } from "./find-blocks.ts";
import { readHeader } from "./header.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { Limits } from "./limits.ts";
import { PayloadLoader } from "./payload-loader.ts";
import type { ReadContext } from "./payload-loader.ts";
import { ProblemLog } from "./problems.ts";
import { Recording } from "./recording.ts";

/** Options of {@link openRecording}. */
export interface OpenOptions {
  /** Decompresses payloads; plain JavaScript unless given. */
  readonly codec?: Codec;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
  /** What to call the file in messages; `the file` unless given. */
  readonly name?: string;
  /**
   * Go further than other readers of version 1: keep blocks behind damage, records of lists in which
   * others make no sense, and later blocks of a type when the first cannot be decoded. What was
   * left out is listed in `problems`. Unless set, the answers are those of every other reader.
   */
  readonly salvage?: boolean;
}

/**
 * Opens the recording and keeps every block that is whole.
 *
 * Never throws for damage behind the header: what is skipped is listed in `problems`. Decodes a
 * block when it is first asked for; opening costs O(index), and for files up to
 * `limits.verifyOnOpenBytes` also one decompression, so that damage shows at once.
 *
 * @param source The whole file, or access to its ranges. Not copied: do not change it while the
 * recording is in use.
 * @throws {FlightError} `FLIGHT_BAD_MAGIC` if it is empty or not a recording.
 * @throws {FlightError} `FLIGHT_ENCRYPTED` if it must be decrypted first.
 * @throws {FlightError} `FLIGHT_BAD_VERSION` if it needs a newer reader.
 * @throws {FlightError} `FLIGHT_BAD_HEADER` if the header is cut or damaged.
 * @throws {FlightError} `FLIGHT_READ` if the header cannot be read.
 * @see docs/format.md, "Reading"
 */
export function openRecording(
  source: Uint8Array | ByteSource,
  options: OpenOptions = {},
): Recording {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const checked = new CheckedSource(source);
  const { header, bodyStart } = readHeader(checked, options.name ?? "the file", limits);
  const problems = new ProblemLog(limits.problems);
  if (header.version === 0) {
    problems.add("old-version", "the header says version 0; it is read like version 1");
  }
  const context: ReadContext = {
    source: checked,
    bodyStart,
    codec: options.codec ?? pureCodec,
    limits,
    problems,
    salvage: options.salvage ?? false,
  };
  const loader = new PayloadLoader(context);
  return new Recording({ header, context, loader, found: findBlocks(context, loader) });
}
