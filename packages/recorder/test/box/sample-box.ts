/**
 * A small box with every kind of block, and a large one for measuring.
 */
import type { BoxContents } from "../../src/box/box-contents.ts";

/** 2026-11-30, so that names are the same in every run. */
export const CREATED_MS = 1_796_000_000_000;

/** Makes a box that fills every field of {@link BoxContents}. */
export function sampleBox(): BoxContents {
  return {
    flightVersion: "0.1.0-orangebox",
    createdUnixMs: CREATED_MS,
    meta: {
      pythonVersion: "node-v24.21.0",
      platform: "linux/x64",
      argv: ["node", "a.js"],
      cwd: "/work",
      flightVersion: "0.1.0-orangebox",
      extra: { reason: "crash", pid: 7 },
    },
    manifest: { reason: "crash", boot_id: "b" },
    exceptions: [{ type: "TypeError", message: "no", relation: "head" }],
    errors: [{ object: 1 }],
    frames: [
      { file: "/a.js", qualname: "f", line: 3, firstLine: 1, locals: [{ name: "x", id: 0 }] },
    ],
    frameDetails: [{ column: 5 }],
    asyncSegments: [{ from: 0, kind: "await" }],
    scopes: [{ type: "block" }],
    objects: [
      {
        id: 0,
        kind: "int",
        repr: "42",
        typeName: null,
        length: null,
        truncated: false,
        items: [],
      },
    ],
    objectNotes: { "0": {} },
    mapKeys: { "0": [1] },
    budget: { deadline: false },
    mutations: [
      {
        seq: 0,
        kind: "local",
        name: "x",
        key: null,
        value: { kind: "int", repr: "1", typeName: null, length: null },
        file: "/a.js",
        qualname: "f",
        line: 2,
        frame: 1,
      },
    ],
    mutationNotes: [{ seq: 0 }],
    tape: [{ seq: 0, source: "flight.commit", tag: "w", payload: "abc" }],
    sources: [
      { filename: "/a.js", sha1: "da39a3ee5e6b4b0d3255bfef95601890afd80709", text: "f();\n" },
      { filename: "/empty.js", sha1: "da39a3ee5e6b4b0d3255bfef95601890afd80709", text: "" },
      { filename: "/b.js", sha1: "da39a3ee5e6b4b0d3255bfef95601890afd80709", text: "g();\n" },
    ],
    sourceNotes: { "/a.js": { format: "module" } },
    events: {
      codes: [[1, { file: "/a.js", qualname: "f", firstLine: 1 }]],
      events: [{ kind: 1, thread: 0, line: 1, codeId: 1, tstamp: 0 }],
      wrapped: false,
    },
    eventNotes: { kinds: [], at: [], kind: [], firstTstamp: 0, columns: new Uint8Array(2) },
    runtime: { node: "v24" },
    more: [{ ns: "orangebox.test", version: 2, data: [1], annotates: ["META"] }],
  };
}

/** The blocks of {@link sampleBox} in the order they must have. */
export const SAMPLE_ORDER = [
  "META",
  "node.manifest",
  "EXCEPTION",
  "node.errors",
  "FRAME",
  "node.frames",
  "node.async",
  "node.scopes",
  "OBJECT",
  "node.objects",
  "node.mapkeys",
  "node.budget",
  "MUTATION",
  "node.mutations",
  "NONDET",
  "SOURCE",
  "SOURCE",
  "node.sources",
  "EVENT_RING",
  "node.events",
  "node.runtime",
  "orangebox.test",
  "node.seal",
];

/** Makes a box with this many nodes: records with a few fields each, as programs have them. */
export function largeBox(nodeCount: number): BoxContents {
  const objects = Array.from({ length: nodeCount }, (_, id) =>
    id % 4 === 0
      ? {
          id,
          kind: "dict",
          repr: null,
          typeName: null,
          length: 3,
          truncated: false,
          items: ["id", "name", "total"].map((key, index) => ({
            key,
            id: Math.min(id + index + 1, nodeCount - 1),
          })),
        }
      : {
          id,
          kind: id % 2 === 0 ? "str" : "int",
          repr: id % 2 === 0 ? `customer ${id % 977}` : String(id * 31),
          typeName: null,
          length: id % 2 === 0 ? 12 : null,
          truncated: false,
          items: [],
        },
  );
  return { ...sampleBox(), objects };
}
