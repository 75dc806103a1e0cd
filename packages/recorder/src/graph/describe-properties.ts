/**
 * Lists own properties and private fields, by descriptor, and hides values under sensitive names.
 *
 * What a version 1 node has no room for goes into EXT `node.objects`.
 */
import { builtinStackGetter, readOwnStack } from "./error-stack.ts";
import type { GraphBuilder, Item } from "./graph-builder.ts";
import { displayName, isTooDeep, leaf } from "./node-text.ts";
import {
  SafeSet,
  append,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  hasOwn,
  isExtensible,
  isFrozen,
  isSealed,
  item,
  objectKeys,
  ownData,
  stringStartsWith,
  symbolDescription,
} from "./primordials.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";

/** Objects with more enumerable properties are not searched for hidden ones. */
export const MAX_SEARCHED = 1_000;

/** A dictionary to everybody, although its prototype has a nameless constructor. */
const environment: object = process.env;

const weakRefPrototype: object = WeakRef.prototype;

const registryPrototype: object = FinalizationRegistry.prototype;

const wellKnownSymbols = new SafeSet<symbol>();

for (const name of getOwnPropertyNames(Symbol)) {
  const symbol: unknown = ownData(Symbol, name);
  if (typeof symbol === "symbol") wellKnownSymbols.add(symbol);
}

/** Adds a value under a name, or a redacted node when the name is sensitive. */
export function addNamed(
  graph: GraphBuilder,
  items: Item[],
  name: string,
  value: unknown,
  depth: number,
  where: string,
): void {
  const key = graph.key(name);
  append(items, {
    key: key.text,
    id: key.isSensitive ? graph.redacted(where, name, value) : graph.idFor(value, depth + 1),
  });
}

export function describeProperties(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const isNull = facts.prototypes.length === 0 && facts.isWhole;
  const isDict = facts.isPlain || isNull || value === environment;
  const isLeaf = isLeafClass(facts);
  const name = isDict ? null : displayName(graph, value, facts);
  if (isLeaf && name !== null) return leaf(graph, id, `${name} {…}`, name);
  if (
    depth >= graph.settings.maxDepth &&
    isTooDeep(graph, id, depth, `${name === null ? "" : `${name} `}{…}`)
  )
    return;
  const items: Item[] = [];
  let count = addProperties(graph, value, id, depth, items, isDict);
  if (!isDict) count += addPrivates(graph, value, depth, facts, items);
  const isCut = count > items.length;
  if (isCut) graph.cut("container", id);
  if (isDict) {
    graph.fill(id, "dict", null, isNull ? "NullObject" : null, count, isCut, items);
  } else {
    const repr = count === 0 ? `${name} {}` : `${name} {…}`;
    graph.fill(id, "object", repr, name, count, isCut, items);
    noteChain(graph, id, facts);
  }
  noteIntegrity(graph, value, id, count);
}

function isLeafClass(facts: PrototypeFacts): boolean {
  if (facts.isPlain) return false;
  for (let at = 0; at < facts.prototypes.length; at++) {
    const prototype = facts.prototypes[at];
    if (prototype === weakRefPrototype || prototype === registryPrototype) return true;
  }
  return false;
}

/** Lists own properties; the count is of all of them, also of those that were cut. */
export function addProperties(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  items: Item[],
  isDict: boolean,
): number {
  const { maxContainer } = graph.settings;
  const keys = objectKeys(value);
  const stop = keys.length < maxContainer ? keys.length : maxContainer;
  const nameIsSecret = isDict && holdsNamedSecret(graph, value, keys);
  for (let at = 0; at < stop; at++) {
    const name = item(keys, at);
    addProperty(graph, value, id, depth, items, name, nameIsSecret && name === "value");
  }
  let count = keys.length;
  if (keys.length <= MAX_SEARCHED) count += addHidden(graph, value, id, depth, items, keys, isDict);
  else
    graph.note("objects with more than 1,000 properties: non-enumerable ones were not looked for");
  return count + addSymbols(graph, value, id, depth, items);
}

/** `{ name: "password", value: … }`, the form of headers and of fields in many libraries. */
function holdsNamedSecret(graph: GraphBuilder, value: object, keys: string[]): boolean {
  if (keys.length < 2 || keys.length > 8) return false;
  let hasValue = false;
  let label: unknown;
  for (let at = 0; at < keys.length; at++) {
    const key = item(keys, at);
    if (key === "value") hasValue = true;
    else if (key === "name" || key === "key" || key === "header") label ??= ownData(value, key);
  }
  return hasValue && typeof label === "string" && graph.key(label).isSensitive;
}

