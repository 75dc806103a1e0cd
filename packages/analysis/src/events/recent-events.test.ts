import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { buildRecording } from "../../test/build-recording.ts";
import { recentEvents } from "./recent-events.ts";

/** Writes events as `kind function` and gives their depths. */
function depths(...steps: readonly string[]): number[] {
  const names = [...new Set(steps.map((step) => step.split(" ")[1] ?? ""))];
  const kinds = ["", "call", "return", "line", "raise", "reraise", "unwind"];
  const bytes = buildRecording({
    codes: names.map((qualname, id) => [id, { file: "a.js", qualname, firstLine: 1 }]),
    events: steps.map((step, tstamp) => {
      const [kind = "", name = "", thread = "0"] = step.split(" ");
      const codeId = names.indexOf(name);
      return { kind: kinds.indexOf(kind), thread: Number(thread), line: 1, codeId, tstamp };
    }),
  });
  return recentEvents(openRecording(bytes), 100).map((event) => event.depth);
}

test.each([
  [
    ["call m", "call f", "line f", "return f", "line m"],
    [0, 1, 1, 1, 0],
  ],
  [
    ["call m", "call f", "raise f", "unwind f", "raise m", "unwind m"],
    [0, 1, 1, 1, 0, 0],
  ],
  // The ring begins inside g, called by f.
  [
    ["line g", "return g", "return f", "line m"],
    [2, 2, 1, 0],
  ],
  // f waits, h runs meanwhile, then f goes on, first by a value and then by a rejection.
  [
    ["call f", "return f", "call h", "return h", "call f", "return f", "reraise f"],
    [0, 0, 0, 0, 0, 0, 0],
  ],
  [
    ["call m", "call a 1", "call f", "return a 1"],
    [0, 0, 1, 0],
  ],
])("counts open calls per thread: %j", (steps, expected) => {
  expect(depths(...steps)).toEqual(expected);
});

test("reads details and columns that are written for all events at once", () => {
  const bytes = buildRecording({
    codes: [[1, { file: "a.js", qualname: "f", firstLine: 1 }]],
    events: [10, 11, 12].map((tstamp) => ({ kind: 1, thread: 0, line: 3, codeId: 1, tstamp })),
    extensions: {
      "node.events": {
        kinds: ["await", "resume"],
        at: [11, 12],
        kind: [1, 9],
        firstTstamp: 10,
        columns: Uint8Array.of(0, 0, 5, 0, 1, 1),
      },
    },
  });
  const views = recentEvents(openRecording(bytes), 5);
  expect(views.map(({ detail, column }) => [detail, column])).toEqual([
    [undefined, undefined],
    ["resume", 5],
    [undefined, 257],
  ]);
});

test("names kinds, functions and details", () => {
  const bytes = buildRecording({
    codes: [[1, { file: "a.js", qualname: "f", firstLine: 1 }]],
    events: [
      { kind: 1, thread: 0, line: 3, codeId: 1, tstamp: 10 },
      { kind: 42, thread: 0, line: 0, codeId: 9, tstamp: 11 },
    ],
    extensions: { "node.events": [[10, { kind: "resume" }], { tstamp: 11, kind: "strange" }] },
  });
  expect(recentEvents(openRecording(bytes), 5)).toMatchObject([
    { kind: "call", detail: "resume", qualname: "f", file: "a.js", line: 3 },
    { kind: "unknown", code: 42, detail: "strange", qualname: "", file: "" },
  ]);
});
