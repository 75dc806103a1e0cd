/**
 * Opens one object: finds its kind by internal slots, and lists its parts as plain data.
 *
 * Kinds and spellings: docs/format.md, "Values". No accessor, trap or method of the program is run:
 * every value is asked first whether it is a Proxy, and properties are read through descriptors.
 */
import { describeByProgram, hasAdapters } from "./adapters.ts";
import type { CheckedDescription } from "./adapters.ts";
import { describeBuiltin } from "./builtin-adapters.ts";
import { builtinStackGetter, readOwnStack } from "./error-stack.ts";
import type { GraphBuilder, Item } from "./graph-builder.ts";
import {
  append,
  arrayBufferByteLength,
  bigintValue,
  booleanValue,
  dataViewBuffer,
  dataViewByteLength,
  dataViewByteOffset,
  dateGetTime,
  dateToIso,
  eachMapEntry,
  eachSetValue,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  getPrototypeOf,
  hasOwn,
  inheritedData,
  isAnyArrayBuffer,
  isArgumentsObject,
  isArray,
  isArrayBufferView,
  isAsyncFunction,
  isBigIntObject,
  isBooleanObject,
  isBoxedPrimitive,
  isDataView,
  isDate,
  isExtensible,
  isExternal,
  isFrozen,
  isGeneratorFunction,
  isGeneratorObject,
  isMap,
  isMapIterator,
  isModuleNamespaceObject,
  isNativeError,
  isNumberObject,
  isPromise,
  isProxy,
  isRegExp,
  isSealed,
  isSet,
  isSetIterator,
  isSharedArrayBuffer,
  isStringObject,
  isSymbolObject,
  isWeakMap,
  isWeakSet,
  mapSize,
  numberValue,
  objectKeys,
  ownData,
  regExpFlags,
  regExpSource,
  SafeSet,
  setSize,
  sharedBufferByteLength,
  stringSlice,
  stringStartsWith,
  stringValue,
  symbolDescription,
  symbolKeyFor,
  symbolValue,
  toLowerCase,
  typedArrayBuffer,
  typedArrayByteLength,
  typedArrayByteOffset,
  typedArrayLength,
  typedArrayName,
  Uint8ArrayCopy,
} from "./primordials.ts";
import type { AnyFunction } from "./primordials.ts";
import { functionName, functionText } from "./prototype-facts.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";
import {
  bigintText,
  bytesLiteral,
  latin1Of,
  numberKind,
  numberText,
  SHOWN_BYTES,
} from "./value-text.ts";

/** Objects with more enumerable properties are not searched for hidden ones. */
const MAX_SEARCHED = 1_000;
/** Elements looked at for NaN. */
const MAX_COUNTED = 1_000_000;
const HEAD = 8;

const tag = Symbol.toStringTag;
const weakRefPrototype: object = WeakRef.prototype;
const registryPrototype: object = FinalizationRegistry.prototype;

const wellKnownSymbols = new SafeSet<symbol>();
for (const name of getOwnPropertyNames(Symbol)) {
  const symbol: unknown = ownData(Symbol, name);
  if (typeof symbol === "symbol") wellKnownSymbols.add(symbol);
}

const NO_ITEMS: Item[] = [];

/** Opens a queued value and fills its node. */
export function describeValue(
  graph: GraphBuilder,
  value: unknown,
  id: number,
  depth: number,
): void {
  if (typeof value === "symbol") {
    describeSymbol(graph, value, id);
  } else if (isProxy(value)) {
    if (!isTooDeep(graph, id, depth, "Proxy")) describeProxy(graph, value as object, id, depth);
  } else if (typeof value === "function") {
    describeFunction(graph, value as AnyFunction, id, depth);
  } else {
    describeObject(graph, value as object, id, depth);
  }
}

function describeSymbol(graph: GraphBuilder, symbol: symbol, id: number): void {
  graph.fill(id, "object", graph.symbolText(symbol), "symbol", null, false, NO_ITEMS);
  const registered = symbolKeyFor(symbol);
  if (registered !== undefined)
    graph.noteFact(id, "registryKey", graph.shortText(registered, "symbol"));
}

function describeProxy(graph: GraphBuilder, proxy: object, id: number, depth: number): void {
  const details = graph.internals.proxy(proxy);
  const items: Item[] = [];
  if (details?.revoked === false) {
    append(items, { key: "[[Target]]", id: graph.idFor(details.target, depth + 1) });
    if (details.handler !== undefined) {
      append(items, { key: "[[Handler]]", id: graph.idFor(details.handler, depth + 1) });
    }
  }
  const repr = details?.revoked === true ? "Proxy <revoked>" : "Proxy";
  graph.fill(id, "object", repr, "Proxy", items.length, false, items);
}

