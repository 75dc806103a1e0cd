/**
 * What level `writes` notes: each write, in the order in which it happened, with its exact place.
 */

import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";
import { instrument, siteAt, WRITE_METHODS, writeAt } from "../src/index.ts";
import type { Level } from "../src/index.ts";

/** One note as `operator target = value @ text of the place`. */
type Note = string;

interface Noted {
  readonly notes: Note[];
  readonly frames: number[];
  readonly skipped: readonly string[];
}

/** Runs a script with probes whose notes are collected. */
function notesOf(source: string): Noted {
  const options = { filename: "a.cjs", format: "commonjs", language: "js", ringMask: 15 } as const;
  const result = instrument(source, { ...options, level: "writes" });
  if ("untouched" in result) throw new Error(result.untouched);
  const notes: Note[] = [];
  const frames: number[] = [];
  const note = (id: number, frame: number, key: unknown, value: unknown): void => {
    const write = writeAt(result.sites, id);
    const site = siteAt(result.sites, id);
    if (write === undefined) throw new Error(`site ${id} writes nothing`);
    const own = write.key ?? (key === undefined ? "?" : shown(key));
    const target = write.kind === "local" ? write.name : `${write.name}.${own}`;
    notes.push(
      `${target} ${write.operator} ${shown(value)} @ ${source.slice(site.start, site.end)}`,
    );
    frames.push(frame);
  };
  const activations = new Float64Array([1]);
  const context = createContext({
    __obR: new Int32Array(16),
    __obH: new Int32Array(2),
    __obA: activations,
    __obW: (id: number, frame: number, value: unknown) => {
      note(id, frame, undefined, value);
      return value;
    },
    __obS: (id: number, frame: number, _before: unknown, value: unknown, key?: unknown) => {
      note(id, frame, key, value);
      return value;
    },
    __obC: (
      id: number,
      frame: number,
      code: number,
      owner: unknown,
      result_: unknown,
      key?: unknown,
    ) => {
      const method = WRITE_METHODS[code & 31] ?? "";
      note(id, frame, key, `${method}/${(code >> 5) & 15} of ${shown(owner)}`);
      return result_;
    },
    __obF: {
      m: () => undefined,
      e: () => undefined,
      x: () => undefined,
      k: () => undefined,
      d: (id: number, frame: number, _before: unknown, value: unknown, key?: unknown) => {
        note(id, frame, key, value);
        return value;
      },
      u: (
        delta: number,
        id: number,
        frame: number,
        _before: unknown,
        old: number,
        key?: unknown,
      ) => {
        note(id, frame, key, old + delta);
        return old;
      },
      o: (value: unknown) => value,
      q: (base: Record<string, unknown>, ...keys: string[]) =>
        keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], base),
    },
  });
  runInContext(`(function (exports, module) {${result.code}\n})({}, {})`, context);
  return { notes, frames, skipped: result.skipped.map(({ reason }) => reason) };
}

