/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/**
 * Decides which functions are left through one exit behind their block.
 *
 * `return x` becomes `$or=x;break $ob`, and the event of leaving stands once behind the block: for the
 * engine that is less code than a `finally`, which has to know how it was reached. Functions that
 * wait keep the `finally`: a generator may be ended from outside. So do constructors of derived
 * classes, and functions that return something with a function in it, which the engine would name
 * after the variable.
 */
import type {
  ArrowFunctionExpression,
  Expression,
  Function as FunctionNode,
  Statement,
} from "oxc-parser";
import type { ExitBehind } from "./scopes.ts";

/** Gives the exit of a function, or undefined when it keeps the `finally`. */
export function exitBehind(
  { async: isAsync, generator, body }: FunctionNode | ArrowFunctionExpression,
  text: string,
): ExitBehind | undefined {
  if (isAsync || generator || body === null) return undefined;
  if (body.type !== "BlockStatement") {
    if (mayHoldFunction(text, body)) return undefined;
    return { hasResult: true, mayBeCancelled: false, last: undefined, usesLabel: false };
  }
  const found: Found = { hasResult: false, hasTry: false, holdsFunction: false };
  for (const statement of body.body) lookThrough(statement, found, text);
  if (found.holdsFunction) return undefined;
  const { hasResult, hasTry } = found;
  return { hasResult, mayBeCancelled: hasTry, last: body.body.at(-1), usesLabel: false };
}

interface Found {
  hasResult: boolean;
  hasTry: boolean;
  holdsFunction: boolean;
}

/** Looks at every `return` of a function; does not enter functions or expressions. */
function lookThrough(statement: Statement, found: Found, text: string): void {
  let node: Statement = statement;
  for (;;) {
    switch (node.type) {
      case "ReturnStatement":
        if (node.argument === null) return;
        found.hasResult = true;
        found.holdsFunction ||= mayHoldFunction(text, node.argument);
        return;
      case "BlockStatement":
        for (const inner of node.body) lookThrough(inner, found, text);
        return;
      case "IfStatement":
        lookThrough(node.consequent, found, text);
        if (node.alternate === null) return;
        node = node.alternate;
        break;
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "LabeledStatement":
        node = node.body;
        break;
      case "SwitchStatement":
        for (const { consequent } of node.cases) {
          for (const inner of consequent) lookThrough(inner, found, text);
        }
        return;
      case "TryStatement":
        found.hasTry = true;
        lookThrough(node.block, found, text);
        if (node.handler !== null) lookThrough(node.handler.body, found, text);
        if (node.finalizer === null) return;
        node = node.finalizer;
        break;
      default:
        return;
    }
  }
}

/** Whether a function, a class or a method may be in an expression; strings count as code. */
function mayHoldFunction(text: string, { type, start, end }: Expression): boolean {
  switch (type) {
    case "Identifier":
    case "Literal":
    case "ThisExpression":
      return false;
    default:
      return FUNCTION_LIKE.test(text.slice(start, end));
  }
}

/** A method has a body behind its parameters, or a comment or a type in between. */
const FUNCTION_LIKE = /=>|function|class|\)\s*(?:[{:]|\/[*/])/;
