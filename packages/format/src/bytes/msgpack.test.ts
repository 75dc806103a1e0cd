import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../digest/hex.ts";
import { decodeMsgpack, encodeMsgpack } from "./msgpack.ts";

const cases: [string, unknown, string][] = [
  ["null", null, "c0"],
  ["undefined as nil", undefined, "c0"],
  ["booleans", [false, true], "92c2c3"],
  ["the smallest integers", [0, 127, -1, -32], "94007fffe0"],
  ["8 bits", [128, 255, -33, -128], "94cc80ccffd0dfd080"],
  ["16 bits", [256, 65_535, -129, -32_768], "94cd0100cdffffd1ff7fd18000"],
  ["32 bits", [65_536, 2 ** 32 - 1], "92ce00010000ceffffffff"],
  ["negative 32 bits", [-32_769, -(2 ** 31)], "92d2ffff7fffd280000000"],
  ["64 bits", [2 ** 32, 2n ** 64n - 1n], "92cf0000000100000000cfffffffffffffffff"],
  ["negative 64 bits", [-(2 ** 31) - 1, -(2n ** 63n)], "92d3ffffffff7fffffffd38000000000000000"],
  ["bigints that fit, as numbers", [5n, -5n], "9205fb"],
  ["floats", [1.5, -0], "92cb3ff8000000000000cb8000000000000000"],
  ["text", "aé€😀", "aa61c3a9e282acf09f9880"],
  ["a lone surrogate", "\ud800", "a3efbfbd"],
  ["bytes", Uint8Array.of(1, 2), "c4020102"],
  ["typed arrays as lists", Uint32Array.of(1, 300), "9201cd012c"],
  ["maps and sets", new Map<unknown, unknown>([[1, new Set(["a"])]]), "810191a161"],
  ["objects without undefined", { a: 1, b: undefined }, "81a16101"],
];
test.each(cases)("writes %s", (_, value, hex) => {
  expect(toHex(encodeMsgpack(value))).toBe(hex);
});

test("reads back what it wrote", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constant(null),
      fc.boolean(),
      fc.maxSafeInteger(),
      fc.bigInt(2n ** 53n, 2n ** 64n - 1n),
      fc.bigInt(-(2n ** 63n), -(2n ** 53n)),
      fc.double().filter((number) => !Number.isSafeInteger(number) || Object.is(number, -0)),
      fc.string({ unit: "grapheme" }),
      fc.uint8Array({ maxLength: 300 }),
      fc.array(tie("value"), { maxLength: 40 }),
      fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), { noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(value, (original) => {
      expect(decodeMsgpack(encodeMsgpack(original))).toEqual(original);
    }),
    { numRuns: 1000 },
  );
});

function read(hex: string): unknown {
  return decodeMsgpack(Uint8Array.from(Buffer.from(hex, "hex")));
}

/** Returns the name of the error that `run` throws; undefined when it does not. */
function failureOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.name : "not an error";
  }
}

describe("reads", () => {
  test.each<[string, unknown]>([
    ["ca3fc00000", 1.5],
    ["81cd012c01", { "300": 1 }],
    ["c70301010203", { extType: 1, data: Uint8Array.of(1, 2, 3) }],
    ["d6ff00000001", { extType: -1, data: Uint8Array.of(0, 0, 0, 1) }],
    ["d905c3a9c3a961", "ééa"],
    ["01ff", 1],
  ])("%s", (hex, expected) => {
    expect(read(hex)).toEqual(expected);
  });

  test.each([
    ["", "ends"],
    ["c1", "ext value was expected"],
    ["a2c3", "beyond the end"],
    ["a1ff", "UTF-8"],
    ["dfffffffff", "beyond the end"],
    ["c6ffffffff", "beyond the end"],
    ["c9ffffffff01", "beyond the end"],
    ["8190c0", "a map key"],
    ["cd01", "beyond the end"],
    ["d3ffff", "beyond the end"],
  ])("%j not at all", (hex, message) => {
    expect(() => read(hex)).toThrow(message);
  });

  test("nothing beyond its limits", () => {
    const deep = Buffer.alloc(300, 0x91);
    expect(() => decodeMsgpack(deep)).toThrow("nested deeper than 256");
    expect(() => decodeMsgpack(encodeMsgpack([1, 2, 3]), { values: 3 })).toThrow("more than 3");
  });

  test("any bytes without failing in an unforeseen way", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect([undefined, "Undecodable"]).toContain(failureOf(() => decodeMsgpack(bytes)));
      }),
      { numRuns: 5000 },
    );
  });
});
