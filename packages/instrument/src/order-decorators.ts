/**
 * Puts the calls that decorate elements of a class into TypeScript's order: those of instances
 * before those of the class itself. The compiler leaves them in the order of the text.
 */

import { parseSync, type Program } from "oxc-parser";
import { DECORATORS } from "./made-names.ts";
import { type CompiledText, MovedText } from "./moved-text.ts";

type Body = Program["body"];

interface Swap {
  readonly start: number;
  readonly end: number;
  readonly statements: Body;
}

/** Reorders the calls in a compiled text; undefined when they stand in order. */
export function orderDecorators(text: string): CompiledText | undefined {
  const { program } = parseSync("compiled.js", text, { lang: "js", sourceType: "module" });
  const swaps: Swap[] = [];
  visit(program, swaps);
  if (swaps.length === 0) return undefined;
  swaps.sort((a, b) => a.start - b.start);
  const moved = new MovedText(text);
  let at = 0;
  for (const { start, end, statements } of swaps) {
    // A class in an argument of a decorator: it stands inside of what is moved.
    if (start < at) continue;
    moved.take(at, start);
    for (const statement of statements) {
      moved.take(statement.start, statement.end);
      moved.write("\n", statement.end);
    }
    at = end;
  }
  moved.take(at, text.length);
  return moved.finish();
}

function visit(node: object, swaps: Swap[]): void {
  for (const value of Object.values(node) as unknown[]) {
    if (Array.isArray(value)) {
      for (const element of value as unknown[]) if (isObject(element)) visit(element, swaps);
    } else if (isObject(value)) visit(value, swaps);
  }
  if ("body" in node && Array.isArray(node.body)) findSwaps(node.body, swaps);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function findSwaps(body: Body, swaps: Swap[]): void {
  let run: Body = [];
  const finish = (): void => {
    const statics = run.filter((statement) => targetOf(statement) === "class");
    const firstStatic = run.findIndex((statement) => targetOf(statement) === "class");
    const lastInstance = run.findLastIndex((statement) => targetOf(statement) === "instance");
    const [first] = run;
    const last = run[run.length - 1];
    if (
      first !== undefined &&
      last !== undefined &&
      firstStatic !== -1 &&
      firstStatic < lastInstance
    ) {
      const instances = run.filter((statement) => targetOf(statement) === "instance");
      swaps.push({ start: first.start, end: last.end, statements: [...instances, ...statics] });
    }
    run = [];
  };
  let name: string | undefined;
  for (const statement of body) {
    const own = nameOf(statement);
    if (own !== name || own === undefined) finish();
    name = own;
    if (own !== undefined) run.push(statement);
  }
  finish();
}

/** `__obDecorate.decorate([…], A.prototype, "m", null)` and the same with `A`. */
function targetNode(statement: Body[number]): object | undefined {
  if (statement.type !== "ExpressionStatement") return undefined;
  const { expression } = statement;
  if (expression.type !== "CallExpression" || expression.arguments.length !== 4) return undefined;
  const { callee } = expression;
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return undefined;
  return callee.object.name === DECORATORS ? expression.arguments[1] : undefined;
}

interface Target {
  readonly type: string;
  readonly name?: string;
  readonly object?: { readonly name?: string };
}

function targetOf(statement: Body[number]): "class" | "instance" | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Only these fields are read.
  const target = targetNode(statement) as Target | undefined;
  if (target === undefined) return undefined;
  return target.type === "MemberExpression" ? "instance" : "class";
}

/** The class that a call decorates. */
function nameOf(statement: Body[number]): string | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- As above.
  const target = targetNode(statement) as Target | undefined;
  return target?.name ?? target?.object?.name;
}
