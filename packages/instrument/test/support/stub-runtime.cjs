/* oxlint-disable no-extend-native, no-underscore-dangle -- This file stands in for a runtime that patches the engine. */
/**
 * Stands in for the recorder in a child process and checks the recording protocol.
 *
 * Reads tasks from the file named in STUB_TASKS, runs every snippet and prints one JSON list:
 * what each printed, how it ended, and which rules of the protocol it broke.
 */
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const types = require("node:util/types");
const { Module } = require("node:module");
const { pathToFileURL } = require("node:url");

const RING_SIZE = 1 << 16;
const { tasks, waiting } = JSON.parse(fs.readFileSync(process.env.STUB_TASKS, "utf8"));
const ring = new Int32Array(RING_SIZE);
const head = new Int32Array(2);
let current = { problems: [], owners: [], locals: {}, writes: [], computed: [], base: 0 };

const problem = (text) => {
  if (current.problems.length < 5) current.problems.push(text);
};
const siteOf = (id) => (id & 0x0fffffff) - current.base;
const checkLocals = (id, values, optional) => {
  const k = siteOf(id);
  if (k < 1 || k > current.owners.length) return problem(`id ${String(k)} is out of range`);
  if (values === undefined && optional) return undefined;
  const expected = current.locals[current.owners[k - 1]];
  if (!Array.isArray(values)) return problem(`no array of locals at ${String(k)}`);
  if (values.length !== expected)
    problem([values.length, "locals, not", expected, "at", k].join(" "));
  return undefined;
};
const runtime = {
  x(word, error, self, values) {
    if (typeof word !== "number") problem("the word is no number");
    checkLocals(word, values, false);
  },
  b(value, id, self, values) {
    checkLocals(id, values, true);
    return value;
  },
  p(value, id) {
    checkLocals(id, undefined, true);
    return value;
  },
  m(base, read) {
    if (base !== current.base) problem(`module base ${base}`);
    for (let index = -1; index < 50; index++) {
      try {
        read(index);
      } catch {
        // A binding in its dead zone: the real runtime catches too.
      }
    }
  },
  e(base) {
    if (base !== current.base) problem(`end of module base ${base}`);
  },
  d(id, frame, before, result, key, after) {
    checkStore(id, frame, before ?? after ?? current, key);
    return result;
  },
  u(delta, id, frame, before, old, key, after) {
    if (typeof old !== "number" && typeof old !== "bigint") problem("the old value is no number");
    if (delta !== 1 && delta !== -1) problem(`delta ${delta}`);
    checkStore(id, frame, before ?? after, key);
    return old;
  },
  o: (old) => old,
  q(base, ...keys) {
    let value = base;
    for (const key of keys) {
      if (value === null || (typeof value !== "object" && typeof value !== "function"))
        return undefined;
      const found = types.isProxy(value) ? undefined : Object.getOwnPropertyDescriptor(value, key);
      value = found?.value;
    }
    return value;
  },
  k(owner, read) {
    if (typeof owner !== "function") problem("k without a class");
    read({});
  },
};
const checkWrite = (id, frame) => {
  const k = siteOf(id);
  if (k < 1 || k > current.owners.length) problem(`write ${String(k)} is out of range`);
  else if (!current.writes.includes(k)) problem(`site ${k} is no place of a write`);
  if (!Number.isSafeInteger(frame) || frame < 0 || frame >= activations[0]) {
    problem(`activation ${String(frame)} at ${k}`);
  }
};
const checkKey = (id, key) => {
  const isComputed = current.computed.includes(siteOf(id));
  if (isComputed !== (key !== undefined) && !(isComputed && key === undefined)) {
    problem(`key ${String(key)} at ${siteOf(id)}`);
  }
};
const checkStore = (id, frame, owner, key) => {
  checkWrite(id, frame);
  checkKey(id, key);
  if (owner === undefined || owner === null) problem(`no owner at ${siteOf(id)}`);
};
const activations = new Float64Array([1]);
const noteWrite = (id, frame, value) => {
  checkWrite(id, frame);
  return value;
};
const noteStore = (id, frame, before, value, key, after) => {
  checkStore(id, frame, before ?? after, key);
  return value;
};
for (const [name, value] of [
  ["__obW", noteWrite],
  ["__obS", noteStore],
  ["__obC", (id, frame, method, owner, result) => noteWrite(id, frame, result)],
  ["__obA", activations],
  ["__obR", ring],
  ["__obH", head],
  ["__obF", runtime],
]) {
  Object.defineProperty(globalThis, name, { value });
}

// Answering `toString` with original text is the runtime's work; here both variants say the same.
Function.prototype.toString = function toString() {
  return `function ${this.name}`;
};

/** Entries and exits must match, with suspended frames left and entered again. */
function checkEvents(from) {
  const open = new Map();
  for (let at = from; at < head[0] && head[0] - from < RING_SIZE; at++) {
    const word = ring[at & (RING_SIZE - 1)];
    const kind = (word >>> 28) & 7;
    const k = siteOf(word);
    if (k < 1 || k > current.owners.length) {
      problem(`event ${kind} names ${k}`);
      continue;
    }
    const owner = current.owners[k - 1];
    if (kind === 0) open.set(owner, (open.get(owner) ?? 0) + 1);
    if (kind === 1) {
      const count = open.get(owner) ?? 0;
      if (count === 0) problem(`function ${owner} left but not entered`);
      open.set(owner, count - 1);
    }
    if (word < 0 && kind !== 1) problem(`kind ${kind} left by an error`);
  }
}

const describe = (error) => {
  if (error instanceof Error)
    return { name: error.name, message: error.message, stack: error.stack };
  return { name: "not an error", message: String(error), stack: "" };
};

async function run(task) {
  const { owners, locals, writes, computed, base } = task;
  current = { problems: [], owners, locals, writes, computed, base };
  const printed = [];
  globalThis.print = (...values) => {
    printed.push(
      values.map((value) => (typeof value === "string" ? value : show(value))).join(" "),
    );
  };
  const from = head[0];
  head[1] = waiting ? 1 : 0;
  let failure;
  try {
    if (task.format === "module") {
      const loaded = await import(pathToFileURL(task.path).href);
      print("exports", Object.keys(loaded).join());
      await loaded.done;
    } else {
      const module = new Module(task.path);
      module.filename = task.path;
      module.paths = [];
      module._compile(fs.readFileSync(task.path, "utf8"), task.path);
      await module.exports?.done;
    }
  } catch (error) {
    failure = describe(error);
  }
  head[1] = 0;
  checkEvents(from);
  return { printed, failure, problems: current.problems };
}

function show(value) {
  if (typeof value === "function") return `function ${value.name}/${value.length}`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol" || value === undefined || Object.is(value, -0)) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

void (async () => {
  process.on("unhandledRejection", (reason) => print("unhandled", String(reason)));
  const results = [];
  for (const task of tasks) results.push(await run(task));
  fs.writeFileSync(
    path.join(path.dirname(process.env.STUB_TASKS), "results.json"),
    JSON.stringify(results),
  );
})();
