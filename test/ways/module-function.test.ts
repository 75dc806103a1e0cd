/** What a CommonJS module sees of the function around it is that of a plain run, at every level. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, runPlain, runRecorded } from "../support/recorded-run.ts";

const FILES: Readonly<Record<string, string>> = {
  "main.cjs": `#!/usr/bin/env node
"use strict";
for (const name of ["bare.js", "marked.cjs", "own.cjs"]) console.log(require("./" + name));
function after() { return 1; }
`,
  "bare.js": "module.exports = String(arguments.callee);\n",
  "marked.cjs":
    "\uFEFFconst a = 1; class Q { m() { return a; } }\nmodule.exports = `${arguments.callee}`; // é\n",
  "own.cjs": `const alike = Function("return 'function (exports, require, module, __filename, __dirname) { 0x12345678 }'");
let text = "";
for (const each of [arguments.callee, alike]) { text += each; (() => each)(); }
module.exports = [text, arguments.callee.name, arguments.callee.length, Object.getOwnPropertyNames(arguments.callee)];
`,
  "typed.ts": "const f = (x: number): number => x;\nconsole.log(String(arguments.callee), f(1));\n",
};

const folder = mkdtempSync(join(tmpdir(), "orangebox-module-"));

beforeAll(() => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("on Node $version", ({ path: node, version }) => {
  // Node 22.15 knows no types.
  const mains = version.startsWith("22.") ? ["main.cjs"] : ["main.cjs", "typed.ts"];
  test.each(mains.flatMap((main) => ["calls", "lines", "writes"].map((level) => [main, level])))(
    "%s at level %s",
    async (main = "", level = "") => {
      const options = { node, file: join(folder, main), cwd: folder };
      const plain = await runPlain(options);
      const recorded = await runRecorded({ ...options, env: { ORANGEBOX_LEVEL: level } });
      removeRun(recorded);
      expect(plain.stdout).toContain("arguments.callee");
      expect([recorded.stdout, recorded.code]).toEqual([plain.stdout, 0]);
    },
  );
});