function shown(value: unknown): string {
  if (typeof value === "function") return `function ${value.name}`;
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

test.each<[name: string, source: string, notes: Note[]]>([
  ["a declaration", `let a = 1, b;`, ["a let 1 @ a = 1", "b let undefined @ b"]],
  ["a constant and a var", `const a = 1; var b = 2`, ["a const 1 @ a = 1", "b var 2 @ b = 2"]],
  ["an assignment", `let a; a = 5`, ["a let undefined @ a", "a = 5 @ a = 5"]],
  ["a compound assignment", `let a = 1; a += 2`, ["a let 1 @ a = 1", "a += 3 @ a += 2"]],
  ["a chain of assignments", `var a, b; a = b = 3`, ["b = 3 @ b = 3", "a = 3 @ a = b = 3"]],
  [
    "assignments that may not happen",
    `let a = null, b = 1; a ??= 2; b ??= 3; a &&= 4; b ||= 5`,
    ["a let null @ a = null", "b let 1 @ b = 1", "a ??= 2 @ a ??= 2", "a &&= 4 @ a &&= 4"],
  ],
  [
    "updates",
    `let a = 1; a++; --a; const b = a++; var c = 1n; c++`,
    [
      "a let 1 @ a = 1",
      "a ++ 2 @ a++",
      "a -- 1 @ --a",
      "a ++ 2 @ a++",
      "b const 1 @ b = a++",
      "c var 1n @ c = 1n",
      "c ++ 2n @ c++",
    ],
  ],
  [
    "patterns",
    `let { a, b: [c = 2, ...d] } = { a: 1, b: [undefined, 3] }; [a, c] = [c, a]`,
    [
      "a let 1 @ { a, b: [c = 2, ...d] } = { a: 1, b: [undefined, 3] }",
      "c let 2 @ { a, b: [c = 2, ...d] } = { a: 1, b: [undefined, 3] }",
      "d let [3] @ { a, b: [c = 2, ...d] } = { a: 1, b: [undefined, 3] }",
      "a = 2 @ [a, c] = [c, a]",
      "c = 1 @ [a, c] = [c, a]",
    ],
  ],
  [
    "parameters",
    `(function (a, { b } = { b: 2 }, ...c) {a})(1)`,
    ["a param 1 @ a", "b param 2 @ { b } = { b: 2 }", "c param [] @ ...c"],
  ],
  [
    "loops and errors",
    `for (let i = 0; i < 1; i++) ; for (const k in { x: 1 }) ; try { throw 7 } catch (e) {e}`,
    ["i let 0 @ i = 0", "i ++ 1 @ i++", "k for x @ const k in { x: 1 }", "e catch 7 @ e"],
  ],
  [
    "properties",
    `const o = {}; o.a = 1; o["b"] = 2; o["c" + 1] = 3; o.a += 4; o.a++; delete o.b; o.d ??= 5; o.d ??= 6`,
    [
      "o const {} @ o = {}",
      "o.a = 1 @ o.a = 1",
      'o.b = 2 @ o["b"] = 2',
      'o.c1 = 3 @ o["c" + 1] = 3',
      "o.a += 5 @ o.a += 4",
      "o.a ++ 6 @ o.a++",
      "o.b delete true @ delete o.b",
      "o.d ??= 5 @ o.d ??= 5",
    ],
  ],
  [
    "owners that are expressions",
    `const o = { p: {} }; o.p.a = 1; (() => o)().b = 2; o.p.f = function () {}`,
    [
      'o const {"p":{}} @ o = { p: {} }',
      "o.p.a = 1 @ o.p.a = 1",
      "(() => o)().b = 2 @ (() => o)().b = 2",
      "o.p.f = function  @ o.p.f = function () {}",
    ],
  ],
  [
    "classes",
    `class A { x = 1; #p = 2; set(v) { this.#p = v; this.x++ } } new A().set(3)`,
    [
      "A class function A @ class A { x = 1; #p = 2; set(v) { this.#p = v; this.x++ } }",
      "this.x field 1 @ x = 1",
      "this.#p field 2 @ #p = 2",
      "v param 3 @ v",
      "this.#p = 3 @ this.#p = v",
      "this.x ++ 2 @ this.x++",
    ],
  ],
  [
    "methods that change their owner",
    `const m = new Map(), o = { list: [] }; m.set("k", 1); o.list.push(2, 3); Object.assign(o, {})`,
    [
      "m const {} @ m = new Map()",
      'o const {"list":[]} @ o = { list: [] }',
      'm.k set set/2 of {} @ m.set("k", 1)',
      "o.list.2 push push/2 of [2,3] @ o.list.push(2, 3)",
      "o.? Object.assign Object.assign/2 of undefined @ Object.assign(o, {})",
    ].map((note) => note.replace("of [2,3]", "of [2,3]")),
  ],
  [
    "what the engine may quote, before the next statement",
    `let i = 0; const a = [{ f() {} }]; a[i++].f(); print_`.replace("; print_", "; a"),
    ["i let 0 @ i = 0", "a const [{}] @ a = [{ f() {} }]", "i ++ 1 @ i++"],
  ],
])("notes %s", (_, source, notes) => {
  expect(notesOf(source).notes).toEqual(notes);
});

test("tells activations apart, also those of closures and generators", () => {
  const { notes, frames } = notesOf(
    `function count() { let n = 0; return () => { n++ } } const a = count(), b = count(); a(); b(); a()
function down(n) { if (n > 0) down(n - 1); n = -n } down(1)`,
  );
  const byName = notes.map((note, index) => `${note.split(" ")[0]} ${frames[index]}`);
  expect(byName).toEqual([
    "n 1",
    "a 0",
    "n 2",
    "b 0",
    "n 1",
    "n 2",
    "n 1",
    "n 3",
    "n 4",
    "n 4",
    "n 3",
  ]);
});

test("says which writes get no note", () => {
  const { skipped } = notesOf(`const o = {}; [o.x] = [1]; o.f = () => ({}); (o.y = o).f()`);
  expect(skipped).toEqual([
    "write not noted: a property in a pattern",
    "write not noted: the engine may quote it",
  ]);
});

test("finds owners of calls through any chain without going round in circles", () => {
  const result = instrument("f().push(1); a[0].b.push(2); super_.x.y.z.push(3)", {
    filename: "a.cjs",
    format: "commonjs",
    language: "js",
    level: "writes",
    ringMask: 15,
  });
  expect("untouched" in result).toBe(false);
});

test.each<Level>(["calls", "lines"])("leaves no trace at level %s", (level) => {
  const options = { filename: "a.cjs", format: "commonjs", language: "js", ringMask: 15 } as const;
  const result = instrument("let a = 1; a++; a.b = 2; a.push(3)", { ...options, level });
  if ("untouched" in result) throw new Error(result.untouched);
  expect(result.sites.writes).toBeUndefined();
  expect(result.code).not.toMatch(/\$o[WSCA]\b|__ob[WSCA]/);
});
