/**
 * Finds the functions whose names can change while they run: direct `eval` and `with`.
 */

import { type Node, type Program, visitorKeys } from "oxc-parser";

/** A text without these words needs no search. */
const HINT = /\beval\b|\bwith\b|use asm/;

/** Maps each such function (or the program) to what was found in it. */
export function findDynamicScopes(program: Program, text: string): ReadonlyMap<object, string> {
  const found = new Map<object, string>();
  if (HINT.test(text)) visit(program, program, found);
  return found;
}

function visit(node: Node, owner: object, found: Map<object, string>): void {
  let inner = owner;
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      inner = node;
      break;
    case "CallExpression":
      if (node.callee.type === "Identifier" && node.callee.name === "eval") {
        found.set(owner, "direct eval");
      }
      break;
    case "WithStatement":
      found.set(owner, "with statement");
      break;
    case "ExpressionStatement":
      if ("directive" in node && node.directive === "use asm") found.set(owner, "asm.js");
      break;
    default:
      break;
  }
  for (const key of visitorKeys[node.type] ?? []) {
    // The keys of a node are either nodes, lists of nodes (with holes) or null.
    const child = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(child)) {
      for (const element of child) if (isNode(element)) visit(element, inner, found);
    } else if (isNode(child)) {
      visit(child, inner, found);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
