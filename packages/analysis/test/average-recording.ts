/** The recording of a small program: an empty data set reaches a division two calls down. */
import { buildRecording, node } from "./build-recording.ts";

const SOURCE = `// An empty dataset reaches a division two calls down.
interface Report { name: string; mean: number }

function mean(samples: number[]): number {
  let total = 0; // total of samples
  for (const s of samples) total += s;
  if (samples.length === 0) throw new RangeError("mean of no samples");
  return total / samples.length;
}

async function summarize(sets: Record<string, number[]>): Promise<Report[]> {
  const reports: Report[] = [];
  for (const [name, data] of Object.entries(sets)) {
    await Promise.resolve();
    reports.push({ name, mean: mean(data) });
  }
  return reports;
}
`;

const FILE = "/srv/app/main.ts";
const COMMON = { file: FILE };

/** Gives the bytes of the recording. */
export function averageRecording(): Uint8Array {
  return buildRecording({
    meta: { extra: { reason: "crash", pid: 42 } },
    exceptions: [
      { type: "RangeError", message: "mean of no samples", relation: "head" },
      { type: "Error", message: "first\nsecond", relation: "cause" },
    ],
    frames: [
      { ...COMMON, qualname: "mean", line: 7, firstLine: 4, locals: { samples: 1, total: 2 } },
      {
        ...COMMON,
        qualname: "async summarize",
        line: 15,
        firstLine: 11,
        locals: { sets: 3, reports: 4, name: 5, data: 1 },
      },
      { ...COMMON, qualname: "<module>", line: 22, firstLine: 1, locals: { sets: 3 } },
    ],
    objects: [
      node(1, "list", { length: 0 }),
      node(2, "int", { repr: "0" }),
      node(3, "dict", {
        length: 2,
        items: [
          ["morning", 6],
          ["evening", 1],
        ],
      }),
      node(4, "list", { length: 1, items: [9] }),
      node(5, "str", { repr: "evening", length: 7 }),
      node(6, "list", { length: 2, items: [7, 8] }),
      node(7, "int", { repr: "10" }),
      node(8, "int", { repr: "12" }),
      node(9, "dict", {
        length: 2,
        items: [
          ["name", 10],
          ["mean", 11],
        ],
      }),
      node(10, "str", { repr: "morning", length: 7 }),
      node(11, "int", { repr: "11" }),
      node(12, "object", { repr: "RangeError: mean of no samples", type: "RangeError" }),
    ],
    sources: { [FILE]: SOURCE },
    codes: [
      [1, { file: FILE, qualname: "<module>", firstLine: 1 }],
      [2, { file: FILE, qualname: "summarize", firstLine: 11 }],
      [3, { file: FILE, qualname: "mean", firstLine: 4 }],
    ],
    events: [
      { kind: 1, thread: 0, line: 1, codeId: 1, tstamp: 0 },
      { kind: 1, thread: 0, line: 12, codeId: 2, tstamp: 1 },
      { kind: 1, thread: 0, line: 5, codeId: 3, tstamp: 2 },
      { kind: 4, thread: 0, line: 7, codeId: 3, tstamp: 3 },
      { kind: 6, thread: 0, line: 7, codeId: 3, tstamp: 4 },
    ],
    extensions: {
      "node.frames": [
        { frame: 0, column: 29 },
        { frame: 1, column: 32, kind: "async", boundary: "await" },
        { frame: 2, kind: "async" },
      ],
      "node.async": [
        {
          from: 1,
          kind: "await",
          label: "await",
          promise: { file: FILE, line: 15, column: 5, qualname: "summarize" },
        },
      ],
      "node.errors": [
        { index: 0, objectId: 12, stack: "RangeError: mean of no samples\n    at mean" },
      ],
      "node.budget": { cuts: [{ limit: "depth", count: 2, where: "frames[0].samples" }] },
      "orangebox.redactions": [{ where: "frames[1].sets", name: "password", count: 1 }],
    },
  });
}
