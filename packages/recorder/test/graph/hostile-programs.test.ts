/** Programs that poison what the serializer could lean on; every test puts it back. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { serializeGraph } from "../../src/graph/serialize-graph.ts";
import type { GraphNode, GraphOptions, GraphResult } from "../../src/graph/serialize-graph.ts";

let touched = 0;
const touch = (): never => {
  touched++;
  throw new Error("code of the program ran");
};

function capture(value: unknown, options: GraphOptions = {}): GraphResult {
  touched = 0;
  return serializeGraph([{ locals: [{ name: "value", value }] }], [], options);
}

function root(result: GraphResult): GraphNode {
  return at(result, result.frames[0]?.[0]?.id ?? -1);
}

function at(result: GraphResult, id: number | undefined): GraphNode {
  const found = result.nodes[id ?? -1];
  if (found === undefined) throw new Error(`id ${id} does not resolve`);
  return found;
}

/** Runs with a property of a built-in replaced, and puts it back. */
function poisoned<T>(target: object, key: PropertyKey, patch: PropertyDescriptor, run: () => T): T {
  const before = Object.getOwnPropertyDescriptor(target, key);
  Object.defineProperty(target, key, { configurable: true, ...patch });
  try {
    return run();
  } finally {
    if (before === undefined) Reflect.deleteProperty(target, key);
    else Object.defineProperty(target, key, before);
  }
}

const SAMPLE = {
  list: [1, { a: "x" }],
  map: new Map([["k", new Set([1])]]),
  promise: Promise.resolve({ deep: 1 }),
  proxy: new Proxy({ t: 1 }, {}),
  text: "password=hunter22 and Bearer abc.def-123",
  error: new Error("plain"),
  regexp: /x/g,
};

test.each([
  "get",
  "set",
  "value",
  "writable",
  "then",
  "toJSON",
  "0",
  "length",
  "isSensitive",
  "cause",
])("runs no getter %s on Object.prototype", (name) => {
  const result = poisoned(Object.prototype, name, { get: touch, set: touch }, () =>
    capture(SAMPLE),
  );
  expect(touched).toBe(0);
  expect(root(result).kind).toBe("dict");
  expect(root(result).length).toBe(7);
});

test.each(
  [
    ["Array.prototype", Array.prototype, "map"],
    ["Array.prototype", Array.prototype, "push"],
    ["Array.prototype", Array.prototype, "pop"],
    ["Array.prototype", Array.prototype, "includes"],
    ["Array.prototype", Array.prototype, Symbol.iterator],
    ["Map.prototype", Map.prototype, "get"],
    ["Map.prototype", Map.prototype, "set"],
    ["Map.prototype", Map.prototype, "forEach"],
    ["Map.prototype", Map.prototype, Symbol.iterator],
    ["Set.prototype", Set.prototype, "has"],
    ["RegExp.prototype", RegExp.prototype, "exec"],
    ["RegExp.prototype", RegExp.prototype, "flags"],
    ["String.prototype", String.prototype, "slice"],
    ["String.prototype", String.prototype, "indexOf"],
    ["String.prototype", String.prototype, Symbol.iterator],
    ["Object", Object, "keys"],
    ["Object", Object, "getOwnPropertyDescriptor"],
    ["Reflect", Reflect, "ownKeys"],
    ["Function.prototype", Function.prototype, "call"],
    ["Function.prototype", Function.prototype, "apply"],
    ["Function.prototype", Function.prototype, "toString"],
    ["Date.prototype", Date.prototype, "toISOString"],
    ["Promise.prototype", Promise.prototype, "then"],
    ["Error.prototype", Error.prototype, "toString"],
  ].map((row) => {
    const [name, target, key] = row as [string, object, string | symbol];
    // Behind a function, so that the runner does not print a prototype.
    return { name: `${name} ${String(key)}`, target: () => target, key };
  }),
)("survives a replaced method: $name", ({ target, key }) => {
  const result = poisoned(target(), key, { value: touch, writable: true }, () => capture(SAMPLE));
  expect(touched).toBe(0);
  expect(root(result).length).toBe(7);
  expect(JSON.stringify(result.nodes)).not.toContain("hunter22");
});

test("runs no prepareStackTrace and no accessor of an error when it takes the stack", () => {
  const error = new Error("boom");
  Object.defineProperty(error, "name", { get: touch });
  const fresh = new Error("fresh");
  const result = poisoned(Error, "prepareStackTrace", { value: touch, writable: true }, () =>
    capture([error, fresh, Promise.reject(error).catch(() => undefined)]),
  );
  expect(touched).toBe(0);
  expect(at(result, root(result).items[1]?.id).items.map((item) => item.key)).toEqual(["message"]);
});

test("stops at a Proxy in the prototype chain", () => {
  const proxy = new Proxy({}, new Proxy({}, { get: () => touch }));
  const chained: unknown = Object.create(proxy, { own: { value: 1, enumerable: true } });
  const result = capture(chained);
  expect(touched).toBe(0);
  expect(root(result).typeName).toBe("<behind a Proxy>");
  expect(root(result).items.map((item) => item.key)).toEqual(["own"]);
});

test("shows a revoked Proxy, and proxies of proxies, without a trap", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const traps = new Proxy({}, { get: () => touch });
  const nested = new Proxy(new Proxy(() => 1, traps), new Proxy(traps, traps));
  const result = capture([proxy, nested]);
  expect(touched).toBe(0);
  expect(at(result, root(result).items[0]?.id).repr).toBe("Proxy <revoked>");
  const outer = at(result, root(result).items[1]?.id);
  expect(outer.items.map((item) => item.key)).toEqual(["[[Target]]", "[[Handler]]"]);
  const target = at(result, outer.items[0]?.id);
  expect(target.repr).toBe("Proxy");
  expect(at(result, target.items[0]?.id).typeName).toBe("Function");
});

