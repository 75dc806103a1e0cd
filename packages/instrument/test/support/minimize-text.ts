/* oxlint-disable typescript/no-unsafe-type-assertion -- Children of nodes are reached by the names of their keys. */
/**
 * Makes a failing program small: takes pieces of its syntax away for as long as it still fails.
 */
import { parseSync, type ParserOptions, visitorKeys } from "oxc-parser";

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Makes `text` smaller until nothing can go, or `endAtMs` (of `performance.now()`) has come. */
export async function minimizeText(
  text: string,
  options: ParserOptions,
  fails: (candidate: string) => Promise<boolean>,
  endAtMs: number,
): Promise<string> {
  let best = text;
  let isSmaller = true;
  while (isSmaller) {
    isSmaller = false;
    for (let index = 0; ;) {
      if (performance.now() > endAtMs) return best;
      const edit = editsOf(best, options)[index];
      if (edit === undefined) break;
      const candidate = best.slice(0, edit.start) + edit.text + best.slice(edit.end);
      if (candidate.length < best.length && (await fails(candidate))) {
        best = candidate;
        isSmaller = true;
      } else index++;
    }
  }
  return best;
}

/** What can be taken away, or put in the place of something bigger; large pieces first. */
function editsOf(text: string, options: ParserOptions): Edit[] {
  const { program, errors } = parseSync("a", text, { ...options, preserveParens: true });
  if (errors.length > 0 && program.body.length === 0) return [];
  const edits: Edit[] = [];
  const visit = (node: SyntaxNode): void => {
    for (const key of visitorKeys[node.type] ?? []) {
      const child = (node as unknown as Record<string, unknown>)[key];
      if (Array.isArray(child)) {
        for (const [at, element] of child.entries()) {
          if (!isNode(element)) continue;
          edits.push(...removals(element, child[at + 1], child[at - 1]));
          edits.push(...replacements(element, text));
          visit(element);
        }
      } else if (isNode(child)) {
        if (node.type !== "MethodDefinition" || key !== "value")
          edits.push(...replacements(child, text));
        visit(child);
      }
    }
  };
  visit(program);
  return edits.toSorted((one, two) => two.end - two.start - (one.end - one.start));
}

/** An element of a list goes with the comma behind or before it. */
function removals(element: SyntaxNode, next: unknown, previous: unknown): Edit[] {
  const edits = [{ start: element.start, end: element.end, text: "" }];
  if (isNode(next)) edits.push({ start: element.start, end: next.start, text: "" });
  if (isNode(previous)) edits.push({ start: previous.end, end: element.end, text: "" });
  return edits;
}

function replacements(node: SyntaxNode, text: string): Edit[] {
  const { start, end, type } = node;
  const edits: Edit[] = [];
  const isStatement = /Statement$|Declaration$/.test(type);
  const isExpression = /Expression$|Literal$/.test(type) && type !== "Literal";
  if (isExpression) edits.push({ start, end, text: "0" }, { start, end, text: "a" });
  if (isStatement) edits.push({ start, end, text: ";" }, { start, end, text: "{}" });
  if (type === "Identifier" && end - start > 1) edits.push({ start, end, text: "a" });
  if (!isStatement && !isExpression) return edits;
  for (const key of visitorKeys[type] ?? []) {
    const child = (node as unknown as Record<string, unknown>)[key];
    for (const inner of Array.isArray(child) ? child : [child]) {
      if (isNode(inner)) edits.push({ start, end, text: text.slice(inner.start, inner.end) });
    }
  }
  return edits;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
