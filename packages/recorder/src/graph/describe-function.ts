/**
 * Describes functions and classes: a leaf with a name, and what a bound function is bound to.
 */
import type { GraphBuilder } from "./graph-builder.ts";
import { NO_ITEMS } from "./node-text.ts";
import {
  getOwnPropertyDescriptor,
  isAsyncFunction,
  isGeneratorFunction,
  stringSlice,
  stringStartsWith,
} from "./primordials.ts";
import type { AnyFunction } from "./primordials.ts";
import { functionName, functionText } from "./prototype-facts.ts";

export function describeFunction(
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
