import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { averageRecording } from "../../test/average-recording.ts";
import { inspectRecording } from "../inspect/inspection.ts";
import { sourceWindow } from "./source-window.ts";

const recording = openRecording(averageRecording());
const inspection = inspectRecording(recording);
const [crash] = inspection.frames;

function window(size: { before: number; after: number }, change: object = {}) {
  if (crash === undefined) throw new Error("the sample has frames");
  return sourceWindow(recording, { ...crash, ...change }, { size, values: inspection.values() });
}

test("puts values beside the lines of the function that have run", () => {
  const shown = window({ before: 4, after: 2 }).map(({ number, isCurrent, values }) => {
    const names = values.map((value) => value.name).join();
    return `${number}${isCurrent ? "*" : ""} ${names}`.trim();
  });
  // Line 5 mentions samples only in a comment; line 8 has not run.
  expect(shown).toEqual(["3", "4 samples", "5 total", "6 samples,total", "7* samples", "8", "9"]);
});

test("finds a source by the last part of its name", () => {
  expect(window({ before: 0, after: 0 }, { file: "C:\\build\\main.ts" })).toHaveLength(1);
  expect(window({ before: 0, after: 0 }, { file: "/srv/app/other.ts" })).toEqual([]);
});

test("gives no lines for a place outside the text", () => {
  expect(window({ before: 3, after: 3 }, { line: 4000 })).toEqual([]);
  expect(window({ before: 3, after: 3 }, { line: 0 })).toEqual([]);
});
