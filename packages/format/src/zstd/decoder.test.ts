import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decompressFrame } from "./decoder.ts";
import { measureFrame } from "./frame-header.ts";
import { storedFrame } from "./stored-frame.ts";
import { xxh64Hex } from "./xxh64.ts";

const options = { maxOutputBytes: 1 << 28 };

/** A repeatable source of numbers below 2^32. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}

/** Bytes of a given character: the fewer symbols and the more repeats, the better they compress. */
function sample(seed: number, size: number, symbols: number, repeats: number): Uint8Array {
  const next = numbers(seed);
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    if (at > 8 && (next() >>> 8) % 100 < repeats) {
      const distance = 1 + ((next() >>> 4) % Math.min(at, 100_000));
      const length = 3 + ((next() >>> 9) % 300);
      for (let i = 0; i < length && at < size; i++, at++) bytes[at] = bytes[at - distance] ?? 0;
    } else {
      const skew = (next() >>> 16) % 256;
      bytes[at++] = Math.floor((skew * skew * symbols) / 65_536);
    }
  }
  return bytes;
}

const LEVELS = [-7, -1, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 18, 19, 20, 22];
const SIZES = [0, 1, 5, 63, 300, 4096, 70_000, 131_073, 300_000];

describe.each(LEVELS)("at level %i", (level) => {
  test.each(SIZES)("decodes what zstd made of %i bytes", (size) => {
    for (const [symbols, repeats] of [
      [256, 0],
      [256, 50],
      [40, 10],
      [4, 1],
      [2, 60],
      [1, 0],
    ] as const) {
      const content = sample(size + level + symbols, size, symbols, repeats);
      const params = {
        [constants.ZSTD_c_compressionLevel]: level,
        [constants.ZSTD_c_checksumFlag]: size & 1,
        [constants.ZSTD_c_contentSizeFlag]: level & 1,
      };
      const frame = zstdCompressSync(content, { params });
      const decoded = decompressFrame(frame, options);
      expect(Buffer.compare(decoded, content)).toBe(0);
      expect(measureFrame(frame).frameBytes).toBe(frame.length);
    }
  });
});

test.each([10, 14, 17, 21, 23])("decodes windows of 2^%i bytes", (windowLog) => {
  const content = sample(windowLog, 3_000_000, 100, 40);
  const params = {
    [constants.ZSTD_c_windowLog]: windowLog,
    [constants.ZSTD_c_checksumFlag]: 1,
    [constants.ZSTD_c_enableLongDistanceMatching]: windowLog > 20 ? 1 : 0,
  };
  const decoded = decompressFrame(zstdCompressSync(content, { params }), options);
  expect(Buffer.compare(decoded, content)).toBe(0);
});

test("decodes what zstd made of any bytes", () => {
  const input = fc.oneof(
    fc.uint8Array({ maxLength: 2000 }),
    fc.string({ unit: "grapheme", maxLength: 2000 }).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(input, fc.constantFrom(...LEVELS), (content, level) => {
      const params = { [constants.ZSTD_c_compressionLevel]: level };
      const decoded = decompressFrame(zstdCompressSync(content, { params }), options);
      expect(Buffer.compare(decoded, content)).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test("agrees with zstd on damaged frames, and ends", () => {
  const content = sample(7, 3000, 60, 30);
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  const frame = zstdCompressSync(content, { params });
  for (let bit = 0; bit < frame.length * 8; bit += 3) {
    const altered = Uint8Array.from(frame);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const ours = attempt(() => decompressFrame(altered, { maxOutputBytes: 1 << 20 }));
    const theirs = attempt(() => zstdDecompressSync(altered, { maxOutputLength: 1 << 20 }));
    // Without its checksum flag a frame has bytes to spare, which zlib minds and we do not.
    const results = [ours ?? theirs ?? content, theirs ?? ours ?? content, content];
    expect(new Set(results.map((bytes) => Buffer.from(bytes).toString("base64"))).size).toBe(1);
    expect(ours === undefined && theirs !== undefined).toBe(false);
  }
});

function attempt(run: () => Uint8Array): Uint8Array | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** Returns the name of the error that decompressing throws; undefined when it does not. */
function failureOf(frame: Uint8Array): string | undefined {
  try {
    decompressFrame(frame, { maxOutputBytes: 1 << 20 });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.name : "not an error";
  }
}

test("never fails in an unforeseen way on noise behind a head", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
      const frame = Buffer.concat([Buffer.from("28b52ffd0058", "hex"), noise]);
      expect([undefined, "Undecodable"]).toContain(failureOf(frame));
    }),
    { numRuns: 3000 },
  );
});

test.each([0, 1, 65_535, 65_536, 65_537, 200_000])("stores %i bytes as zstd can read", (size) => {
  const content = sample(1, size, 256, 0);
  for (const checksum of [false, true]) {
    const frame = storedFrame(content, { checksum });
    expect(Buffer.compare(zstdDecompressSync(frame), content)).toBe(0);
    expect(Buffer.compare(decompressFrame(frame, options), content)).toBe(0);
  }
});

test("gives large stored content a window of its own", () => {
  const content = new Uint8Array(128 * 1024 * 1024);
  const frame = storedFrame(content, { checksum: false });
  expect(measureFrame(frame)).toMatchObject({
    windowBytes: 131_072,
    contentBytes: content.length,
    frameBytes: frame.length,
  });
  expect(zstdDecompressSync(frame).length).toBe(content.length);
});

test("notices a checksum that does not match", () => {
  const frame = storedFrame(new TextEncoder().encode("hello"));
  frame[frame.length - 6] = 0x21;
  expect(() => decompressFrame(frame, options)).toThrow("checksum");
});

test.each([
  ["28b52ffd0458010000", "the frame is cut"],
  ["28b52ffd0858010000", "a reserved bit"],
  ["28b52ffd015801010000", "dictionary"],
  ["28b52ffd0058070000", "the reserved kind"],
  ["28b52ffd0058", "the frame is cut"],
  ["28b52ffd00", "shorter than its head"],
  ["502a4d1802000000ffff", "a skippable frame"],
  ["28b52ffd200209000061", "another size"],
])("refuses %s", (hex, message) => {
  const frame = Buffer.from(hex, "hex");
  expect(() => decompressFrame(frame, options)).toThrow(message);
});

test("stops at the limit, whatever the head declares", () => {
  const frame = zstdCompressSync(new Uint8Array(1_000_000));
  expect(() => decompressFrame(frame, { maxOutputBytes: 999_999 })).toThrow("larger than 999999");
  expect(decompressFrame(frame, { maxOutputBytes: 1_000_000 }).length).toBe(1_000_000);
});

test.each([
  ["", "ef46db3751d8e999"],
  ["a", "d24ec4f1a98c6e5b"],
  ["abc", "44bc2cf5ad770999"],
  ["The quick brown fox jumps over the lazy dog", "0b242d361fda71bc"],
])("has the XXH64 of %j", (text, expected) => {
  expect(xxh64Hex(new TextEncoder().encode(text))).toBe(expected);
});