// ---- functions -----------------------------------------------------------------------------------

function describeFunction(
  graph: GraphBuilder,
  value: AnyFunction,
  id: number,
  depth: number,
): void {
  const type = functionType(value);
  const name = functionName(value) ?? "(anonymous)";
  const repr = graph.shortText(
    type === "class" ? `[class ${name}]` : `[function ${name}]`,
    "function",
  );
  graph.fill(id, "object", repr, type, null, false, NO_ITEMS);
  if (type === "Function" && stringStartsWith(name, "bound ")) noteBound(graph, value, id, depth);
}

function functionType(value: AnyFunction): string {
  if (isGeneratorFunction(value))
    return isAsyncFunction(value) ? "AsyncGeneratorFunction" : "GeneratorFunction";
  if (isAsyncFunction(value)) return "AsyncFunction";
  const prototype = getOwnPropertyDescriptor(value, "prototype");
  // Classes and built-in constructors have a read-only prototype; only the former say "class".
  if (prototype !== undefined && prototype.writable === false) {
    if (stringSlice(functionText(value), 0, 5) === "class") return "class";
  }
  return "Function";
}

function noteBound(graph: GraphBuilder, value: AnyFunction, id: number, depth: number): void {
  if (getOwnPropertyDescriptor(value, "prototype") !== undefined) return;
  const bound = graph.internals.bound(value);
  if (bound === undefined) return;
  graph.noteFact(id, "bound", {
    target: graph.idFor(bound.target, depth + 1),
    this: graph.idFor(bound.self, depth + 1),
    args: graph.idFor(bound.args, depth + 1),
  });
}

// ---- objects by internal slot --------------------------------------------------------------------

function describeObject(graph: GraphBuilder, value: object, id: number, depth: number): void {
  const prototype = getPrototypeOf(value) as object | null;
  const facts = graph.book.of(prototype);
  if (describeByAdapter(graph, value, id, depth, facts)) return;
  if (isArray(value)) describeArray(graph, value, id, depth, facts);
  else if (isMap(value)) describeMap(graph, value, id, depth, facts);
  else if (isSet(value)) describeSet(graph, value, id, depth, facts);
  else if (isArrayBufferView(value)) describeView(graph, value, id, depth, facts);
  else if (isAnyArrayBuffer(value)) describeBuffer(graph, value, id, facts);
  else if (isDate(value)) describeDate(graph, value, id, depth, facts);
  else if (isRegExp(value)) describeRegExp(graph, value, id, depth, facts);
  else if (isNativeError(value)) describeError(graph, value, id, depth, facts);
  else if (isPromise(value)) describePromise(graph, value, id, depth, facts);
  else if (isBoxedPrimitive(value)) describeBoxed(graph, value, id);
  else if (isGeneratorObject(value)) describeGenerator(graph, value, id);
  else if (isModuleNamespaceObject(value)) leaf(graph, id, "[Module]", "Module");
  else if (isWeakMap(value))
    leaf(graph, id, weakText(facts, "WeakMap"), className(graph, facts, "WeakMap"));
  else if (isWeakSet(value))
    leaf(graph, id, weakText(facts, "WeakSet"), className(graph, facts, "WeakSet"));
  else if (isMapIterator(value)) leaf(graph, id, "Map Iterator {…}", "Map Iterator");
  else if (isSetIterator(value)) leaf(graph, id, "Set Iterator {…}", "Set Iterator");
  else if (isExternal(value)) leaf(graph, id, "[External]", "External");
  else if (isArgumentsObject(value)) describeArguments(graph, value, id, depth);
  else describeProperties(graph, value, id, depth, facts);
}

function leaf(graph: GraphBuilder, id: number, repr: string, typeName: string): void {
  graph.fill(id, "object", graph.shortText(repr, "summary"), typeName, null, false, NO_ITEMS);
}

function weakText(facts: PrototypeFacts, fallback: string): string {
  return `${facts.name ?? fallback} {…}`;
}

/** Shows a container that lies too deep by its outside only. */
function isTooDeep(graph: GraphBuilder, id: number, depth: number, repr: string): boolean {
  if (depth < graph.settings.maxDepth) return false;
  graph.cut("depth", id);
  graph.fill(id, "truncated", graph.shortText(repr, "summary"), null, null, true, NO_ITEMS);
  return true;
}

function className(graph: GraphBuilder, facts: PrototypeFacts, fallback: string): string {
  const name = facts.name ?? fallback;
  return graph.shortText(name, "type");
}

