/**
 * A growing buffer that writes msgpack in the profile of version 1: always the smallest form.
 *
 * Knows single values and the heads of containers; the files in blocks/ know records.
 * Profile: docs/format.md, "Values".
 */

import { FlightError } from "../errors.ts";
import type { Id } from "./id.ts";
import { encodeUtf8, encodeUtf8Into } from "./text.ts";

const START_BYTES = 4096;
/** A block's length field has 32 bits; nothing larger can be stored, so nothing larger is built. */
const MAX_BYTES = 0xffff_ffff;
/** Above this many characters a string is encoded apart, not into a reserve of three times its size. */
const LARGE_TEXT = 1 << 20;
const U32 = 0x1_0000_0000;

export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;

  constructor(startBytes: number = START_BYTES) {
    this.#bytes = new Uint8Array(startBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** How many bytes have been written. */
  get length(): number {
    return this.#length;
  }

  /** What was written from `from` on. A view: it changes with the next write after {@link reset}. */
  written(from: number = 0): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(from, this.#length);
  }

  /** Forgets everything and leaves `gap` bytes free at the front; keeps the memory. */
  reset(gap: number = 0): void {
    this.#length = gap;
  }

  nil(): void {
    this.byte(0xc0);
  }

  boolean(value: boolean): void {
    this.byte(value ? 0xc3 : 0xc2);
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  /** Writes an unsigned integer up to 2^53 - 1, or 2^64 - 1 as a bigint. */
  id(value: Id): void {
    if (typeof value === "number") this.unsigned(value);
    else this.#unsignedBig(value);
  }

  /** Writes an unsigned integer up to 2^53 - 1; throws a RangeError for any other number. */
  unsigned(value: number): void {
    if (this.#length + 9 > this.#bytes.length) this.#grow(9);
    if (value >= 0 && value < 0x80 && Number.isInteger(value)) {
      this.#bytes[this.#length++] = value;
      return;
    }
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`${value} is not an unsigned integer that can be written exactly`);
    }
    if (value < 0x100) {
      this.#bytes[this.#length] = 0xcc;
      this.#bytes[this.#length + 1] = value;
      this.#length += 2;
    } else if (value < 0x1_0000) {
      this.#bytes[this.#length] = 0xcd;
      this.#view.setUint16(this.#length + 1, value);
      this.#length += 3;
    } else if (value < U32) {
      this.#bytes[this.#length] = 0xce;
      this.#view.setUint32(this.#length + 1, value);
      this.#length += 5;
    } else {
      this.#bytes[this.#length] = 0xcf;
      this.#view.setUint32(this.#length + 1, Math.floor(value / U32));
      this.#view.setUint32(this.#length + 5, value % U32);
      this.#length += 9;
    }
  }

  #unsignedBig(value: bigint): void {
    if (value >= 0n && value <= 0x1f_ffff_ffff_ffffn) {
      this.unsigned(Number(value));
      return;
    }
    if (value < 0n || value > 0xffff_ffff_ffff_ffffn) {
      throw new RangeError(`${value} does not fit 64 unsigned bits`);
    }
    this.reserve(9);
    this.#bytes[this.#length] = 0xcf;
    this.#view.setBigUint64(this.#length + 1, value);
    this.#length += 9;
  }

  /** Writes a negative integer down to -2^63. */
  negative(value: number | bigint): void {
    this.reserve(9);
    const at = this.#length;
    if (value >= -32) {
      this.#bytes[this.#length++] = Number(value) & 0xff;
    } else if (value >= -0x80) {
      this.#bytes[at] = 0xd0;
      this.#view.setInt8(at + 1, Number(value));
      this.#length += 2;
    } else if (value >= -0x8000) {
      this.#bytes[at] = 0xd1;
      this.#view.setInt16(at + 1, Number(value));
      this.#length += 3;
    } else if (value >= -0x8000_0000) {
      this.#bytes[at] = 0xd2;
      this.#view.setInt32(at + 1, Number(value));
      this.#length += 5;
    } else {
      this.#bytes[at] = 0xd3;
      this.#view.setBigInt64(at + 1, BigInt(value));
      this.#length += 9;
    }
  }

  /** Writes a 64-bit floating point number. */
  float(value: number): void {
    this.reserve(9);
    this.#bytes[this.#length] = 0xcb;
    this.#view.setFloat64(this.#length + 1, value);
    this.#length += 9;
  }

  /** Writes a string; lone surrogates become U+FFFD. */
  string(text: string): void {
    const length = text.length;
    if (length < 32 && this.#shortString(text)) return;
    this.#encodedString(text);
  }

  /** Writes a string of the shortest form in plain JavaScript; false if it must be done otherwise. */
  #shortString(text: string): boolean {
    const length = text.length;
    if (this.#length + 1 + 3 * length > this.#bytes.length) this.#grow(1 + 3 * length);
    const bytes = this.#bytes;
    const start = this.#length;
    let at = start + 1;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        bytes[at++] = unit;
      } else if (unit < 0x800) {
        bytes[at++] = 0xc0 | (unit >> 6);
        bytes[at++] = 0x80 | (unit & 0x3f);
      } else {
        // Pairs of surrogates, and lone ones, are left to the platform.
        if (unit >= 0xd800 && unit < 0xe000) return false;
        bytes[at++] = 0xe0 | (unit >> 12);
        bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
        bytes[at++] = 0x80 | (unit & 0x3f);
      }
    }
    const size = at - start - 1;
    if (size >= 32) return false;
    bytes[start] = 0xa0 | size;
    this.#length = at;
    return true;
  }

  /** Writes a string, or nil for null. */
  nullableString(text: string | null): void {
    if (text === null) this.byte(0xc0);
    else this.string(text);
  }

  #encodedString(text: string): void {
    if (text.length > LARGE_TEXT) {
      const encoded = encodeUtf8(text);
      this.reserve(5 + encoded.length);
      this.#length += this.#stringHead(this.#length, encoded.length);
      this.#bytes.set(encoded, this.#length);
      this.#length += encoded.length;
      return;
    }
    this.reserve(5 + 3 * text.length);
    const start = this.#length;
    // The head's size depends on the encoded length, which is not known yet: guess one byte per
    // character, and move the text when the guess was too small.
    const guess = stringHeadSize(text.length);
    const size = encodeUtf8Into(text, this.#bytes.subarray(start + guess));
    const head = stringHeadSize(size);
    if (head !== guess) {
      this.#bytes.copyWithin(start + head, start + guess, start + guess + size);
    }
    this.#stringHead(start, size);
    this.#length = start + head + size;
  }

  #stringHead(at: number, size: number): number {
    if (size < 32) {
      this.#bytes[at] = 0xa0 | size;
      return 1;
    }
    if (size < 0x100) {
      this.#bytes[at] = 0xd9;
      this.#bytes[at + 1] = size;
      return 2;
    }
    if (size < 0x1_0000) {
      this.#bytes[at] = 0xda;
      this.#view.setUint16(at + 1, size);
      return 3;
    }
    this.#bytes[at] = 0xdb;
    this.#view.setUint32(at + 1, size);
    return 5;
  }

  /** Writes bytes as the msgpack type bin. */
  binary(value: Uint8Array): void {
    const size = value.length;
    this.reserve(5 + size);
    const at = this.#length;
    if (size < 0x100) {
      this.#bytes[at] = 0xc4;
      this.#bytes[at + 1] = size;
      this.#length += 2;
    } else if (size < 0x1_0000) {
      this.#bytes[at] = 0xc5;
      this.#view.setUint16(at + 1, size);
      this.#length += 3;
    } else {
      this.#bytes[at] = 0xc6;
      this.#view.setUint32(at + 1, size);
      this.#length += 5;
    }
    this.#bytes.set(value, this.#length);
    this.#length += size;
  }

  arrayHead(count: number): void {
    this.#containerHead(count, 0x90, 0xdc);
  }

  mapHead(count: number): void {
    this.#containerHead(count, 0x80, 0xde);
  }

  #containerHead(count: number, fix: number, wide: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow(5);
    if (count < 16) {
      this.#bytes[this.#length++] = fix | count;
    } else if (count < 0x1_0000) {
      this.#bytes[this.#length] = wide;
      this.#view.setUint16(this.#length + 1, count);
      this.#length += 3;
    } else {
      this.#bytes[this.#length] = wide + 1;
      this.#view.setUint32(this.#length + 1, count);
      this.#length += 5;
    }
  }

  /** Appends bytes as they are. */
  raw(value: Uint8Array): void {
    this.reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  uint16LE(value: number): void {
    this.reserve(2);
    this.#view.setUint16(this.#length, value, true);
    this.#length += 2;
  }

  uint32LE(value: number): void {
    this.reserve(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** Makes sure that `size` more bytes fit. */
  reserve(size: number): void {
    if (this.#length + size > this.#bytes.length) this.#grow(size);
  }

  #grow(size: number): void {
    const needed = this.#length + size;
    if (needed > MAX_BYTES) throw tooLarge(needed);
    const capacity = Math.min(MAX_BYTES, Math.max(needed, this.#bytes.length * 2, START_BYTES));
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = new Uint8Array(capacity);
    } catch (error) {
      throw tooLarge(needed, error);
    }
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

function stringHeadSize(size: number): number {
  if (size < 32) return 1;
  if (size < 0x100) return 2;
  return size < 0x1_0000 ? 3 : 5;
}

function tooLarge(size: number, cause?: unknown): FlightError {
  return new FlightError(
    "FLIGHT_BLOCK_TOO_LARGE",
    `a block of ${size} bytes was asked for; a block holds at most ${MAX_BYTES}`,
    "Record less, or split the recording into several files.",
    { cause },
  );
}