export function addProperty(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  items: Item[],
  name: string,
  isSecret: boolean,
): void {
  const found = getOwnPropertyDescriptor(value, name);
  if (found === undefined) return;
  const key = graph.key(name);
  if (hasOwn(found, "value")) {
    const hide = isSecret || key.isSensitive;
    const target = hide
      ? graph.redacted("property", name, found.value)
      : graph.idFor(found.value, depth + 1);
    append(items, { key: key.text, id: target });
    if (found.writable === false) graph.noteName(id, "readOnly", key.text);
    return;
  }
  append(items, { key: key.text, id: accessorId(graph, value, found, depth) });
}

export function accessorId(
  graph: GraphBuilder,
  value: object,
  found: PropertyDescriptor,
  depth: number,
): number {
  if (found.get !== undefined && found.get === builtinStackGetter) {
    const stack = readOwnStack(value);
    if (stack !== undefined) return graph.idFor(stack, depth + 1);
  }
  const repr =
    found.get === undefined ? "[Setter]" : found.set === undefined ? "[Getter]" : "[Getter/Setter]";
  return graph.leaf("object", repr, "accessor");
}

function addHidden(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  items: Item[],
  keys: string[],
  isDict: boolean,
): number {
  const names = getOwnPropertyNames(value);
  if (names.length === keys.length) return 0;
  const visible = new SafeSet<string>();
  for (let at = 0; at < keys.length; at++) visible.add(item(keys, at));
  const { maxContainer } = graph.settings;
  let count = 0;
  const hidden: Item[] = isDict ? [] : items;
  for (let at = 0; at < names.length; at++) {
    const name = item(names, at);
    if (visible.has(name)) continue;
    count++;
    if (hidden.length < maxContainer) addProperty(graph, value, id, depth, hidden, name, false);
    graph.noteName(id, "nonEnumerable", graph.key(name).text);
  }
  if (isDict && hidden.length > 0) graph.noteFact(id, "hidden", pairs(hidden));
  return isDict ? 0 : count;
}

export function pairs(items: Item[]): (readonly [string | null, number])[] {
  const list: (readonly [string | null, number])[] = [];
  for (let at = 0; at < items.length; at++) {
    const { key, id } = item(items, at);
    append(list, [key, id]);
  }
  return list;
}

export function addSymbols(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  items: Item[],
): number {
  const symbols = getOwnPropertySymbols(value);
  if (symbols.length === 0) return 0;
  const { maxContainer } = graph.settings;
  const identities: (readonly [string, number])[] = [];
  for (let at = 0; at < symbols.length && items.length < maxContainer; at++) {
    const symbol = item(symbols, at);
    const found = getOwnPropertyDescriptor(value, symbol);
    if (found === undefined) continue;
    const description = symbolDescription(symbol) ?? "";
    const text = wellKnownSymbols.has(symbol) ? description : graph.symbolText(symbol);
    let target: number;
    if (!hasOwn(found, "value")) target = accessorId(graph, value, found, depth);
    else if (graph.key(description).isSensitive)
      target = graph.redacted("property", description, found.value);
    else target = graph.idFor(found.value, depth + 1);
    append(items, { key: text, id: target });
    append(identities, [text, graph.idFor(symbol, depth + 1)]);
  }
  graph.noteFact(id, "symbols", identities);
  return symbols.length;
}

export function addPrivates(
  graph: GraphBuilder,
  value: object,
  depth: number,
  facts: PrototypeFacts,
  items: Item[],
): number {
  const found = graph.settings.privatesOf(value) ?? graph.internals.privates(value, facts);
  if (found === undefined) return 0;
  for (let at = 0; at < found.length && items.length < graph.settings.maxContainer; at++) {
    const field = item(found, at);
    const name = field[0];
    const text = stringStartsWith(name, "#") ? name : `#${name}`;
    addNamed(graph, items, text, field[1], depth, "private field");
  }
  return found.length;
}

export function noteChain(graph: GraphBuilder, id: number, facts: PrototypeFacts): void {
  if (facts.chain.length <= 2 && facts.isWhole) return;
  const names: string[] = [];
  for (let at = 0; at < facts.chain.length && at < 20; at++) {
    append(names, graph.shortText(item(facts.chain, at), "type"));
  }
  if (!facts.isWhole) append(names, "<Proxy>");
  graph.noteFact(id, "prototypes", names);
}

function noteIntegrity(graph: GraphBuilder, value: object, id: number, count: number): void {
  if (isExtensible(value) || count > MAX_SEARCHED) return;
  graph.noteFact(
    id,
    "integrity",
    isFrozen(value) ? "frozen" : isSealed(value) ? "sealed" : "fixed",
  );
}

/** Own properties and private fields of a container, which its node has no room for. */
export function addOwn(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const extra: Item[] = [];
  if (objectKeys(value).length > 0) addProperties(graph, value, id, depth, extra, false);
  if (facts.constructors.length > 2) addPrivates(graph, value, depth, facts, extra);
  if (extra.length > 0) graph.noteFact(id, "properties", pairs(extra));
}
