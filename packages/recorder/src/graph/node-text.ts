/**
 * Writes the one-line texts of nodes: class names, summaries, and what stands for a thing not opened.
 *
 * Everything is built from plain data and internal slots, scrubbed, and cut at the limit for summaries.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import type { GraphBuilder, Item } from "./graph-builder.ts";
import {
  dateGetTime,
  dateToIso,
  getPrototypeOf,
  inheritedData,
  isArray,
  isDate,
  isMap,
  isNativeError,
  isProxy,
  isRegExp,
  isSet,
  item,
  mapSize,
  regExpFlags,
  regExpSource,
  setSize,
} from "./primordials.ts";
import { functionName } from "./prototype-facts.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";
import { bigintText, numberText } from "./value-text.ts";

export const tag: symbol = Symbol.toStringTag;

export const NO_ITEMS: Item[] = [];

export function leaf(graph: GraphBuilder, id: number, repr: string, typeName: string): void {
  graph.fill(id, "object", graph.shortText(repr, "summary"), typeName, null, false, NO_ITEMS);
}

export function weakText(facts: PrototypeFacts, fallback: string): string {
  return `${facts.name ?? fallback} {…}`;
}

/** Shows a container that lies too deep by its outside only. */
export function isTooDeep(graph: GraphBuilder, id: number, depth: number, repr: string): boolean {
  if (depth < graph.settings.maxDepth) return false;
  graph.cut("depth", id);
  graph.fill(id, "truncated", graph.shortText(repr, "summary"), null, null, true, NO_ITEMS);
  return true;
}

export function className(graph: GraphBuilder, facts: PrototypeFacts, fallback: string): string {
  const name = facts.name ?? fallback;
  return graph.shortText(name, "type");
}

/** The class name of a subclass, null for the built-in class itself. */
export function subclassName(
  graph: GraphBuilder,
  facts: PrototypeFacts,
  builtin: string,
): string | null {
  return facts.name === undefined || facts.name === builtin
    ? null
    : graph.shortText(facts.name, "type");
}

/** The class name; built-in objects without a class of their own are called by their tag. */
export function displayName(graph: GraphBuilder, value: object, facts: PrototypeFacts): string {
  if (facts.name === undefined || facts.name === "<anonymous>" || facts.name === "Object") {
    const text = inheritedData(value, tag);
    if (typeof text === "string" && text !== "") return graph.shortText(text, "type");
  }
  return className(graph, facts, facts.isWhole ? "Object" : "<behind a Proxy>");
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
    case "object":
    default:
      return typeof value === "object" && value !== null ? objectText(graph, value) : "null";
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

export function dateText(value: object): string {
  const time = dateGetTime(value);
  return time !== time ? "Invalid Date" : dateToIso(value);
}

export function regExpText(value: object): string {
  let text = "/";
  text += regExpSource(value);
  text += "/";
  for (let at = 0; at < regExpFlags.length; at++) {
    const flag = item(regExpFlags, at);
    if (flag[1](value)) text += flag[0];
  }
  return text;
}

/** `TypeError: message` of plain data. */
export function errorText(value: object, facts: PrototypeFacts): string {
  const own = inheritedData(value, "name");
  const name = typeof own === "string" && own !== "" ? own : (facts.name ?? "Error");
  const message = inheritedData(value, "message");
  return typeof message === "string" && message !== "" ? `${name}: ${message}` : name;
}
