import { expect, test } from "vitest";

import { cutToWidth, textWidth } from "./text-width.ts";

test.each([
  ["abc", 3],
  ["日本語", 6],
  ["ｆｕｌｌ", 8],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["🇨🇭", 2],
  ["한국", 4],
  ["\u001b[31mred\u001b[39m", 3],
  ["", 0],
  ["→…↔", 3],
])("%j is %i columns wide", (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test.each([
  ["abcdef", 4, "abc…"],
  ["abcd", 4, "abcd"],
  ["日本語", 4, "日…"],
  ["日本語", 5, "日本…"],
  ["\u001b[31mabcdef\u001b[39m", 4, "\u001b[31mabc…\u001b[39m"],
  ["\u001b[31mab\u001b[39mcdef", 4, "\u001b[31mab\u001b[39mc…"],
])("cuts %j to %i columns", (text, columns, expected) => {
  expect(cutToWidth(text, columns)).toBe(expected);
});
