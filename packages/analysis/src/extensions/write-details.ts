/**
 * Reads EXT node.mutations: exact places, operators, owners and what was there before, by seq.
 *
 * Layout: docs/format.md, "Extensions". Wrong or missing columns answer undefined.
 */
import type { Recording } from "@orangebox/format";

import { extensionMap } from "./extension-list.ts";
import { countOf, fieldOf, listOf, textOf } from "./loose-fields.ts";

/** A stretch of text, from 1, its end excluded. */
export interface WriteRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Writes that are not in the file, and why. */
export interface DroppedWrites {
  /** All of them; they came before the first write of the file. */
  readonly count: number;
  /** Overwritten before the recording was made. */
  readonly log: number;
  /** Beyond the most writes of a file. */
  readonly limit: number;
  /** There was no time left. */
  readonly deadline: number;
}

/** Answers by seq. */
export interface WriteDetails {
  operator(seq: number): string | undefined;
  range(seq: number): WriteRange | undefined;
  /** The write of the same thing before. */
  before(seq: number): number | undefined;
  /** Number of the object that owns what was written. */
  owner(seq: number): number | undefined;
  /** Number of the object that was written. */
  object(seq: number): number | undefined;
  /** Id in the object table of the object with this number. */
  objectId(number: number): number | undefined;
  /** Number of an object by its id. */
  numberOf(id: number): number | undefined;
  /** The function that an activation belongs to. */
  functionOf(activation: string): string | undefined;
  readonly dropped: DroppedWrites;
}

const NUMBERS_PER_PLACE = 4;

/** Gives what is known of the writes of a recording beyond their records. */
export function writeDetails(recording: Recording): WriteDetails {
  const data = extensionMap(recording, "node.mutations");
  const operators = listOf(fieldOf(data, "operators"));
  const places = listOf(fieldOf(data, "places"));
  const operator = column(fieldOf(data, "operator"), 2);
  const place = column(fieldOf(data, "place"), 4);
  const before = column(fieldOf(data, "before"), 4);
  const owner = column(fieldOf(data, "owner"), 8);
  const object = column(fieldOf(data, "object"), 8);
  const idOfNumber = new Map<number, number>();
  const numberOfId = new Map<number, number>();
  const objects = listOf(fieldOf(data, "objects"));
  for (let at = 0; at + 1 < objects.length; at += 2) {
    const number = countOf(objects[at]);
    const id = countOf(objects[at + 1]);
    if (number === undefined || id === undefined) continue;
    idOfNumber.set(number, id);
    numberOfId.set(id, number);
  }
  const functions = new Map<string, string>();
  for (const entry of listOf(fieldOf(data, "activations"))) {
    const [activation, name] = listOf(entry);
    const text = textOf(name);
    if (text !== undefined) functions.set(String(activation), text);
  }
  return {
    operator: (seq) => textOf(operators[operator(seq, "getUint16") ?? -1]),
    range: (seq) => rangeAt(places, place(seq, "getUint32")),
    before: (seq) => {
      const found = before(seq, "getInt32");
      return found === undefined || found < 0 || found >= seq ? undefined : found;
    },
    owner: (seq) => owner(seq, "getFloat64") || undefined,
    object: (seq) => object(seq, "getFloat64") || undefined,
    objectId: (number) => idOfNumber.get(number),
    numberOf: (id) => numberOfId.get(id),
    functionOf: (activation) => functions.get(activation),
    dropped: droppedWrites(data),
  };
}

type NumberKind = "getUint16" | "getUint32" | "getInt32" | "getFloat64";

function column(
  bytes: unknown,
  width: number,
): (seq: number, kind: NumberKind) => number | undefined {
  if (!(bytes instanceof Uint8Array)) return () => undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (seq, kind) => {
    const at = seq * width;
    return at >= 0 && at + width <= view.byteLength ? view[kind](at, true) : undefined;
  };
}

function rangeAt(places: readonly unknown[], index: number | undefined): WriteRange | undefined {
  if (index === undefined) return undefined;
  const at = index * NUMBERS_PER_PLACE;
  const [line, columnNumber, endLine, endColumn] = places
    .slice(at, at + NUMBERS_PER_PLACE)
    .map(countOf);
  if (line === undefined || columnNumber === undefined) return undefined;
  if (endLine === undefined || endColumn === undefined) return undefined;
  return { line, column: columnNumber, endLine, endColumn };
}

function droppedWrites(data: unknown): DroppedWrites {
  const dropped = fieldOf(data, "dropped");
  return {
    count: countOf(fieldOf(data, "droppedBefore")) ?? 0,
    log: countOf(fieldOf(dropped, "log")) ?? 0,
    limit: countOf(fieldOf(dropped, "limit")) ?? 0,
    deadline: countOf(fieldOf(dropped, "deadline")) ?? 0,
  };
}