/** The class name of a subclass, null for the built-in class itself. */
function subclassName(graph: GraphBuilder, facts: PrototypeFacts, builtin: string): string | null {
  return facts.name === undefined || facts.name === builtin
    ? null
    : graph.shortText(facts.name, "type");
}

// ---- adapters ------------------------------------------------------------------------------------

function describeByAdapter(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): boolean {
  if (hasAdapters() || facts.describe !== undefined || hasOwnDescribe(value, facts)) {
    const found = describeByProgram(value, facts, graph.settings.now, (text) => graph.note(text));
    if (found !== undefined) {
      fillDescription(graph, id, depth, found, className(graph, facts, "Object"));
      return true;
    }
  }
  if (facts.isPlain) return false;
  const builtin = describeBuiltin(value, facts);
  if (builtin === undefined) return false;
  const name = className(graph, facts, "Object");
  const summary = builtin.summary ?? `${name} {${builtin.fields.length === 0 ? "" : "…"}}`;
  fillDescription(graph, id, depth, { ...NO_DESCRIPTION, summary, fields: builtin.fields }, name);
  return true;
}

const NO_DESCRIPTION: CheckedDescription = {
  kind: "object",
  summary: undefined,
  typeName: undefined,
  length: undefined,
  fields: [],
};

/** An own describing method is rare: only objects with own symbols are asked. */
function hasOwnDescribe(value: object, facts: PrototypeFacts): boolean {
  if (facts.describe !== undefined || isArrayBufferView(value)) return false;
  return getOwnPropertyDescriptor(value, DESCRIBE_KEY) !== undefined;
}
const DESCRIBE_KEY = Symbol.for("orangebox.describe");

function fillDescription(
  graph: GraphBuilder,
  id: number,
  depth: number,
  found: CheckedDescription,
  typeName: string,
): void {
  const items: Item[] = [];
  const { maxContainer } = graph.settings;
  for (let at = 0; at < found.fields.length && at < maxContainer; at++) {
    const field = found.fields[at] as readonly [string, unknown];
    addNamed(graph, items, field[0], field[1], depth, "adapter");
  }
  if (found.fields.length > maxContainer) graph.cut("container", id);
  const repr = found.summary === undefined ? null : graph.shortText(found.summary, "summary");
  const kind = found.kind === "redacted" || found.kind === "truncated" ? "object" : found.kind;
  const name = found.typeName === undefined ? typeName : graph.shortText(found.typeName, "type");
  const length = found.length ?? found.fields.length;
  graph.fill(id, kind, repr, name, length, found.fields.length > maxContainer, items);
}

