import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ageChunkNonce,
  encodeAgeHeader,
  findAgeHeaderEnd,
  isAgeFile,
  parseAgeRecipient,
} from "./age-file.ts";
import { encodeBase64 } from "./base64.ts";
import { decodeBech32 } from "./bech32.ts";
import { encryptedForm } from "./encrypted-form.ts";

/** From the examples of the age tool, and its secret key. */
const RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
const IDENTITY = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";

describe("Bech32", () => {
  test.each([
    ["A12UEL5L", "a", 0],
    [
      "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
      "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio",
      0,
    ],
    [IDENTITY, "age-secret-key-", 32],
    [RECIPIENT, "age", 32],
  ])("decodes %s", (text, prefix, sizeBytes) => {
    const decoded = decodeBech32(text);
    expect(decoded?.prefix).toBe(prefix);
    expect(decoded?.bytes.length).toBe(sizeBytes);
  });

  test.each([
    ["nothing", ""],
    ["no separator", "pzry9x0s0muk"],
    ["no prefix", "1pzry9x0s0muk"],
    ["a letter that is no digit", "x1b4n0q5v"],
    ["a checksum that is too short", "li1dgmt3"],
    ["two cases", `${RECIPIENT.slice(0, -1)}${RECIPIENT.slice(-1).toUpperCase()}`],
    ["a text beyond every key", `age1${"q".repeat(9000)}`],
  ])("refuses %s", (_, text) => expect(decodeBech32(text)).toBeUndefined());

  test("finds every mistake in one or two characters", () => {
    const digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const place = fc.nat(RECIPIENT.length - 5).map((at) => at + 4);
    const slip = fc.tuple(place, fc.constantFrom(...digits.split("")));
    fc.assert(
      fc.property(fc.array(slip, { minLength: 1, maxLength: 2 }), (slips) => {
        const characters = RECIPIENT.split("");
        for (const [at, digit] of slips) characters[at] = digit;
        const text = characters.join("");
        fc.pre(text !== RECIPIENT);
        expect(decodeBech32(text)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a public key", () => {
  test("has 32 bytes", () => expect(parseAgeRecipient(RECIPIENT)?.length).toBe(32));
  test.each([
    ["a secret key", IDENTITY],
    ["a misspelt one", RECIPIENT.replace("zvky", "zvkx")],
    ["one of another kind", "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e"],
    ["any text", "ada@example.org"],
  ])("is not %s", (_, text) => expect(parseAgeRecipient(text)).toBeUndefined());
});

test("base64 is that of Node, without padding", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const expected = Buffer.from(bytes).toString("base64").replaceAll("=", "");
      expect(encodeBase64(bytes)).toBe(expected);
    }),
  );
});

test("a header has one line for 48 bytes, and a short one at the end of a body", () => {
  const header = encodeAgeHeader([
    { args: ["a", "1"], body: new Uint8Array(0) },
    { args: ["b"], body: new Uint8Array(48) },
    { args: ["c"], body: new Uint8Array(49) },
  ]);
  const full = "A".repeat(64);
  expect(header).toBe(`age-encryption.org/v1\n-> a 1\n\n-> b\n${full}\n\n-> c\n${full}\nAA\n---`);
  const file = utf8(`${header} ${"m".repeat(43)}\n\u0001\u0002`);
  expect(findAgeHeaderEnd(file)).toBe(file.length - 2);
  expect(findAgeHeaderEnd(file.subarray(0, -3))).toBeUndefined();
});

test("a nonce counts chunks in eleven bytes and marks the last", () => {
  expect([...ageChunkNonce(0, "before-last")]).toEqual(Array.from({ length: 12 }, () => 0));
  expect([...ageChunkNonce(258, "last")]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1]);
  const large = 2 ** 40 + 5;
  expect([...ageChunkNonce(large, "before-last")]).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0]);
});

test("encrypted files are told by their first ten bytes", () => {
  expect(encryptedForm(utf8("age-encryption.org/v1\n"))).toBe("age");
  expect(encryptedForm(utf8("age-encryp"))).toBe("age");
  expect(encryptedForm(utf8("FLGTENC1xx"))).toBe("envelope");
  for (const text of ["", "age-encry", "age-encryption.org/v2\n", "FLGT\u0001\u0000aaaa"]) {
    expect(encryptedForm(utf8(text))).toBeUndefined();
  }
  expect(isAgeFile(utf8("age-encryption.org/v1\r\n"))).toBe(false);
});

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
