/**
 * Keeps the generator honest: it emits every kind of node that Node runs.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { generateProgram } from "./generate-program.ts";

const PROGRAMS = 4000;
const TIMEOUT_MS = 120_000;

/** Kinds that no program of ours holds, and why. */
const NEVER: Readonly<Record<string, string>> = {
  AccessorProperty: "`accessor` is no JavaScript that Node runs",
  Decorator: "Node does not run decorators, and files with them are left alone",
  V8IntrinsicExpression: "natives of the engine are no part of the language",
  TSAbstractAccessorProperty: "as AccessorProperty",
  TSExportAssignment: "compiled modules are not generated yet",
  TSExternalModuleReference: "compiled modules are not generated yet",
  TSImportEqualsDeclaration: "compiled modules are not generated yet",
  TSIntrinsicKeyword: "only in the library of TypeScript itself",
  TSJSDocNonNullableType: "an error in TypeScript that the parser reads on",
  TSJSDocNullableType: "an error in TypeScript that the parser reads on",
  TSJSDocUnknownType: "an error in TypeScript that the parser reads on",
  TSNamespaceExportDeclaration: "only in declaration files",
  TSTypeAssertion: "`<T>x`, which Node refuses when it blanks types",
};

interface Parser {
  parseSync(
    filename: string,
    text: string,
    options: object,
  ): { program: unknown; errors: { severity: string }[] };
  visitorKeys: Readonly<Record<string, readonly string[]>>;
}

const { parseSync, visitorKeys } = createRequire(
  fileURLToPath(new URL("../../packages/instrument/package.json", import.meta.url)),
  // The package's own parser: the one whose tree the instrumenter walks.
)("oxc-parser") as Parser;

test(
  "every kind of node that Node runs is generated",
  () => {
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      const { kind, source, other } = generateProgram(seed);
      for (const text of other === undefined ? [source] : [source, other]) {
        const { program } = parseSync(kind.isTyped ? "a.ts" : "a.js", text, {
          lang: kind.isTyped ? "ts" : "js",
          sourceType: kind.format,
          preserveParens: true,
        });
        count(program, seen);
      }
    }
    const missing = Object.keys(visitorKeys).filter(
      (type) => !seen.has(type) && !type.startsWith("JSX"),
    );
    expect(missing.toSorted()).toEqual(Object.keys(NEVER).toSorted());
  },
  TIMEOUT_MS,
);

/** Counts kinds of nodes, and of literals, operators and declarations, which share a kind. */
function count(node: unknown, seen: Map<string, number>): void {
  if (Array.isArray(node)) {
    for (const element of node) count(element, seen);
    return;
  }
  if (typeof node !== "object" || node === null || !("type" in node)) return;
  const type = String(node.type);
  seen.set(type, (seen.get(type) ?? 0) + 1);
  for (const key of visitorKeys[type] ?? []) {
    // Nodes are plain objects, reached by the names of their keys.
    count((node as Record<string, unknown>)[key], seen);
  }
}
