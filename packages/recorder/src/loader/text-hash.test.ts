import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesHash, textHash } from "./text-hash.ts";

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

test("a text and its bytes on disk have the same hash, wherever the bytes lie", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), fc.nat(7), (text, shift) => {
      const bytes = Buffer.from(text);
      const moved = Buffer.alloc(shift + bytes.length);
      bytes.copy(moved, shift);
      expect(bytesHash(moved.subarray(shift))).toBe(textHash(text));
    }),
  );
});

test("half a character is not the character that replaces it", () => {
  expect(textHash("\ud800")).not.toBe(textHash("\ufffd"));
  expect(textHash("\ud800")).not.toBe(textHash("\ud801"));
});

test("every bit of a long text counts", () => {
  const bytes = new Uint8Array(4000).map((_, index) => index * 7);
  const seen = new Set([bytesHash(bytes)]);
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      seen.add(bytesHash(bytes));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    }
  }
  expect(seen.size).toBe(bytes.length * 8 + 1);
});
