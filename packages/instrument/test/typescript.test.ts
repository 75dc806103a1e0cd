/**
 * TypeScript runs with no build step, and points where Node's own type stripping points.
 */

import { describe, expect, test } from "vitest";
import { execFileSync } from "node:child_process";
import { eraseTypes, instrument } from "../src/index.ts";
import { WRITE_KINDS } from "../src/site-table.ts";
import { COMPILED, ERASABLE } from "./typescript-snippets.ts";
import { instrumentSnippet, RUNTIMES, runSnippets } from "./support/run-plain-and-instrumented.ts";

const TIMEOUT_MS = 300_000;

describe.each(RUNTIMES)("on %s", (runtime) => {
  test(
    "erasable TypeScript prints, fails and points like the stripped one",
    () => {
      for (const { snippet, plain, instrumented } of runSnippets(runtime, ERASABLE)) {
        for (const outcome of instrumented) {
          const expected = { name: snippet.name, ...plain, problems: [] };
          expect({ name: snippet.name, ...outcome }).toEqual(expected);
        }
      }
    },
    TIMEOUT_MS,
  );

  test(
    "TypeScript that needs a compiler does what it should",
    () => {
      for (const { snippet, plain, instrumented } of runSnippets(runtime, COMPILED)) {
        for (const { printed, failure, problems } of instrumented) {
          expect({ name: snippet.name, printed, failure, problems }).toEqual({
            name: snippet.name,
            printed: plain.printed,
            failure: undefined,
            problems: [],
          });
        }
      }
    },
    TIMEOUT_MS,
  );
});

test("types are blanked in place: every line keeps its length up to the first probe", () => {
  for (const snippet of ERASABLE) {
    const { code } = instrumentSnippet(snippet);
    expect(code.split(/\r\n|[\n\r\u2028\u2029]/).length).toBe(
      snippet.source.split(/\r\n|[\n\r\u2028\u2029]/).length,
    );
  }
});

/** Texts where a blank could join what stands around it, and odd letters and comments. */
const ERASED = [
  "foo\ninterface A {}\n(1)",
  "foo; // c\ntype A = 1\n(1)",
  "{\ntype A = 1;\n[1]}\ntype B = 1\n+1",
  "type A = 1\ntype B = 1\n`x`",
  "foo\nimport type A from 'x'\n/re/.test('a')\nfoo\ntype B = 1\n++b",
  "let a = 1 as any\n(f)(); let b = c satisfies D\n`x`; let y = x!\n[1].z; const z = y as const satisfies q\n(1)",
  "x = y as any /* c */\n-1; f(x as any)\n(1); function* g() { yield x as any\n[1] }",
  "class A { x\n private [y] = 1; public static [z] = 2; readonly in = 1; x2: 3\n declare z: 1\n *w(){} private async *v(){} }",
  "class A { get: 1; set?: 2; static: 3; async: 4; static get: 1; 'get': 1 } class B { get = 1 }",
  "abstract class A<T> extends B<C> implements D, E { abstract b(): void; private constructor(); private constructor(a?: 1){ super() } [k: string]: any }",
  "class A { m(): asserts this is B { } static async *[Symbol.iterator]<T>(this: A): B {} #p: 5; static #q?: 6; r!: 1 }",
  "const f = (a: number,\n b?: string): Promise<\nvoid> => 1, g = async <\nT>(x: T) => 1; () => { return <T>\n(x: T) => 1 }",
  "function f(x /*1*/ ? /*2*/ : A /*3*/, y?: B): b is string {} f /*4*/ <A> /*5*/ (1); a /*6*/ ! /*7*/ .b; let z /*1*/ ! /*2*/ : A",
  "class C /*8*/ <T> /*9*/ extends D /*10*/ <E> /*11*/ implements F /*12*/ , G /*13*/ { private /*18*/ readonly /*19*/ z; [a] /*20*/ ? /*21*/ : B }",
  "function f(this: A /*1*/ , /*2*/ b){} import { type A /*1*/ , /*2*/ b } from 'x'; export { type C, d }; let d",
  "type \u6f22 = '\u00e9\u{1f600}'; const s: '\u6f22' = 2; f(1)",
  "declare const x: 1; declare global {} namespace N { export type A = 1 } declare enum E {} export default interface X {}",
  "#!/usr/bin/env node\ntype A = 1\n(1)",
];

/** Nothing but blanks is allowed for these, and blanks are not enough. */
const NOT_ERASED = [
  "let a = <any>1",
  "enum A {}",
  "namespace A { let x }",
  "import a = require('x')",
  "export = a",
  "class A { constructor(private x) {} }",
  "with (a) {}",
];

test.each(RUNTIMES)("types are erased as %s does", (runtime) => {
  const texts = [...ERASABLE.map(({ source }) => source), ...ERASED, ...NOT_ERASED];
  const script = `const { stripTypeScriptTypes } = require("node:module");
    const texts = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    console.log(JSON.stringify(texts.map((text) => { try { return stripTypeScriptTypes(text) } catch { return null } })))`;
  const printed = execFileSync(runtime, ["--no-warnings", "-e", script], {
    input: JSON.stringify(texts),
    encoding: "utf8",
  });
  const expected = JSON.parse(printed) as (string | null)[];
  expect(texts.map((text) => eraseTypes(text, "a.ts") ?? null)).toEqual(expected);
});

test("a text that needs more than blanks has no erased form", () => {
  for (const text of NOT_ERASED) expect(eraseTypes(text, "a.ts")).toBeUndefined();
  expect(eraseTypes("let a; let a", "a.ts")).toBeUndefined();
  expect(eraseTypes("module A {}", "a.ts")).toBeUndefined();
  expect(eraseTypes("with (a) {}", "a.cts")).toBeUndefined();
  expect(eraseTypes("export let a: 1", "a.mts")).toBe("export let a   ");
});

test.each([
  {
    language: "ts",
    source: "namespace Util { export const a = 1; export namespace In { export const b = 2; } }",
    shown: ["In", "Util"],
  },
  { language: "tsx", source: "const e = <><b a='1'/></>;", shown: ["e"] },
  { language: "ts", source: "namespace _N { let _a; _a = 1; }", shown: ["_N", "_a"] },
  { language: "ts", source: "namespace N { let N = 1; export let _a = N; }", shown: ["N"] },
] as const)("no name that compiling adds is a variable: $source", ({ language, source, shown }) => {
  for (const format of ["module", "commonjs"] as const) {
    const result = instrument(source, {
      filename: `/app/a.${language}`,
      format,
      language,
      level: "writes",
      ringMask: 255,
      compiler: { jsx: "react-jsxdev" },
    });
    if ("untouched" in result) throw new Error(result.untouched);
    const { functions } = result.sites;
    const locals = new Set(functions.flatMap(({ localNames }) => localNames));
    locals.delete("this");
    expect([...locals].toSorted()).toEqual(shown);
    // Neither are there notes of what they are set to.
    const notes = result.sites.writes;
    const names = (notes?.kinds ?? []).flatMap((kind, at) =>
      WRITE_KINDS[kind] === "local" ? [notes?.texts[notes.names[at] ?? -1] ?? ""] : [],
    );
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !locals.has(name))).toEqual([]);
  }
});
