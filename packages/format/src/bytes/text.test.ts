import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assertUtf8, decodeUtf8 } from "./text.ts";

function isAccepted(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    // Only whether it is accepted is compared.
    return false;
  }
}

/** Compares both functions with the platform on bytes that stand inside others. */
function expectAgreement(text: Uint8Array): void {
  const bytes = Uint8Array.from([0x41, ...text, 0x80]);
  const [from, to] = [1, bytes.length - 1];
  const platform = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const expected = isAccepted(() => platform.decode(text));
  expect(isAccepted(() => assertUtf8(bytes, from, to))).toBe(expected);
  expect(isAccepted(() => decodeUtf8(bytes, from, to))).toBe(expected);
}

test("accepts exactly the sequences that the platform accepts", () => {
  for (let first = 0; first < 256; first++) {
    for (const second of [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0]) {
      expectAgreement(Uint8Array.of(first));
      expectAgreement(Uint8Array.of(first, second));
      expectAgreement(Uint8Array.of(first, second, 0x80));
      expectAgreement(Uint8Array.of(first, second, 0xbf, 0x80));
    }
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 8 }), expectAgreement), { numRuns: 2000 });
});

test("decodes any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (text) => {
      const bytes = new TextEncoder().encode(text);
      expect(decodeUtf8(bytes, 0, bytes.length)).toBe(text);
      expect(decodeUtf8(bytes, 0, bytes.length)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});
