/** Recordings that nobody's recorder writes: wrong, huge and malicious in every place. */
import { buildRecording, node } from "./build-recording.ts";

/** Text that would clear a screen, set a title, ring, reverse the reading direction, and fake a line. */
export const EVIL_TEXT =
  "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eabc\u2066\r\nerror: all is well\u0000";

/** Evil text in every text of a recording. */
export function evilRecording(): Uint8Array {
  const file = `/srv/${EVIL_TEXT}.ts`;
  return buildRecording({
    meta: {
      pythonVersion: `node-${EVIL_TEXT}`,
      platform: EVIL_TEXT,
      argv: [EVIL_TEXT],
      cwd: EVIL_TEXT,
      extra: { reason: EVIL_TEXT },
    },
    exceptions: [{ type: EVIL_TEXT, message: EVIL_TEXT, relation: EVIL_TEXT }],
    frames: [
      { file, qualname: EVIL_TEXT, line: 1, firstLine: 1, locals: { [EVIL_TEXT]: 1, x: 2, y: 2 } },
      { file, qualname: "f", line: 1, firstLine: 1, locals: { x: 2 } },
    ],
    objects: [
      node(1, EVIL_TEXT, { repr: EVIL_TEXT, type: EVIL_TEXT, items: [[EVIL_TEXT, 2]] }),
      node(2, "object", { repr: EVIL_TEXT, type: EVIL_TEXT, items: [[EVIL_TEXT, 1]] }),
    ],
    sources: { [file]: `x; // ${EVIL_TEXT}\nx` },
    codes: [[1, { file, qualname: EVIL_TEXT, firstLine: 1 }]],
    events: [{ kind: 99, thread: 3, line: 1, codeId: 1, tstamp: 0 }],
    extensions: {
      [EVIL_TEXT]: EVIL_TEXT,
      "node.frames": [{ frame: 0, kind: "async", boundary: EVIL_TEXT, note: EVIL_TEXT }],
      "node.async": [{ from: 1, kind: EVIL_TEXT, promise: { file, line: 1, qualname: EVIL_TEXT } }],
      "node.errors": [{ index: 0, code: EVIL_TEXT, stack: EVIL_TEXT }],
      "node.events": [[0, { kind: EVIL_TEXT }]],
      "node.budget": { cuts: [{ limit: EVIL_TEXT, where: EVIL_TEXT }] },
      "orangebox.redactions": [{ where: EVIL_TEXT, name: EVIL_TEXT, detector: EVIL_TEXT }],
    },
  });
}

/** EXT blocks of every wrong shape. */
export function wrongExtensions(): Uint8Array {
  const wrong: readonly unknown[] = [
    null,
    7,
    "text",
    [],
    [null, 1, "x", [], [[]], {}],
    { cuts: 3, redactions: "x" },
    [{ frame: -1 }, { frame: 1.5, kind: [] }, { frame: 0, column: "x", kind: 9, boundary: {} }],
    [[0], [0, 1], [0, ["x", -1]], ["0", [1]]],
    [{ from: 0, promise: 3, kind: null }],
    [{ index: "0", objectId: -1, code: {}, stack: [] }],
    { frame: { frame: {} } },
  ];
  const names = [
    "node.frames",
    "node.async",
    "node.errors",
    "node.events",
    "node.budget",
    "node.mapkeys",
    "node.manifest",
    "orangebox.redactions",
    "node.redactions",
  ];
  return buildRecording({
    exceptions: [{ type: "Error", message: "x", relation: "head" }],
    frames: [{ file: "a.js", qualname: "f", line: 1, firstLine: 1, locals: { m: 0 } }],
    objects: [node(0, "dict", { type: "Map", length: 1, items: [["k", 0]] })],
    events: [{ kind: 1, thread: 0, line: 1, codeId: 5, tstamp: 0 }],
    extensionList: names.flatMap((name) => wrong.map((data) => [name, data] as const)),
  });
}

/** Cycles, ids that lead nowhere, numbers at the limits. */
export function strangeGraph(): Uint8Array {
  const huge = Number.MAX_SAFE_INTEGER;
  return buildRecording({
    frames: [
      {
        file: "",
        qualname: "",
        line: 4_294_967_295,
        firstLine: 4_294_967_295,
        locals: { self: 1, gone: 99, two: 2, big: huge },
      },
    ],
    objects: [
      node(1, "dict", {
        length: huge,
        truncated: true,
        items: [
          ["self", 1],
          ["gone", 98],
          ["", 2],
        ],
      }),
      node(2, "list", { length: huge, items: [1, 2, 97] }),
      node(huge, "str", { repr: "x".repeat(1000), length: huge, truncated: true }),
    ],
  });
}

/** Many objects, each of which points at a few that are very large. */
export function wideRecording(objectCount: number, itemCount: number): Uint8Array {
  function* objects(): Generator<ReturnType<typeof node>> {
    const items = Array.from({ length: itemCount }, (_, index) => index % objectCount);
    yield node(0, "list", { length: itemCount, items });
    for (let id = 1; id < objectCount; id += 1)
      yield node(id, "dict", {
        length: 2,
        items: [
          ["next", (id + 1) % objectCount],
          ["all", 0],
        ],
      });
  }
  return buildRecording({
    frames: [{ file: "a.js", qualname: "f", line: 1, firstLine: 1, locals: { all: 0, first: 1 } }],
    objects: objects(),
  });
}
