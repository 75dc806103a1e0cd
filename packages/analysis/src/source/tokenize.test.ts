import * as fc from "fast-check";
import { expect, test } from "vitest";

import { identifiers } from "./tokenize.ts";

function variables(text: string): string[] {
  return [...identifiers(text)].filter((token) => !token.isProperty).map((token) => token.name);
}

test.each([
  ["a.b?.c + d", ["a", "d"]],
  ["f(...rest, [...xs])", ["f", "rest", "xs"]],
  ["'a' + \"b\" + c // d\n/* e */ g", ["c", "g"]],
  ["`x ${a + `y ${b} z`} w ${ {k: c}.k } q` + d", ["a", "b", "k", "c", "d"]],
  ["a / b / c", ["a", "b", "c"]],
  ["x = /a[/]b/g.test(y)", ["x", "y"]],
  ["return /re/ + z", ["return", "z"]],
  ["(a) / b / c", ["a", "b", "c"]],
  ["0x1f + 1e-5 + .5 + 10n + a1", ["a1"]],
  ["this.#pin + #pin in o", ["this", "#pin", "in", "o"]],
  ["'unclosed\n a", ["a"]],
  ["`unclosed ${a", ["a"]],
  ["#!/usr/bin/env node\na", ["a"]],
  ["café + 名前 + $x + _y", ["café", "名前", "$x", "_y"]],
])("finds the variables of %j", (text, expected) => {
  expect(variables(text)).toEqual(expected);
});

test("ends for every text, with tokens where they say", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from("`${}/'\"\\*.#ab \n")) }),
      (text) => {
        for (const { name, start } of identifiers(text))
          expect(text.slice(start, start + name.length)).toBe(name);
      },
    ),
  );
});
