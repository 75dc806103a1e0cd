import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { averageRecording } from "../../test/average-recording.ts";
import { inspectRecording } from "../inspect/inspection.ts";
import { searchRecording } from "./search-recording.ts";

const inspection = inspectRecording(openRecording(averageRecording()));

test.each([
  ["NO SAMPLES", ["exception exceptions[0]", "value objects[12]"]],
  ["summarize", ["frame frames[1]"]],
  ["evening", ["value frames[1].name", "name frames[1].sets.evening"]],
  ["rangeerror", ["exception exceptions[0]", "value objects[12]"]],
  ["absent", []],
  ["", []],
])("finds %j", (text, expected) => {
  const { hits } = searchRecording(inspection, text, 50);
  expect(hits.map(({ kind, where }) => `${kind} ${where}`)).toEqual(expected);
});

test("stops at the limit and says so", () => {
  expect(searchRecording(inspection, "m", 2)).toMatchObject({
    complete: false,
    hits: { length: 2 },
  });
});
