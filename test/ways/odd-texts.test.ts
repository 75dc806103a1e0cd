/**
 * Texts that are unusual for a loader: deep, long, on one line, with old comments and rare line ends.
 * They run as they do without the recorder, and what was left alone is said.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programOnOneLine } from "../../scripts/one-line.ts";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  removeRun,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";

const FAIL = "\nfunction fail(given) { const copy = given; return copy.x.y; }\nfail({});\n";
const SHOW = "console.log(new Error('here').stack.split('\\n').slice(0, 3).join('|'));";

/** File name → text; every one ends with a crash in `fail`, but for those that cannot run. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "parens.cjs": `console.log(${"(".repeat(10_000)}1${")".repeat(10_000)});${FAIL}`,
  "else-if.cjs": `function f(x) { ${"if (x === 1) return 2; else ".repeat(5000)}return 3; }\ntry { console.log(f(0)); } catch (e) { console.log(e.message); }${FAIL}`,
  "sum.cjs": `console.log((${"'a' + ".repeat(20_000)}'b').length);${FAIL}`,
  "methods.cjs": `const o = { a() { return this; }, n: 1 };\nconsole.log(o${".a()".repeat(500)}.n);${FAIL}`,
  "html-comments.cjs": `<!-- one\nvar a = 1; <!-- two\n--> three\n/* x */ --> four\nconsole.log(a); ${SHOW}${FAIL}`,
  "html-comment-operator.mjs": `let a = 2; console.log(a-->1, a<!--a);${FAIL}`.replace(
    "a<!--a",
    "a< ! --a",
  ),
  "hashbang.cjs": `#!/usr/bin/env node\n"use strict"; 'other'\nconsole.log((function () { return this; })()); ${SHOW}${FAIL}`,
  "hashbang.mjs": `#!/usr/bin/env node\n${SHOW}${FAIL}`,
  "directives.cjs": `function f() { "use strict"\n; return this }\nfunction g() { 'use\\x20strict'; return typeof this }\nconsole.log(f(), g(), String(f));${FAIL}`,
  "line-separators.cjs": `// one\u2028console.log("\u2028\u2029".length);/* \u2029 */ ${SHOW}\u2029${SHOW}${FAIL}`,
  "lone-carriage-returns.cjs": `// one\rconsole.log(1);\r${SHOW}\r\n${SHOW}\r\r${SHOW}${FAIL.replaceAll("\n", "\r")}`,
  "null-units.cjs": `console.log("a\u0000b".length, /\u0000/.test("\u0000"), \`\u0000\`.length); // \u0000\n/* \u0000 */ ${SHOW}${FAIL}`,
  "completion.cjs": `console.log(eval("1; if (true) { 2; } else { 3 }"), eval("do { 4; break; } while (0)"), eval("5; {}"), eval("l: { 6; break l; }"), eval("var x = 7"), eval("8; try { 9 } finally { 10 }"), eval("switch (1) { case 1: 11 }"));${FAIL}`,
  "escapes.cjs": `var \\u0061b = 1, \\u{63}d = 2; function \\u0065f() { return ab + cd; }\nconsole.log(ef(), ef.name);${FAIL}`,
  "surrogates.cjs": `const 𠮷 = "😀"; console.log(𠮷.length, "\\ud83d".length); ${SHOW}${FAIL}`,
};

/** Whose whole text has to stay as it is. */
const LEFT_ALONE: Readonly<Record<string, string>> = {
  "parens.cjs": "nested too deep",
  "else-if.cjs": "nested too deep",
};

/** Programs that the engine itself refuses. */
const REFUSED = new Set(["parens.cjs"]);

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-odd-"));
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("on Node $version", ({ path: node, version }) => {
  test.each(Object.keys(PROGRAMS))("%s", async (name) => {
    const program = { node, file: join(folder, name), cwd: folder };
    const plain = await runPlain(program);
    const recorded = await runRecorded(program);
    removeRun(recorded);
    const { stdout, stderr, code, signal, boxes } = recorded;
    expect({ stdout, stderr, code, signal }).toEqual(plain);
    if (REFUSED.has(name)) return;
    const [box] = boxes;
    if (box === undefined) throw new Error("no box");
    expect(frameNames(box)[0]).toMatch(/^fail \(/);
    const reason = LEFT_ALONE[name];
    expect(localNode(box, 0, "copy")?.items).toEqual(reason === undefined ? [] : undefined);
    expect(JSON.stringify(box.extensions("node.runtime"))).toContain(reason ?? '"untouched":[]');
  });

  test.runIf(version.startsWith("24."))(
    "a program of 1 MB on one line prints the same places",
    async () => {
      const name = "one-line.cjs";
      const last = `function fail(host){const text=host.text;api.parse(text)}console.log(api.parse("a").type);try{fail({})}catch(e){console.log(e.stack)}fail({});`;
      writeFileSync(join(folder, name), programOnOneLine("parser", 5) + last);
      const program = { node, file: join(folder, name), cwd: folder };
      const plain = await runPlain(program);
      const recorded = await runRecorded(program);
      removeRun(recorded);
      expect(plain.stdout).toMatch(/at fail \(.*one-line\.cjs:1:\d{6,7}\)/);
      expect(recorded.stdout).toBe(plain.stdout);
      // The excerpt is the whole line. A pipe may take no more of it when Node prints it and leaves.
      const size = Math.min(recorded.stderr.length, plain.stderr.length);
      expect(size).toBeGreaterThan(10_000);
      expect(recorded.stderr.slice(0, size) === plain.stderr.slice(0, size)).toBe(true);
      const [box] = recorded.boxes;
      if (box === undefined) throw new Error("no box");
      expect(frameNames(box).slice(-2)).toEqual([
        "fail (one-line.cjs:1)",
        "<module> (one-line.cjs:1)",
      ]);
    },
    120_000,
  );
});
