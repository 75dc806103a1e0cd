/**
 * What the tables say: sites, names, locals, positions, markers, ids.
 */

import { compileFunction } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  type FunctionSite,
  findMarkers,
  type Instrumented,
  instrument,
  type Language,
  type ModuleFormat,
  originalPosition,
  originalText,
  rebase,
  siteAt,
  type SiteKind,
  visibleLocals,
} from "../src/index.ts";

function write(
  source: string,
  { format = "module", language = "js" }: { format?: ModuleFormat; language?: Language } = {},
): Instrumented {
  const options = { filename: "a.js", format, language, level: "calls", ringMask: 255 } as const;
  const result = instrument(source, options);
  if ("untouched" in result) throw new Error(result.untouched);
  return result;
}

function functions({ sites }: Instrumented): FunctionSite[] {
  return sites.functions.map(({ id }) => siteAt(sites, id) as FunctionSite);
}

/** Ids of the sites of a kind, in order. */
function idsOf({ sites, siteCount }: Instrumented, kind: SiteKind): number[] {
  return Array.from({ length: siteCount }, (_, index) => index + 1).filter(
    (id) => siteAt(sites, id).kind === kind,
  );
}

/** Names that can be seen from the statement that begins with `text`; `?` marks the dead zone. */
function seenFrom(source: string, text: string, format: ModuleFormat = "module"): string[] {
  const result = write(source, { format });
  const start = source.indexOf(text);
  const id = idsOf(result, "statement").find((k) => siteAt(result.sites, k).start === start);
  if (id === undefined) throw new Error(`no statement at ${text}`);
  return visibleLocals(result.sites, id).map(
    ({ local, initialized }) => local.name + (initialized ? "" : "?"),
  );
}

test("names functions as the flight format says", () => {
  const source = `function outer() { function inner() {} const arrow = () => () => 1; }
class Meter { constructor() {} read() {} static make() {} get x() { return 1 } set x(v) {} #p() {} static async *[Symbol.iterator]() {} f = () => 1 }
const o = { m() {}, get g() { return 1 }, k: function () {} };
[1].map((x) => x);
export default function () {}
(function named() {})`;
  expect(functions(write(source)).map(({ qualname }) => qualname)).toEqual([
    "<module>",
    "outer",
    "outer.inner",
    "outer.arrow",
    "<anonymous:1:60>",
    "Meter",
    "new Meter",
    "Meter.read",
    "Meter.static make",
    "get Meter.x",
    "set Meter.x",
    "Meter.#p",
    "Meter.static <anonymous:2:100>",
    "Meter.f",
    "m",
    "get g",
    "k",
    "<anonymous:4:9>",
    "default",
    "named",
  ]);
});

test("says where every site stands", () => {
  const result = write(`async function f(a) {\n  await a;\n  throw add(new TypeError("x"));\n}`);
  const kinds = ["module", "function", "statement", "await", "throw", "birth"] as const;
  const places = kinds.map((kind) => {
    const site = siteAt(result.sites, idsOf(result, kind).at(-1) ?? 0);
    return [kind, site.line, site.column, site.endLine, site.function];
  });
  expect(places).toEqual([
    ["module", 1, 1, 4, 1],
    ["function", 1, 1, 4, 2],
    ["statement", 3, 3, 3, 2],
    ["await", 2, 3, 2, 2],
    ["throw", 3, 3, 3, 2],
    ["birth", 3, 13, 3, 2],
  ]);
  expect(() => siteAt(result.sites, 99)).toThrow("There is no site 99");
  expect(() => visibleLocals(result.sites, 99)).toThrow("There is no site 99");
});

