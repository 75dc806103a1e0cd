/** How each kind of value is written; the table of docs/format.md, "Values". */
import { createServer } from "node:http";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { Worker } from "node:worker_threads";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { serializeGraph } from "../../src/graph/serialize-graph.ts";
import type { GraphNode } from "../../src/graph/serialize-graph.ts";

function capture(value: unknown): {
  node: GraphNode;
  items: Record<string, string>;
  notes: unknown;
} {
  const result = serializeGraph([{ locals: [{ name: "value", value }] }]);
  const node = result.nodes[result.frames[0]?.[0]?.id ?? -1];
  if (node === undefined) throw new Error("no node");
  const items: Record<string, string> = {};
  node.items.forEach(({ key, id }, at) => {
    const child = result.nodes[id];
    items[key ?? String(at)] = child?.repr ?? `${child?.kind}[${child?.length}]`;
  });
  return { node, items, notes: result.objectNotes.find((note) => note.id === node.id) };
}

class Order {
  id = 1;
}
class Stack extends Array<number> {}
class Registry extends Map<string, number> {}
function args(..._values: number[]): unknown {
  // oxlint-disable-next-line prefer-rest-params -- The arguments object is what is tested.
  return arguments;
}
const bound = { n: 1 };

// kind, repr, type name, length, truncated, items
test.each([
  ["undefined", undefined, ["none", "undefined", null, null, false, {}]],
  ["null", null, ["none", "null", null, null, false, {}]],
  ["true", true, ["bool", "True", null, null, false, {}]],
  ["false", false, ["bool", "False", null, null, false, {}]],
  ["zero", 0, ["int", "0", null, null, false, {}]],
  ["minus zero", -0, ["float", "-0.0", null, null, false, {}]],
  ["fraction", 0.1, ["float", "0.1", null, null, false, {}]],
  ["beyond safe", 2 ** 53, ["float", "9007199254740992", null, null, false, {}]],
  ["nan", Number.NaN, ["float", "nan", null, null, false, {}]],
  ["infinity", -Infinity, ["float", "-inf", null, null, false, {}]],
  ["bigint", -(10n ** 30n), ["int", "-1000000000000000000000000000000", "bigint", null, false, {}]],
  ["huge bigint", 1n << 1_000_000n, ["int", "<huge int>", "bigint", null, false, {}]],
  ["text", "a\u{1f600}", ["str", "a\u{1f600}", null, 3, false, {}]],
  [
    "long text",
    "a".repeat(10_239) + "\u{1f600}",
    ["str", "a".repeat(10_239), null, 10_241, true, {}],
  ],
  ["symbol", Symbol("s"), ["object", "Symbol(s)", "symbol", null, false, {}]],
  ["object", { a: 1 }, ["dict", null, null, 1, false, { a: "1" }]],
  ["foreign object", runInNewContext("({ a: 1 })"), ["dict", null, null, 1, false, { a: "1" }]],
  [
    "null object",
    Object.assign(Object.create(null), { a: 1 }),
    ["dict", null, "NullObject", 1, false, { a: "1" }],
  ],
  [
    "symbol keys",
    { [Symbol.iterator]: 1, [Symbol("x")]: 2 },
    ["dict", null, null, 2, false, { "Symbol.iterator": "1", "Symbol(x)": "2" }],
  ],
  ["instance", new Order(), ["object", "Order {…}", "Order", 1, false, { id: "1" }]],
  ["array", [1, "a"], ["list", null, null, 2, false, { 0: "1", 1: "a" }]],
  ["array subclass", Stack.of(1), ["list", null, "Stack", 1, false, { 0: "1" }]],
  // oxlint-disable-next-line no-sparse-arrays -- The hole is what is tested.
  ["holes", [1, , 2], ["list", null, null, 3, false, { 0: "1", 1: "<empty>", 2: "2" }]],
  ["arguments", args(1, 2), ["list", null, "Arguments", 2, false, { 0: "1", 1: "2" }]],
  ["Set", new Set([1, "1"]), ["set", null, null, 2, false, { 0: "1", 1: "1" }]],
  [
    "Map",
    new Map<unknown, unknown>([
      ["a", 1],
      [{ b: 1 }, 2],
      [-0, 3],
      [Symbol("k"), 4],
      [null, 5],
    ]),
    ["dict", null, "Map", 5, false, { a: "1", "{…}": "2", "0": "3", "Symbol(k)": "4", null: "5" }],
  ],
  ["Map subclass", new Registry([["a", 1]]), ["dict", null, "Registry", 1, false, { a: "1" }]],
  ["WeakMap", new WeakMap(), ["object", "WeakMap {…}", "WeakMap", null, false, {}]],
  ["WeakRef", new WeakRef(bound), ["object", "WeakRef {…}", "WeakRef", null, false, {}]],
  [
    "FinalizationRegistry",
    new FinalizationRegistry(() => {}),
    ["object", "FinalizationRegistry {…}", "FinalizationRegistry", null, false, {}],
  ],
  [
    "Buffer",
    Buffer.from("a\0'\t\xff", "latin1"),
    ["bytes", String.raw`b"a\x00'\t\xff"`, "Buffer", 5, false, {}],
  ],
  [
    "long bytes",
    new Uint8Array(65),
    ["bytes", `b'${String.raw`\x00`.repeat(64)}'`, "Uint8Array", 65, true, {}],
  ],
  [
    "ArrayBuffer",
    new ArrayBuffer(2),
    ["bytes", String.raw`b'\x00\x00'`, "ArrayBuffer", 2, false, {}],
  ],
  [
    "DataView",
    new DataView(new ArrayBuffer(4), 2),
    ["bytes", String.raw`b'\x00\x00'`, "DataView", 2, false, {}],
  ],
  [
    "float array",
    new Float64Array([1, Number.NaN]),
    [
      "ndarray",
      "Float64Array(2)",
      "Float64Array",
      2,
      false,
      { shape: "list[1]", dtype: "float64", head: "list[2]", nan_count: "1" },
    ],
  ],
  [
    "bigint array",
    new BigUint64Array(9),
    [
      "ndarray",
      "BigUint64Array(9)",
      "BigUint64Array",
      9,
      true,
      { shape: "list[1]", dtype: "uint64", head: "list[8]" },
    ],
  ],
  ["Date", new Date(0), ["object", "1970-01-01T00:00:00.000Z", "Date", null, false, { ms: "0" }]],
  [
    "invalid Date",
    new Date(Number.NaN),
    ["object", "Invalid Date", "Date", null, false, { ms: "nan" }],
  ],
  [
    "RegExp",
    /a\/b/giu,
    ["object", String.raw`/a\/b/giu`, "RegExp", null, false, { lastIndex: "0" }],
  ],
  ["function", function f() {}, ["object", "[function f]", "Function", null, false, {}]],
  ["arrow", () => 1, ["object", "[function (anonymous)]", "Function", null, false, {}]],
  [
    "async function",
    async function f() {},
    ["object", "[function f]", "AsyncFunction", null, false, {}],
  ],
  [
    "generator function",
    function* f() {},
    ["object", "[function f]", "GeneratorFunction", null, false, {}],
  ],
  [
    "async generator function",
    async function* f() {},
    ["object", "[function f]", "AsyncGeneratorFunction", null, false, {}],
  ],
  ["class", Order, ["object", "[class Order]", "class", null, false, {}]],
  ["built-in class", Map, ["object", "[function Map]", "Function", null, false, {}]],
  ["boxed number", Object(1), ["int", "1", "Number", null, false, {}]],
  ["boxed text", Object("ab"), ["str", "ab", "String", 2, false, {}]],
  ["boxed symbol", Object(Symbol("x")), ["object", "Symbol(x)", "Symbol", null, false, {}]],
  [
    "pending promise",
    new Promise(() => {}),
    ["object", "Promise <pending>", "Promise", 0, false, {}],
  ],
  [
    "fulfilled promise",
    Promise.resolve(7),
    ["object", "Promise <fulfilled>", "Promise", 1, false, { value: "7" }],
  ],
  [
    "Map iterator",
    new Map().keys(),
    ["object", "Map Iterator {…}", "Map Iterator", null, false, {}],
  ],
  ["globalThis", globalThis, ["object", "globalThis", "Object", 0, false, {}]],
  [
    "URL",
    new URL("https://u:pw123456@h/x?token=abc"),
    ["object", "URL {…}", "URL", 1, false, { href: "https://u:<redacted>@h/x?token=<redacted>" }],
  ],
  [
    "URLSearchParams",
    new URLSearchParams("a=1&api_key=zzz"),
    [
      "object",
      "URLSearchParams {…}",
      "URLSearchParams",
      1,
      false,
      { text: "a=1&api_key=<redacted>" },
    ],
  ],
  [
    "AbortSignal",
    AbortSignal.abort("why"),
    ["object", "AbortSignal {…}", "AbortSignal", 2, false, { aborted: "True", reason: "why" }],
  ],
])("writes %s", (_name, value, wanted) => {
  const { node, items } = capture(value);
  expect([node.kind, node.repr, node.typeName, node.length, node.truncated, items]).toEqual(wanted);
});

