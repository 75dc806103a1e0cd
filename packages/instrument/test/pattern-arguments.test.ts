/**
 * V8 refuses `f([1], [a] = b)`, and `f([1], ([a] = b))` it takes: whatever probes put into a list of
 * arguments, the assignment to a pattern behind it stays legal.
 */

import { compileFunction } from "node:vm";
import { expect, test } from "vitest";
import { instrument, type Level } from "../src/index.ts";

/** What stands earlier in a list: legal for V8, until something is written into it. */
const EARLIER = [
  "new Error(a)",
  "TypeError(1)",
  "[m = 1]",
  "[x = 1]",
  "{p: m = 1}",
  "{p: x.y = 1}",
  "[x.y = 1]",
  "[[m] = x]",
  "[{m} = x]",
  "{p: [m] = x}",
  "x[m = 1]",
  "x[m++]",
  "x[x.y--]",
  "f(m = 1)",
  "f(x.push(1))",
  "f(new Error(1)).p",
  "x[new Error(1)]",
  "new x.Error(1)",
  "new Promise(f)",
  "`${m = 1}`",
  "f`${new Error(1)}`",
  "m = 1",
  "m++",
  "--m",
  "delete x.y",
  "delete x[m]",
  "Object.assign(x, {})",
  "x.set(1, m = 2)",
  "x => [1, x]",
  "async () => { await [1]; }",
  "class { static { f([1]) } #p = [1]; q = m = 1; }",
  "function () { try { [1] } catch { } }",
  "(m = 1, [1])",
  "m ? [m = 1] : x",
  "...[m = 1]",
  "...x",
  "await f(1)",
  "f(await x)",
];

/** Assignments to patterns; `m` has a mirror, `g` and members of `x` have none. */
const PATTERNS = [
  "[g] = x",
  "{g} = x",
  "{g = 1} = x",
  "{p: g = 1} = x",
  "{p: x.y = 1} = x",
  "{p: [g] = [1]} = x",
  "{p: {g} = {}} = x",
  "{[f(1)]: g} = x",
  "{...g} = x",
  "[...g] = x",
  "[[g] = [1]] = x",
  "[x.y, ...x.z] = x",
  "[m] = x",
  "{m = 1} = x",
  "{p: m = new Error(1)} = x",
  "[m = [1]] = [new Error(1)]",
  "[g] = [m] = x",
  "...[g] = x",
  "...{m} = x",
];

/** Where a list of arguments stands. */
const LISTS: readonly ((list: string) => string)[] = [
  (list) => `f(${list})`,
  (list) => `new f(${list})`,
  (list) => `f?.(${list})`,
  (list) => `x.push(${list})`,
  (list) => `x?.y.set(${list})`,
  (list) => `f(f(${list}))`,
  (list) => `f(1, f(${list}), [g] = x)`,
  (list) => `x[f(${list})] = 1`,
  (list) => `[x[f(${list})]] = x`,
  (list) => `({p: x[f(${list})] = 1} = x)`,
  (list) => `for ([x[f(${list})]] of x) f(1)`,
  (list) => `new Error(${list})`,
  (list) => `class C extends f { constructor() { super(${list}) } }`,
  (list) => `const h = async (y = f(${list})) => y`,
  (list) => `function* h() { f(${list}); f([1], yield [g] = x, ...yield* [g] = x) }`,
  (list) => `class C { p = f(${list}); static { f(${list}) } }`,
];

const LEVELS: readonly Level[] = ["calls", "lines", "writes"];

/** The engine's complaint about an async function with these statements, if it has one. */
function complaint(text: string): string {
  try {
    compileFunction(text);
    return "";
  } catch (error) {
    return String(error);
  }
}

function statement(list: (list: string) => string, earlier: string, pattern: string): string {
  const text = list(`${earlier}, ${pattern}`);
  // The inner `a` hides the parameter: what is handed over has a `void 0` for it.
  return `async function t(x, f, a) { let m; { let a = f; ${text} } }`;
}

test.each(EARLIER)("%s before the assignment to a pattern", (earlier) => {
  const texts: string[] = [];
  for (const list of LISTS) {
    for (const pattern of PATTERNS) {
      const text = statement(list, earlier, pattern);
      // `await` is no expression in parameters and fields.
      if (complaint(text) === "") texts.push(text);
    }
  }
  expect(texts.length).toBeGreaterThan(100);
  const source = texts.map((text, index) => text.replace(" t(", ` t${index}(`)).join("\n");
  for (const level of LEVELS) {
    const result = instrument(source, {
      filename: "/arguments.cjs",
      format: "commonjs",
      language: "js",
      level,
      ringMask: 0xff,
    });
    if ("untouched" in result) throw new Error(result.untouched);
    expect(complaint(result.code)).toBe("");
  }
});
