/**
 * Where the bytes of a recording come from: memory, or anything that reads ranges on demand.
 */

import { Undecodable } from "../bytes/undecodable.ts";

/** Gives access to ranges of a file, so that a large one need not be in memory. */
export interface ByteSource {
  /** Size of the file. Must not change while the recording is in use. */
  readonly sizeBytes: number;
  /**
   * Returns `length` bytes from `offset` on; both are inside the file. The reader keeps the array
   * and does not change it. May throw.
   */
  read(offset: number, length: number): Uint8Array;
}

/** A source whose ranges are checked. */
export class CheckedSource {
  readonly sizeBytes: number;
  readonly #source: ByteSource;

  constructor(source: Uint8Array | ByteSource) {
    this.#source = source instanceof Uint8Array ? memorySource(source) : source;
    this.sizeBytes = this.#source.sizeBytes;
  }

  /** Reads exactly `length` bytes; throws `Undecodable` if that is not possible. */
  read(offset: number, length: number): Uint8Array {
    if (offset < 0 || length < 0 || length > this.sizeBytes - offset) {
      throw new Undecodable("damaged", `the range ${offset}+${length} is not inside the file`);
    }
    const bytes = this.#readSource(offset, length);
    if (bytes.length !== length) {
      throw new Undecodable(
        "unreadable",
        `reading gave ${bytes.length} bytes instead of ${length}`,
      );
    }
    return bytes;
  }

  #readSource(offset: number, length: number): Uint8Array {
    try {
      return this.#source.read(offset, length);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Undecodable("unreadable", `reading at byte ${offset} failed: ${reason}`);
    }
  }

  /** Reads up to `length` bytes: fewer at the end of the file. */
  readUpTo(offset: number, length: number): Uint8Array {
    return this.read(offset, Math.min(length, this.sizeBytes - offset));
  }
}

function memorySource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}
