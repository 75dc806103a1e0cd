/**
 * Describes errors: message, stack, cause, errors and code first, then whatever else they own.
 */
import { addPrivates, addProperty, addSymbols, noteChain } from "./describe-properties.ts";
import type { GraphBuilder, Item } from "./graph-builder.ts";
import { className, errorText, isTooDeep } from "./node-text.ts";
import { append, getOwnPropertyNames, item } from "./primordials.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";

const FIRST_OF_ERROR = ["message", "stack", "cause", "errors", "code"];

export function describeError(
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
    const key = item(FIRST_OF_ERROR, at);
    if (key === "stack") addStack(graph, value, depth, items);
    else addProperty(graph, value, id, depth, items, key, false);
  }
  const names = getOwnPropertyNames(value);
  let count = items.length;
  for (let at = 0; at < names.length; at++) {
    const key = item(names, at);
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
