/**
 * Programs that die, each in its own way: what they print and return is that of the plain run.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, runPlain, runRecorded } from "../support/recorded-run.ts";

/** File name → text. The ending decides how it is loaded. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "throw-error.cjs": 'function f(a) {\n\tif (a) throw new TypeError("boom");\n}\nf(1);\n',
  "throw-error.mjs": 'function f(a) { if (a) throw new TypeError("boom"); }\nf(1);\n',
  "own-properties.cjs":
    'const e = Object.assign(new Error("with"), { code: "E_X", list: [1, 2] });\nfunction go() { throw e; }\ngo();\n',
  "number.cjs": "function f() { throw 7; }\nf();\n",
  "text.cjs": 'function f() { throw "text"; }\nf();\n',
  "null.cjs": "function f() { throw null; }\nf();\n",
  "undefined.cjs": "function f() { throw undefined; }\nf();\n",
  "symbol.cjs": 'function f() { throw Symbol("s"); }\nf();\n',
  "object.cjs": "function f() { throw { a: 1, b: { c: [1] } }; }\nf();\n",
  "null-prototype.cjs": "function f() { throw Object.create(null); }\nf();\n",
  "class.cjs": "class A {}\nfunction f() { throw new A(); }\nf();\n",
  "no-stack.cjs":
    'const e = new Error("x"); e.stack = undefined;\nfunction f() { throw e; }\nf();\n',
  "engine-error.cjs": "function f(x) {\n  return x.y.z;\n}\nf({});\n",
  "not-a-function.cjs": "const o = {};\nfunction f() { return 1 + o.go(2); }\nf();\n",
  "not-defined.mjs": "function f() { return missing + 1; }\nf();\n",
  "tdz.mjs": "function f() { return later; }\nf();\nlet later = 1;\n",
  "timer.mjs": "setTimeout(function tick() {\n  null.x;\n}, 1);\n",
  "timer-object.cjs": "setTimeout(() => { throw { a: 1 }; }, 1);\n",
  "in-library-call.cjs":
    'function f() { require("node:fs").readFileSync("/nonexistent/file"); }\nf();\n',
  "missing-module.cjs": 'function f() {\n  require("./nope");\n}\nf();\n',
  "missing-module-later.cjs": 'setTimeout(() => require("nope"), 1);\n',
  "missing-module-rejects.cjs": 'async function f() { await null; require("./nope"); }\nf();\n',
  "syntax-error.mjs": "let x = 1;\nlet x = 2;\n",
  "syntax-error-later.mjs": 'await null;\nawait import("./syntax-error.mjs");\n',
  "missing-export.mjs": 'import { nope } from "./throw-error.mjs";\nnope();\n',
  "emit-error.cjs":
    'const { EventEmitter } = require("node:events");\nfunction f() { new EventEmitter().emit("error", new Error("emitted")); }\nf();\n',
  "rethrow.cjs":
    'function g() { throw new Error("first"); }\nfunction f() { try { g(); } catch (e) { throw e; } }\nf();\n',
  "made-elsewhere.cjs":
    'function make() { return new Error("made"); }\nfunction f() { const e = make(); throw e; }\nf();\n',
  "cause.cjs":
    'function f() { throw new Error("outer", { cause: new RangeError("inner") }); }\nf();\n',
  "aggregate.mjs":
    'await Promise.any([Promise.reject(new Error("a")), Promise.reject(new Error("b"))]);\n',
  "rejection.cjs": 'async function f() { throw new Error("rejected"); }\nf();\n',
  "rejection-undefined.cjs": "function f() { return Promise.reject(); }\nf();\n",
  "rejection-object.cjs": "async function f() { throw { a: 1 }; }\nf();\n",
  "top-level-await.mjs":
    'const wait = async (n) => { await null; throw new Error("n " + n); };\nawait wait(3);\n',
  "exit-code.cjs":
    'process.on("exit", (c) => { console.log("exit", c); process.exitCode = 9; });\nfunction f() { throw new Error("q"); }\nf();\n',
  "handled.cjs":
    'process.on("uncaughtException", (e, o) => { console.log("handled", e.message, o); });\nfunction f() { throw new Error("q"); }\nsetTimeout(() => console.log("alive"), 20);\nf();\n',
  "handler-throws.cjs":
    'function h(e) {\n  throw new Error("again");\n}\nprocess.on("uncaughtException", h);\nprocess.on("exit", (c) => console.log("exit", c));\nthrow new Error("first");\n',
  "monitor-throws.cjs":
    'process.on("uncaughtExceptionMonitor", function h(e) {\n  throw new Error("again");\n});\nthrow new Error("first");\n',
  "capture-callback-throws.cjs":
    'process.setUncaughtExceptionCaptureCallback(function h(e) { const k = 3; throw new TypeError("again " + k); });\nsetTimeout(() => { throw new Error("first"); }, 5);\n',
  "handler-throws-text.cjs":
    'process.on("uncaughtException", (e) => { throw "a text"; });\nnull.x;\n',
  "handler-throws-on.mjs":
    'process.on("uncaughtException", (e) => { Promise.reject(new Error("later")); throw e; });\nawait 1; throw new Error("first");\n',
  "handler-throws-in-worker.cjs":
    'const { Worker, isMainThread } = require("node:worker_threads");\nif (isMainThread) new Worker(__filename).on("error", (e) => console.log("worker", e.message)).on("exit", (c) => console.log("code", c));\nelse { process.on("uncaughtException", () => { throw new Error("again"); }); null.x; }\n',
  "handled-rejection.cjs":
    'process.on("unhandledRejection", (e) => { console.log("handled", e.message); });\nasync function f() { throw new Error("q"); }\nf();\nsetTimeout(() => console.log("alive"), 20);\n',
  "dollar-names.cjs":
    "function $options() { null.x; }\nconst o = { $offset() { $options(); }, $ok: () => { o.$offset(); } };\no.$ok();\n",
  "nameless-method.mjs":
    "const make = () => (x) => { let q; q = new Map(); const run = () => { null.x; }; run(); };\nconst o = { p: make() };\no.p(1);\n",
  "nameless-constructor.mjs":
    "const make = () => function () { let q; q = new Map(); const run = () => { null.x; }; run(); };\nnew (make())();\n",
  "nameless-receiver.mjs":
    'import { EventEmitter } from "node:events";\nconst make = () => async (x) => { let q; q = new Map(); const run = () => { null.x; }; run(); };\nnew (class Server extends EventEmitter {})().on("a", make()).emit("a");\n',
  "call-sites.mjs":
    "const make = () => (x) => { let q; q = new Map(); const run = () => { Error.prepareStackTrace = (_, s) => s; return new Error().stack; }; return run(); };\nthrow make()(1).map((s) => s.getFunctionName()).join();\n",
  "util-call-sites.cjs":
    'const util = require("node:util");\nfunction f(...rest) { console.log(util.getCallSites(...rest).map((s) => [s.functionName, s.scriptName, s.lineNumber, s.columnNumber, s.column]), String(util.getCallSites), util.getCallSites.length); }\n  f(); f(1); f(3); f({ sourceMap: false }); f(2, {});\nfunction go() { try { f(0); } catch (e) { console.log(e.message); } }\ngo();\nnull.x;\n',
  "util-call-sites.mjs":
    'import { getCallSites } from "node:util";\nclass A { m() { return getCallSites(2).map((s) => [s.functionName, s.lineNumber, s.columnNumber, s.column]); } }\nconsole.log(new A().m()); throw new A().m();\n',
  "syntax-error.cjs": "const x = ;\n",
  "requires-broken.cjs": 'require("./syntax-error.cjs");\n',
  "long-line.cjs": `function f() { /*${"x".repeat(2000)}*/ null.x; }\nf();\n`,
  "caret-fits.cjs": `function f() { /*${"x".repeat(994)}*/ null.x; }\nf();\n`,
  "caret-cut.cjs": `function f() { /*${"x".repeat(996)}*/ null.x; }\nf();\n`,
  "requires-module.cjs": 'require("./throw-error.mjs");\n',
  "requires-module-of-modules.cjs": 'require("./imports-thrower.mjs");\n',
  "imports-thrower.mjs": 'import "./throw-error.mjs";\n',
  "rethrows-of-module.cjs":
    'function f() { try { require("./throw-error.mjs"); } catch (e) { throw e; } }\nf();\n',
  "stack-overflow.cjs":
    "function f(n) { return f(n + 1) + 1; }\ntry { f(0); } catch (e) { console.log(e instanceof RangeError, e.message); }\n",
  "prepare.cjs":
    'Error.prepareStackTrace = (e, s) => e.message + " @ " + s[0].getLineNumber() + ":" + s[0].getColumnNumber() + " " + s[0].getFunctionName();\nfunction f() { return new Error("m").stack; }\nconsole.log(f(), Error.prepareStackTrace.length);\nError.prepareStackTrace = undefined;\nconsole.log(f().split("\\n").slice(0, 2).join("|"));\n',
  "prepare-text.cjs":
    "console.log(/^\\s*function ErrorPrepareStackTrace\\(/.test(Error.prepareStackTrace.toString()), Error.prepareStackTrace.name);\n",
  "call-sites.cjs":
    "function f() { const old = Error.prepareStackTrace; Error.prepareStackTrace = (_, s) => s; const s = new Error().stack; Error.prepareStackTrace = old; return s; }\nconst s = f()[0];\nconsole.log(String(s), s.getFileName() === __filename, s.getLineNumber(), s.getColumnNumber());\n",
  "eval.cjs":
    'function f() { return eval("(() => { throw new Error(1) })()"); }\ntry { f(); } catch (e) { console.log(e.stack.split("\\n").slice(0, 4).join("\\n").replaceAll(__dirname, "")); }\n',
  "made-handler.cjs":
    'process.on("uncaughtException", new Function("e", "\\n  throw new Error(\'made \' + e.message)"));\nthrow new Error("first");\n',
  "made-handler-eval.cjs":
    'const h = eval("(e) => {\\n  null.x;\\n}");\nprocess.on("uncaughtException", h);\nthrow new Error("first");\n',
  "made-handler-named.cjs":
    'process.on("uncaughtException", eval("(e) => {\\n  throw new TypeError(\'x\');\\n}//# sourceURL=named.js"));\nthrow new Error("first");\n',
  "made-handler-inner.cjs":
    'const f = new Function("e", "throw new Error(\'inner\')");\nprocess.on("uncaughtException", function own(e) { f(e); });\nthrow new Error("first");\n',
  "made-handler-vm.cjs":
    'const vm = require("node:vm");\nprocess.on("uncaughtException", vm.runInThisContext("(e) => {\\n\\n throw new Error(\'vm\');\\n}", { filename: "/nowhere/a.js", lineOffset: 5 }));\nthrow new Error("first");\n',
  "made-function.cjs": 'new Function("a", "\\n\\n  throw new Error(\'plain eval\')")();\n',
  "made-eval.cjs":
    'function outer() { const q = 1; return eval("(() => { const z = 3;\\n  null.foo; })()"); }\nouter();\n',
  "made-rejects.cjs":
    'const f = new Function("e", "const q = new Error(\'pr\');\\n throw q");\nPromise.resolve().then(() => f());\n',
  "made-many.cjs":
    'const f = new Function("e", "\\n throw new Error(\'a\')"); const g = new Function("e", "\\n\\n throw new Error(\'b\')"); const h = eval("(() => {\\n null.b.c.d })");\n[() => 1, h].map((x) => x());\n',
};

const folder = mkdtempSync(join(tmpdir(), "orangebox-fatal-"));

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test.concurrent.each(Object.keys(PROGRAMS))("%s ends as the plain run", async (name) => {
    const options = { node, file: join(folder, name), cwd: folder };
    const plain = await runPlain(options);
    const recorded = await runRecorded(options);
    removeRun(recorded);
    const { stdout, stderr, code, signal } = recorded;
    expect({ stdout, stderr, code, signal }).toEqual(plain);
  });
});
