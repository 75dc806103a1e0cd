import * as fc from "fast-check";
import { expect, test } from "vitest";

import { clipText, quoteText, visibleText } from "./visible-text.ts";

// oxlint-disable-next-line no-control-regex -- that is what must be gone
const ACTING = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

test.each([
  ["\u001b[31m", String.raw`\u001b[31m`],
  ["a\nb\t\r", String.raw`a\nb\t\r`],
  ["\u202eevil\u2066", String.raw`\u202eevil\u2066`],
  ["\u009b31m", String.raw`\u009b31m`],
  ["\ud800", String.raw`\ud800`],
  ["\u{e0041}", String.raw`\u{e0041}`],
  ["Ünïcode 日本 👩‍👩‍👧", "Ünïcode 日本 👩‍👩‍👧"],
])("shows %j as %j", (text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

test("never lets through what acts on a display", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visibleText(text)).not.toMatch(ACTING);
    }),
  );
});

test("quotes so that JavaScript reads the same text again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(JSON.parse(quoteText(text).replaceAll("\\v", "\\u000b"))).toBe(text);
    }),
  );
});

test("never cuts a pair in two", () => {
  expect(clipText("ab😀cd", 4)).toBe("ab…");
  expect(clipText("ab", 2)).toBe("ab");
});
