/**
 * What a frame has been decompressed to so far: grows as needed, up to a limit.
 */

import { Undecodable } from "../bytes/undecodable.ts";

/** Copies of at least this many bytes are worth a call of the platform's copy. */
const LONG_COPY = 48;

export class OutputBuffer {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  readonly #maxBytes: number;

  constructor(capacity: number, maxBytes: number) {
    this.#bytes = new Uint8Array(Math.min(capacity, maxBytes));
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory itself, valid until the next call of {@link reserve}. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Says how much of the memory is in use, after writing to {@link bytes}. */
  advanceTo(length: number): void {
    this.#length = length;
  }

  /** Makes room for `size` more bytes; throws `Undecodable` beyond the limit. */
  reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    if (needed > this.#maxBytes) {
      throw new Undecodable("limit", `the content is larger than ${this.#maxBytes} bytes`);
    }
    const capacity = Math.min(this.#maxBytes, Math.max(needed, this.#bytes.length * 2));
    const grown = new Uint8Array(capacity);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  append(source: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    this.#bytes.set(source.subarray(from, to), this.#length);
    this.#length += to - from;
  }

  fill(byte: number, count: number): void {
    this.reserve(count);
    this.#bytes.fill(byte, this.#length, this.#length + count);
    this.#length += count;
  }

  /** The content, in memory of its own size when much would be wasted. */
  finish(): Uint8Array {
    const content = this.#bytes.subarray(0, this.#length);
    return this.#bytes.length > this.#length * 1.25 + 4096 ? content.slice() : content;
  }
}

/** Copies `size` bytes within `bytes` as if byte by byte: the ranges may overlap forwards. */
export function copyMatch(bytes: Uint8Array, from: number, to: number, size: number): void {
  const distance = to - from;
  if (size < LONG_COPY) {
    for (let i = 0; i < size; i++) bytes[to + i] = bytes[from + i] ?? 0;
    return;
  }
  if (distance >= size) {
    bytes.copyWithin(to, from, from + size);
    return;
  }
  // The pattern repeats: copy what is there, twice as much each time.
  let done = 0;
  while (done < size) {
    const part = Math.min(distance + done, size - done);
    bytes.copyWithin(to + done, from, from + part);
    done += part;
  }
}
