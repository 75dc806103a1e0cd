import { describe, expect, test } from "vitest";
import { countResults, inAnyOrder, withoutNoise } from "./normalize.ts";

describe("counting results", () => {
  test.each([
    [
      "TAP with nested tests",
      "TAP version 13\n# Subtest: a\n    ok 1 - x\n    not ok 2 - y\nnot ok 1 - a\nok 2 b # SKIP no network\nok 3 # TODO later\n",
      { passed: 1, failed: 2, skipped: 2 },
    ],
    [
      "jest",
      "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 40 passed, 43 total\nTime: 1 s\n",
      { passed: 40, failed: 1, skipped: 2 },
    ],
    ["a sentence", "FAILED x\n\n126 / 127 tests passed.\n", { passed: 126, failed: 1, skipped: 0 }],
    [
      "acorn",
      "Stats\n  Total: 6486 tests run in 543ms; 2 failures.\n",
      { passed: 6484, failed: 2, skipped: 0 },
    ],
  ])("%s", (_name, text, expected) => {
    expect(countResults(text)).toEqual(expected);
  });

  test("says nothing about a text without results", () => {
    expect(countResults("it is ok\nError: not ok\n")).toBeUndefined();
  });
});

describe("taking noise out", () => {
  test.each([
    ["ok 1 - x (12ms)", "ok 1 - x (48ms)"],
    ["  duration_ms: 12.5", "  duration_ms: 1"],
    ["ok 3 - file # time=1.2s", "ok 3 - file # time=40.81ms"],
    ["(node:12) [DEP0147] Warning", "(node:4711) [DEP0147] Warning"],
    ["Total: 2 tests run in 12ms", "Total: 2 tests run in 4ms"],
  ])("%s and %s are the same", (one, other) => {
    expect(withoutNoise(one, [])).toBe(withoutNoise(other, []));
  });

  test.each([
    ["ok 1 - x (12ms)", "ok 2 - x (12ms)"],
    ["ok 1 - x (12ms)", "ok 1 - x"],
    ["at f (a.js:1:12)", "at f (a.js:1:13)"],
    ["expected 12 to be 13", "expected 12 to be 14"],
  ])("%s and %s are not", (one, other) => {
    expect(withoutNoise(one, [])).not.toBe(withoutNoise(other, []));
  });

  test("a suite's own noise goes as well", () => {
    const noise = [{ what: "ports", pattern: /localhost:\d+/g }];
    expect(withoutNoise("at localhost:4711", noise)).toBe("at <ports>");
  });

  test("any order keeps every line", () => {
    expect(inAnyOrder("b\na\nb")).toBe("a\nb\nb");
  });
});
