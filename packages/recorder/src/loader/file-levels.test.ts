import { expect, test } from "vitest";
import { createFileLevels, parseLevelFor } from "./file-levels.ts";

const levels = createFileLevels({
  level: "calls",
  levelFor: ["src/**=lines", "src/cart/*.ts=writes", "left-pad=writes"],
  cwd: "/app",
});

test.each([
  ["/app/main.ts", "calls"],
  ["/app/src/a/b.ts", "lines"],
  ["/app/src/cart/total.ts", "writes"],
  ["/app/node_modules/left-pad/index.js", "writes"],
])("%s is recorded at %s", (file, level) => {
  expect(levels(file)).toBe(level);
});

test("reads a glob that holds an equals sign", () => {
  expect(parseLevelFor("a=b/**=lines")).toEqual({ glob: "a=b/**", level: "lines" });
});

test.each(["writes", "=writes", "src/**", "src/**=all", ""])("refuses %j", (text) => {
  expect(parseLevelFor(text)).toBeUndefined();
});
