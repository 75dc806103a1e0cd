import { FlightError } from "@orangebox/format";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { parsePath } from "./parse-path.ts";

const member = (name: string) => ({ kind: "member", name });
const index = (position: number) => ({ kind: "index", index: position });

test.each([
  ["sets.evening", [member("sets"), member("evening")]],
  [
    "frames[0].order.lines[1]",
    [member("frames"), index(0), member("order"), member("lines"), index(1)],
  ],
  ["a.#pin", [member("a"), member("#pin")]],
  ["a?.b?.[0]", [member("a"), member("b"), index(0)]],
  ["list[-1]", [member("list"), index(-1)]],
  [`m["a \\"k\\" \\u{1f600}"]`, [member("m"), member('a "k" 😀')]],
  ["m['it\\'s']", [member("m"), member("it's")]],
  ["a[Symbol.iterator]", [member("a"), member("Symbol.iterator")]],
  ["a[Symbol(my key)]", [member("a"), member("Symbol(my key)")]],
  ["p[[Target]].x", [member("p"), { kind: "slot", name: "Target" }, member("x")]],
  ["  $this._x ", [member("$this"), member("_x")]],
])("reads %s", (text, expected) => {
  expect(parsePath(text)).toEqual(expected);
});

test.each(["", "a.", "a..b", "a[", "a[x]", "a b", ".a", "a['x", "1", "a[1.5]", "a-b"])(
  "refuses %j and says where",
  (text) => {
    expect(() => parsePath(text)).toThrow(/is no path: .* at character \d/);
  },
);

test("reads or refuses every text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from("ab.[]\"'\\#0-?Symbol(")) }),
      (text) => {
        expect(outcome(text)).toBe("read or refused");
      },
    ),
  );
});

function outcome(text: string): string {
  try {
    return parsePath(text).length > 0 ? "read or refused" : "read as nothing";
  } catch (error) {
    return error instanceof FlightError ? "read or refused" : String(error);
  }
}