test("writes errors with message, stack, cause, code and own properties in this order", () => {
  const error = Object.assign(new TypeError("bad", { cause: 1 }), { extra: 2, code: "E" });
  const { node, items } = capture(error);
  expect([node.kind, node.repr, node.typeName]).toEqual(["object", "TypeError: bad", "TypeError"]);
  expect(Object.keys(items)).toEqual(["message", "stack", "cause", "code", "extra"]);
  expect(items["stack"]).toContain("values.test.ts");
});

test("writes states that a binding has no value for", () => {
  const { nodes, frames } = serializeGraph([
    {
      locals: [
        { name: "late", state: "uninitialized" },
        { name: "gone", state: "collected" },
      ],
    },
  ]);
  const texts = frames[0]?.map(({ id }) => [nodes[id]?.kind, nodes[id]?.repr, nodes[id]?.typeName]);
  expect(texts).toEqual([
    ["object", "<uninitialized>", "binding"],
    ["object", "<collected>", "binding"],
  ]);
});

test("takes private fields from the class's own reader first", () => {
  const value = new Order();
  const { nodes, frames } = serializeGraph([{ locals: [{ name: "order", value }] }], [], {
    privatesOf: (object) =>
      object === value
        ? [
            ["#note", "n"],
            ["apiKey", "hidden-key"],
          ]
        : undefined,
  });
  const items = nodes[frames[0]?.[0]?.id ?? -1]?.items.map(({ key, id }) => [key, nodes[id]?.repr]);
  expect(items).toEqual([
    ["id", "1"],
    ["#note", "n"],
    ["#apiKey", "<redacted>"],
  ]);
});

