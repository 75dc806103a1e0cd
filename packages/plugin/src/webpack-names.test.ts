/** Which file is behind each of the names that webpack and Rspack give to sources. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileOf } from "./webpack-names.ts";

let odd = "";

beforeAll(() => {
  odd = mkdtempSync(join(tmpdir(), "orangebox-names-"));
  writeFileSync(join(odd, "a?b|c.js"), "");
});

afterAll(() => {
  rmSync(odd, { recursive: true, force: true });
});

test.each([
  ["webpack://shop/./src/main.ts", "/app/src/main.ts"],
  ["webpack:///./src/main.ts?ab12", "/app/src/main.ts"],
  ["webpack://./src/main.js", "/app/src/main.js"],
  ["webpack://../lib/main.js", "/lib/main.js"],
  ["webpack://../../lib/main.js", "/lib/main.js"],
  ["/app/src/main.js", "/app/src/main.js"],
  ["webpack://javascript/esm|./src/main.js", "/app/src/main.js"],
  ["webpack://javascript/auto|./src/main.js?raw=1|server", "/app/src/main.js"],
  ["webpack://javascript/esm|./src/main.js|a layer", "/app/src/main.js"],
  ["webpack://json|./src/data.json", "/app/src/data.json"],
  ["webpack://asset/source|./src/a.txt", "/app/src/a.txt"],
  ["webpack://asset/raw-data-url|./src/a.svg", "/app/src/a.svg"],
  ["webpack://javascript/esm|./l.cjs??ruleSet[1].rules[0]!./src/main.mjs", "/app/src/main.mjs"],
  ["webpack://./one.js?a!../two.js!./src/main.js?b#c", "/app/src/main.js"],
  ["webpack://javascript/esm|./src/is\0#it\0?.js?query", "/app/src/is#it?.js"],
  ["webpack/runtime/define property getters", undefined],
  ['external "node:fs"', undefined],
  ["webpack://javascript/esm|data:text/javascript,export default 1", undefined],
  ["webpack://javascript/esm|https://example.org/a.js", undefined],
])("%s is %s", (source, file) => {
  expect(fileOf(source, "/app")).toBe(file);
});

test("a file whose name holds a mark is found as it is called", () => {
  expect(fileOf("webpack://javascript/esm|./a?b|c.js", odd)).toBe(join(odd, "a?b|c.js"));
});
