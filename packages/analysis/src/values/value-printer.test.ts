import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { buildRecording, node } from "../../test/build-recording.ts";
import { inspectRecording } from "../inspect/inspection.ts";
import { previewValue } from "./value-printer.ts";
import type { PreviewLimits } from "./value-printer.ts";

type Nodes = ReturnType<typeof node>[];

function preview(
  nodes: Nodes,
  options: {
    readonly limits?: Partial<PreviewLimits>;
    readonly runtime?: string;
    readonly mapKeys?: unknown;
  } = {},
): string {
  const bytes = buildRecording({
    meta: { pythonVersion: options.runtime ?? "node-v24.0.0" },
    objects: nodes,
    extensions: { "node.mapkeys": options.mapKeys ?? [] },
  });
  return previewValue(inspectRecording(openRecording(bytes)).values(), 0, options.limits);
}

test.each([
  [node(0, "none", { repr: "None" }), "null"],
  [node(0, "none", { repr: "undefined" }), "undefined"],
  [node(0, "none", { repr: "<empty>" }), "<empty>"],
  [node(0, "bool", { repr: "True" }), "true"],
  [node(0, "bool", { repr: "False" }), "false"],
  [node(0, "int", { repr: "42" }), "42"],
  [node(0, "int", { repr: "42", type: "Number" }), "[Number: 42]"],
  [node(0, "int", { repr: `1${"0".repeat(30)}`, type: "bigint" }), `1${"0".repeat(30)}n`],
  [node(0, "float", { repr: "-0.0" }), "-0"],
  [node(0, "float", { repr: "nan" }), "NaN"],
  [node(0, "float", { repr: "-inf" }), "-Infinity"],
  [node(0, "float", { repr: "0.1" }), "0.1"],
  [node(0, "str", { repr: 'a "b"\n\\', length: 7 }), String.raw`"a \"b\"\n\\"`],
  [node(0, "str", { repr: "abc", length: 9, truncated: true }), '"abc…" (9 characters)'],
  [
    node(0, "bytes", { repr: "b'ERR dup\\n'", type: "Buffer", length: 8 }),
    'Buffer(8) "ERR dup\\n"',
  ],
  [node(0, "bytes", { repr: "b'\\x00\\xff'", type: "Buffer", length: 2 }), "Buffer(2) <00 ff>"],
  [
    node(0, "bytes", { repr: "b'ab'", type: "Uint8Array", length: 70, truncated: true }),
    'Uint8Array(70) "ab…"',
  ],
  [node(0, "redacted", { repr: "<redacted>" }), "<redacted>"],
  [node(0, "truncated", { repr: "<truncated>", truncated: true }), "<cut>"],
  [node(0, "truncated", { repr: "Order {…}", type: "Order", truncated: true }), "Order {…}"],
  [node(0, "object", { repr: "Symbol(s)", type: "symbol" }), "Symbol(s)"],
  [node(0, "object", { repr: "[function f]", type: "Function" }), "[function f]"],
  [node(0, "object", { repr: "[Getter]", type: "accessor" }), "[Getter]"],
  [node(0, "object", { repr: "<uninitialized>", type: "binding" }), "<uninitialized>"],
  [node(0, "list", { length: 0 }), "[]"],
  [node(0, "dict", { length: 0 }), "{}"],
  [node(0, "ndarray", { repr: "Float64Array(9)", type: "Float64Array" }), "Float64Array(9)"],
  [node(0, "brand-new", { repr: "text of it" }), "text of it"],
])("writes %j as JavaScript does", (value, expected) => {
  expect(preview([value])).toBe(expected);
});

const ONE = node(1, "int", { repr: "1" });
const TEXT = node(2, "str", { repr: "gold", length: 4 });

