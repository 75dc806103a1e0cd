import { expect, test } from "vitest";

import { palette, wantsColor } from "./palette.ts";

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [true, { TERM: "dumb" }, false],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
])("a terminal (%s) with %j has colours: %s", (isTerminal, environment, expected) => {
  expect(wantsColor({ isTerminal, environment })).toBe(expected);
});

test("closes what it opens, and writes nothing around nothing", () => {
  const { red } = palette({ isTerminal: true, environment: {} });
  expect([red("a"), red("")]).toEqual(["\u001b[31ma\u001b[39m", ""]);
});
