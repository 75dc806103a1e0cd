import fc from "fast-check";
import { expect, test } from "vitest";
import { textHash } from "./text-hash.ts";

test("is 32 hexadecimal digits, and the same for the same text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(textHash(text)).toMatch(/^[0-9a-f]{32}$/);
      expect(textHash(text)).toBe(textHash(`${text}x`.slice(0, -1)));
    }),
  );
});

test("tells apart texts that differ in one unit, in order, or in length", () => {
  const seen = new Set<string>();
  const base = "function f(a, b) { return a + b; }\n".repeat(20);
  for (let i = 0; i < base.length; i++) {
    for (let bit = 0; bit < 7; bit++) {
      const unit = base.charCodeAt(i) ^ (1 << bit);
      seen.add(textHash(base.slice(0, i) + String.fromCharCode(unit) + base.slice(i + 1)));
    }
  }
  expect(seen.size).toBe(base.length * 7);
  expect(textHash("ab")).not.toBe(textHash("ba"));
  expect(textHash("")).not.toBe(textHash("\0"));
  expect(textHash("\0")).not.toBe(textHash("\0\0"));
});
