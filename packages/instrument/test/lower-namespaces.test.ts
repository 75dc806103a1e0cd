/** What namespaces are written as. Programs are compared with TypeScript's in test/ways. */
import { expect, test } from "vitest";
import { lowerNamespaces } from "../src/lower-namespaces.ts";
import { instrument } from "../src/instrument.ts";
import { parse } from "../src/parse.ts";
import { translate } from "../src/positions.ts";
import { WRITE_KINDS } from "../src/site-table.ts";

function lowered(text: string): ReturnType<typeof lowerNamespaces> {
  const parsed = parse("a.tsx", text, { language: "tsx", format: "module" });
  if ("problem" in parsed) throw new Error(parsed.problem);
  return lowerNamespaces(text, parsed.program);
}

/** The text of the body of `namespace N`. */
function body(text: string): string | undefined {
  return /^var N;\(function\(N\)\{ (.*) \}\)\(N\|\|\(N=\{\}\)\);$/.exec(
    lowered(`namespace N { ${text} }`)?.text ?? "",
  )?.[1];
}

test.each([
  ["export let x = 1; x++; x(); x`t`; typeof x;", ";N.x = 1; N.x++; N.x(); N.x`t`; typeof N.x;"],
  ["export let x: number, y!: string; x; y;", "; N.x; N.y;"],
  ["export var a, b = 1, c, d = a, e;", ";N.b = 1,N.d = N.a;"],
  [
    "export let [a, { b: c = a }]: any = f(), { d, ...e } = g",
    ";[N.a, { b: N.c = N.a }] = f(),({ d:N.d, ...N.e } = g)",
  ],
  [
    "export let x; ({ x, y: [x = x] } = { x }); for (x in x) x;",
    "; ({ x:N.x, y: [N.x = N.x] } = { x:N.x }); for (N.x in N.x) N.x;",
  ],
  ["export let x; (x) => x; (y = x) => { var x; x }", "; (x) => x; (y = N.x) => { var x; x }"],
  [
    "export let x; { x; let x } try {} catch (x) { x } for (let x of x) x; x: for (;;) break x;",
    "; { x; let x } try {} catch (x) { x } for (let x of x) x; x: for (;;) break x;",
  ],
  [
    "export let x; switch (x) { case x: x; let x } class A { x = x; [x]; static { x; var x } }",
    "; switch (N.x) { case x: x; let x } class A { x = N.x; [N.x]; static { x; var x } }",
  ],
  [
    "export let x; o.x; o[x]; ({ x: 1, [x]: x, x() {} });",
    "; o.x; o[N.x]; ({ x: 1, [N.x]: N.x, x() {} });",
  ],
  [
    "export let x; type T = typeof x; y as typeof x; x as any;",
    "; type T = typeof x; y as typeof x; N.x as any;",
  ],
  ["export let X; <X a={X}><X.Y /><x /></X>;", "; <N.X a={N.X}><N.X.Y /><x /></N.X>;"],
  ["export function f(): void; export function f() { f }", "; function f() { f };N.f=f;"],
  ["export abstract class A { a = A }", "abstract class A { a = A };N.A=A;"],
  ["export interface I {} export type T = 1; export declare let x: T; x", "; ; ; N.x"],
  ["export enum E { A } E.A", "enum E { A };N.E=E; E.A"],
  ["export const s = 's'; export enum E { A = s }", ";N.s = 's'; enum E { A = 's' };N.E=E;"],
  ["export namespace M { export let x } M.x", "let M;(function(M){ ; })(M=N.M||(N.M={})); M.x"],
  ["namespace T { export type U = 1 } import X = T.U; import Y = T; export let x: X", "; ; ; ;"],
  [
    "namespace M { export let v } import A = M; export import B = M.v; A; B",
    "let M;(function(M){ ; })(M||(M={})); var A = M; ;N.B = M.v; A; N.B",
  ],
])("namespace N { %s }", (text, expected) => {
  expect(body(text)).toBe(expected);
});

