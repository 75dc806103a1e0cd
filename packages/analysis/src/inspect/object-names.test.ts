import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { averageRecording } from "../../test/average-recording.ts";
import { buildRecording, node } from "../../test/build-recording.ts";
import { strangeGraph, wideRecording } from "../../test/hostile-recording.ts";
import { inspectRecording } from "./inspection.ts";
import { findNames } from "./object-names.ts";

const average = inspectRecording(openRecording(averageRecording()));

test.each([
  [1, ["#0 samples", "#1 data", "#1 sets.evening"]],
  [8, ["#1 sets.morning[1]"]],
  [10, ["#1 reports[0].name"]],
  [12, ["exceptions[0]"]],
  [77, []],
])("finds every way to object %i", (id, expected) => {
  const { names, complete } = findNames(average, id, 20);
  expect(complete).toBe(true);
  expect(
    names.map(({ frame, path }) => (frame === undefined ? path : `#${frame} ${path}`)),
  ).toEqual(expected);
});

test("finds the keys of a Map, which is walked once", () => {
  const frame = { file: "a.js", qualname: "f", line: 1, firstLine: 1, locals: { a: 1, b: 1 } };
  const objects = [
    node(1, "dict", { type: "Map", length: 1, items: [["{…}", 3]] }),
    node(2, "dict", { length: 0 }),
    node(3, "dict", { length: 1, items: [["map", 1]] }),
  ];
  const bytes = buildRecording({
    frames: [frame],
    objects,
    extensions: { "node.mapkeys": [[1, [2]]] },
  });
  const inspection = inspectRecording(openRecording(bytes));
  expect(findNames(inspection, 2, 20).names).toEqual([{ frame: 0, path: "a[[Key0]]" }]);
});

test("ends at its limits and in cycles", () => {
  expect(findNames(average, 1, 2)).toMatchObject({ complete: false, names: [{}, {}] });
  const strange = inspectRecording(openRecording(strangeGraph()));
  expect(findNames(strange, 1, 20).names.length).toBeGreaterThan(0);
  const wide = inspectRecording(openRecording(wideRecording(30_000, 200_000)));
  expect(findNames(wide, 999_999_999, 20).names).toEqual([]);
});
