/**
 * Opens arrays, arguments, Maps and Sets, never further than the limit for containers.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import { bytesText } from "./describe-memory.ts";
import { MAX_SEARCHED, accessorId, addOwn, addProperty, pairs } from "./describe-properties.ts";
import type { GraphBuilder, Item } from "./graph-builder.ts";
import { className, isTooDeep, safeText, subclassName } from "./node-text.ts";
import {
  append,
  eachMapEntry,
  eachSetValue,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  hasOwn,
  isArrayBufferView,
  isDataView,
  isProxy,
  item,
  mapSize,
  ownData,
  setSize,
  symbolDescription,
  typedArrayLength,
  typedArrayName,
} from "./primordials.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";
import { latin1Of } from "./value-text.ts";

export function describeArray(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const { length } = value as unknown[];
  const name = subclassName(graph, facts, "Array");
  if (isTooDeep(graph, id, depth, length === 0 ? "[]" : "[…]")) return;
  describeElements(graph, value, id, depth, length, name);
  if (length <= MAX_SEARCHED) noteExtra(graph, value, id, depth, length);
}

export function describeArguments(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
): void {
  const length = ownData(value, "length");
  const count = typeof length === "number" && length >= 0 && length <= 65_536 ? length >>> 0 : 0;
  if (isTooDeep(graph, id, depth, "Arguments […]")) return;
  describeElements(graph, value, id, depth, count, "Arguments");
}

function describeElements(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  length: number,
  typeName: string | null,
): void {
  const { maxContainer } = graph.settings;
  const stop = length < maxContainer ? length : maxContainer;
  const items: Item[] = [];
  const isPairs = length >= 2 && length % 2 === 0;
  const runs: [number, number][] = [];
  let name: unknown;
  for (let at = 0; at < stop; at++) {
    const found = getOwnPropertyDescriptor(value, at);
    if (found === undefined) {
      append(items, { key: null, id: graph.hole() });
      addRun(runs, at);
      name = undefined;
      continue;
    }
    if (!hasOwn(found, "value")) {
      append(items, { key: null, id: accessorId(graph, value, found, depth) });
      name = undefined;
      continue;
    }
    const element: unknown = found.value;
    // `["password", "x"]` and header lists: a name at an even place hides what follows it.
    if (isPairs && at % 2 === 1 && typeof name === "string" && graph.key(name).isSensitive) {
      append(items, { key: null, id: graph.redacted("pair", name, element) });
    } else {
      append(items, { key: null, id: graph.idFor(element, depth + 1) });
    }
    name = element;
  }
  const isCut = length > stop;
  if (isCut) graph.cut("container", id);
  if (runs.length > 0) graph.noteFact(id, "holes", runs);
  graph.fill(id, "list", null, typeName, length, isCut, items);
}

/** Holes as `[first, count]`. */
function addRun(runs: [number, number][], at: number): void {
  const last = runs.length === 0 ? undefined : runs[runs.length - 1];
  if (last !== undefined && last[0] + last[1] === at) last[1]++;
  else append(runs, [at, 1]);
}

/** Own properties of an array beside its elements, such as `index` of a match. */
function noteExtra(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  length: number,
): void {
  const names = getOwnPropertyNames(value);
  const extra: Item[] = [];
  const { maxContainer } = graph.settings;
  // Names are listed with the elements first; holes make the list shorter, never longer.
  for (let at = names.length - 1; at >= 0 && extra.length < maxContainer; at--) {
    const name = item(names, at);
    if (name === "length") {
      if (at <= length) break;
      continue;
    }
    addProperty(graph, value, id, depth, extra, name, false);
  }
  const symbols = getOwnPropertySymbols(value);
  for (let at = 0; at < symbols.length && extra.length < maxContainer; at++) {
    const symbol = item(symbols, at);
    const found = getOwnPropertyDescriptor(value, symbol);
    if (found === undefined) continue;
    const target = hasOwn(found, "value")
      ? graph.idFor(found.value, depth + 1)
      : accessorId(graph, value, found, depth);
    append(extra, { key: graph.symbolText(symbol), id: target });
  }
  if (extra.length > 0) graph.noteFact(id, "properties", pairs(extra));
}

export function describeMap(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const size = mapSize(value);
  const name = className(graph, facts, "Map");
  if (isTooDeep(graph, id, depth, `${name}(${size}) {…}`)) return;
  const items: Item[] = [];
  const keys: number[] = [];
  eachMapEntry(value, graph.settings.maxContainer, (key, content) => {
    const label = mapKey(graph, key);
    const target = label.isSensitive
      ? graph.redacted("map key", label.text, content)
      : graph.idFor(content, depth + 1);
    append(items, { key: label.text, id: target });
    append(keys, graph.idFor(key, depth + 1));
  });
  const isCut = size > items.length;
  if (isCut) graph.cut("container", id);
  if (items.length > 0) append(graph.mapKeys, { id, keys });
  graph.fill(id, "dict", null, name, size, isCut, items);
  addOwn(graph, value, id, depth, facts);
}

export function describeSet(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const size = setSize(value);
  if (isTooDeep(graph, id, depth, `${facts.name ?? "Set"}(${size}) {…}`)) return;
  const items: Item[] = [];
  eachSetValue(value, graph.settings.maxContainer, (element) => {
    append(items, { key: null, id: graph.idFor(element, depth + 1) });
  });
  const isCut = size > items.length;
  if (isCut) graph.cut("container", id);
  graph.fill(id, "set", null, subclassName(graph, facts, "Set"), size, isCut, items);
  addOwn(graph, value, id, depth, facts);
}

/** Text of a Map key, and whether it names a secret. */
function mapKey(graph: GraphBuilder, key: unknown): { text: string; isSensitive: boolean } {
  if (typeof key === "string") return graph.key(key);
  if (typeof key === "symbol") {
    return {
      text: graph.symbolText(key),
      isSensitive: graph.key(symbolDescription(key) ?? "").isSensitive,
    };
  }
  if (typeof key === "object" && key !== null && !isProxy(key) && typedName(key) === "Uint8Array") {
    const length = typedArrayLength(key);
    const text = latin1Of(key as Uint8Array, length < 256 ? length : 256);
    return {
      text: bytesText(graph, key as Uint8Array, length),
      isSensitive: graph.key(text).isSensitive,
    };
  }
  return { text: safeText(graph, key), isSensitive: false };
}

function typedName(value: object): string | undefined {
  return isArrayBufferView(value) && !isDataView(value) ? typedArrayName(value) : undefined;
}
