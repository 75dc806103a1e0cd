import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

import { isPattern, matchFiles } from "../src/files/glob.ts";

const folder = mkdtempSync(join(tmpdir(), "flight-glob-"));
for (const name of [
  "a.flight",
  "b.flight",
  "b+.flight",
  "c.txt",
  ".d.flight",
  "x/e.flight",
  "x/y/f.flight",
]) {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), "");
}

test.each([
  ["*.flight", ["a.flight", "b+.flight", "b.flight"]],
  ["?.flight", ["a.flight", "b.flight"]],
  ["[ab].flight", ["a.flight", "b.flight"]],
  ["[!a].flight", ["b.flight"]],
  ["{a,c}.*", ["a.flight", "c.txt"]],
  ["b+*", ["b+.flight"]],
  ["*/*.flight", ["x/e.flight"]],
  ["**/*.flight", ["a.flight", "b+.flight", "b.flight", "x/e.flight", "x/y/f.flight"]],
  ["x/**/f.flight", ["x/y/f.flight"]],
  [".*.flight", [".d.flight"]],
  ["[z-a].flight", []],
  ["none/*", []],
])("%s matches %j", (pattern, expected) => {
  const found = matchFiles(join(folder, pattern)).map((path) => relative(folder, path));
  expect(found).toHaveLength(expected.length);
  expect(new Set(found)).toEqual(new Set(expected));
});

test("tells patterns from names", () => {
  expect([isPattern("a*"), isPattern("a.flight"), isPattern("{a,b}")]).toEqual([true, false, true]);
});
