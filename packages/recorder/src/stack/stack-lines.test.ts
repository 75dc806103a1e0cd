import { expect, test } from "vitest";
import { parseStackLines } from "./stack-lines.ts";

const STACK = `Error: first line
    second line of the message
    at Object.<anonymous> (/app/main.cjs:3:7)
    at async Promise.all (index 0)
    at async run (file:///app/with%20space/a.mjs:10:3)
    at new Order (/app/order (old).js:5:11)
    at file:///app/top.mjs:1:7
    at Array.map (<anonymous>)
    at eval (eval at f (/app/e.js:1:2), <anonymous>:1:1)
    at node:internal/main/run_main_module:36:49`;

test("reads names, places and the words in front of them", () => {
  const lines = parseStackLines(STACK);
  expect(lines.map(({ name, file, line, column }) => [name, file, line, column])).toEqual([
    ["", "/app/main.cjs", 3, 7],
    ["run", "/app/with space/a.mjs", 10, 3],
    ["Order", "/app/order (old).js", 5, 11],
    ["", "/app/top.mjs", 1, 7],
    ["", "node:internal/main/run_main_module", 36, 49],
  ]);
  expect(lines.map(({ isAsync }) => isAsync)).toEqual([false, true, false, false, false]);
  expect(lines[2]?.isConstructor).toBe(true);
});

test("lines of evals are told when they are asked for, those of one text under one name", () => {
  const text = `Error: x
    at inner (eval at outer (/app/e.js:1:2), <anonymous>:3:9)
    at eval (eval at outer (/app/e.js:1:2), <anonymous>:5:1)
    at outer (/app/e.js:1:2)
    at eval (eval at <anonymous> (/app/e.js:9:2), <anonymous>:1:1)
    at Array.map (<anonymous>)`;
  const lines = parseStackLines(text, "with evals");
  expect(lines.map(({ name, file, line, column }) => [name, file, line, column])).toEqual([
    ["inner", "<eval:1>", 3, 9],
    ["eval", "<eval:1>", 5, 1],
    ["outer", "/app/e.js", 1, 2],
    ["eval", "<eval:2>", 1, 1],
  ]);
  expect(parseStackLines(text).map(({ file }) => file)).toEqual(["/app/e.js"]);
});

test("a long hostile text is read in bounded time and length", () => {
  const text = `    at ${"(".repeat(50_000)}\n`.repeat(20);
  const before = performance.now();
  expect(parseStackLines(text)).toEqual([]);
  expect(performance.now() - before).toBeLessThan(2000);
  expect(parseStackLines("    at f (/a.js:1:1)\n".repeat(5000)).length).toBeLessThanOrEqual(200);
});
