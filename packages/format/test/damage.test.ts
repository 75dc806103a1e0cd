/** Files that were cut, altered, or made to hurt: reading must end, and say what is wrong. */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, isFlightError, openRecording } from "../src/index.ts";
import type { BlockInfo, OpenOptions, Recording } from "../src/index.ts";
import {
  closed,
  concat,
  entriesOf,
  everyBlock,
  footer,
  framed,
  fromHex,
  header,
  nodeCodec,
  uint32,
  valueBlock,
  written,
  zstd,
} from "./compose.ts";

const SAMPLES: [string, Uint8Array][] = [
  ["stored", everyBlock()],
  ["compressed", everyBlock({ codec: nodeCodec })],
];

/** Asks everything; a failure to answer is a failure of the test. */
function readAll(recording: Recording): void {
  recording.meta();
  recording.aliases();
  for (const node of recording.objects()) recording.objects().get(node.id);
  for (const event of recording.events()?.events ?? []) recording.events()?.codes.get(event.codeId);
  recording.verify({ digest });
}

const digest = {
  sha256: (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest(),
};

function openAll(bytes: Uint8Array, options: OpenOptions = {}): Recording | undefined {
  try {
    const recording = openRecording(bytes, options);
    readAll(recording);
    return recording;
  } catch (error) {
    if (!isFlightError(error)) throw error;
    return undefined;
  }
}

function endOf(info: BlockInfo): number {
  return info.offset + 5 + info.compressedBytes;
}

describe.each(SAMPLES)("a %s file", (_, sample) => {
  const whole = openRecording(sample);
  const bodyStart = whole.blocks[0]?.offset ?? 0;

  test("keeps whole blocks when cut at any byte", () => {
    for (let cutAt = bodyStart; cutAt < sample.length; cutAt++) {
      const recording = openRecording(sample.subarray(0, cutAt));
      const expected = whole.blocks.filter((info) => endOf(info) <= cutAt);
      expect(recording.blocks).toEqual(expected);
      const lastEnd = expected.at(-1);
      const onEdge = cutAt === (lastEnd === undefined ? bodyStart : endOf(lastEnd));
      const behindIndex = cutAt === sample.length - 8;
      expect(recording.status).toBe(onEdge || behindIndex ? "unsealed" : "partial");
      readAll(recording);
    }
  });

  test("is refused with a code when cut inside the header", () => {
    for (let cutAt = 0; cutAt < bodyStart; cutAt++) {
      const code = cutAt < 10 ? "FLIGHT_BAD_MAGIC" : "FLIGHT_BAD_HEADER";
      const open = (): Recording => openRecording(sample.subarray(0, cutAt));
      expect(open).toThrow(expect.objectContaining({ code }));
    }
  });

  test("says which blocks are missing when cut between two", () => {
    for (const [i, info] of whole.blocks.entries()) {
      if (i < 2) continue;
      const recording = openRecording(sample.subarray(0, info.offset));
      const missing = recording.problems.filter((problem) => problem.kind === "missing-block");
      expect(missing.length).toBe(whole.blocks.length - i);
    }
  });

  test("answers the same with a bit flipped, or names a problem", { timeout: 120_000 }, () => {
    const expected = answers(whole);
    const hidden: number[] = [];
    for (let bit = 0; bit < sample.length * 8; bit++) {
      const bytes = sample.slice();
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const recording = openAll(bytes);
      const silent = recording?.problems.length === 0;
      if (silent && !isDeepStrictEqual(answers(recording), expected)) hidden.push(bit);
      openAll(bytes, { salvage: true });
    }
    expect(hidden).toEqual([]);
  });
});

function answers(recording: Recording): unknown {
  return {
    header: recording.header,
    blocks: recording.blocks.map((info) => info.type),
    meta: recording.meta(),
    exceptions: recording.exceptions(),
    frames: recording.frames(),
    objects: [...recording.objects()],
    sources: recording.sources(),
    codes: [...(recording.events()?.codes ?? [])],
    events: recording.events()?.events.slice(),
    mutations: recording.mutations(),
    tape: recording.tape(),
  };
}

test("reads the same through a source of ranges", () => {
  const bytes = everyBlock({ codec: nodeCodec });
  const reads: number[] = [];
  const recording = openRecording(
    {
      sizeBytes: bytes.length,
      read(offset, length) {
        reads.push(length);
        return bytes.slice(offset, offset + length);
      },
    },
    { limits: { verifyOnOpenBytes: 0 } },
  );
  expect(recording.blocks).toEqual(openRecording(bytes).blocks);
  expect(recording.verify()).toEqual({ seal: "valid" });
  expect(recording.problems).toEqual([]);
});

describe("a source that fails", () => {
  const bytes = everyBlock();
  const failing = (from: number): Recording =>
    openRecording(
      {
        sizeBytes: bytes.length,
        read(offset, length) {
          if (offset >= from) throw new Error("disk gone");
          return bytes.subarray(offset, offset + length);
        },
      },
      { name: "x.flight" },
    );

  test("in the header is an error", () => {
    expect(() => failing(0)).toThrow(
      expect.objectContaining({
        code: "FLIGHT_READ",
        message: expect.stringContaining("disk gone"),
      }),
    );
  });

  test("behind the header is a problem", () => {
    const recording = failing(300);
    readAll(recording);
    expect(recording.status).toBe("partial");
    expect(recording.blocks.length).toBeGreaterThan(0);
    expect(recording.problems.some((problem) => problem.message.includes("disk gone"))).toBe(true);
  });

  test("by giving too little is a problem", () => {
    const short = openRecording({
      sizeBytes: bytes.length,
      read: (offset, length) =>
        bytes.subarray(offset, offset + (offset > 100 ? length - 1 : length)),
    });
    readAll(short);
    expect(short.problems.map((problem) => problem.kind)).toContain("no-footer");
  });
});

describe("the seal", () => {
  test("is valid for what was written", () => {
    expect(openRecording(everyBlock()).verify()).toEqual({ seal: "valid" });
  });

  test("is invalid when the header was altered", () => {
    const bytes = everyBlock();
    bytes[Buffer.from(bytes).indexOf("0.0.1")] = 0x39;
    const recording = openRecording(bytes);
    expect(recording.verify()).toEqual({ seal: "invalid" });
    expect(recording.problems[0]).toMatchObject({ kind: "seal-mismatch" });
  });

  test("is invalid when a payload was altered", () => {
    const bytes = everyBlock();
    bytes[Buffer.from(bytes).indexOf("boom")] = 0x7a;
    const recording = openRecording(bytes);
    expect(recording.status).toBe("sealed");
    expect(recording.verify()).toEqual({ seal: "invalid" });
    expect(recording.problems).toMatchObject([{ kind: "seal-mismatch", blockType: "EXCEPTION" }]);
  });

  test("is absent when it was never made", () => {
    const bytes = written((writer) => writer.close(), { sealable: false });
    expect(openRecording(bytes).verify()).toEqual({ seal: "absent" });
  });
});

test("finds a payload whose checksum does not match", () => {
  const bytes = everyBlock({ codec: nodeCodec });
  const [first] = openRecording(bytes).blocks;
  const at = (first?.offset ?? 0) + 5 + (first?.compressedBytes ?? 0) - 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  for (const options of [{}, { codec: nodeCodec }]) {
    const recording = openRecording(bytes, { ...options, salvage: true });
    expect(recording.status).toBe("salvaged");
    expect(recording.meta()).toBeUndefined();
    expect(recording.problems[0]?.message).toMatch(/checksum/i);
  }
});

describe("a bomb", () => {
  const MIB = 1024 * 1024;
  const zeros = zstd(new Uint8Array(64 * MIB), 1);

  test("whose index lists a block twenty times is expanded once at most", () => {
    const body = framed(0x42, zeros);
    const entries = Array.from({ length: 20 }, () => entriesOf([body])).flat();
    const recording = openRecording(concat(header(), body, footer(entries)), { codec: nodeCodec });
    expect(recording.blocks).toHaveLength(1);
    expect(recording.usedIndex).toBe(false);
  });

  test.each([{}, { codec: nodeCodec }])("stops at the limit of a block", (options) => {
    const limits = { blockBytes: MIB };
    const recording = openRecording(closed([framed(5, zeros)]), { ...options, limits });
    readAll(recording);
    expect(recording.objects().size).toBe(0);
    expect(recording.problems).toMatchObject([{ kind: "limit", blockType: "OBJECT" }]);
    expect(recording.status).toBe("sealed");
  });

  test.each([{}, { codec: nodeCodec }])("stops at the limit of a file", (options) => {
    const blocks = Array.from({ length: 4 }, () => framed(2, zeros));
    const limits = { fileBytes: 130 * MIB };
    const recording = openRecording(closed(blocks), { ...options, limits });
    recording.sources();
    const hit = recording.problems.filter((problem) => problem.kind === "limit");
    expect(hit).toHaveLength(2);
  });

  test("is mentioned when it is within the limits", () => {
    const blocks = Array.from({ length: 5 }, () => framed(0x42, zeros));
    const recording = openRecording(closed(blocks), { codec: nodeCodec });
    recording.verify();
    expect(recording.problems.map((problem) => problem.kind)).toEqual(["expansion"]);
  });

  test("that declares gigabytes is not believed", () => {
    const liar = fromHex("28b52ffda0ffffff7f010000");
    const recording = openRecording(closed([framed(5, liar)]));
    expect(recording.objects().size).toBe(0);
    const kinds = recording.problems.map((problem) => problem.kind);
    expect(kinds).toEqual(["index-disagrees", "damaged-block"]);
  });

  test("that wants a large window is refused, unless its content is small", () => {
    const small = fromHex("28b52ffd00b8010000");
    const recording = openRecording(closed([framed(0x42, small)]), { salvage: true });
    expect(recording.blocks).toHaveLength(1);
    const windowBytes = DEFAULT_LIMITS.windowBytes;
    expect(windowBytes).toBe(128 * MIB);
  });

  test("of nested lists ends at the limit of depth", () => {
    const deep = new Uint8Array(100_000).fill(0x91);
    for (const type of [3, 4, 5, 6, 7, 9, 0x7f]) {
      const recording = openRecording(closed([framed(type, zstd(deep))]));
      readAll(recording);
      expect(recording.problems.length).toBeLessThan(2);
    }
  });

  test("of tiny values ends at the limit of values", () => {
    const many = concat(fromHex("83a26e73a161a17601a464617461dd"), fromHex("00989680"));
    const payload = concat(many, new Uint8Array(10_000_000).fill(0x90));
    const recording = openRecording(closed([framed(0x7f, zstd(payload, 1))]));
    expect(recording.extensions()).toEqual([]);
    expect(recording.problems[0]).toMatchObject({ kind: "limit", blockType: "EXT" });
  });

  test("of records ends at the limit of records", () => {
    const rows = Array.from({ length: 100 }, () => ["E", "m", "head"]);
    const limits = { records: 50 };
    const recording = openRecording(closed([valueBlock(3, rows)]), { limits });
    expect(recording.exceptions()).toEqual([]);
    expect(recording.problems[0]).toMatchObject({ kind: "limit" });
  });

  test("of blocks ends at the limit of blocks", () => {
    const blocks = Array.from({ length: 100 }, () => valueBlock(2, []));
    const recording = openRecording(concat(header(), ...blocks), { limits: { blocks: 10 } });
    expect(recording.blocks).toHaveLength(10);
    expect(recording.problems.map((problem) => problem.kind)).toEqual(["no-footer", "limit"]);
  });

  test("of problems ends at the limit of problems", () => {
    const blocks = Array.from({ length: 100 }, () => valueBlock(2, 1));
    const recording = openRecording(closed(blocks), { limits: { problems: 10 } });
    recording.sources();
    expect(recording.problems).toHaveLength(11);
    expect(recording.problems.at(-1)?.message).toBe("further problems are not listed");
  });
});

test("keeps an EXT block that is not ours raw", () => {
  const recording = openRecording(closed([valueBlock(0x7f, [1, 2]), valueBlock(0x7f, { ns: 1 })]));
  expect(recording.extensions()).toEqual([
    { ns: "", version: 0, data: undefined, raw: fromHex("920102") },
    { ns: "", version: 0, data: undefined, raw: fromHex("81a26e7301") },
  ]);
});

test("takes a key named __proto__ for data", () => {
  const payload = fromHex("83a26e73a178a17601a46461746181a95f5f70726f746f5f5f81a16101");
  const [extension] = openRecording(closed([framed(0x7f, zstd(payload))])).extensions("x");
  expect(Object.keys(extension?.data ?? {})).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(extension?.data)).toBe(Object.prototype);
});

test("does not mind a trailer whose index has the wrong size", () => {
  const bytes = everyBlock();
  bytes.set(uint32(0), bytes.length - 8);
  expect(openRecording(bytes).status).toBe("unsealed");
});
