import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { averageRecording } from "../../test/average-recording.ts";
import { buildRecording, node } from "../../test/build-recording.ts";
import { strangeGraph, wideRecording, wrongExtensions } from "../../test/hostile-recording.ts";
import { inspectJson } from "./inspect-json.ts";
import type { InspectJson } from "./inspect-json.ts";
import { inspectRecording } from "./inspection.ts";

function json(bytes: Uint8Array): InspectJson {
  return inspectJson(inspectRecording(openRecording(bytes)));
}

test("tells error, frames, boundary, values and aliases of a crash", () => {
  const result = json(averageRecording());
  expect(result).toMatchObject({
    version: 1,
    status: "sealed",
    reason: "crash",
    runtime: { name: "node", version: "v24.21.0", pid: 42 },
    exceptions: [{ type: "RangeError", relation: "head", objectId: 12 }, { relation: "cause" }],
    frames: [
      { qualname: "mean", line: 7, column: 29, async: false, locals: { samples: 1, total: 2 } },
      {
        qualname: "async summarize",
        async: true,
        boundary: { label: "await", promise: { line: 15, column: 5, qualname: "summarize" } },
      },
      { qualname: "<module>", kind: "async" },
    ],
    cuts: [{ limit: "depth", count: 2, where: "frames[0].samples" }],
    redactions: [{ where: "frames[1].sets", name: "password", count: 1 }],
    problems: [],
  });
  expect(result.objects["3"]?.preview).toBe("{morning: [10, 12], evening: []}");
  expect(result.aliases[0]).toEqual({
    id: 1,
    names: [
      { frame: 0, path: "samples" },
      { frame: 1, path: "data" },
      { frame: 1, path: "sets.evening" },
    ],
  });
});

test("never takes a repeated scalar for an alias", () => {
  const frame = { file: "a.js", qualname: "f", line: 1, firstLine: 1, locals: { a: 1, b: 1 } };
  for (const kind of ["none", "bool", "int", "float", "str", "bytes", "redacted", "truncated"]) {
    const bytes = buildRecording({ frames: [frame], objects: [node(1, kind, { repr: "0" })] });
    expect(json(bytes).aliases).toEqual([]);
  }
});

test("keeps ids beyond 2^53 exact", () => {
  const id = 2n ** 60n + 1n;
  const bytes = buildRecording({
    frames: [{ file: "a.js", qualname: "f", line: 1, firstLine: 1, locals: { a: 1 } }],
    objects: [
      node(1, "list", { length: 1, items: [0] }),
      { ...node(0, "int", { repr: "5" }), id },
    ].map((made) => ({ ...made, items: made.items.map((item) => ({ ...item, id })) })),
  });
  const { objects } = json(bytes);
  expect(objects["1"]?.items).toEqual([{ key: null, id: String(id) }]);
  expect(objects[String(id)]?.repr).toBe("5");
});

test("takes a local named __proto__ as any other", () => {
  const locals = Object.fromEntries([["__proto__", 1]]);
  const bytes = buildRecording({
    frames: [{ file: "a.js", qualname: "f", line: 1, firstLine: 1, locals }],
    objects: [node(1, "int", { repr: "5" })],
  });
  expect(JSON.stringify(json(bytes).frames[0]?.locals)).toBe('{"__proto__":1}');
});

test("lives with EXT blocks of every wrong shape", () => {
  expect(json(wrongExtensions())).toMatchObject({ frames: [{ qualname: "f" }], version: 1 });
});

test("lives with cycles, missing nodes and numbers at the limits", () => {
  const result = json(strangeGraph());
  expect(result.objects["1"]?.preview).toBe(
    '{self: ↺, gone: <missing>, "": [↺, ↺, <missing>, … 9007199254740991 items], …}',
  );
  expect(result.frames[0]?.line).toBe(4_294_967_295);
});

test("stays bounded when many objects point at a very large one", () => {
  const started = performance.now();
  const result = json(wideRecording(30_000, 200_000));
  expect(Object.keys(result.objects)).toHaveLength(20_000);
  expect(result.omitted.objects).toBeGreaterThan(0);
  expect(JSON.stringify(result).length).toBeLessThan(20_000_000);
  expect(performance.now() - started).toBeLessThan(20_000);
});
