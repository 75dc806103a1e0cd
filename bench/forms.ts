/**
 * Writes the smallest probes by hand into a text: what any recorder of that kind must cost.
 *
 * They record nothing that could be read back. A goal below what such a form costs cannot be
 * reached by another way of writing the same probes.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Form, root } from "./variants.ts";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Parser {
  parseSync(file: string, text: string): { program: unknown; errors: readonly unknown[] };
}

/** The parser of the instrumenter: the benchmarks have none of their own. */
const parser = createRequire(join(root, "packages/instrument/package.json"))(
  "oxc-parser",
) as Parser;

const STORE = "$R[$H[0]++&1023]=";
const HEAD =
  "const $R=globalThis.$R??=new Uint32Array(1024),$H=globalThis.$H??=new Uint32Array(2);";
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

interface Edit {
  readonly at: number;
  readonly text: string;
  /** Whether it ends something: what is inside ends first, and before anything begins. */
  readonly ends?: boolean;
}

/**
 * The text with probes of a form in every function.
 *
 * @throws {SyntaxError} when the text cannot be parsed.
 */
export function writeForm(file: string, text: string, form: Form): string {
  const { program, errors } = parser.parseSync(file, text);
  if (errors.length > 0) throw new SyntaxError(`${file} cannot be parsed`);
  const edits: Edit[] = [];
  const tree = program as Node;
  // A text may get several forms.
  if (!text.includes(HEAD)) {
    const start = text.startsWith("#!") ? text.indexOf("\n") : 0;
    edits.push({ at: behindDirectives(tree, start), text: `;${HEAD}` });
  }
  visit(tree, (node) => {
    if (FUNCTIONS.has(node.type)) probe(node, form, edits);
    if (node.type === "ReturnStatement" && form === "entry and return") {
      const argument = node["argument"] as Node | null;
      edits.push({ at: node.start, text: argument === null ? `{${STORE}2;` : "{const $v=(/*" });
      edits.push({ at: node.end, text: "}", ends: true });
      if (argument !== null) {
        edits.push({ at: node.start + "return".length, text: "*/" });
        edits.push({ at: argument.end, text: `);${STORE}2;return $v`, ends: true });
      }
    }
  });
  return apply(text, edits);
}

function probe(node: Node, form: Form, edits: Edit[]): void {
  const body = node["body"] as Node | null;
  if (body === null) return;
  const hasEntry = form === "entry" || form === "entry and return";
  if (body.type !== "BlockStatement" && body.type !== "FunctionBody") {
    // `x => f(x)`: a function that is only an expression.
    edits.push({ at: body.start, text: hasEntry ? `{${STORE}1;` : "{try{" });
    edits.push({ at: body.start, text: form === "entry and return" ? "const $v=(" : "return (" });
    edits.push({
      at: body.end,
      text:
        form === "entry and return" ? `);${STORE}2;return $v}` : `)${hasEntry ? "" : foot(form)}}`,
      ends: true,
    });
    return;
  }
  edits.push({
    at: behindDirectives(body, body.start + 1),
    text: hasEntry ? `;${STORE}1;` : ";try{",
  });
  if (form === "entry and return") edits.push({ at: body.end - 1, text: `;${STORE}2` });
  else if (!hasEntry) edits.push({ at: body.end - 1, text: foot(form) });
}

function foot(form: Form): string {
  return form === "finally" ? "}finally{}" : "}catch($e){throw $e}";
}

function behindDirectives(node: Node, start: number): number {
  const statements = node["body"] as readonly Node[];
  let at = start;
  for (const statement of statements) {
    if (typeof statement["directive"] !== "string") break;
    at = statement.end;
  }
  return at;
}

/** Calls `found` for every node, outer ones first. */
function visit(value: unknown, found: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, found);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && "start" in value) found(value as Node);
  for (const inner of Object.values(value)) visit(inner, found);
}

/** Edits come in the order of the walk, outer nodes first. */
function apply(text: string, edits: readonly Edit[]): string {
  const ordered = edits
    .map((edit, index) => ({ ...edit, order: edit.ends === true ? -index : edits.length + index }))
    .toSorted((a, b) => a.at - b.at || a.order - b.order);
  const parts: string[] = [];
  let copied = 0;
  for (const { at, text: inserted } of ordered) {
    parts.push(text.slice(copied, at), inserted);
    copied = at;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}
