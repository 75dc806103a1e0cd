import { expect, test } from "vitest";
import { instrument, originalPosition, rebase } from "../src/index.ts";

const OPTIONS = {
  filename: "/app/a.js",
  format: "commonjs",
  language: "js",
  level: "calls",
  ringMask: 255,
} as const;

test("a byte order mark stays the first unit, and counts as a column", () => {
  const source = "\ufefffunction f() { return new Error('x') } f();\nf();";
  const result = instrument(source, OPTIONS);
  if ("untouched" in result) throw new Error(result.untouched);
  const code = rebase(result, 10);
  expect(code.startsWith("\ufeff")).toBe(true);
  const column = code.indexOf("new Error") + 1;
  expect(originalPosition(result.positions, 1, column)).toEqual({
    line: 1,
    column: source.indexOf("new Error") + 1,
  });
  expect(originalPosition(result.positions, 2, code.split("\n")[1]?.indexOf("f(") ?? 0)).toEqual({
    line: 2,
    column: 1,
  });
});

test("a mark before a hashbang is the syntax error that it is for the engine", () => {
  expect(instrument("\ufeff#!/usr/bin/env node\n", OPTIONS)).toHaveProperty("untouched");
});