test("leaves private accessors alone and reads private fields that hold hostile errors", () => {
  const inner = new Error("inner");
  for (const name of ["name", "message", "stack"])
    Object.defineProperty(inner, name, { get: touch });
  class Vault {
    #error = inner;
    get #computed(): unknown {
      return touch();
    }
    #method(): unknown {
      return this.#computed ?? this.#error;
    }
    use(): unknown {
      return this.#method();
    }
  }
  const result = capture(new Vault());
  expect(touched).toBe(0);
  expect(root(result).items.map((item) => item.key)).toEqual(["#error"]);
});

test("reads promises of hostile classes only as far as that is safe", () => {
  class Hostile extends Promise<number> {
    override get [Symbol.toStringTag](): string {
      return touch();
    }
    static override get [Symbol.species](): PromiseConstructor {
      return Promise;
    }
  }
  class Kind extends Promise<number> {}
  const result = capture([
    new Hostile(() => undefined),
    new Kind(() => undefined),
    Kind.resolve(7),
  ]);
  expect(touched).toBe(0);
  const texts = root(result).items.map((item) => at(result, item.id).repr);
  expect(texts).toEqual(["Hostile <state unknown>", "Kind <pending>", "Kind <fulfilled>"]);
  expect(result.notes.join()).toContain("promise state not read");
});

test.each([
  [undefined, "none", "undefined"],
  [null, "none", "null"],
  [-0, "float", "-0.0"],
  [12n, "int", "12"],
  [true, "bool", "True"],
  ['it\'s "q" `\n\\ \u{1f600}\ud800', "str", 'it\'s "q" `\n\\ \u{1f600}\ufffd'],
])("reads the primitive %o out of a promise", (value, kind, repr) => {
  const result = capture(Promise.resolve(value));
  const found = at(result, root(result).items[0]?.id);
  expect([found.kind, found.repr]).toEqual([kind, repr]);
});

test("ends on a linked list of a million objects, without recursion", () => {
  let list: unknown = null;
  for (let count = 0; count < 1_000_000; count++) list = { next: list };
  const result = capture(list, { maxDepth: 1_000_000, maxBytes: 1e12, deadlineMs: 50 });
  expect(result.nodes.at(-1)?.kind).toBe("truncated");
  expect(result.budget.map((cut) => cut.limit)).toContain("deadline");
});

test("shows the length of the longest sparse array and its first holes as one run", () => {
  const sparse: unknown[] = [];
  sparse[4_294_967_294] = 1;
  const result = capture(sparse);
  expect(root(result).length).toBe(4_294_967_295);
  expect(root(result).items).toHaveLength(200);
  expect(result.objectNotes[0]).toMatchObject({ holes: [[0, 200]] });
});

test.each([
  ["an array", () => Array.from({ length: 1_000_000 }, (_, i) => ({ i })), 1_000_000],
  ["a Map", () => new Map(Array.from({ length: 1_000_000 }, (_, i) => [i, i])), 1_000_000],
  ["a Set", () => new Set(Array.from({ length: 1_000_000 }, (_, i) => i)), 1_000_000],
  [
    "an object",
    () => Object.fromEntries(Array.from({ length: 1_000_000 }, (_, i) => [`k${i}`, i])),
    1_000_000,
  ],
  ["a text", () => "x".repeat(100_000_000), 100_000_000],
  ["bytes", () => new Uint8Array(100_000_000), 100_000_000],
])("does not walk %s with a million parts", (_name, make, length) => {
  const result = capture(make());
  expect(root(result)).toMatchObject({ length, truncated: true });
  expect(result.nodes.length).toBeLessThan(500);
});

test("gives every queued object a placeholder once the time is over, near things first", () => {
  let clock = 0;
  const values = { near: { far: { farther: {} } }, other: {} };
  const result = capture(values, { now: () => clock++ * 1e9, deadlineMs: 1e9 * 0.5 });
  expect(result.nodes.every((node) => node.kind === "truncated")).toBe(true);
  expect(result.budget).toEqual([
    { limit: "deadline", count: 1, first: "frames[0].value", firstId: 0 },
  ]);
});

test("names the first place of a cut", () => {
  const result = capture({ cart: { lines: Array.from({ length: 201 }, () => 1) } });
  expect(result.budget).toEqual([
    { limit: "container", count: 1, first: "frames[0].value.cart.lines", firstId: 2 },
  ]);
});

test("reads detached, shared and resizable memory", () => {
  const detached = new ArrayBuffer(8);
  const view = new Uint8Array(detached);
  const data = new DataView(detached);
  structuredClone(detached, { transfer: [detached] });
  const shared = new SharedArrayBuffer(4);
  const resizable = new ArrayBuffer(8, { maxByteLength: 16 });
  const tail = new DataView(resizable, 4);
  resizable.resize(2);
  const result = capture([detached, view, data, shared, new Uint8Array(shared), resizable, tail]);
  const found = root(result).items.map((item) => at(result, item.id));
  expect(found.map((node) => node.length)).toEqual([0, 0, 0, 4, 4, 2, 0]);
  expect(found.every((node) => node.kind === "bytes")).toBe(true);
  const memory = (id: number): unknown =>
    result.objectNotes.find((note) => note.id === id)?.["memory"];
  expect(memory(found[3]?.id ?? -1)).toBe(memory(found[4]?.id ?? -2));
});

test("does not throw on a module namespace whose bindings are not initialised", async () => {
  // Only a real module will do; the test runner hands out proxies instead.
  const program = fileURLToPath(new URL("namespace-program.ts", import.meta.url));
  const options = ["--conditions=@orangebox/source", program];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  expect(stdout).toBe("Module 1\n");
});