/** Adds a value under a name, or a redacted node when the name is sensitive. */
function addNamed(
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

// ---- properties ----------------------------------------------------------------------------------

function describeProperties(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const isNull = facts.prototypes.length === 0 && facts.isWhole;
  const isDict = facts.isPlain || isNull;
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

/** The class name; built-in objects without a class of their own are called by their tag. */
function displayName(graph: GraphBuilder, value: object, facts: PrototypeFacts): string {
  if (facts.name === undefined || facts.name === "<anonymous>" || facts.name === "Object") {
    const text = inheritedData(value, tag);
    if (typeof text === "string" && text !== "") return graph.shortText(text, "type");
  }
  return className(graph, facts, facts.isWhole ? "Object" : "<behind a Proxy>");
}

/** Lists own properties; the count is of all of them, also of those that were cut. */
function addProperties(
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
    const name = keys[at] as string;
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
    const key = keys[at] as string;
    if (key === "value") hasValue = true;
    else if (key === "name" || key === "key" || key === "header") label ??= ownData(value, key);
  }
  return hasValue && typeof label === "string" && graph.key(label).isSensitive;
}

function addProperty(
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

function accessorId(
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
  for (let at = 0; at < keys.length; at++) visible.add(keys[at] as string);
  const { maxContainer } = graph.settings;
  let count = 0;
  const hidden: Item[] = isDict ? [] : items;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    if (visible.has(name)) continue;
    count++;
    if (hidden.length < maxContainer) addProperty(graph, value, id, depth, hidden, name, false);
    graph.noteName(id, "nonEnumerable", graph.key(name).text);
  }
  if (isDict && hidden.length > 0) graph.noteFact(id, "hidden", pairs(hidden));
  return isDict ? 0 : count;
}

function pairs(items: Item[]): (readonly [string | null, number])[] {
  const list: (readonly [string | null, number])[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Item;
    append(list, [item.key, item.id]);
  }
  return list;
}

function addSymbols(
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
    const symbol = symbols[at] as symbol;
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

function addPrivates(
  graph: GraphBuilder,
  value: object,
  depth: number,
  facts: PrototypeFacts,
  items: Item[],
): number {
  const found = graph.settings.privatesOf(value) ?? graph.internals.privates(value, facts);
  if (found === undefined) return 0;
  for (let at = 0; at < found.length && items.length < graph.settings.maxContainer; at++) {
    const field = found[at] as readonly [string, unknown];
    const name = field[0];
    const text = stringStartsWith(name, "#") ? name : `#${name}`;
    addNamed(graph, items, text, field[1], depth, "private field");
  }
  return found.length;
}

function noteChain(graph: GraphBuilder, id: number, facts: PrototypeFacts): void {
  if (facts.chain.length <= 2 && facts.isWhole) return;
  const names: string[] = [];
  for (let at = 0; at < facts.chain.length && at < 20; at++) {
    append(names, graph.shortText(facts.chain[at] as string, "type"));
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

// ---- lists ---------------------------------------------------------------------------------------

function describeArray(
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

function describeArguments(graph: GraphBuilder, value: object, id: number, depth: number): void {
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
    const name = names[at] as string;
    if (name === "length") {
      if (at <= length) break;
      continue;
    }
    addProperty(graph, value, id, depth, extra, name, false);
  }
  const symbols = getOwnPropertySymbols(value);
  for (let at = 0; at < symbols.length && extra.length < maxContainer; at++) {
    const symbol = symbols[at] as symbol;
    const found = getOwnPropertyDescriptor(value, symbol);
    if (found === undefined) continue;
    const target = hasOwn(found, "value")
      ? graph.idFor(found.value, depth + 1)
      : accessorId(graph, value, found, depth);
    append(extra, { key: graph.symbolText(symbol), id: target });
  }
  if (extra.length > 0) graph.noteFact(id, "properties", pairs(extra));
}

function describeMap(
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

function describeSet(
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

/** Own properties and private fields of a container, which its node has no room for. */
function addOwn(
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

/** One line about any value, without opening it. */
export function safeText(graph: GraphBuilder, value: unknown): string {
  switch (typeof value) {
    case "string":
      return graph.shortText(value, "summary");
    case "number": {
      const text = numberText(value);
      return graph.shortText(text, "summary");
    }
    case "bigint":
      return graph.shortText(bigintText(value), "summary");
    case "boolean":
      return value ? "True" : "False";
    case "undefined":
      return "undefined";
    case "symbol":
      return graph.symbolText(value);
    case "function":
      if (isProxy(value)) return "Proxy";
      return graph.shortText(`[function ${functionName(value) ?? "(anonymous)"}]`, "summary");
    default:
      return value === null ? "null" : objectText(graph, value as object);
  }
}

function objectText(graph: GraphBuilder, value: object): string {
  if (isProxy(value)) return "Proxy";
  const facts = graph.book.of(getPrototypeOf(value) as object | null);
  if (isArray(value)) return `[…](${value.length})`;
  if (isMap(value))
    return graph.shortText(`${facts.name ?? "Map"}(${mapSize(value)}) {…}`, "summary");
  if (isSet(value))
    return graph.shortText(`${facts.name ?? "Set"}(${setSize(value)}) {…}`, "summary");
  if (isDate(value)) return dateText(value);
  if (isRegExp(value)) return graph.shortText(regExpText(value), "summary");
  if (isNativeError(value)) return graph.shortText(errorText(value, facts), "summary");
  if (facts.isPlain || facts.prototypes.length === 0) return "{…}";
  return graph.shortText(`${displayName(graph, value, facts)} {…}`, "summary");
}

// ---- bytes and numbers ---------------------------------------------------------------------------

function describeView(
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

function describeBuffer(
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

function bytesText(graph: GraphBuilder, bytes: Uint8Array | undefined, length: number): string {
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

// ---- single-value built-ins ----------------------------------------------------------------------

function dateText(value: object): string {
  const time = dateGetTime(value as Date);
  return time !== time ? "Invalid Date" : dateToIso(value as Date);
}

function describeDate(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const items: Item[] = [];
  append(items, { key: "ms", id: graph.idFor(dateGetTime(value as Date), depth + 1) });
  graph.fill(id, "object", dateText(value), className(graph, facts, "Date"), null, false, items);
}

function regExpText(value: object): string {
  let text = "/";
  text += regExpSource(value);
  text += "/";
  for (let at = 0; at < regExpFlags.length; at++) {
    const flag = regExpFlags[at] as (typeof regExpFlags)[number];
    if (flag[1](value)) text += flag[0];
  }
  return text;
}

function describeRegExp(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const items: Item[] = [];
  append(items, { key: "lastIndex", id: graph.idFor(ownData(value, "lastIndex"), depth + 1) });
  const text = graph.shortText(regExpText(value), "summary");
  graph.fill(id, "object", text, className(graph, facts, "RegExp"), null, false, items);
}

function describeBoxed(graph: GraphBuilder, value: object, id: number): void {
  if (isStringObject(value)) {
    graph.fillString(id, stringValue(value as unknown as string), "String");
  } else if (isNumberObject(value)) {
    const number = numberValue(value as unknown as number);
    graph.fill(
      id,
      numberKind(number),
      graph.shortText(numberText(number), "number"),
      "Number",
      null,
      false,
      NO_ITEMS,
    );
  } else if (isBooleanObject(value)) {
    const text = booleanValue(value as unknown as boolean) ? "True" : "False";
    graph.fill(id, "bool", text, "Boolean", null, false, NO_ITEMS);
  } else if (isBigIntObject(value)) {
    const text = graph.shortText(bigintText(bigintValue(value as unknown as bigint)), "number");
    graph.fill(id, "int", text, "BigInt", null, false, NO_ITEMS);
  } else if (isSymbolObject(value)) {
    const text = graph.symbolText(symbolValue(value as unknown as symbol));
    graph.fill(id, "object", text, "Symbol", null, false, NO_ITEMS);
  }
}

function describeGenerator(graph: GraphBuilder, value: object, id: number): void {
  const text = inheritedData(value, tag);
  const name = graph.shortText(
    typeof text === "string" && text !== "" ? text : "Generator",
    "type",
  );
  const state = graph.internals.generator(value);
  graph.fill(
    id,
    "object",
    state === undefined ? `${name} {…}` : `${name} <${state}>`,
    name,
    null,
    false,
    NO_ITEMS,
  );
}

function describePromise(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const name = className(graph, facts, "Promise");
  if (isTooDeep(graph, id, depth, `${name} {…}`)) return;
  const details = graph.internals.promise(value, facts);
  const items: Item[] = [];
  if (details !== undefined && details.state !== "pending") {
    const key = details.state === "fulfilled" ? "value" : "reason";
    append(items, { key, id: graph.idFor(details.value, depth + 1) });
  }
  addProperties(graph, value, id, depth, items, false);
  const repr = `${name} <${details?.state ?? "state unknown"}>`;
  graph.fill(id, "object", repr, name, items.length, false, items);
}

// ---- errors --------------------------------------------------------------------------------------

/** `TypeError: message` of plain data. */
export function errorText(value: object, facts: PrototypeFacts): string {
  const own = inheritedData(value, "name");
  const name = typeof own === "string" && own !== "" ? own : (facts.name ?? "Error");
  const message = inheritedData(value, "message");
  return typeof message === "string" && message !== "" ? `${name}: ${message}` : name;
}

const FIRST_OF_ERROR = ["message", "stack", "cause", "errors", "code"];

function describeError(
  graph: GraphBuilder,
  value: object,
  id: number,
  depth: number,
  facts: PrototypeFacts,
): void {
  const name = className(graph, facts, "Error");
  const text = graph.shortText(errorText(value, facts), "message");
  if (isTooDeep(graph, id, depth, text)) return;
  const items: Item[] = [];
  for (let at = 0; at < FIRST_OF_ERROR.length; at++) {
    const key = FIRST_OF_ERROR[at] as string;
    if (key === "stack") addStack(graph, value, depth, items);
    else addProperty(graph, value, id, depth, items, key, false);
  }
  const names = getOwnPropertyNames(value);
  let count = items.length;
  for (let at = 0; at < names.length; at++) {
    const key = names[at] as string;
    if (isFirstOfError(key)) continue;
    count++;
    if (items.length < graph.settings.maxContainer)
      addProperty(graph, value, id, depth, items, key, false);
  }
  count += addSymbols(graph, value, id, depth, items);
  count += addPrivates(graph, value, depth, facts, items);
  const isCut = count > items.length;
  if (isCut) graph.cut("container", id);
  graph.fill(id, "object", text, name, count, isCut, items);
  noteChain(graph, id, facts);
}

function isFirstOfError(name: string): boolean {
  for (let at = 0; at < FIRST_OF_ERROR.length; at++) if (FIRST_OF_ERROR[at] === name) return true;
  return false;
}

function addStack(graph: GraphBuilder, value: object, depth: number, items: Item[]): void {
  const stack = graph.settings.stackOf(value);
  if (stack !== undefined) append(items, { key: "stack", id: graph.idFor(stack, depth + 1) });
}
