import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { averageRecording } from "../../test/average-recording.ts";
import { buildRecording, node } from "../../test/build-recording.ts";
import { inspectRecording } from "../inspect/inspection.ts";
import { resolvePath } from "./resolve-path.ts";

const average = inspectRecording(openRecording(averageRecording()));
const other = inspectRecording(
  openRecording(
    buildRecording({
      frames: [
        {
          file: "a.js",
          qualname: "f",
          line: 1,
          firstLine: 1,
          locals: { account: 1, map: 2, many: 3, proxy: 6 },
        },
      ],
      objects: [
        node(1, "object", {
          type: "Account",
          items: [
            ["#pin", 5],
            ["Symbol(s)", 4],
          ],
        }),
        node(2, "dict", {
          type: "Map",
          length: 3,
          items: [
            ["{…}", 4],
            ["7", 5],
            ["a", 4],
          ],
        }),
        node(3, "list", { length: 1000, truncated: true, items: [4, 5] }),
        node(4, "int", { repr: "4" }),
        node(5, "int", { repr: "7" }),
        node(6, "object", { repr: "Proxy", items: [["[[Target]]", 1]] }),
      ],
      extensions: { "node.mapkeys": [[2, [1, 5, 4]]] },
    }),
  ),
);

test.each([
  [average, "samples", 1, "frames[0].samples"],
  [average, "sets.evening", 1, "frames[1].sets.evening"],
  [average, "frames[2].sets.morning[1]", 8, "frames[2].sets.morning[1]"],
  [average, "frames[-1].sets.morning[-1]", 8, "frames[2].sets.morning[-1]"],
  [average, "reports[0].name", 10, "frames[1].reports[0].name"],
  [average, "objects[6][0]", 7, "objects[6][0]"],
  [average, "exceptions[0]", 12, "exceptions[0]"],
  [other, "account.#pin", 5, "frames[0].account.#pin"],
  [other, "account[Symbol(s)]", 4, "frames[0].account[Symbol(s)]"],
  [other, 'map["a"]', 4, "frames[0].map.a"],
  [other, "map[7]", 5, "frames[0].map[7]"],
  [other, "map[[Key0]].#pin", 5, "frames[0].map[[Key0]].#pin"],
  [other, "proxy[[Target]].#pin", 5, "frames[0].proxy[[Target]].#pin"],
])("finds what a path means (%#)", (inspection, path, id, whole) => {
  expect(resolvePath(inspection, path)).toMatchObject({ id, path: whole });
});

test("looks in one frame alone when it is named", () => {
  expect(resolvePath(average, "sets.evening", { frame: 2 })).toMatchObject({
    id: 1,
    path: "frames[2].sets.evening",
  });
  expect(resolvePath(average, "sets", { frame: -1 })).toMatchObject({ path: "frames[2].sets" });
  for (const [frame, path, message] of [
    [0, "sets", 'frame 0 has no local named "sets"'],
    [9, "sets", "there is no frame 9; the recording has 3"],
    [0, "objects[1]", "a path that begins with objects[1] cannot be looked for in frame 0"],
  ] as const)
    expect(() => resolvePath(average, path, { frame })).toThrow(message);
});

test.each([
  [average, "nothing", 'no frame has a local named "nothing"'],
  [average, "frames[9].x", "there is no frame 9; the recording has 3"],
  [average, "frames[0].x", "frame 0 has no local named x"],
  [average, "frames[0]", "frames[0] is a frame, not a value"],
  [average, "sets.noon", "frames[1].sets has no member noon"],
  [average, "sets.morning[2]", "frames[1].sets.morning has 2 items; there is no [2]"],
  [average, "exceptions[1]", "no object was recorded for exception 1"],
  [average, "objects[77].x", "objects[77] (object 77) is not in the recording"],
  [other, "many[5]", "frames[0].many[5] was not recorded: only the first 2 of 1000 items were"],
  [other, "many[-1]", "frames[0].many[-1] was not recorded: only the first 2 of 1000 items were"],
])("says why a path leads nowhere (%#)", (inspection, path, message) => {
  expect(() => resolvePath(inspection, path)).toThrow(message);
});
