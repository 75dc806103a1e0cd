/**
 * Reads the header: the only part of a file for which a reader may refuse it.
 *
 * Layout: docs/format.md, "Header".
 */

import type { Id } from "../bytes/id.ts";
import { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { Undecodable } from "../bytes/undecodable.ts";
import { readRecord } from "../blocks/record.ts";
import type { RecordShape } from "../blocks/record.ts";
import { encryptedForm } from "../encryption/encrypted-form.ts";
import { FlightError } from "../errors.ts";
import { isFrameMagic } from "../zstd/frame-header.ts";
import type { CheckedSource } from "./byte-source.ts";
import type { Limits } from "./limits.ts";

/** What the header of a recording says. */
export interface RecordingHeader {
  /** 1, or 0 for files that other readers take for version 1 as well. */
  readonly version: number;
  /** `flight` for every known recorder. */
  readonly tool: string;
  /** Version of the recorder. */
  readonly flightVersion: string;
  /** Wall clock when the recording began; 0 when it was unusable. */
  readonly createdUnixMs: Id;
}

const FIXED_BYTES = 10;
const VERSION = 1;

interface HeaderDraft {
  tool: string;
  flightVersion: string;
  createdUnixMs: Id;
}

const headerShape: RecordShape<HeaderDraft> = {
  names: ["tool", "flight_version", "created_unix_ms"],
  requiredMask: 0b111,
  create: () => ({ tool: "", flightVersion: "", createdUnixMs: 0 }),
  readField(cursor, draft, index) {
    if (index === 0) draft.tool = cursor.string();
    else if (index === 1) draft.flightVersion = cursor.string();
    else draft.createdUnixMs = cursor.id();
  },
};

/**
 * Reads and checks the header; returns it and where the first block begins.
 *
 * @param name What to call the file in messages.
 * @throws {FlightError} `FLIGHT_BAD_MAGIC`, `FLIGHT_ENCRYPTED`, `FLIGHT_BAD_VERSION`,
 * `FLIGHT_BAD_HEADER`, `FLIGHT_READ`.
 */
export function readHeader(
  source: CheckedSource,
  name: string,
  limits: Limits,
): { header: RecordingHeader; bodyStart: number } {
  const fixed = guard(name, () => source.readUpTo(0, FIXED_BYTES));
  assertMagic(fixed, name, source.sizeBytes);
  const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.byteLength);
  const version = view.getUint16(4, true);
  if (version > VERSION) {
    throw new FlightError(
      "FLIGHT_BAD_VERSION",
      `${name} has format version ${version}; this reader knows version ${VERSION}`,
      "Update Orangebox, or open the file with the version that recorded it.",
    );
  }
  const metaBytes = view.getUint32(6, true);
  const bodyStart = FIXED_BYTES + metaBytes;
  if (bodyStart > source.sizeBytes) {
    throw badHeader(`the header of ${name} is cut: ${source.sizeBytes} of ${bodyStart} bytes`);
  }
  if (metaBytes > limits.headerBytes) {
    throw badHeader(`the header of ${name} has ${metaBytes} bytes; at most ${limits.headerBytes}`);
  }
  const meta = guard(name, () => source.read(FIXED_BYTES, metaBytes));
  return { header: { version, ...decodeMeta(meta, name, limits) }, bodyStart };
}

function assertMagic(fixed: Uint8Array, name: string, sizeBytes: number): void {
  const form = encryptedForm(fixed);
  if (form !== undefined) {
    const key = form === "age" ? "key" : "passphrase";
    throw new FlightError(
      "FLIGHT_ENCRYPTED",
      `${name} is encrypted`,
      `Decrypt it with its ${key} first.`,
    );
  }
  const [m0, m1, m2, m3] = fixed;
  const magic = m0 === 0x46 && m1 === 0x4c && m2 === 0x47 && m3 === 0x54;
  if (magic && fixed.length === FIXED_BYTES) return;
  throw new FlightError("FLIGHT_BAD_MAGIC", notOurs(fixed, name, magic, sizeBytes), hintFor(fixed));
}

function notOurs(fixed: Uint8Array, name: string, magic: boolean, sizeBytes: number): string {
  if (fixed.length === 0) return `${name} is empty`;
  if (magic) return `${name} has ${sizeBytes} bytes; a recording has a header of at least ten`;
  return `${name} is not a recording: it does not begin with FLGT`;
}

function hintFor(fixed: Uint8Array): string {
  if (fixed.length === 0) {
    return "The recorder was stopped before it wrote anything, or the copy failed; look for another file.";
  }
  if (fixed[0] === 0x1f && fixed[1] === 0x8b) return "It looks like gzip; unpack it first.";
  if (fixed[0] === 0x50 && fixed[1] === 0x4b)
    return "It looks like a zip archive; unpack it first.";
  if (isFrameMagic(fixed)) return "It looks like zstd; unpack it first.";
  return "Check the path. Recordings end in .flight and are written by flight run.";
}

function decodeMeta(bytes: Uint8Array, name: string, limits: Limits): HeaderDraft {
  try {
    const cursor = new MsgpackCursor(bytes, limits.recordDepth);
    return readRecord(cursor, headerShape, { lenient: false, recordsLeft: 1, skipped: 0 });
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    throw badHeader(`the header of ${name} cannot be read: ${error.message}`, error);
  }
}

function badHeader(message: string, cause?: unknown): FlightError {
  const hint = "The file is damaged at its very beginning; fetch it again from where it was made.";
  return new FlightError("FLIGHT_BAD_HEADER", message, hint, { cause });
}

function guard<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FlightError(
      "FLIGHT_READ",
      `${name} cannot be read: ${reason}`,
      "Check that the file is there and may be read.",
      { cause: error },
    );
  }
}
