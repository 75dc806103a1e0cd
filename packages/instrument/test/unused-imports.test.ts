/** Names that TypeScript imports and only uses as types. */

import { expect, test } from "vitest";
import { type CompilerSettings, instrument, type Language } from "../src/index.ts";

function imports(
  source: string,
  compiler: CompilerSettings = {},
  language: Language = "ts",
): string {
  const result = instrument(source, {
    filename: `/app/a.${language}`,
    format: "module",
    language,
    level: "calls",
    ringMask: 255,
    compiler,
  });
  if ("untouched" in result) throw new Error(result.untouched);
  return Array.from(result.code.matchAll(/\bimport\b[^;]*;/g), ([text]) =>
    text.replaceAll(/\s+/g, " "),
  ).join(" ");
}

test.each([
  ["import { T } from 'x'; let a: T;", "import { } from 'x';"],
  ["import { T, v } from 'x'; let a: T = v;", "import { v } from 'x';"],
  ["import { v, T, } from 'x'; v as T;", "import { v, } from 'x';"],
  ["import T from 'x'; let a: T;", "import 'x';"],
  ["import T, { v } from 'x'; v satisfies T;", "import { v } from 'x';"],
  ["import v, { T } from 'x'; v(<T>(a: T) => a);", "import v, { } from 'x';"],
  ["import { a as T } from 'x'; let b: T, a;", "import { } from 'x';"],
  [
    "import { T } from 'x'; class A implements T { m(a: T): T { return a; } }",
    "import { } from 'x';",
  ],
  [
    "import { T } from 'x'; function f<U extends T>(this: T): asserts this is U {}",
    "import { } from 'x';",
  ],
  ["import { T } from 'x'; let o = { T: 1, T() {} }; o.T; o?.T;", "import { } from 'x';"],
  ["import { T } from 'x'; class A { T: T; static T() {} get T() {} }", "import { } from 'x';"],
  ["import { T } from 'x'; T: for (;;) { continue T; break T; }", "import { } from 'x';"],
  ["import { T } from 'x'; let a: T; export { a as T };", "import { } from 'x';"],
  ["import { T } from 'x'; type U = typeof T; let a: import('x').V;", "import { } from 'x';"],
])("%s", (source, expected) => {
  expect(imports(source)).toBe(expected);
});

test.each([
  "import { T } from 'x'; T;",
  "import { T } from 'x'; class A extends T {}",
  "import { T } from 'x'; export { T };",
  "import { T } from 'x'; export default T;",
  "import { T } from 'x'; f(a as any, T!);",
  "import { T } from 'x'; enum E { A = T }",
  "import { T } from 'x'; namespace N { export const a = T; }",
  "import { T } from 'x'; ({ T });",
  "import { T } from 'x'; ({ a: T, [T]: 1 });",
  "import { T } from 'x'; T.T; o[T];",
  "import { T } from 'x'; class A { [T]() {} }",
  "import { T } from 'x'; ({ T } = o);",
  "import { T } from 'x'; export { T as a };",
  "import { T } from 'x'; eval('T');",
  "import * as T from 'x'; let a: T.U;",
  "import { T } from 'x'; f(T<string>);",
])("a name that a value has stays: %s", (source) => {
  expect(imports(source)).toMatch(/T\b.* from ["']x["'];/);
});

test("verbatimModuleSyntax and JavaScript keep every name", () => {
  expect(imports("import { T } from 'x'; let a: T;", { verbatimModuleSyntax: true })).toBe(
    "import { T } from 'x';",
  );
  expect(imports("import { T } from 'x';", {}, "js")).toBe("import { T } from 'x';");
});

test("what JSX needs stays", () => {
  const settings = { jsx: "react" } as const;
  const source = "import React from 'react'; import { A, T } from 'x'; const a: T = <A />;";
  expect(imports(source, settings, "tsx")).toBe(
    'import React from "react"; import { A } from "x";',
  );
});
