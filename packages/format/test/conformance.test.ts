/** The reader cases of the specification: the answers of other readers, and what we say besides. */

import { describe, expect, test } from "vitest";
import { encodeMsgpack, openRecording } from "../src/index.ts";
import type { OpenOptions, Recording } from "../src/index.ts";
import {
  BODY_VALUES,
  META,
  block,
  bodyBlocks,
  bodyWith,
  closed,
  concat,
  entriesOf,
  framed,
  fromHex,
  header,
  nodeCodec,
  uint32,
  valueBlock,
  zstd,
} from "./compose.ts";
import type { Entry } from "./compose.ts";

const BLOCKS = bodyBlocks();
const BODY = closed(BLOCKS);
const OPEN_BODY = concat(header(), ...BLOCKS);
const ENTRIES = entriesOf(BLOCKS);

const codecs: [string, OpenOptions][] = [
  ["the codec in plain JavaScript", {}],
  ["node:zlib", { codec: nodeCodec }],
  ["nothing decompressed on opening", { limits: { verifyOnOpenBytes: 0 } }],
];

function kinds(recording: Recording): string[] {
  return recording.problems.map((problem) => problem.kind);
}

function types(recording: Recording): number[] {
  return recording.blocks.map((info) => info.type);
}

const ALL_TYPES = [1, 3, 4, 5, 6];

