/**
 * Shows buffers and typed arrays: the first bytes or numbers, and which of them share memory.
 *
 * Detached, shrunken and shared memory is read through internal slots only.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import type { GraphBuilder, Item } from "./graph-builder.ts";
import { NO_ITEMS, className } from "./node-text.ts";
import {
  Uint8ArrayCopy,
  append,
  arrayBufferByteLength,
  dataViewBuffer,
  dataViewByteLength,
  dataViewByteOffset,
  isDataView,
  isSharedArrayBuffer,
  sharedBufferByteLength,
  stringSlice,
  stringStartsWith,
  toLowerCase,
  typedArrayBuffer,
  typedArrayByteLength,
  typedArrayByteOffset,
  typedArrayLength,
  typedArrayName,
} from "./primordials.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";
import { SHOWN_BYTES, bytesLiteral, latin1Of } from "./value-text.ts";

/** Elements looked at for NaN. */
const MAX_COUNTED = 1_000_000;

const HEAD = 8;

export function describeView(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  if (isDataView(value)) {
    describeBytes(graph, id, className(graph, facts, "DataView"), dataViewBytes(value));
    noteMemory(
      graph,
      id,
      () => dataViewBuffer(value),
      () => dataViewByteOffset(value),
    );
    return;
  }
  const slot = typedArrayName(value) ?? "Uint8Array";
  if (slot === "Uint8Array" || slot === "Uint8ClampedArray") {
    const length = typedArrayLength(value);
    describeBytes(graph, id, className(graph, facts, slot), { bytes: value as Uint8Array, length });
  } else {
    describeNumbers(graph, value, id, depth, slot, className(graph, facts, slot));
  }
  noteMemory(
    graph,
    id,
    () => typedArrayBuffer(value),
    () => typedArrayByteOffset(value),
  );
}

interface Bytes {
  readonly bytes: Uint8Array | undefined;
  readonly length: number;
}

/** A detached or shrunken buffer has no bytes; its getters throw. */
function dataViewBytes(view: object): Bytes {
  try {
    const length = dataViewByteLength(view);
    const seen = length < LOOKED_AT ? length : LOOKED_AT;
    return {
      bytes: new Uint8ArrayCopy(dataViewBuffer(view), dataViewByteOffset(view), seen),
      length,
    };
  } catch {
    return { bytes: undefined, length: 0 };
  }
}

/** Bytes searched for secrets; more than are shown, because a secret may begin inside. */
const LOOKED_AT = SHOWN_BYTES + 512;

export function describeBuffer(
  graph: GraphBuilder,
  value: object,
  id: number,
  facts: PrototypeFacts,
): void {
  const isShared = isSharedArrayBuffer(value);
  const length = isShared ? sharedBufferByteLength(value) : arrayBufferByteLength(value);
  let bytes: Uint8Array | undefined;
  try {
    const seen = length < LOOKED_AT ? length : LOOKED_AT;
    bytes = new Uint8ArrayCopy(value as ArrayBuffer, 0, seen);
  } catch {
    bytes = undefined; // Detached.
  }
  const name = className(graph, facts, isShared ? "SharedArrayBuffer" : "ArrayBuffer");
  describeBytes(graph, id, name, { bytes, length });
  noteMemory(
    graph,
    id,
    () => value,
    () => 0,
  );
}

function describeBytes(graph: GraphBuilder, id: number, typeName: string, from: Bytes): void {
  const repr = bytesText(graph, from.bytes, from.length);
  const isCut = from.length > SHOWN_BYTES;
  graph.fill(id, "bytes", repr, typeName, from.length, isCut, NO_ITEMS);
}

export function bytesText(
  graph: GraphBuilder,
  bytes: Uint8Array | undefined,
  length: number,
): string {
  if (bytes === undefined) return "b''";
  const seen = length < LOOKED_AT ? length : LOOKED_AT;
  const text = latin1Of(bytes, seen);
  const clean = graph.settings.scrubber.text(text, "bytes");
  return bytesLiteral(stringSlice(clean, 0, SHOWN_BYTES));
}

/** Views of one buffer get the same number, so that shared memory shows. */
function noteMemory(
  graph: GraphBuilder,
  id: number,
  bufferOf: () => unknown,
  offsetOf: () => number,
): void {
  try {
    const buffer = bufferOf() as object;
    let number = graph.buffers.get(buffer);
    if (number === undefined) {
      number = graph.buffers.size;
      graph.buffers.set(buffer, number);
    }
    graph.noteFact(id, "memory", number);
    graph.noteFact(id, "byteOffset", offsetOf());
  } catch {
    graph.noteFact(id, "memory", null); // Detached or out of bounds.
  }
}

function describeNumbers(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  slot: string,
  typeName: string,
): void {
  const length = typedArrayLength(value);
  const numbers = value as unknown as ArrayLike<number | bigint>;
  const head: unknown[] = [];
  for (let at = 0; at < length && at < HEAD; at++) append(head, numbers[at]);
  const dtype = dtypeOf(slot);
  const items: Item[] = [];
  append(items, { key: "shape", id: graph.list([length], depth + 2) });
  append(items, { key: "dtype", id: graph.idFor(dtype, depth + 1) });
  append(items, { key: "head", id: graph.list(head, depth + 2) });
  if (stringStartsWith(dtype, "float") && length <= MAX_COUNTED) {
    append(items, {
      key: "nan_count",
      id: graph.idFor(countNaN(value as Float64Array, length), depth + 1),
    });
  }
  graph.fill(id, "ndarray", `${slot}(${length})`, typeName, length, length > HEAD, items);
  graph.noteFact(id, "byteLength", typedArrayByteLength(value));
}

/** `Float64Array` is `float64`, `BigInt64Array` is `int64`. */
function dtypeOf(slot: string): string {
  const name = toLowerCase(stringSlice(slot, 0, -5));
  if (name === "bigint64") return "int64";
  return name === "biguint64" ? "uint64" : name;
}

function countNaN(numbers: ArrayLike<number>, length: number): number {
  let count = 0;
  for (let at = 0; at < length; at++) {
    const value = numbers[at];
    if (value !== value) count++;
  }
  return count;
}
