import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { wellFormed } from "../bytes/text.ts";
import { blake2b } from "./blake2b.ts";
import { toHex } from "./hex.ts";
import { sha1Hex } from "./sha1.ts";
import { sha256 } from "./sha256.ts";

function nodeHash(name: string, data: Uint8Array | string): string {
  return createHash(name).update(data).digest("hex");
}

const sizes = [0, 1, 55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 129, 1000, 100_000];

test.each(sizes)("hashes %i bytes as node:crypto does", (size) => {
  const bytes = Uint8Array.from({ length: size }, (_, i) => i * 7);
  const text = "ä".repeat(size >> 1) + "x".repeat(size & 1);
  expect(toHex(sha256(bytes))).toBe(nodeHash("sha256", bytes));
  expect(toHex(blake2b(bytes, 64))).toBe(nodeHash("blake2b512", bytes));
  expect(sha1Hex(text)).toBe(nodeHash("sha1", text));
});

test("hashes any text and bytes as node:crypto does", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.uint8Array({ maxLength: 300 }), (text, bytes) => {
      expect(sha1Hex(text)).toBe(nodeHash("sha1", wellFormed(text)));
      expect(toHex(sha256(bytes))).toBe(nodeHash("sha256", bytes));
      expect(toHex(blake2b(bytes, 64))).toBe(nodeHash("blake2b512", bytes));
    }),
  );
});

test("refuses digests that BLAKE2b does not have", () => {
  for (const size of [0, 65, 1.5])
    expect(() => blake2b(new Uint8Array(), size)).toThrow(RangeError);
});