test("keeps one id for one object in all frames, and marks what lies too deep", () => {
  const shared = { deep: { deep: { deep: { deep: { deep: { deep: { deep: 1 } } } } } } };
  const result = serializeGraph(
    [{ locals: [{ name: "a", value: shared }] }, { locals: [{ name: "b", value: shared }] }],
    [shared],
  );
  expect(result.frames[0]?.[0]?.id).toBe(result.frames[1]?.[0]?.id);
  expect(result.extraIds).toEqual([result.frames[0]?.[0]?.id]);
  expect(result.budget).toEqual([
    { limit: "depth", count: 1, first: "frames[0].a.deep.deep.deep.deep.deep.deep", firstId: 6 },
  ]);
});

test("notes descriptors, hidden properties, prototypes, integrity and array extras", () => {
  class Base {}
  class Derived extends Base {}
  const value = Object.defineProperty(new Derived(), "hidden", { value: 1 });
  expect(capture(value).notes).toMatchObject({
    prototypes: ["Derived", "Base", "Object"],
    nonEnumerable: ["hidden"],
    readOnly: ["hidden"],
  });
  expect(capture(Object.freeze({ a: 1 })).notes).toMatchObject({ integrity: "frozen" });
  expect(capture(/(?<y>\d)/.exec("a1")).notes).toMatchObject({
    properties: expect.arrayContaining([["index", expect.any(Number)]]),
  });
});

test("shows sockets, servers, streams and requests by a few fields", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const address = server.address();
  const socket = connect(
    typeof address === "object" && address !== null ? address.port : 0,
    "127.0.0.1",
  );
  socket.on("error", () => undefined);
  Object.assign(socket, { user: "ann" });
  try {
    expect(capture(socket)).toMatchObject({
      node: { kind: "object", typeName: "Socket" },
      items: { connecting: "True", user: "ann" },
    });
    expect(capture(server).node.items.length).toBeLessThan(40);
    expect(capture(new PassThrough()).items).toMatchObject({
      "readable.length": "0",
      "writable.length": "0",
    });
    expect(capture(process).items).toMatchObject({
      pid: String(process.pid),
      platform: process.platform,
    });
  } finally {
    socket.destroy();
    server.close();
  }
});

test("writes the environment as a dictionary", () => {
  expect(capture(process.env).node).toMatchObject({ kind: "dict", repr: null, typeName: null });
});

test("reads the same internals inside a worker", async () => {
  const entry = new URL("../../src/graph/serialize-graph.ts", import.meta.url).href;
  const program = `
    import { parentPort } from "node:worker_threads";
    import { serializeGraph } from ${JSON.stringify(entry)};
    class Vault { #pin = 7; }
    const value = [Promise.resolve({}), new Proxy({}, new Proxy({}, {})), new Vault()];
    const { nodes } = serializeGraph([{ locals: [{ name: "v", value }] }]);
    parentPort.postMessage(nodes.map((node) => node.repr + ":" + node.items.map((item) => item.key)));`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    execArgv: ["--conditions=@orangebox/source"],
  });
  const texts = await new Promise((done, fail) => worker.once("message", done).once("error", fail));
  expect(texts).toEqual(
    expect.arrayContaining([
      "Promise <fulfilled>:value",
      "Proxy:[[Target]],[[Handler]]",
      "Vault {…}:#pin",
    ]),
  );
});