describe("refuses", () => {
  const cases: [string, Uint8Array, string, string][] = [
    ["an empty file", new Uint8Array(0), "FLIGHT_BAD_MAGIC", "is empty"],
    ["the magic only", BODY.subarray(0, 4), "FLIGHT_BAD_MAGIC", "has 4 bytes"],
    ["nine bytes", BODY.subarray(0, 9), "FLIGHT_BAD_MAGIC", "has 9 bytes"],
    ["another file", new TextEncoder().encode("hello, world"), "FLIGHT_BAD_MAGIC", "FLGT"],
    ["ten bytes", BODY.subarray(0, 10), "FLIGHT_BAD_HEADER", "is cut: 10 of 61 bytes"],
    ["a cut header", BODY.subarray(0, 60), "FLIGHT_BAD_HEADER", "is cut: 60 of 61 bytes"],
    ["version 2", concat(header(2), ...BLOCKS), "FLIGHT_BAD_VERSION", "has format version 2"],
    ["an empty header map", header(1, new Uint8Array(0)), "FLIGHT_BAD_HEADER", "cannot be read"],
    [
      "a header without a key",
      header(1, encodeMsgpack({ tool: "flight", created_unix_ms: 1 })),
      "FLIGHT_BAD_HEADER",
      "flight_version is missing",
    ],
  ];
  test.each(cases)("%s", (_, bytes, code, message) => {
    expect(() => openRecording(bytes, { name: "x.flight" })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
    expect(() => openRecording(bytes, { name: "x.flight" })).toThrow("x.flight");
  });
});

describe("takes a header", () => {
  const fields = { tool: "x", flight_version: "1", created_unix_ms: 5 };
  const expected = { tool: "x", flightVersion: "1", createdUnixMs: 5 };
  test.each([
    ["of version 0", header(0, encodeMsgpack(fields)), 0],
    ["with further keys", header(1, encodeMsgpack({ more: [1], ...fields })), 1],
    ["as an array", header(1, encodeMsgpack(["x", "1", 5])), 1],
    ["with bytes behind the map", header(1, concat(encodeMsgpack(fields), uint32(1))), 1],
  ])("%s", (_, bytes, version) => {
    const recording = openRecording(bytes);
    expect(recording.header).toEqual({ version, ...expected });
    expect(kinds(recording)).toEqual(version === 0 ? ["old-version", "no-footer"] : ["no-footer"]);
  });
});

/** Name, bytes, partial, usedIndex, types of the blocks, kinds of problems. */
type Case = [string, Uint8Array, boolean, boolean, number[], string[]];

const DAMAGED = [BLOCKS[0], BLOCKS[1], framed(4, fromHex("28b52ffd2003"))].filter(
  (bytes) => bytes !== undefined,
);
const WITH_DAMAGE = [...DAMAGED, ...BLOCKS.slice(3)];
const GARBAGE = [...BLOCKS.slice(0, 2), framed(4, fromHex("00112233445566")), ...BLOCKS.slice(3)];

describe.each(codecs)("finds blocks, with %s", (_, options) => {
  const cases: Case[] = [
    ["in a closed file", BODY, false, true, ALL_TYPES, []],
    ["without a footer", OPEN_BODY, false, false, ALL_TYPES, ["no-footer"]],
    ["in a header only", header(), false, false, [], ["no-footer"]],
    [
      "in a header and a byte",
      concat(header(), fromHex("01")),
      true,
      false,
      [],
      ["no-footer", "cut"],
    ],
    [
      "in a file cut in its last block",
      OPEN_BODY.subarray(0, -3),
      true,
      false,
      [1, 3, 4, 5],
      ["no-footer", "cut"],
    ],
    [
      "in a file cut behind a block",
      concat(header(), ...BLOCKS.slice(0, 3)),
      false,
      false,
      [1, 3, 4],
      ["no-footer"],
    ],
    ["with an index but no trailer", BODY.subarray(0, -8), false, false, ALL_TYPES, ["no-footer"]],
    [
      "with a trailer cut by a byte",
      BODY.subarray(0, -1),
      true,
      false,
      ALL_TYPES,
      ["no-footer", "cut"],
    ],
    [
      "with a byte behind the trailer",
      concat(BODY, fromHex("00")),
      true,
      false,
      ALL_TYPES,
      ["no-footer", "cut"],
    ],
    [
      "with a bad length in the trailer",
      concat(BODY.subarray(0, -8), uint32(7), fromHex("544c4746")),
      false,
      false,
      ALL_TYPES,
      ["no-footer"],
    ],
    [
      "with a length in the trailer that underflows",
      concat(BODY.subarray(0, -8), uint32(0xffff_ffff), fromHex("544c4746")),
      false,
      false,
      ALL_TYPES,
      ["no-footer"],
    ],
    [
      "with a wrong type in the index",
      closed(BLOCKS, [[9, 61, 1], ...ENTRIES.slice(1)]),
      false,
      false,
      ALL_TYPES,
      ["index-disagrees"],
    ],
    [
      "with a wrong size in the index",
      closed(
        BLOCKS,
        ENTRIES.map(([type, offset]): Entry => [type, offset, 1]),
      ),
      false,
      true,
      ALL_TYPES,
      ALL_TYPES.map(() => "index-disagrees"),
    ],
    [
      "with an index of the first two blocks",
      closed(BLOCKS, ENTRIES.slice(0, 2)),
      false,
      true,
      [1, 3],
      ["index-gap"],
    ],
    ["with an empty index", closed(BLOCKS, []), false, true, [], ["index-gap"]],
    [
      "with every entry twice (others list blocks twice)",
      closed(BLOCKS, [...ENTRIES, ...ENTRIES]),
      false,
      false,
      ALL_TYPES,
      ["no-footer"],
    ],
    [
      "with an entry repeated in place",
      closed(
        BLOCKS,
        ENTRIES.flatMap((entry) => [entry, entry]),
      ),
      false,
      false,
      ALL_TYPES,
      ["no-footer"],
    ],
    [
      "with an offset of 2^64 - 1 (others abort)",
      closed(BLOCKS, [...ENTRIES, [1, 0xffff_ffff_ffff_ffffn, 1]]),
      false,
      false,
      ALL_TYPES,
      ["no-footer"],
    ],
    [
      "with an offset of 2^53",
      closed(BLOCKS, [...ENTRIES, [1, 2 ** 53 - 1, 1]]),
      false,
      false,
      ALL_TYPES,
      ["no-footer"],
    ],
    [
      "with a payload that is no frame",
      closed(GARBAGE),
      true,
      false,
      [1, 3],
      ["index-disagrees", "damaged-block"],
    ],
    [
      "of unknown types",
      closed([...BLOCKS, valueBlock(0x42, [1]), valueBlock(0x7f, [1])]),
      false,
      true,
      [...ALL_TYPES, 0x42, 0x7f],
      [],
    ],
  ];
  test.each(cases)("%s", (_name, bytes, partial, usedIndex, expectedTypes, problems) => {
    const recording = openRecording(bytes, options);
    expect(types(recording)).toEqual(expectedTypes);
    expect(recording).toMatchObject({ partial, usedIndex });
    expect(recording.status).toBe(partial ? "partial" : usedIndex ? "sealed" : "unsealed");
    expect(kinds(recording)).toEqual(problems);
  });
});

describe("a damaged payload in the middle", () => {
  test("hides later blocks, as for other readers", () => {
    const recording = openRecording(closed(WITH_DAMAGE));
    expect(types(recording)).toEqual([1, 3]);
    expect(recording).toMatchObject({ status: "partial", partial: true, usedIndex: false });
    expect(kinds(recording)).toEqual(["index-disagrees", "damaged-block"]);
  });

  test("is passed over when salvaging, with the index", () => {
    const recording = openRecording(closed(WITH_DAMAGE), { salvage: true });
    expect(types(recording)).toEqual([1, 3, 5, 6]);
    expect(recording).toMatchObject({ status: "salvaged", partial: true, usedIndex: true });
    expect(recording.objects().size).toBe(2);
  });

  test("is passed over when salvaging, without an index", () => {
    const recording = openRecording(concat(header(), ...WITH_DAMAGE), { salvage: true });
    expect(types(recording)).toEqual([1, 3, 5, 6]);
    expect(recording).toMatchObject({ status: "salvaged", partial: true, usedIndex: false });
    expect(kinds(recording)).toEqual(["no-footer", "damaged-block"]);
  });

  test("is passed over when its length is wrong, too", () => {
    const wrong = BLOCKS.map((bytes) => bytes.slice());
    wrong[2]?.set(uint32(0x7fff_ffff), 1);
    const recording = openRecording(concat(header(), ...wrong), { salvage: true });
    expect(types(recording)).toEqual([1, 3, 5, 6]);
    expect(recording.status).toBe("salvaged");
  });

  test("shows in a large file when it is asked for", () => {
    const limits = { verifyOnOpenBytes: 0 };
    const recording = openRecording(closed(WITH_DAMAGE), { limits });
    expect(recording).toMatchObject({ status: "sealed", partial: false });
    expect(recording.frames()).toEqual([]);
    expect(recording).toMatchObject({ status: "salvaged", partial: true });
    expect(recording.objects().size).toBe(2);
    expect(kinds(recording)).toEqual(["damaged-block"]);
  });
});

test("cannot see a flipped byte in a stored payload without a checksum", () => {
  const bytes = closed([...BLOCKS, valueBlock(2, [["a.js", "00", "hello"]])]);
  const at = Buffer.from(bytes).indexOf("hello");
  bytes[at] = 0x6a;
  const recording = openRecording(bytes);
  expect(recording.status).toBe("sealed");
  expect(recording.sources()[0]?.text).toBe("jello");
});

function oneEvent(kind: unknown, thread: unknown = 0, line: unknown = 0): unknown {
  return [new Map([[1, ["a.js", "f", 1]]]), [[kind, thread, line, 1, 0]], false];
}

describe("answers for a block", () => {
  const frame = ["a.js", "f", 2, 1, []];
  const expectedFrame = { file: "a.js", qualname: "f", line: 2, firstLine: 1, locals: [] };
  const frameMap = { file: "a.js", qualname: "f", lineno: 2, first_lineno: 1, locals: [] };
  const undecodable = ["undecodable-block"];

  const frameCases: [string, unknown, unknown[], string[]][] = [
    ["whose record is too long", [[...frame, 1]], [], undecodable],
    ["whose record is too short", [frame.slice(0, 4)], [], undecodable],
    ["whose record is a map", [frameMap], [expectedFrame], []],
    ["with arrays and maps mixed", [frame, frameMap], [expectedFrame, expectedFrame], []],
    ["whose map has further keys", [{ ...frameMap, more: { a: [1] } }], [expectedFrame], []],
    ["whose map has integer keys", [new Map(frame.entries())], [expectedFrame], []],
    [
      "whose map lacks a key",
      [{ file: "a.js", qualname: "f", lineno: 2, locals: [] }],
      [],
      undecodable,
    ],
    [
      "whose map has a key twice",
      [new Map<unknown, unknown>([...Object.entries(frameMap), [0, "b.js"]])],
      [],
      undecodable,
    ],
    ["with bin instead of str", [[Buffer.from("a.js"), "f", 2, 1, []]], [expectedFrame], []],
    ["with invalid UTF-8", [[Uint8Array.of(0xff), "f", 2, 1, []]], [], undecodable],
    ["with a negative line", [["a.js", "f", -2, 1, []]], [], undecodable],
    ["with a float as line", [["a.js", "f", 2.5, 1, []]], [], undecodable],
    ["with a line of 2^32", [["a.js", "f", 2 ** 32, 1, []]], [], undecodable],
    ["that is no list", { a: 1 }, [], undecodable],
  ];
  test.each(frameCases)("%s", (_, value, expected, problems) => {
    const recording = openRecording(bodyWith(4, value));
    expect(recording.frames()).toEqual(expected);
    expect(kinds(recording)).toEqual(problems);
    expect(recording).toMatchObject({ status: "sealed", partial: false });
  });

  const ringCases: [string, unknown, number[] | undefined][] = [
    ["ring with an unknown kind", oneEvent(99), [99]],
    ["ring with kind 300", oneEvent(300), undefined],
    ["ring with thread 70,000", oneEvent(1, 70_000), undefined],
    ["ring with a negative line", oneEvent(1, 0, -1), undefined],
    ["ring with a float", oneEvent(1, 0, 1.5), undefined],
    ["ring of four fields", [new Map(), [], false, 1], undefined],
    ["ring whose codes are an array", [[], [], false], undefined],
    ["ring whose codes have text keys", [{ a: ["a.js", "f", 1] }, [], false], undefined],
    ["ring as a map", { codes: new Map(), events: [[1, 0, 0, 1, 0]], wrapped: true, x: 1 }, [1]],
    [
      "ring out of order",
      [
        new Map(),
        [
          [1, 0, 0, 1, 9],
          [2, 0, 0, 1, 3],
        ],
        false,
      ],
      [1, 2],
    ],
  ];
  test.each(ringCases)("%s", (_, value, expected) => {
    const recording = openRecording(bodyWith(6, value));
    const found = recording.events()?.events.slice();
    expect(found?.map((event) => event.kind)).toEqual(expected);
    expect(kinds(recording)).toEqual(expected === undefined ? undecodable : []);
  });

  test("with a signed form of an id", () => {
    const payload = fromHex("9197d30000000000000005a3696e74c0c0c0c290");
    const recording = openRecording(closed([block(5, payload)]));
    expect([...recording.objects().ids()]).toEqual([5]);
  });

  test("with ids beyond 2^53", () => {
    const id = 2n ** 60n;
    const big = [[id, "promise", null, null, 2n ** 64n - 1n, false, [[null, id]]]];
    const recording = openRecording(bodyWith(5, big));
    const expected = { id, kind: "promise", length: 2n ** 64n - 1n, items: [{ key: null, id }] };
    expect(recording.objects().get(id)).toMatchObject(expected);
  });

  test("with object maps that lack what is optional", () => {
    const recording = openRecording(
      bodyWith(5, [{ id: 0, kind: "int", truncated: false, items: [] }]),
    );
    expect([...recording.objects()]).toEqual([
      { id: 0, kind: "int", repr: null, typeName: null, length: null, truncated: false, items: [] },
    ]);
  });

  test("with an object id twice: the last counts", () => {
    const nodes = ["1", "2"].map((repr) => [0, "int", repr, null, null, false, []]);
    const recording = openRecording(bodyWith(5, nodes));
    expect(recording.objects().get(0)?.repr).toBe("2");
    expect(recording.objects().size).toBe(1);
    expect(kinds(recording)).toEqual(["duplicate-ids"]);
  });

  test("with an edge to nowhere", () => {
    const recording = openRecording(bodyWith(5, [[0, "list", null, null, 1, false, [[null, 7]]]]));
    expect(recording.objects().get(7)).toBeUndefined();
    expect(recording.problems[0]?.message).toBe("1 edges lead to no node, e.g. to 7");
  });

  test("of which there are two: the first counts", () => {
    const second = valueBlock(6, [new Map(), [], true]);
    const recording = openRecording(closed([...BLOCKS, second]));
    expect(recording.events()?.events.length).toBe(2);
    expect(kinds(recording)).toEqual(["repeated-block"]);
  });

  test("of which the first does not decode: nothing", () => {
    const blocks = [valueBlock(3, [[1]]), ...BLOCKS];
    const recording = openRecording(closed(blocks));
    expect(recording.exceptions()).toEqual([]);
    expect(kinds(recording)).toEqual(["repeated-block", "undecodable-block"]);
    expect(openRecording(closed(blocks), { salvage: true }).exceptions()).toHaveLength(2);
  });

  test("SOURCE, of which all count", () => {
    const sources = ["a", "b"].map((name) => valueBlock(2, [[name, "00", "text"]]));
    const recording = openRecording(closed(sources));
    expect(recording.sources().map((source) => source.filename)).toEqual(["a", "b"]);
    expect(recording.problems).toEqual([]);
  });

  test("with bytes behind the value", () => {
    const [type, value] = BODY_VALUES[2] ?? [0, null];
    const payload = concat(encodeMsgpack(value), Uint8Array.of(1, 2));
    const recording = openRecording(closed([block(type, payload)]));
    expect(recording.frames()).toHaveLength(1);
    expect(kinds(recording)).toEqual(["trailing-bytes"]);
  });

  test("with bytes behind the frame", () => {
    const [type, value] = BODY_VALUES[2] ?? [0, null];
    const frameBytes = zstd(encodeMsgpack(value));
    const recording = openRecording(closed([framed(type, concat(frameBytes, uint32(9)))]));
    expect(recording.frames()).toHaveLength(1);
    expect(kinds(recording)).toEqual(["trailing-bytes"]);
  });

  test("of two frames: only the first is read, so the value is cut", () => {
    const whole = encodeMsgpack(BODY_VALUES[2]?.[1]);
    const frames = concat(zstd(whole.subarray(0, 9)), zstd(whole.subarray(9)));
    const recording = openRecording(closed([framed(4, frames)]));
    expect(recording.frames()).toEqual([]);
    expect(recording.status).toBe("sealed");
  });

  test("with a skippable frame in front: damaged", () => {
    const skippable = concat(fromHex("502a4d1802000000ffff"), zstd(encodeMsgpack([])));
    const recording = openRecording(closed([framed(4, skippable)]));
    expect(recording.status).toBe("partial");
    expect(recording.blocks).toEqual([]);
  });

  test("that promises 2^32 - 1 records, without a spike", () => {
    const recording = openRecording(closed([block(5, fromHex("ddffffffff"))]));
    expect(recording.objects().size).toBe(0);
    expect(kinds(recording)).toEqual(["undecodable-block"]);
  });
});

describe("META", () => {
  const cases: [string, unknown, object | undefined][] = [
    ["as an array", Object.values(META), { cwd: "/w", extra: {} }],
    ["with a further key", { ...META, pid: 7 }, { cwd: "/w", extra: { pid: 7 } }],
    ["without a key", { ...META, cwd: undefined }, undefined],
    ["as an array that is too long", [...Object.values(META), 1], undefined],
  ];
  test.each(cases)("%s", (_, value, expected) => {
    const meta = openRecording(bodyWith(1, value)).meta();
    expect(meta && { cwd: meta.cwd, extra: meta.extra }).toEqual(expected);
  });
});

describe("salvaging a list", () => {
  const good = ["Error", "m", "head"];
  test.each([
    ["drops a field too many", [[...good, 1]], 1, []],
    ["drops records that make no sense", [good, [1, 2, 3], good], 2, ["skipped-records"]],
    ["drops records that are too short", [good, ["x"]], 1, ["skipped-records"]],
  ])("%s", (_, value, count, problems) => {
    const recording = openRecording(bodyWith(3, value), { salvage: true });
    expect(recording.exceptions()).toHaveLength(count);
    expect(kinds(recording)).toEqual(problems);
  });

  test("keeps the records before a torn value", () => {
    const payload = concat(fromHex("93"), encodeMsgpack(good), fromHex("93a5"));
    const recording = openRecording(closed([block(3, payload)]), { salvage: true });
    expect(recording.exceptions()).toHaveLength(1);
    expect(kinds(recording)).toEqual(["skipped-records"]);
  });
});
