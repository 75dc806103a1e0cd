/**
 * Gets the payload of a block out of the file: reads, measures, decompresses, and counts.
 *
 * Whatever goes wrong is an `Undecodable`; nothing is believed that the bytes do not show.
 */

import { Undecodable } from "../bytes/undecodable.ts";
import type { Codec } from "../codec.ts";
import { measureFrame } from "../zstd/frame-header.ts";
import type { FrameMeasure } from "../zstd/frame-header.ts";
import type { CheckedSource } from "./byte-source.ts";
import type { BlockInfo } from "./find-blocks.ts";
import type { Limits } from "./limits.ts";
import type { ProblemLog } from "./problems.ts";

/** Everything that reading a file needs. */
export interface ReadContext {
  readonly source: CheckedSource;
  readonly bodyStart: number;
  readonly codec: Codec;
  readonly limits: Limits;
  readonly problems: ProblemLog;
  readonly salvage: boolean;
}

/** A file may grow to this many times its size, or bytes, without a word. */
const QUIET_EXPANSION = 4;
const QUIET_BYTES = 256 * 1024 * 1024;
/** Payloads up to this size are kept after a check, since they will probably be wanted. */
const KEEP_BYTES = 256 * 1024;
const KEEP_TOTAL_BYTES = 8 * 1024 * 1024;

export class PayloadLoader {
  readonly #context: ReadContext;
  /** Decompressed size of each block seen, by offset. */
  readonly #sizes = new Map<number, number>();
  readonly #kept = new Map<number, Uint8Array>();
  #keptBytes = 0;
  #totalBytes = 0;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /** Returns the decompressed payload. */
  load(block: BlockInfo): Uint8Array {
    return this.#kept.get(block.offset) ?? this.#decompress(block, Infinity);
  }

  /** Returns what stands in the file, still compressed. */
  loadRaw(block: BlockInfo): Uint8Array {
    return this.#context.source.read(block.offset + 5, block.compressedBytes);
  }

  /**
   * Checks that the payload decompresses, to at most `maxBytes`; returns its size, or undefined when
   * it is larger than that or than a limit allows.
   */
  check(block: BlockInfo, maxBytes: number): number | undefined {
    try {
      const payload = this.#decompress(block, maxBytes);
      if (payload.length <= KEEP_BYTES && this.#keptBytes + payload.length <= KEEP_TOTAL_BYTES) {
        this.#keptBytes += payload.length;
        this.#kept.set(block.offset, payload);
      }
      return payload.length;
    } catch (error) {
      if (error instanceof Undecodable && error.kind === "limit") return undefined;
      throw error;
    }
  }

  #decompress(block: BlockInfo, maxBytes: number): Uint8Array {
    const { limits, problems } = this.#context;
    const budget = limits.fileBytes - this.#totalBytes + (this.#sizes.get(block.offset) ?? 0);
    const maxOutput = Math.min(limits.blockBytes, budget, maxBytes);
    // Stored frames add three bytes to every 64 KiB, and a few to the whole.
    if (block.compressedBytes > limits.blockBytes * 1.001 + 1024) {
      throw new Undecodable("limit", `the payload has more than ${limits.blockBytes} bytes`);
    }
    const raw = this.loadRaw(block);
    const frame = measureFrame(raw);
    assertAllowed(frame, maxOutput, limits);
    if (frame.frameBytes < raw.length) {
      const extra = raw.length - frame.frameBytes;
      problems.add("trailing-bytes", `${extra} bytes follow the compressed data`, block);
    }
    const payload = this.#run(raw.subarray(0, frame.frameBytes), maxOutput);
    this.#count(block, payload.length);
    return payload;
  }

  #run(frame: Uint8Array, maxOutput: number): Uint8Array {
    let payload: Uint8Array;
    try {
      payload = this.#context.codec.decompress(frame, maxOutput);
    } catch (error) {
      throw asUndecodable(error);
    }
    // A codec may not keep to the limit.
    if (payload.length > maxOutput) {
      throw new Undecodable("limit", `the content is larger than ${maxOutput} bytes`);
    }
    return payload;
  }

  #count(block: BlockInfo, size: number): void {
    if (this.#sizes.has(block.offset)) return;
    this.#sizes.set(block.offset, size);
    this.#totalBytes += size;
    const { source, problems } = this.#context;
    if (this.#totalBytes > Math.max(QUIET_BYTES, source.sizeBytes * QUIET_EXPANSION)) {
      const message = `the content has more than ${QUIET_EXPANSION} times the size of the file`;
      problems.add("expansion", message);
    }
  }
}

function assertAllowed(frame: FrameMeasure, maxOutput: number, limits: Limits): void {
  if (frame.contentBytes !== undefined && frame.contentBytes > frame.maxContentBytes) {
    throw new Undecodable("damaged", "the frame declares more content than it can hold");
  }
  if (frame.contentBytes !== undefined && frame.contentBytes > maxOutput) {
    throw new Undecodable("limit", `the content is larger than ${maxOutput} bytes`);
  }
  // A window larger than the content costs nothing, so only what can be used counts.
  if (Math.min(frame.windowBytes, frame.maxContentBytes) > limits.windowBytes) {
    throw new Undecodable("limit", `the frame needs a window of ${frame.windowBytes} bytes`);
  }
}

/** Codes of errors of `node:zlib` that do not mean damage. */
const LIMIT_CODES: ReadonlySet<unknown> = new Set([
  "ERR_BUFFER_TOO_LARGE",
  "ZSTD_error_frameParameter_windowTooLarge",
  "ZSTD_error_memory_allocation",
]);

function asUndecodable(error: unknown): Undecodable {
  if (error instanceof Undecodable) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (LIMIT_CODES.has(code) || error instanceof RangeError)
    return new Undecodable("limit", message);
  if (code === "ZSTD_error_checksum_wrong") return new Undecodable("checksum", message);
  return new Undecodable("damaged", message);
}
