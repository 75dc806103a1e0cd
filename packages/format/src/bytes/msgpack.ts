/**
 * Whole values to msgpack and back, for the places where any shape is legal: META's extra keys and
 * the data of EXT blocks. Records of the other blocks do not pass through here.
 */

import { ByteWriter } from "./byte-writer.ts";
import { MsgpackCursor } from "./msgpack-cursor.ts";
import { Undecodable } from "./undecodable.ts";

/** A value of one of msgpack's extension types, which no block of version 1 uses. */
export interface MsgpackExt {
  readonly extType: number;
  readonly data: Uint8Array;
}

/** How much {@link decodeMsgpack} may build. */
export interface MsgpackLimits {
  /** How deep arrays and maps may be nested; 256 unless given. */
  readonly depth?: number;
  /** How many values of all kinds there may be; 5,000,000 unless given. */
  readonly values?: number;
}

const MAX_DEPTH = 256;
const MAX_VALUES = 5_000_000;

/**
 * Encodes a value: null, undefined (as nil), booleans, numbers, bigints of 64 bits, strings,
 * Uint8Array (as bin), other typed arrays, arrays, sets, maps and plain objects.
 *
 * Integers take the smallest form, other numbers 64-bit floats. Keys whose value is undefined are
 * left out. Lone surrogates become U+FFFD.
 *
 * @throws {TypeError} For functions, symbols, and anything nested deeper than 256 (cycles).
 */
export function encodeMsgpack(value: unknown): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writeValue(writer, value);
  return writer.written();
}

/** Writes one value of any kind; see {@link encodeMsgpack}. */
export function writeValue(writer: ByteWriter, value: unknown, depth: number = 0): void {
  switch (typeof value) {
    case "string":
      writer.string(value);
      return;
    case "number":
      writeNumber(writer, value);
      return;
    case "boolean":
      writer.boolean(value);
      return;
    case "bigint":
      if (value < 0n) writeNegativeBig(writer, value);
      else writer.id(value);
      return;
    case "undefined":
      writer.nil();
      return;
    case "object":
      if (value === null) writer.nil();
      else writeObject(writer, value, depth);
      return;
    case "function":
    case "symbol":
      throw new TypeError(`a ${typeof value} cannot be written as msgpack`);
  }
}

function writeNumber(writer: ByteWriter, value: number): void {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) writer.float(value);
  else if (value < 0) writer.negative(value);
  else writer.unsigned(value);
}

function writeNegativeBig(writer: ByteWriter, value: bigint): void {
  if (value < -0x8000_0000_0000_0000n) throw new RangeError(`${value} does not fit 64 bits`);
  writer.negative(value);
}

function writeObject(writer: ByteWriter, value: object, depth: number): void {
  if (depth >= MAX_DEPTH) {
    throw new TypeError(`the value is nested deeper than ${MAX_DEPTH}, or contains itself`);
  }
  if (value instanceof Uint8Array) {
    writer.binary(value);
  } else if (Array.isArray(value)) {
    writer.arrayHead(value.length);
    for (let i = 0; i < value.length; i++) writeValue(writer, value[i], depth + 1);
  } else if (value instanceof Map) {
    writer.mapHead(value.size);
    for (const [key, item] of value) {
      writeValue(writer, key, depth + 1);
      writeValue(writer, item, depth + 1);
    }
  } else if (value instanceof Set || isTypedArray(value)) {
    const items: unknown[] = [...value];
    writer.arrayHead(items.length);
    for (const item of items) writeValue(writer, item, depth + 1);
  } else {
    const entries = Object.entries(value).filter((entry) => entry[1] !== undefined);
    writer.mapHead(entries.length);
    for (const [key, item] of entries) {
      writer.string(key);
      writeValue(writer, item, depth + 1);
    }
  }
}

function isTypedArray(value: object): value is Iterable<number | bigint> & object {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/**
 * Decodes the first value in `bytes`; what follows it is ignored.
 *
 * Maps become plain objects with string keys (integer keys are written out), bin becomes a view of
 * `bytes`, integers beyond 2^53 become bigints.
 *
 * @throws {Error} If the bytes are not such a value, or a limit is exceeded.
 */
export function decodeMsgpack(bytes: Uint8Array, limits: MsgpackLimits = {}): unknown {
  return readValue(new MsgpackCursor(bytes, limits.depth ?? MAX_DEPTH), limits);
}

/** Reads one value of any kind at the cursor; see {@link decodeMsgpack}. */
export function readValue(cursor: MsgpackCursor, limits: MsgpackLimits = {}): unknown {
  return new ValueReader(cursor, limits.values ?? MAX_VALUES).value(0);
}

class ValueReader {
  readonly #cursor: MsgpackCursor;
  readonly #maxValues: number;
  #valuesLeft: number;

  constructor(cursor: MsgpackCursor, maxValues: number) {
    this.#cursor = cursor;
    this.#maxValues = maxValues;
    this.#valuesLeft = maxValues;
  }

  value(depth: number): unknown {
    const cursor = this.#cursor;
    if (--this.#valuesLeft < 0) {
      throw new Undecodable("limit", `there are more than ${this.#maxValues} values`);
    }
    const byte = cursor.peek();
    if (byte < 0x80 || byte >= 0xe0) return cursor.integer();
    if (byte < 0x90 || byte === 0xde || byte === 0xdf) return this.#map(depth);
    if (byte < 0xa0 || byte === 0xdc || byte === 0xdd) return this.#array(depth);
    if (byte < 0xc0 || (byte >= 0xd9 && byte <= 0xdb)) return cursor.string();
    if (cursor.tryNil()) return null;
    if (byte === 0xc2 || byte === 0xc3) return cursor.boolean();
    if (byte >= 0xc4 && byte <= 0xc6) return cursor.binary();
    if (byte === 0xca || byte === 0xcb) return cursor.float();
    if (byte >= 0xcc && byte <= 0xd3) return cursor.integer();
    return cursor.ext() satisfies MsgpackExt;
  }

  #array(depth: number): unknown[] {
    if (depth >= this.#cursor.maxDepth) throw this.#cursor.tooDeep();
    const count = this.#cursor.arrayHead();
    const items: unknown[] = [];
    for (let i = 0; i < count; i++) items.push(this.value(depth + 1));
    return items;
  }

  #map(depth: number): Record<string, unknown> {
    if (depth >= this.#cursor.maxDepth) throw this.#cursor.tooDeep();
    const count = this.#cursor.mapHead();
    const result: Record<string, unknown> = {};
    for (let i = 0; i < count; i++) {
      const key = this.value(depth + 1);
      if (typeof key !== "string" && typeof key !== "number" && typeof key !== "bigint") {
        throw this.#cursor.unexpected("a map key that is a string or an integer");
      }
      assignKey(result, String(key), this.value(depth + 1));
    }
    return result;
  }
}

function assignKey(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    // A plain assignment would change the prototype instead of adding a key.
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    target[key] = value;
  }
}
