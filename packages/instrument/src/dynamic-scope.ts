/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/* oxlint-disable typescript/no-unsafe-type-assertion -- Children are reached by the names of their keys. */
/**
 * Finds the functions whose names can change while they run, by direct `eval` and `with`, and others
 * that can be told without walking them.
 */

import { type Node, type Program, visitorKeys } from "oxc-parser";
import { MADE } from "./made-names.ts";
import { lastAtMost } from "./site-table.ts";

/** Where one of them may stand; most texts have no such place, so most trees are not searched. */
const HINT = /\beval\b|\bwith\s*(?:[(/]|<!--|-->)|use asm|"__obD"|\busing\b/g;

/** Of functions that our own compiling added: they get no probes, and nobody is told. */
export const MADE_BY_US = "";

/** An escape that could spell the name `eval`; then the whole tree is searched. */
const ESCAPED_NAME = /\\u\{?0*(?:65|76|61|6c)\b/i;

/** Maps each such function (or the program) to what was found in it. */
export function findDynamicScopes(program: Program, text: string): ReadonlyMap<object, string> {
  const found = new Map<object, string>();
  const places = ESCAPED_NAME.test(text)
    ? undefined
    : Array.from(text.matchAll(HINT), ({ index }) => index);
  if (places?.length !== 0) visit(program, { owner: program, found, places });
  return found;
}

interface Search {
  readonly owner: object;
  readonly found: Map<object, string>;
  /** Ascending offsets; only nodes around one of them are entered. */
  readonly places: readonly number[] | undefined;
}

function visit(node: Node, search: Search): void {
  const { found, places } = search;
  if (places !== undefined) {
    const place = places[lastAtMost(places, node.end - 1)] ?? -1;
    if (place < node.start || place >= node.end) return;
  }
  let inner = search;
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      inner = { owner: node, found, places };
      break;
    case "CallExpression":
      if (node.callee.type === "Identifier" && node.callee.name === "eval") {
        found.set(search.owner, "direct eval");
      }
      break;
    case "ForStatement":
      // Node 24 loses its way in such a loop, and may die of it inside of a `try`.
      if (node.init?.type === "VariableDeclaration" && node.init.kind === "await using") {
        found.set(search.owner, "a loop that awaits the disposal of its head");
      }
      break;
    case "WithStatement":
      found.set(search.owner, "with statement");
      break;
    case "ExpressionStatement":
      if ("directive" in node && node.directive === "use asm") found.set(search.owner, "asm.js");
      if ("directive" in node && node.directive === MADE) found.set(search.owner, MADE_BY_US);
      break;
    default:
      break;
  }
  for (const key of visitorKeys[node.type] ?? []) {
    // The keys of a node are either nodes, lists of nodes (with holes) or null.
    const child = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(child)) {
      for (const element of child) if (isNode(element)) visit(element, inner);
    } else if (isNode(child)) {
      visit(child, inner);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
