/**
 * Opens one object: finds its kind by internal slots, and lists its parts as plain data.
 *
 * Kinds and spellings: docs/format.md, "Values". No accessor, trap or method of the program is run:
 * every value is asked first whether it is a Proxy, and properties are read through descriptors.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import { describeByAdapter } from "./describe-adapted.ts";
import {
  describeArguments,
  describeArray,
  describeMap,
  describeSet,
} from "./describe-collection.ts";
import { describeError } from "./describe-error.ts";
import { describeFunction } from "./describe-function.ts";
import { describeBuffer, describeView } from "./describe-memory.ts";
import { describeProperties } from "./describe-properties.ts";
import {
  describeBoxed,
  describeDate,
  describeGenerator,
  describePromise,
  describeRegExp,
} from "./describe-slot.ts";
import type { GraphBuilder, Item } from "./graph-builder.ts";
import { NO_ITEMS, className, isTooDeep, leaf, weakText } from "./node-text.ts";
import {
  append,
  getPrototypeOf,
  isAnyArrayBuffer,
  isArgumentsObject,
  isArray,
  isArrayBufferView,
  isBoxedPrimitive,
  isDate,
  isExternal,
  isGeneratorObject,
  isMap,
  isMapIterator,
  isModuleNamespaceObject,
  isNativeError,
  isPromise,
  isProxy,
  isRegExp,
  isSet,
  isSetIterator,
  isWeakMap,
  isWeakSet,
  symbolKeyFor,
} from "./primordials.ts";
import type { AnyFunction } from "./primordials.ts";

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
