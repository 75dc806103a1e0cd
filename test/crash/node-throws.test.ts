/**
 * Errors that Node's own functions and libraries throw: the report is that of the plain run.
 *
 * Where it points at is the last `throw`, which is often elsewhere than the place where the error
 * was made: behind a helper, in a `catch`, or in a function that is not on the stack.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, runPlain, runRecorded, type RunResult } from "../support/recorded-run.ts";

/** One line of a program each. */
const LINES: readonly string[] = [
  'require("fs").readFileSync("/nope")',
  'require("fs").rmSync("/nope")',
  'require("fs").statSync("a\\0b")',
  'require("fs").readFile("/nope")',
  'require("fs").watch("/nope")',
  'require("path").join(1)',
  'Buffer.alloc("x")',
  "Buffer.alloc(1).writeUInt8(300)",
  'Buffer.from("a", "nope")',
  'atob("*")',
  "new Blob(1)",
  'require("util").promisify(1)',
  'require("util").parseArgs({ args: ["--x"] })',
  'structuredClone(Symbol("x"))',
  'new (require("events"))().on("a", 1)',
  'new (require("events"))().emit("error", 5)',
  'new (require("stream").Writable)({ write() {} }).write(null)',
  'require("stream").pipeline(1)',
  'require("crypto").createHash("nope")',
  'require("crypto").pbkdf2Sync("a", "b", 0, 1, "sha1")',
  'require("zlib").inflateSync(Buffer.from("a"))',
  'require("zlib").createGzip({ level: 100 })',
  'require("vm").runInThisContext("{")',
  'require("vm").runInNewContext("x.y")',
  'new URL("x")',
  'require("url").parse(1)',
  'require("http").request({ headers: { "a b": "x" } })',
  'require("http").validateHeaderName("a b")',
  'require("net").connect(70000)',
  'new (require("net").SocketAddress)({ address: "x" })',
  'try { require("child_process").execSync("false", { stdio: "ignore" }); } catch (e) { delete e.pid; throw e; }',
  'require("child_process").execFileSync("/nope")',
  'require("child_process").spawn(1)',
  'new (require("worker_threads").MessageChannel)().port1.postMessage(Symbol("x"))',
  'require("assert").strictEqual(1, 2)',
  'require("assert").equal(false, true)',
  'require("assert").deepEqual([1], [2])',
  'require("assert").throws(() => {})',
  'require("assert").throws(() => { throw new Error("a"); }, { message: "b" })',
  'require("assert").throws(() => { throw new Error("a"); }, /b/)',
  'require("assert").fail("x")',
  'require("assert").match("a", /b/)',
  'require("assert").ifError(new Error("q"))',
  'require("assert")(false, "text")',
  "process.kill(1.5)",
  "process.hrtime(1)",
  "setTimeout(1)",
  "queueMicrotask(1)",
  'performance.measure("a", "nope")',
  'require("perf_hooks").createHistogram({ lowest: -1 })',
  'require("querystring").escape("\\ud800")',
  'require("dns").lookup(1)',
  'require("readline").cursorTo(process.stdout, NaN)',
  'require("./nope")',
  'require("./bad.json")',
  "require(1)",
  'require("lib").made()',
  'require("lib").returned()',
  'require("lib").rethrown()',
  'require("lib").rethrownNode()',
  'require("lib").guarded(() => { throw new Error("in a callback"); })',
  'require("lib").kept()',
  'require("lib").later()',
  'new (require("lib").Check)(1)',
];

/** What still differs, and why. A line that has become right belongs above. */
const LIMITS: Readonly<Record<string, string>> = {
  "AbortSignal.abort().throwIfAborted()": "the error was made before and kept in the signal",
  'require("assert").strictEqual(1, 2, new RangeError("mine"))':
    "an argument is thrown by the callee",
  'process.umask("zz")': "the error has no stack",
  'process.chdir("/nope")': "the recorder has loaded node:worker_threads, which wraps it",
  'require("lib").captured()': "the library took its own frames off the stack",
  'JSON.parse("{")': "the report quotes the JSON text",
};

const LIBRARY = `"use strict";
exports.made = function made() {
  let e = Object.assign(new Error("x"), { code: "E" });
  throw e;
};
function build(text) {
  const error = new Error(text);
  error.code = "BUILT";
  return error;
}
exports.returned = () => { throw Object.assign(build("r"), { a: /[/}]/ }); };
exports.rethrown = () => {
  try {
    exports.returned();
  } catch (e) {
    e.message += " again";
    throw e;
  } finally {
    exports.x = 1;
  }
};
exports.rethrownNode = () => {
  try { require("fs").readFileSync("/nope"); } catch (err) { throw err; }
};
exports.guarded = (f) => {
  try {
    return f();
  } catch (e) {
    if (e.code === 5) return 1;
    throw e;
  }
};
exports.kept = () => {
  const self = { error: null };
  [1].forEach(() => { self.error = build("kept"); });
  if (self.error !== null) throw self.error;
};
exports.later = () => {
  let e;
  e = build(\`\${"later".replace(/\`/g, "}")}\`);
  const other = e;
  if (other) {
    throw other;
  }
};
function hide(error) { Error.captureStackTrace(error, exports.captured); return error; }
exports.captured = () => {
  const e = hide(new Error("hidden"));
  throw e;
};
exports.Check = class Check {
  constructor(x) { this.check(x); }
  check(x) { if (x) this.fail("no " + x); }
  fail(text) { const e = this.error(text); throw e; }
  error(text) { return new TypeError(text); }
};
`;

const folder = mkdtempSync(join(tmpdir(), "orangebox-throws-"));

beforeAll(() => {
  mkdirSync(join(folder, "node_modules/lib"), { recursive: true });
  writeFileSync(join(folder, "node_modules/lib/index.js"), LIBRARY);
  writeFileSync(join(folder, "bad.json"), '{ "a": }');
  for (const [i, line] of [...LINES, ...Object.keys(LIMITS)].entries()) {
    writeFileSync(join(folder, `${i}.cjs`), `${line}\n`);
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The program plain and recorded, without the boxes. */
async function bothRuns(node: string, index: number): Promise<[RunResult, RunResult]> {
  const options = { node, file: join(folder, `${index}.cjs`), cwd: folder };
  const [plain, run] = await Promise.all([runPlain(options), runRecorded(options)]);
  removeRun(run);
  const { stdout, stderr, code, signal } = run;
  return [plain, { stdout, stderr, code, signal }];
}

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test.concurrent.each([...LINES.entries()])("%i: %s", async (index) => {
    const [plain, recorded] = await bothRuns(node, index);
    expect(recorded).toEqual(plain);
  });
});

test.concurrent.each([...Object.keys(LIMITS).entries()])(
  "%i: %s is known to differ, in what it prints alone",
  async (index) => {
    const [plain, recorded] = await bothRuns(process.execPath, LINES.length + index);
    expect(recorded.stderr).not.toBe(plain.stderr);
    expect({ ...recorded, stderr: "" }).toEqual({ ...plain, stderr: "" });
  },
);
