/**
 * Describes built-ins that hold one thing in an internal slot: dates, expressions, boxes, promises.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import { addProperties } from "./describe-properties.ts";
import type { GraphBuilder, Item } from "./graph-builder.ts";
import { NO_ITEMS, className, dateText, isTooDeep, regExpText, tag } from "./node-text.ts";
import {
  append,
  bigintValue,
  booleanValue,
  dateGetTime,
  inheritedData,
  isBigIntObject,
  isBooleanObject,
  isNumberObject,
  isStringObject,
  isSymbolObject,
  numberValue,
  ownData,
  stringValue,
  symbolValue,
} from "./primordials.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";
import { bigintText, numberKind, numberText } from "./value-text.ts";

export function describeDate(
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

export function describeRegExp(
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

export function describeBoxed(graph: GraphBuilder, value: object, id: number): void {
  if (isStringObject(value)) {
    graph.fillString(id, stringValue(value), "String");
  } else if (isNumberObject(value)) {
    const number = numberValue(value);
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
    const text = booleanValue(value) ? "True" : "False";
    graph.fill(id, "bool", text, "Boolean", null, false, NO_ITEMS);
  } else if (isBigIntObject(value)) {
    const text = graph.shortText(bigintText(bigintValue(value)), "number");
    graph.fill(id, "int", text, "BigInt", null, false, NO_ITEMS);
  } else if (isSymbolObject(value)) {
    const text = graph.symbolText(symbolValue(value));
    graph.fill(id, "object", text, "Symbol", null, false, NO_ITEMS);
  }
}

export function describeGenerator(graph: GraphBuilder, value: object, id: number): void {
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

export function describePromise(
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