describe("visible locals", () => {
  test("come as parameters, inner scopes, outer scopes, closures, arguments", () => {
    const source = `function outer(shared) { let counter = 0; return function (a, { b }) { var v = 1; let x = 2; { const y = 3; use(arguments, shared, counter, y); } }; }`;
    expect(seenFrom(source, "use(")).toEqual([
      "a",
      "b",
      "y",
      "v",
      "x",
      "shared",
      "counter",
      "arguments",
    ]);
  });

  test("leave out what is shadowed and out of scope", () => {
    const source = `function f(a) { let b = 1; { let a = 2, b = 3; use(); } { let c = 4; } for (const d of []) { here(d); } }`;
    expect(seenFrom(source, "use(")).toEqual(["a", "b"]);
    expect(seenFrom(source, "here(")).toEqual(["a", "d", "b"]);
  });

  test("know the dead zone", () => {
    const source = `function f() { first(); let a = g(); const b = h(); last(); function c() {} class D {} }`;
    expect(seenFrom(source, "first(")).toEqual(["a?", "b?", "c", "D?"]);
    expect(seenFrom(source, "const b")).toEqual(["a", "b?", "c", "D?"]);
    expect(seenFrom(source, "last(")).toEqual(["a", "b", "c", "D?"]);
  });

  test("know the error that a catch without a name handles", () => {
    expect(seenFrom(`function f() { try { g() } catch { here() } }`, "here(")).toEqual(["<catch>"]);
    expect(seenFrom(`function f() { try { g() } catch (e) { here() } }`, "here(")).toEqual(["e"]);
  });

  test("of a module are its bindings", () => {
    const source = `import fs from "fs"; const a = 1; let b = f(); { let c = g(); here(); } function d() {}`;
    expect(seenFrom(source, "here(")).toEqual(["c", "a", "b", "d"]);
    const script = `const a = f(); var b; here(); function d() {}`;
    expect(seenFrom(script, "here(", "commonjs")).toEqual(["b", "a", "d"]);
  });

  test("of a module are named by the functions that mention them", () => {
    const [, f] = functions(
      write(`let a = 1, b = 2; function f() { return a + b + g() } function g() {}`),
    );
    expect(f?.captures).toEqual(["a", "b"]);
    expect(f?.locals).toEqual([]);
  });
});

test("every local has a value in the array that the probe passes", () => {
  const { code, sites } = write(
    `function f(a) { let b = 1; { let a = 2; new Error("x") } return () => b }`,
  );
  const [, f, arrow] = sites.functions;
  expect(f?.localNames).toEqual(["a", "b", "a"]);
  expect(arrow?.localNames).toEqual(["b"]);
  // The parameter is hidden where the error is made, so nothing of it is read there.
  expect(code).toMatch(/new Error\("x"\),0x\w{8},this,\[void 0,\$o0,\$o1\]\)/);
  expect(code).toMatch(/x\(\$ol,\$ox,this,\[a,\$o0,\$o1\]\)/);
});

test("rebasing adds to every id and to nothing else", () => {
  const source = `function f() { return 0x00000002 } f(); async () => { await 0x00000001 }`;
  const result = write(source);
  const base = 0x00abcdef;
  const moved = rebase(result, base);
  expect(moved.length).toBe(result.code.length);
  for (const offset of result.idOffsets) {
    const before = Number.parseInt(result.code.slice(offset, offset + 8), 16);
    expect(result.code.slice(offset - 2, offset)).toBe("0x");
    expect(moved.slice(offset - 2, offset + 8)).toBe(
      `0x${(before + base).toString(16).padStart(8, "0")}`,
    );
  }
  expect(moved).toContain("=/*return*/ 0x00000002");
  expect(moved).toContain("0x00000001");
  expect(rebase(result, 0)).toBe(result.code);
});

test("every unit that was copied maps back to where it was", () => {
  const source = `const a = 1;\r\nfunction f(x) {\u2028  return x.y }\nfor (const q of [a]) f(q);`;
  const { code, positions } = write(source);
  for (const word of ["const a", "function f", "x.y", "for (const q", "f(q)"]) {
    const { line, column } = place(code, code.lastIndexOf(word));
    expect([word, originalPosition(positions, line, column)]).toEqual([
      word,
      place(source, source.indexOf(word)),
    ]);
  }
  const kept = place(code, code.indexOf("/*return*/") + 2);
  expect(originalPosition(positions, kept.line, kept.column)).toEqual(
    place(source, source.indexOf("return")),
  );
  expect(originalPosition(positions, 99, 5)).toEqual({ line: 99, column: 5 });
});