test.each<[string, Nodes]>([
  [
    '{id: 1, plan: "gold"}',
    [
      node(0, "dict", {
        length: 2,
        items: [
          ["id", 1],
          ["plan", 2],
        ],
      }),
    ],
  ],
  ["[1, 1, … 1000000 items]", [node(0, "list", { length: 1e6, truncated: true, items: [1, 1] })]],
  ['Set {1, "gold"}', [node(0, "set", { length: 2, items: [1, 2] })]],
  ["Stack [1]", [node(0, "list", { length: 1, type: "Stack", items: [1] })]],
  [
    "[null prototype] {a: 1}",
    [node(0, "dict", { length: 1, type: "NullObject", items: [["a", 1]] })],
  ],
  [
    'Map {k => 1, "a b" => 1}',
    [
      node(0, "dict", {
        length: 2,
        type: "Map",
        items: [
          ["k", 1],
          ["a b", 1],
        ],
      }),
    ],
  ],
  [
    "Account {#pin: 1, …}",
    [
      node(0, "object", {
        repr: "Account {…}",
        type: "Account",
        truncated: true,
        items: [["#pin", 1]],
      }),
    ],
  ],
  [
    'Promise <rejected> {reason: "gold"}',
    [node(0, "object", { repr: "Promise <rejected>", type: "Promise", items: [["reason", 2]] })],
  ],
  [
    "Proxy {[[Target]]: 1}",
    [node(0, "object", { repr: "Proxy", type: "Proxy", items: [["[[Target]]", 1]] })],
  ],
  [
    "TypeError: no",
    [node(0, "object", { repr: "TypeError: no", type: "TypeError", items: [["message", 2]] })],
  ],
  ["Invalid Date", [node(0, "object", { repr: "Invalid Date", type: "Date", items: [["ms", 1]] })]],
  [
    '{"a-b": 1, [Symbol(s)]: 1, "": 1}',
    [
      node(0, "dict", {
        length: 3,
        items: [
          ["a-b", 1],
          ["Symbol(s)", 1],
          ["", 1],
        ],
      }),
    ],
  ],
  [
    "Float64Array(9) head [1]",
    [
      node(0, "ndarray", {
        repr: "Float64Array(9)",
        items: [
          ["shape", 1],
          ["head", 3],
        ],
      }),
      node(3, "list", { length: 1, items: [1] }),
    ],
  ],
  ["{self: ↺}", [node(0, "dict", { length: 1, items: [["self", 0]] })]],
  ["[<missing>]", [node(0, "list", { length: 1, items: [77] })]],
])("writes the container %s", (expected, nodes) => {
  expect(preview([...nodes, ONE, TEXT])).toBe(expected);
});

test("shows the key objects of a Map where they are known", () => {
  const nodes = [
    node(0, "dict", { length: 1, type: "Map", items: [["{…}", 1]] }),
    ONE,
    TEXT,
    node(3, "dict", { length: 1, items: [["k", 2]] }),
  ];
  expect(preview(nodes, { mapKeys: [[0, [3]]] })).toBe('Map {{k: "gold"} => 1}');
  expect(preview(nodes, { mapKeys: [{ id: 0, keys: [3] }] })).toBe('Map {{k: "gold"} => 1}');
});

test("keeps the spelling of other languages", () => {
  expect(preview([node(0, "bool", { repr: "True" })], { runtime: "3.13.1" })).toBe("True");
});

test("shows an array that is too deep in its own brackets, and what is empty as empty", () => {
  const nodes = [
    node(0, "dict", {
      length: 4,
      items: [
        ["two", 3],
        ["one", 4],
        ["none", 5],
        ["empty", 6],
      ],
    }),
    node(3, "list", { length: 2, items: [1, 1] }),
    node(4, "list", { length: 1, items: [1] }),
    node(5, "list", { length: 0 }),
    node(6, "dict", { length: 0 }),
    ONE,
  ];
  expect(preview(nodes, { limits: { maxDepth: 1 } })).toBe(
    "{two: [… 2 items], one: [… 1 item], none: [], empty: {}}",
  );
});

test("goes only as deep and as far as the limits say", () => {
  const chain = Array.from({ length: 50 }, (_, id) =>
    node(id, "dict", { length: 1, items: [["n", id + 1]] }),
  );
  expect(preview(chain, { limits: { maxDepth: 2 } })).toBe("{n: {n: {…}}}");
  const wide = node(0, "list", { length: 100, items: Array.from({ length: 100 }, () => 1) });
  expect(preview([wide, ONE], { limits: { maxItems: 2 } })).toBe("[1, 1, … 100 items]");
  expect(preview([wide, ONE], { limits: { maxLength: 12, maxItems: 99 } }).length).toBeLessThan(13);
});
