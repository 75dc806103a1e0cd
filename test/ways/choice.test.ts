/** Which packages are recorded, by name and by file: `flight run` with a real program. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { flight, folderWith } from "../cli/flight.ts";
import { openBox } from "../support/recorded-run.ts";

const FILES: Readonly<Record<string, string>> = {
  "node_modules/outer/package.json": '{ "name": "outer", "main": "index.js" }',
  "node_modules/outer/index.js":
    'const inner = require("inner");\nexports.go = function go(a) { const seen = a + 1; return inner.fail(seen); };\n',
  "node_modules/outer/node_modules/inner/package.json": '{ "name": "inner", "main": "index.js" }',
  "node_modules/outer/node_modules/inner/index.js":
    "exports.fail = function fail(b) { const deep = b * 2; throw new Error(String(deep)); };\n",
  "main.cjs": 'const { go } = require("outer");\nfunction start(n) { return go(n); }\nstart(1);\n',
};

function program(): string {
  const folder = folderWith({});
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test.each([
  [[], ["", "", "n"]],
  [
    ["--include-package", "outer"],
    ["", "a,seen", "n"],
  ],
  [
    ["--include-package", "inner", "--include-package", "outer"],
    ["b,deep", "a,seen", "n"],
  ],
  [
    ["--include", "**/inner/*.js"],
    ["b,deep", "", "n"],
  ],
])("with %j the frames have the variables of what is recorded", async (options, expected) => {
  const cwd = program();
  await flight(["run", ...options, "--out", join(cwd, "out"), "main.cjs"], { cwd });
  const [name] = readdirSync(join(cwd, "out"));
  const frames = openBox(join(cwd, "out", name ?? "")).frames();
  const shown = frames.slice(0, 3).map(({ locals }) =>
    locals
      .map((local) => local.name)
      .filter((local) => ["a", "seen", "b", "deep", "n"].includes(local))
      .join(),
  );
  expect(shown).toEqual(expected);
});