function place(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

test("a marker leads from the text of a function to the original", () => {
  const source = `const o = { async m(a = () => 1) { return a }, get v() { return 1 } };
class A extends (class B { x() {} }) { static s(q) { return [q].map((z) => z) } #p = 1 }
function outer(cb = function inner() { return 1 }) { return cb }
const left = function () { return eval("1") };`;
  const { sites, code } = write(source);
  for (const { id, generatedLength } of sites.functions) {
    if (id === 1) continue;
    const { start, end } = siteAt(sites, id);
    const marker = code.indexOf(`/*__ob:0x${id.toString(16).padStart(8, "0")}*/`);
    // The text begins with the token that the original begins with, somewhere before the marker.
    const token = source.slice(start, start + 3);
    const found = [];
    for (let at = code.lastIndexOf(token, marker); at >= 0; at = code.lastIndexOf(token, at - 1)) {
      const text = code.slice(at, at + generatedLength);
      if (text.endsWith("}") && text.includes("/*__ob:")) found.push(originalText(sites, text));
      if (at === 0) break;
    }
    expect(found).toContainEqual([start, end]);
  }
  expect(findMarkers(code).length).toBe(sites.functions.length - 1);
  expect(originalText(sites, "function f() {}")).toBeUndefined();
});

/** Runs a program, which is a constant of its test, and shows the functions it returns. */
function texts(code: string): string[] {
  return (compileFunction(code)() as unknown[]).map(String);
}

test("the text of every function value leads to what the plain program would show", () => {
  const source = `const o = { async m(a = () => 1, { b } = {}) { return a }, get v() { return 1 }, set v(x) {}, *g() {}, ["c" + 1](q) { return q }, f: function () {}, h: async x => x };
class A extends (class B { x() {} }) { static s(q) { return [q].map((z) => z) } #p = 1; static async *t() {} constructor(z) { super(); this.z = z } }
function outer(cb = function inner() { return 1 }) { return cb }
const left = function () { return eval("1") }, empty = () => {}, nested = (a = (b = (c) => c) => b) => a;
const accessor = Object.getOwnPropertyDescriptor(o, "v");
return [o.m, accessor.get, accessor.set, o.g, o.c1, o.f, o.h, A, Object.getPrototypeOf(A), A.s, A.t, outer, outer(), left, empty, nested, nested(), nested()(), class {}, () => 1];`;
  const result = write(source, { format: "commonjs" });
  const runtime = `const __obR = [], __obH = [0, 0], __obF = { m() {}, k() {}, x() {}, b: (v) => v, p: (v) => v };`;
  const shown = texts(`${runtime}${result.code}`).map((text) => {
    const [start, end] = originalText(result.sites, text) ?? [0, 0];
    return source.slice(start, end);
  });
  expect(shown).toEqual(texts(source));
});

test.each([
  ["direct eval", `function f() { return eval("1") }`, "commonjs", "direct eval"],
  ["with", `function f(o) { with (o) { return x } }`, "commonjs", "with statement"],
  ["asm.js", `function f() { "use asm"; function g() {} return g }`, "commonjs", "asm.js"],
  [
    "parameter",
    `function f(a) { function a() {} }`,
    "commonjs",
    "function named like the parameter a",
  ],
  [
    "variable",
    `function f() { var a; function a() {} }`,
    "commonjs",
    "function named like the variable a",
  ],
  [
    "twice",
    `function f() { function a() {} function a() {} }`,
    "commonjs",
    "two functions named a",
  ],
  [
    "block",
    `function f() { function a() {} { function a() {} } }`,
    "commonjs",
    "function named like the function a in a block",
  ],
  ["label", `function f() { l: function a() {} }`, "commonjs", "function declaration with a label"],
  ["module", `eval("1")`, "commonjs", "module body: direct eval"],
  [
    "disposal",
    `async function f() { for (await using a = b; c; ) d() }`,
    "module",
    "a loop that awaits the disposal of its head",
  ],
  ["browsers' comments", `function f(a) { with <!-- b\n(a) c() }`, "commonjs", "with statement"],
] as const)("leaves a function alone and says why: %s", (_, source, format, reason) => {
  const { skipped } = write(source, { format });
  expect(skipped).toEqual([{ line: 1, column: 1, reason }]);
});

test.each([
  ["a syntax error", "let a; let a;", "syntax error: Identifier `a` has already been declared"],
  ["its own probes", "__obR[0] = 1", "the text names the recorder's own globals"],
  ["deep nesting", "[".repeat(20_000) + "]".repeat(20_000), "nested too deep to be parsed"],
])("leaves a whole text alone for %s", (_, source, untouched) => {
  const options = {
    filename: "a.js",
    format: "module",
    language: "js",
    level: "calls",
    ringMask: 255,
  } as const;
  expect(instrument(source, options)).toEqual({ untouched });
});

test("a compiled text has the lines of the original", () => {
  const source = `enum Level {\n  Low = 1,\n  High,\n}\n\ninterface X {}\nexport class Meter {\n  constructor(private readonly label: string) {}\n  read(scale: number): number {\n    const raw = Level.High * scale;\n    if (raw > 3)\n      throw new Error(this.label);\n    return raw;\n  }\n}\n`;
  const result = write(source, { language: "ts" });
  const read = functions(result).find(({ qualname }) => qualname === "Meter.read");
  expect([read?.line, read?.column, read?.endLine]).toEqual([9, 3, 14]);
  const thrown = siteAt(result.sites, idsOf(result, "throw")[0] ?? 0);
  expect([thrown.line, thrown.column]).toEqual([12, 7]);
  const { line, column } = place(result.code, result.code.indexOf("new Error"));
  expect(originalPosition(result.positions, line, column)).toEqual({ line: 12, column: 13 });
});

function attempt(source: string, language: Language): string {
  const filename = `a.${language}`;
  const settings = { filename, format: "commonjs", language, level: "calls" } as const;
  const result = instrument(source, { ...settings, ringMask: 255 });
  return "untouched" in result ? result.untouched : "instrumented";
}

describe("a script with the syntax of ES modules is left alone", () => {
  test.each([
    `import fs from "node:fs"`,
    `import "node:fs"`,
    `const a = 1; import { b } from "./b.js"`,
    `export {}`,
    `export const a = 1`,
    `export default 1`,
    `export default class {}`,
    `export * from "./b.js"`,
    `const here = import.meta.url`,
    `const { a: [module] } = b`,
    `class exports {}`,
    `await 1`,
    `for await (const a of b) ;`,
  ])("%s", (source) => {
    for (const language of ["js", "ts"] as const) {
      expect(attempt(source, language)).toBe("ES module syntax");
    }
  });

  test.each([
    `import { type A } from "./a.js"`,
    `export { type A } from "./a.js"`,
    `import type { A } from "./a.js"; export type { A }; export {}`,
    `enum E { A } export const e = E.A`,
  ])("with types that go: %s", (source) => {
    expect(attempt(source, "ts")).toBe("ES module syntax");
  });

  test.each([
    `import type { A } from "./a.js"`,
    `import type A from "./a.js"; export type { A }; export type B = A; export interface C {}`,
    `export type * from "./a.js"; export declare const d: number; declare module "x" { export const y: 1 }`,
    `export default interface D {}`,
    `import fs = require("node:fs"); export = fs`,
    `import type fs = require("node:fs"); import("node:fs")`,
    `namespace N { export const a = 1 }`,
    `declare const module: 1; declare class exports {}`,
    `var require = 1; function module() {} { const exports = 1 }`,
  ])("but not: %s", (source) => {
    expect(attempt(source, "ts")).toBe("instrumented");
  });

  test("but a mistake is a mistake", () => {
    expect(attempt(`function f() { await 1 }`, "js")).toMatch(/^syntax error/);
    expect(attempt(`if (1) { function a() {} } let a`, "js")).not.toBe("ES module syntax");
    expect(attempt(`import("node:fs"); async () => { await 1 }`, "js")).toBe("instrumented");
  });
});

test("the lines of imports stay as they are", () => {
  const imports = [
    `import a, { b } from "./a.js"; import "./c.js"`,
    `export { d } from "./d.js"`,
    `export * as e from "./e.js";`,
  ];
  const source = `${imports.join("\n")}\nconst f = a(b);\nimport "./f.js"; import "./g.js"`;
  const { code, positions } = write(source);
  const lines = code.split("\n");
  expect([...lines.slice(0, 3), lines[4]]).toEqual([
    ...imports,
    `import "./f.js"; import "./g.js"`,
  ]);
  const at = place(code, code.indexOf("const f"));
  expect(originalPosition(positions, at.line, at.column)).toEqual({ line: 4, column: 1 });
  const only = `${imports.join("\n")}\n`;
  expect(write(only).code.startsWith(only)).toBe(true);
  const last = write(only.trimEnd());
  expect(last.code.startsWith(`${only.trimEnd()};`)).toBe(true);
  expect(last.positions.generatedLineStarts.length).toBe(3);
});

/** Runs a script and returns the lines where its frames were when they gave their variables. */
function framePlaces(source: string): number[] {
  const result = write(source, { format: "commonjs" });
  const found: number[] = [];
  const leave = (word: number): void => {
    found.push(siteAt(result.sites, word & 0x0fffffff).line);
  };
  const runtime = `const __obR = [], __obH = [0, 0], __obF = { m() {}, x: leave };`;
  try {
    compileFunction(`${runtime}${result.code}`, ["leave"])(leave);
  } catch {
    // The errors are what leaves the frames.
  }
  return found;
}

describe("an error keeps its place over finally blocks", () => {
  test.each([
    ["one", `function f() {\n  try {\n    throw 1;\n  } finally {\n    g();\n  }\n}`, 3],
    [
      "nested ones",
      `function f() {\ntry {\ntry {\ng.x.y;\n} finally {\ntry {\ng();\n} finally {\ng();\n}\n}\n} finally {\nlet a = g();\n}\n}`,
      4,
    ],
    ["that throw themselves", `function f() {\ntry {\nthrow 1;\n} finally {\ng.x.y;\n}\n}`, 5],
    [
      "around a catch",
      `function f() {\ntry {\ng.x.y;\n} catch {\ng.x.y;\n} finally {\ng();\n}\n}`,
      5,
    ],
    [
      "in a loop",
      `function f() {\nfor (const a of [1, 2]) {\ntry {\nif (a === 1) continue;\ng.x.y;\n} finally {\ng();\n}\n}\n}`,
      5,
    ],
    [
      "of generators",
      `function f() {\nreturn [...h()];\n}\nfunction* h() {\ntry {\nyield 1;\ng.x.y;\n} finally {\nyield g();\n}\n}`,
      7,
    ],
  ])("%s", (_, source, line) => {
    expect(framePlaces(`${source}\nfunction g() {}\nf();`)[0]).toBe(line);
  });

  test("and functions without probes have none to keep", () => {
    const { code } = write(`function f() { try { eval("1") } finally { g() } }`, {
      format: "commonjs",
    });
    expect(code).toContain("finally { g() }");
  });
});

test("a function without a level stays as it is, those inside of it do not", () => {
  const source = `function left(a) { if (a) return 1; return (b) => { if (b) return 2; return 3; }; }
console.log(left(0)(1), left(2), left(0)(0));\n`;
  const made = instrument(source, {
    filename: "levels.js",
    format: "commonjs",
    language: "js",
    level: "writes",
    ringMask: "at runtime",
    levelAt: (start) => (start < 20 ? undefined : "calls"),
  });
  if ("untouched" in made) throw new Error(made.untouched);
  expect(made.code).toContain(
    "function left(a) {/*__ob:0x00000002*/ if (a) return 1; return (b) => {",
  );
  expect(made.code).toContain("&$oM]=0x00000003;");
  const untouched = instrument(source, {
    filename: "levels.js",
    format: "commonjs",
    language: "js",
    level: "calls",
    ringMask: "at runtime",
    levelAt: () => undefined,
  });
  if ("untouched" in untouched) throw new Error(untouched.untouched);
  expect(untouched.code).toContain(source.slice(0, source.indexOf("\n")));
  expect(made.skipped).toEqual([]);
});

test("the runs that are shown where they stand lead back to the text", () => {
  const source = `function* parts(list) { for (const part of list) { yield part; yield* [{ ...part }]; } }
async function wait(p) { await p; delete p.x; [p.a = 1] = await p; return (await p).y; }\n`;
  for (const level of ["calls", "lines", "writes"] as const) {
    const made = instrument(source, {
      filename: "runs.js",
      format: "commonjs",
      language: "js",
      level,
      ringMask: 15,
    });
    if ("untouched" in made) throw new Error(made.untouched);
    const { code, positions, borrowed } = made;
    const own = [...positions.generated.keys()].filter((index) => !borrowed.includes(index));
    const text = own.map((run, index) => {
      const next = own[index + 1];
      const end = next === undefined ? source.length : (positions.original[next] ?? 0);
      const from = positions.generated[run] ?? 0;
      return code.slice(from, from + end - (positions.original[run] ?? 0));
    });
    expect(text.join("")).toBe(source);
    expect(borrowed.length).toBeGreaterThan(0);
  }
});
