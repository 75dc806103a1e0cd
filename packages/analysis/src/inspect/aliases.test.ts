import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { buildRecording, node } from "../../test/build-recording.ts";
import { findAliases } from "./aliases.ts";
import { inspectRecording } from "./inspection.ts";

function names(
  locals: readonly Readonly<Record<string, number>>[],
  objects: ReturnType<typeof node>[],
): Record<string, string[]> {
  const frames = locals.map((own, index) => ({
    file: "a.js",
    qualname: `f${index}`,
    line: 1,
    firstLine: 1,
    locals: own,
  }));
  const inspection = inspectRecording(openRecording(buildRecording({ frames, objects })));
  const found = findAliases(inspection.frames, inspection.values());
  return Object.fromEntries(
    [...found].map(([id, alias]) => [id, alias.names.map((name) => `#${name.frame} ${name.path}`)]),
  );
}

const list = node(1, "list", { length: 0 });

test("finds two locals of one frame, of two frames, and members of locals", () => {
  expect(names([{ a: 1, b: 1 }], [list])).toEqual({ "1": ["#0 a", "#0 b"] });
  expect(names([{ a: 1 }, { b: 1 }], [list])).toEqual({ "1": ["#0 a", "#1 b"] });
  const owner = node(2, "dict", { length: 1, items: [["in", 3]] });
  const inner = node(3, "list", { length: 1, items: [1] });
  expect(names([{ a: 1 }, { o: 2 }], [list, owner, inner])).toEqual({
    "1": ["#0 a", "#1 o.in[0]"],
  });
});

test("does not take a cycle for another name", () => {
  const cycle = node(1, "dict", { length: 1, items: [["self", 1]] });
  expect(names([{ a: 1 }], [cycle])).toEqual({});
});

test("leaves out what no local means", () => {
  const pair = node(2, "list", { length: 2, items: [1, 1] });
  expect(names([{ pair: 2 }], [list, pair])).toEqual({});
});