test.each([
  [
    "namespace N { export let x; export class C {} let y } namespace N { x; C; y; let C }",
    "var N;(function(N){ ; class C {};N.C=C; let y })(N||(N={})); ;(function(N){ N.x; C; y; let C })(N||(N={}));",
  ],
  [
    "export namespace A.B { export let x } namespace A { B.x } namespace A.B { x }",
    "export var A;(function(A){var B;(function(B){ ; })(B=A.B||(A.B={}));})(A||(A={})); ;(function(A){ A.B.x })(A||(A={})); ;(function(A){var B;(function(B){ B.x })(B=A.B||(A.B={}));})(A||(A={}));",
  ],
  [
    "namespace N { export let N, x; (N) => x }",
    "var N;(function(N_1){ ; (N) => N_1.x })(N||(N={}));",
  ],
  [
    "class C {} namespace C { export let x } function f() {} namespace f { export let x }",
    "class C {} ;(function(C){ ; })(C||(C={})); function f() {} ;(function(f){ ; })(f||(f={}));",
  ],
  [
    "namespace E { export let x = 1 } enum E { A }",
    "enum E{};(function(E){ ;E.x = 1 })(E||(E={})); enum E { A }",
  ],
  [
    "namespace N { export enum E { A } } namespace N { export enum E { B = A } }",
    "var N;(function(N){ ;enum E{};E=N.E||(N.E={});enum E { A };N.E=E; })(N||(N={})); ;(function(N){ ;enum E{};E=N.E||(N.E={});enum E { B = E.A };N.E=E; })(N||(N={}));",
  ],
  [
    "namespace T { export type A = 1 } namespace N { x }",
    "namespace T { export type A = 1 } var N;(function(N){ x })(N||(N={}));",
  ],
])("%s", (text, expected) => {
  expect(lowered(text)?.text).toBe(expected);
});

test.each(["const namespace = 1;", "declare namespace N { let x }", "namespace N { type A = 1 }"])(
  "nothing is written for %s",
  (text) => {
    expect(lowered(text)).toBeUndefined();
  },
);

test.each([
  "export { a };",
  "export default 1;",
  "import 'x';",
  "export = 1;",
  "import a = require('x');",
])("%s stands in no namespace", (text) => {
  const result = instrument(`namespace N { let a; ${text} }`, {
    filename: "/app/a.ts",
    format: "module",
    language: "ts",
    level: "calls",
    ringMask: 255,
  });
  expect(result).toHaveProperty("untouched");
});

test("every token keeps its place", () => {
  const text =
    "namespace N {\n  export let first = 1, [second] = f(third);\n  export class K { m() { return first; } }\n  first = second;\n}\nfourth();";
  const result = lowered(text);
  if (result === undefined) throw new Error("nothing was written");
  const { text: code, compiled, original } = result;
  for (const name of ["first", "second", "third", "f(", "class", "K {", "return", "fourth"]) {
    const from = Array.from(
      text.matchAll(RegExp(name.replace("(", "\\("), "g")),
      ({ index }) => index,
    );
    const to = Array.from(code.matchAll(RegExp(name.replace("(", "\\("), "g")), ({ index }) =>
      translate(compiled, original, index),
    );
    expect([name, to]).toEqual([name, from]);
  }
  // A class ends where it ended, before what is added behind it.
  expect(translate(compiled, original, code.indexOf(";N.K=K;"))).toBe(text.indexOf("\n  first ="));
});

test.each([true, false])("writes are named as in the text, with an enum: %s", (withEnum) => {
  const text = `${withEnum ? "enum E { A }\n" : ""}namespace N { let N = 1; export let x = N; x = 2; }
namespace M { export let y = 1; y++; }`;
  const result = instrument(text, {
    filename: "/app/a.ts",
    format: "module",
    language: "ts",
    level: "writes",
    ringMask: 255,
  });
  if ("untouched" in result) throw new Error(result.untouched);
  const { writes } = result.sites;
  if (writes === undefined) throw new Error("nothing was noted");
  const { names, keys, kinds, texts } = writes;
  const noted = names.flatMap((name, at) =>
    WRITE_KINDS[kinds[at] ?? -1] === "property" ? [`${texts[name]}.${texts[keys[at] ?? -1]}`] : [],
  );
  expect(noted.filter((name) => !name.startsWith("E."))).toEqual(["N.x", "N.x", "M.y", "M.y"]);
});
