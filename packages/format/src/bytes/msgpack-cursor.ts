/**
 * A position in msgpack bytes, with one method per kind of value that version 1 knows.
 *
 * Every method checks type and bounds before it moves, and throws `Undecodable` otherwise. A length
 * is believed only as far as the bytes that are left, so no promise can make it allocate.
 * What is accepted: docs/format.md, "Values".
 */

import type { Id } from "./id.ts";
import { assertUtf8, decodeUtf8 } from "./text.ts";
import { Undecodable } from "./undecodable.ts";

const U32 = 0x1_0000_0000;
/** High half of the first number that is no longer exact. */
const SAFE_HIGH = 0x20_0000;

export class MsgpackCursor {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #maxDepth: number;
  /** Where the next value begins. */
  offset: number;

  constructor(bytes: Uint8Array, maxDepth: number, offset: number = 0) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#maxDepth = maxDepth;
    this.offset = offset;
  }

  /** How many bytes are left. */
  get left(): number {
    return this.bytes.length - this.offset;
  }

  /** The first byte of the next value. */
  peek(): number {
    const byte = this.bytes[this.offset];
    if (byte === undefined)
      throw new Undecodable("malformed", `the data ends at byte ${this.offset}`);
    return byte;
  }

  /** Reads nil if the next value is nil, and says so. */
  tryNil(): boolean {
    if (this.peek() !== 0xc0) return false;
    this.offset++;
    return true;
  }

  boolean(): boolean {
    const byte = this.peek();
    if (byte !== 0xc2 && byte !== 0xc3) throw this.unexpected("a boolean");
    this.offset++;
    return byte === 0xc3;
  }

  /** Reads an unsigned integer of any form that is at most `max` (itself at most 2^32 - 1). */
  unsigned(max: number): number {
    const start = this.offset;
    const byte = this.bytes[start];
    if (byte !== undefined && byte < 0x80) {
      if (byte > max) throw outOfRange(byte, max, start);
      this.offset = start + 1;
      return byte;
    }
    const value = this.id();
    if (typeof value === "bigint" || value > max) throw outOfRange(value, max, start);
    return value;
  }

  /** Reads an unsigned 64-bit integer of any form, signed forms with such a value included. */
  id(): Id {
    const at = this.offset;
    const byte = this.peek();
    if (byte < 0x80) {
      this.offset = at + 1;
      return byte;
    }
    switch (byte) {
      case 0xcc:
        this.#need(2);
        this.offset = at + 2;
        return this.#view.getUint8(at + 1);
      case 0xcd:
        this.#need(3);
        this.offset = at + 3;
        return this.#view.getUint16(at + 1);
      case 0xce:
        this.#need(5);
        this.offset = at + 5;
        return this.#view.getUint32(at + 1);
      case 0xcf:
        return this.#wide();
      case 0xd0:
        this.#need(2);
        return this.#nonNegative(this.#view.getInt8(at + 1), 2);
      case 0xd1:
        this.#need(3);
        return this.#nonNegative(this.#view.getInt16(at + 1), 3);
      case 0xd2:
        this.#need(5);
        return this.#nonNegative(this.#view.getInt32(at + 1), 5);
      case 0xd3:
        this.#need(9);
        if (this.#view.getInt8(at + 1) < 0) throw this.unexpected("an unsigned integer");
        return this.#wide();
      default:
        throw this.unexpected("an unsigned integer");
    }
  }

  #wide(): Id {
    this.#need(9);
    const at = this.offset;
    const high = this.#view.getUint32(at + 1);
    this.offset = at + 9;
    if (high >= SAFE_HIGH) return this.#view.getBigUint64(at + 1);
    return high * U32 + this.#view.getUint32(at + 5);
  }

  #nonNegative(value: number, size: number): number {
    if (value < 0) throw this.unexpected("an unsigned integer");
    this.offset += size;
    return value;
  }

  /** Reads a str, or a bin that holds UTF-8. */
  string(): string {
    const size = this.#stringHead();
    const from = this.offset;
    this.offset = from + size;
    return decodeUtf8(this.bytes, from, this.offset);
  }

  nullableString(): string | null {
    return this.tryNil() ? null : this.string();
  }

  /** Passes over a string after checking that {@link string} would accept it. */
  skipString(): void {
    const first = this.bytes[this.offset] ?? 0;
    const end = this.offset + 1 + (first & 0x1f);
    if (first >= 0xa0 && first < 0xc0 && end <= this.bytes.length) {
      assertUtf8(this.bytes, this.offset + 1, end);
      this.offset = end;
      return;
    }
    const size = this.#stringHead();
    const from = this.offset;
    this.offset = from + size;
    assertUtf8(this.bytes, from, this.offset);
  }

  #stringHead(): number {
    const at = this.offset;
    const byte = this.peek();
    let size: number;
    let head: number;
    if (byte >= 0xa0 && byte < 0xc0) {
      size = byte & 0x1f;
      head = 1;
    } else {
      switch (byte) {
        case 0xd9:
        case 0xc4:
          this.#need(2);
          size = this.#view.getUint8(at + 1);
          head = 2;
          break;
        case 0xda:
        case 0xc5:
          this.#need(3);
          size = this.#view.getUint16(at + 1);
          head = 3;
          break;
        case 0xdb:
        case 0xc6:
          this.#need(5);
          size = this.#view.getUint32(at + 1);
          head = 5;
          break;
        default:
          throw this.unexpected("a string");
      }
    }
    if (size > this.left - head) throw this.#cut(`a string of ${size} bytes`);
    this.offset = at + head;
    return size;
  }

  /** Reads the head of an array and returns how many values follow. */
  arrayHead(): number {
    const count = this.#containerHead(0x90, 0xdc);
    if (count === undefined) throw this.unexpected("an array");
    return count;
  }

  /** Reads the head of a map and returns how many pairs of key and value follow. */
  mapHead(): number {
    const count = this.#containerHead(0x80, 0xde);
    if (count === undefined) throw this.unexpected("a map");
    if (count * 2 > this.left) throw this.#cut(`a map of ${count} entries`);
    return count;
  }

  isMap(): boolean {
    const byte = this.peek();
    return (byte & 0xf0) === 0x80 || byte === 0xde || byte === 0xdf;
  }

  #containerHead(fix: number, wide: number): number | undefined {
    const at = this.offset;
    const byte = this.peek();
    let count: number;
    if ((byte & 0xf0) === fix) {
      count = byte & 0x0f;
      this.offset = at + 1;
    } else if (byte === wide) {
      this.#need(3);
      count = this.#view.getUint16(at + 1);
      this.offset = at + 3;
    } else if (byte === wide + 1) {
      this.#need(5);
      count = this.#view.getUint32(at + 1);
      this.offset = at + 5;
    } else {
      return undefined;
    }
    // Every value takes at least one byte.
    if (count > this.left) throw this.#cut(`a list of ${count} values`);
    return count;
  }

  float(): number {
    const at = this.offset;
    switch (this.peek()) {
      case 0xca:
        this.#need(5);
        this.offset = at + 5;
        return this.#view.getFloat32(at + 1);
      case 0xcb:
        this.#need(9);
        this.offset = at + 9;
        return this.#view.getFloat64(at + 1);
      default:
        throw this.unexpected("a floating point number");
    }
  }

  /** Reads an integer of any sign and form. */
  integer(): Id {
    const at = this.offset;
    const byte = this.peek();
    if (byte >= 0xe0) {
      this.offset = at + 1;
      return byte - 0x100;
    }
    if (byte === 0xd0 && this.left >= 2) {
      this.offset = at + 2;
      return this.#view.getInt8(at + 1);
    }
    if (byte === 0xd1 && this.left >= 3) {
      this.offset = at + 3;
      return this.#view.getInt16(at + 1);
    }
    if (byte === 0xd2 && this.left >= 5) {
      this.offset = at + 5;
      return this.#view.getInt32(at + 1);
    }
    if (byte === 0xd3 && this.left >= 9) {
      const wide = this.#view.getBigInt64(at + 1);
      this.offset = at + 9;
      const exact = Number(wide);
      return Number.isSafeInteger(exact) ? exact : wide;
    }
    return this.id();
  }

  /** Reads bin or str as bytes; a view, not a copy. */
  binary(): Uint8Array {
    const size = this.#stringHead();
    const from = this.offset;
    this.offset = from + size;
    return this.bytes.subarray(from, from + size);
  }

  /** Reads an ext value: its type and its bytes (a view). */
  ext(): { extType: number; data: Uint8Array } {
    const at = this.offset;
    const byte = this.peek();
    const head = extHead(byte);
    if (head === undefined) throw this.unexpected("an ext value");
    this.#need(head);
    let size: number;
    if (byte === 0xc7) size = this.#view.getUint8(at + 1);
    else if (byte === 0xc8) size = this.#view.getUint16(at + 1);
    else if (byte === 0xc9) size = this.#view.getUint32(at + 1);
    else size = 1 << (byte - 0xd4);
    if (size > this.left - head) throw this.#cut(`an ext value of ${size} bytes`);
    const extType = this.#view.getInt8(at + head - 1);
    this.offset = at + head + size;
    return { extType, data: this.bytes.subarray(at + head, this.offset) };
  }

  /** Passes over one value, whatever it is. */
  skip(depth: number = 0): void {
    const byte = this.peek();
    if (byte < 0x80 || byte >= 0xe0 || byte === 0xc0 || byte === 0xc2 || byte === 0xc3) {
      this.offset++;
    } else if (byte < 0x90 || byte === 0xde || byte === 0xdf) {
      this.#skipMany(this.mapHead() * 2, depth);
    } else if (byte < 0xa0 || byte === 0xdc || byte === 0xdd) {
      this.#skipMany(this.arrayHead(), depth);
    } else if (byte < 0xc0 || (byte >= 0xc4 && byte <= 0xc6) || (byte >= 0xd9 && byte <= 0xdb)) {
      this.binary();
    } else if (byte === 0xca || byte === 0xcb) {
      this.float();
    } else if (byte >= 0xcc && byte <= 0xd3) {
      this.integer();
    } else {
      this.ext();
    }
  }

  #skipMany(count: number, depth: number): void {
    if (depth >= this.#maxDepth) throw this.tooDeep();
    for (let i = 0; i < count; i++) this.skip(depth + 1);
  }

  tooDeep(): Undecodable {
    return new Undecodable("limit", `values are nested deeper than ${this.#maxDepth}`);
  }

  get maxDepth(): number {
    return this.#maxDepth;
  }

  unexpected(wanted: string): Undecodable {
    const byte = this.peek().toString(16).padStart(2, "0");
    return new Undecodable(
      "malformed",
      `${wanted} was expected at byte ${this.offset}, not 0x${byte}`,
    );
  }

  #need(size: number): void {
    if (size > this.left) throw this.#cut(`a value of ${size} bytes`);
  }

  #cut(what: string): Undecodable {
    return new Undecodable("malformed", `${what} at byte ${this.offset} goes beyond the end`);
  }
}

function extHead(byte: number): number | undefined {
  if (byte === 0xc7) return 3;
  if (byte === 0xc8) return 4;
  if (byte === 0xc9) return 6;
  return byte >= 0xd4 && byte <= 0xd8 ? 2 : undefined;
}

function outOfRange(value: Id, max: number, at: number): Undecodable {
  return new Undecodable("malformed", `${value} at byte ${at} is larger than ${max}`);
}
