/**
 * How a record is read whatever form it has: an array of its fields in order, or a map whose keys
 * are field names or field numbers.
 *
 * Strict reading accepts and refuses exactly what other readers of version 1 do. Lenient reading
 * (used to salvage) also takes arrays that are too long, or lack optional fields at their end, and
 * leaves out single records that make no sense. Rules: docs/format.md, "Records".
 */

import type { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { decodeUtf8 } from "../bytes/text.ts";
import { Undecodable } from "../bytes/undecodable.ts";

/** The fields of one kind of record, and how each is read into a draft of it. */
export interface RecordShape<T> {
  /** Field names in the order of the array form. */
  readonly names: readonly string[];
  /** How many fields, from the first, must be present; bit i stands for field i. */
  readonly requiredMask: number;
  /** Makes a record with every optional field null. */
  create(): T;
  /** Reads the value of field `index` into `draft`. */
  readField(cursor: MsgpackCursor, draft: T, index: number, policy: ReadPolicy): void;
}

/** How tolerant to be, and what was passed over. */
export interface ReadPolicy {
  readonly lenient: boolean;
  /** How many more records (and parts of records) may be built. */
  recordsLeft: number;
  /** How many records were left out. */
  skipped: number;
}

/** Reads one record. */
export function readRecord<T>(cursor: MsgpackCursor, shape: RecordShape<T>, policy: ReadPolicy): T {
  takeRecord(policy);
  const draft = shape.create();
  if (cursor.isMap()) {
    readMapForm(cursor, shape, draft, policy);
    return draft;
  }
  const start = cursor.offset;
  const count = cursor.arrayHead();
  const size = shape.names.length;
  const present = Math.min(count, size);
  if (count !== size) assertTolerable(shape, count, start, policy);
  for (let i = 0; i < present; i++) shape.readField(cursor, draft, i, policy);
  for (let i = size; i < count; i++) cursor.skip();
  return draft;
}

function assertTolerable<T>(
  shape: RecordShape<T>,
  count: number,
  start: number,
  policy: ReadPolicy,
): void {
  const required = 32 - Math.clz32(shape.requiredMask);
  if (policy.lenient && count >= required) return;
  const size = shape.names.length;
  throw new Undecodable(
    "malformed",
    `the record at byte ${start} has ${count} fields, not ${size}`,
  );
}

function readMapForm<T>(
  cursor: MsgpackCursor,
  shape: RecordShape<T>,
  draft: T,
  policy: ReadPolicy,
): void {
  const start = cursor.offset;
  const count = cursor.mapHead();
  let seen = 0;
  for (let i = 0; i < count; i++) {
    const index = readKey(cursor, shape.names);
    if (index < 0) {
      cursor.skip();
      continue;
    }
    const bit = 1 << index;
    if ((seen & bit) !== 0) {
      throw new Undecodable("malformed", `${shape.names[index]} occurs twice at byte ${start}`);
    }
    seen |= bit;
    shape.readField(cursor, draft, index, policy);
  }
  const missing = shape.names.find((_, i) => (shape.requiredMask & ~seen & (1 << i)) !== 0);
  if (missing !== undefined) {
    throw new Undecodable("malformed", `${missing} is missing from the record at byte ${start}`);
  }
}

/** Reads a key of a map and returns the number of the field it names, or -1. */
function readKey(cursor: MsgpackCursor, names: readonly string[]): number {
  const byte = cursor.peek();
  if (byte < 0x80 || (byte >= 0xcc && byte <= 0xd3)) {
    const index = cursor.id();
    return typeof index === "number" && index < names.length ? index : -1;
  }
  const key = cursor.binary();
  return names.indexOf(decodeUtf8(key, 0, key.length));
}

/** Reads a list of records. */
export function readRecords<T>(
  cursor: MsgpackCursor,
  shape: RecordShape<T>,
  policy: ReadPolicy,
): T[] {
  const count = cursor.arrayHead();
  const records: T[] = [];
  for (let i = 0; i < count; i++) {
    const start = cursor.offset;
    try {
      records.push(readRecord(cursor, shape, policy));
    } catch (error) {
      if (!skipBadRecord(cursor, start, error, policy)) break;
    }
  }
  return records;
}

/**
 * Decides what to do about a record that did not decode: passes over it when salvaging and returns
 * true; returns false when nothing behind it can be found; throws when reading strictly.
 */
export function skipBadRecord(
  cursor: MsgpackCursor,
  start: number,
  error: unknown,
  policy: ReadPolicy,
): boolean {
  if (!(error instanceof Undecodable) || !policy.lenient) throw error;
  policy.skipped++;
  if (error.kind === "limit") return false;
  cursor.offset = start;
  try {
    cursor.skip();
    return true;
  } catch (cause) {
    // The value itself has no end, so where the next one begins is unknown.
    if (cause instanceof Undecodable) return false;
    throw cause;
  }
}

/** Counts one more record against the limit. */
export function takeRecord(policy: ReadPolicy): void {
  if (--policy.recordsLeft < 0) {
    throw new Undecodable("limit", "the block holds more records than the limit allows");
  }
}

/** Reads the head of a tuple, which has no map form, and checks its size. */
export function readTupleHead(cursor: MsgpackCursor, size: number): void {
  const start = cursor.offset;
  const count = cursor.arrayHead();
  if (count !== size) {
    throw new Undecodable(
      "malformed",
      `the pair at byte ${start} has ${count} values, not ${size}`,
    );
  }
}
