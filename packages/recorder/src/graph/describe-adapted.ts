/**
 * Fills nodes from descriptions: by adapters of the program first, then by those for objects of Node.
 */
import { describeByProgram, hasAdapters } from "./adapters.ts";
import type { CheckedDescription } from "./adapters.ts";
import { describeBuiltin } from "./builtin-adapters.ts";
import { addNamed } from "./describe-properties.ts";
import type { GraphBuilder, Item } from "./graph-builder.ts";
import { className } from "./node-text.ts";
import { getOwnPropertyDescriptor, isArrayBufferView, item } from "./primordials.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";

export function describeByAdapter(
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
    const field = item(found.fields, at);
    addNamed(graph, items, field[0], field[1], depth, "adapter");
  }
  if (found.fields.length > maxContainer) graph.cut("container", id);
  const repr = found.summary === undefined ? null : graph.shortText(found.summary, "summary");
  const kind = found.kind === "redacted" || found.kind === "truncated" ? "object" : found.kind;
  const name = found.typeName === undefined ? typeName : graph.shortText(found.typeName, "type");
  const length = found.length ?? found.fields.length;
  graph.fill(id, kind, repr, name, length, found.fields.length > maxContainer, items);
}
