/**
 * Large programs that nobody wrote for this test do the same work with probes in every function.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { instrument, type ModuleFormat } from "../src/index.ts";
import { RUNTIMES } from "./support/run-plain-and-instrumented.ts";

const TIMEOUT_MS = 300_000;
const MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "instrument-programs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Defines what the recorder defines, and does nothing. */
const STUB = `for (const [name, value] of [["__obR", new Int32Array(65536)], ["__obH", new Int32Array(2)],
["__obW", (id, frame, value) => value], ["__obS", (id, frame, before, value) => value],
["__obC", (id, frame, method, owner, result) => result], ["__obA", new Float64Array([1])],
["__obF", { x() {}, b: (v) => v, p: (v) => v, m() {}, e() {}, k() {}, d: (id, frame, before, value) => value,
u: (delta, id, frame, before, old) => old, o: (old) => old, q() {} }]]) Object.defineProperty(globalThis, name, { value });
process.exitCode = 0; if (process.env.WAITING) __obH[1] = 1;`;

interface Program {
  readonly name: string;
  readonly file: string;
  readonly format: ModuleFormat;
  /** Uses \`subject\`, the module, and prints what it finds. */
  readonly use: string;
}

const SAMPLE = JSON.stringify(
  `export class A<T> { #p = 1; async *m(x: T, { y = 2 } = {}) { for await (const z of x) yield z ?? y; } }\nlabel: for (const a of b) { if (a) continue label; }\nconst t = \`x\${1 + 2}\`;`,
);
const SCRIPT = JSON.stringify(
  `class A { #p = 1; async *m(x, { y = 2 } = {}) { for await (const z of x) yield z ?? y } }\nlabel: for (const a of b) { if (a) continue label }`,
);

const PROGRAMS: readonly Program[] = [
  {
    name: "the TypeScript compiler",
    file: "@arethetypeswrong/core/node_modules/typescript/lib/typescript.js",
    format: "commonjs",
    use: `console.log(subject.transpileModule(${SAMPLE}, { compilerOptions: { target: 1, sourceMap: true } }));
const file = subject.createSourceFile("a.ts", ${SAMPLE}, 99, true); let count = 0;
(function visit(node) { count++; subject.forEachChild(node, visit) })(file); console.log(count);`,
  },
  {
    name: "the Babel parser",
    file: "@babel/parser/lib/index.js",
    format: "commonjs",
    use: `console.log(JSON.stringify(subject.parse(${SCRIPT}, { sourceType: "module" }))); try { subject.parse("let a = ;") } catch (error) { console.log(error.message) }`,
  },
  {
    name: "the acorn parser",
    file: "acorn/dist/acorn.js",
    format: "commonjs",
    use: `console.log(JSON.stringify(subject.parse(${SCRIPT}, { ecmaVersion: "latest" }))); try { subject.parse("let a = ;", { ecmaVersion: 6 }) } catch (error) { console.log(error.message) }`,
  },
];

function run(
  runtime: string,
  program: Program,
  code: string,
  variant: string,
  waiting: boolean,
): string {
  const path = join(folder, `${variant}.cjs`);
  const main = join(folder, `${variant}-main.cjs`);
  writeFileSync(path, code);
  writeFileSync(main, `${STUB}\nconst subject = require(${JSON.stringify(path)});\n${program.use}`);
  const env = { ...process.env, ...(waiting ? { WAITING: "1" } : {}) };
  const { stdout, stderr, status } = spawnSync(runtime, [main], { encoding: "utf8", env });
  expect({ name: program.name, status, stderr }).toEqual({
    name: program.name,
    status: 0,
    stderr: "",
  });
  return stdout;
}

test.each(PROGRAMS.filter(({ file }) => existsSync(MODULES + file)))(
  "$name works with probes in every function",
  (program) => {
    const source = readFileSync(MODULES + program.file, "utf8");
    const { format } = program;
    const options = {
      filename: program.file,
      format,
      language: "js",
      level: "calls",
      ringMask: 0xffff,
    } as const;
    const result = instrument(source, options);
    if ("untouched" in result) throw new Error(result.untouched);
    const noted = instrument(source, { ...options, level: "writes" });
    if ("untouched" in noted) throw new Error(noted.untouched);
    for (const runtime of RUNTIMES) {
      const plain = run(runtime, program, source, "plain", false);
      expect(run(runtime, program, result.code, "quiet", false)).toBe(plain);
      expect(run(runtime, program, result.code, "waiting", true)).toBe(plain);
      expect(run(runtime, program, noted.code, "writes", false)).toBe(plain);
    }
  },
  TIMEOUT_MS,
);
