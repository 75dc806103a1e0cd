/** `require.cache` and the loader's own tables hold the program's modules, and none of the recorder's. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  localNode,
  REGISTER,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";

const OTHER_REGISTER = join(ROOT, "packages/orangebox/register.cjs");

const SHOW = `const tables = [require.cache, require("node:module")._pathCache];
const show = () => console.log(tables.map((table) => Object.keys(table)), module.children.length);
`;
const FILES: Readonly<Record<string, string>> = {
  "main.cjs": `${SHOW}show();
function lose(n) { require("./other.cjs"); show(); return null[n]; }
process.on("exit", show);
lose(3);
`,
  "other.cjs": "module.exports = function other() { return 1; };\n",
  "main.mjs": `import { createRequire } from "node:module";
const require = createRequire(import.meta.url), module = { children: [] };
${SHOW}show();
function lose(n) { require("./other.cjs"); show(); return null[n]; }
lose(3);
`,
};

const folder = mkdtempSync(join(tmpdir(), "orangebox-tables-"));

beforeAll(() => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test.each(["main.cjs", "main.mjs"])("%s, without a cache and from it", async (name) => {
    const options = { node, file: join(folder, name), cwd: folder };
    const cacheDir = mkdtempSync(join(folder, "cache-"));
    const plain = await runPlain(options);
    // The last ones load the recorder twice.
    for (const more of [[], [], ["--require", REGISTER], ["--require", OTHER_REGISTER]]) {
      const run = await runRecorded({ ...options, cacheDir, nodeArguments: more });
      removeRun(run);
      expect([run.stdout, run.stderr, run.code]).toEqual([plain.stdout, plain.stderr, 1]);
      expect(run.boxes).toHaveLength(1);
      expect(run.boxes[0] && localNode(run.boxes[0], 0, "n")?.repr).toBe("3");
    }
  });
});
