/** What the writer writes is what the reader reads, whatever it is. */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BLOCK,
  RecordingWriter,
  isFlightError,
  openRecording,
  sha1Hex,
  wellFormed,
} from "../src/index.ts";
import type {
  Codec,
  EventRecord,
  ExceptionRecord,
  FrameRecord,
  Id,
  MutationRecord,
  ObjectNode,
  TapeRecord,
} from "../src/index.ts";
import { concat, everyBlock, nodeCodec, plainCodec, written } from "./compose.ts";

const U64 = 2n ** 64n - 1n;
const id = (): fc.Arbitrary<Id> =>
  fc
    .oneof(fc.nat(), fc.maxSafeNat(), fc.bigInt(0n, U64), fc.constantFrom(...EDGE_NUMBERS))
    .map((value) => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : BigInt(value)));
const EDGE_NUMBERS = [127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2n ** 53n, U64];
const text = (): fc.Arbitrary<string> => fc.string({ unit: "grapheme", maxLength: 50 });
const nullable = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arb);
const line = (): fc.Arbitrary<number> => fc.integer({ min: 0, max: 2 ** 32 - 1 });

const exception: fc.Arbitrary<ExceptionRecord> = fc.record({
  type: text(),
  message: text(),
  relation: text(),
});
const frame: fc.Arbitrary<FrameRecord> = fc.record({
  file: text(),
  qualname: text(),
  line: line(),
  firstLine: line(),
  locals: fc.array(fc.record({ name: text(), id: id() })),
});
const node: fc.Arbitrary<ObjectNode> = fc.record({
  id: id(),
  kind: text(),
  repr: nullable(text()),
  typeName: nullable(text()),
  length: nullable(id()),
  truncated: fc.boolean(),
  items: fc.array(fc.record({ key: nullable(text()), id: id() })),
});
const event: fc.Arbitrary<EventRecord> = fc.record({
  kind: fc.integer({ min: 0, max: 255 }),
  thread: fc.integer({ min: 0, max: 65_535 }),
  line: line(),
  codeId: id(),
  tstamp: id(),
});
const code = fc.record({ file: text(), qualname: text(), firstLine: line() });
const mutation: fc.Arbitrary<MutationRecord> = fc.record({
  seq: id(),
  kind: text(),
  name: text(),
  key: nullable(text()),
  value: fc.record({
    kind: text(),
    repr: nullable(text()),
    typeName: nullable(text()),
    length: nullable(id()),
  }),
  file: text(),
  qualname: text(),
  line: line(),
  frame: id(),
});
const tapeRow: fc.Arbitrary<TapeRecord> = fc.record({
  seq: id(),
  source: text(),
  tag: text(),
  payload: text(),
});

test("reads back every record that was written", () => {
  const content = fc.record({
    exceptions: fc.array(exception),
    frames: fc.array(frame),
    nodes: fc.uniqueArray(node, { selector: (value) => value.id }),
    codes: fc.uniqueArray(fc.tuple(id(), code), { selector: (entry) => entry[0] }),
    events: fc.array(event),
    wrapped: fc.boolean(),
    mutations: fc.array(mutation),
    tape: fc.array(tapeRow),
    codec: fc.constantFrom(plainCodec, nodeCodec),
  });
  fc.assert(
    fc.property(content, (all) => {
      const bytes = written(
        (writer) => {
          writer.exceptions(all.exceptions);
          writer.frames(all.frames);
          writer.objects(all.nodes);
          writer.events({ codes: all.codes, events: all.events, wrapped: all.wrapped });
          writer.mutations(all.mutations);
          writer.tape(all.tape);
          writer.close();
        },
        { codec: all.codec },
      );
      const recording = openRecording(bytes);
      expect(recording.status).toBe("sealed");
      expect(recording.exceptions()).toEqual(all.exceptions);
      expect(recording.frames()).toEqual(all.frames);
      expect([...recording.objects()]).toEqual(all.nodes);
      const ring = recording.events();
      expect([...(ring?.codes ?? [])]).toEqual(all.codes);
      expect(ring?.events.slice()).toEqual(all.events);
      expect([...(ring?.events ?? [])]).toEqual(all.events);
      expect(ring?.wrapped).toBe(all.wrapped);
      expect(recording.mutations()).toEqual(all.mutations);
      expect(recording.tape()).toEqual(all.tape);
    }),
    { numRuns: 150 },
  );
});

describe("writes at the edges of the forms", () => {
  test.each([0, 1, 31, 32, 255, 256, 65_535, 65_536])("a string of %i bytes", (size) => {
    for (const unit of ["a", "é", "€"]) {
      const width = Buffer.byteLength(unit);
      const value = unit.repeat(Math.floor(size / width)) + "a".repeat(size % width);
      const bytes = written((writer) => writer.source({ filename: value, text: value }));
      expect(openRecording(bytes).sources()).toEqual([
        { filename: value, sha1: sha1Hex(value), text: value },
      ]);
    }
  });

  test.each([0, 15, 16, 65_535, 65_536])("a list of %i records", (count) => {
    const rows = Array.from({ length: count }, (_, seq) => ({
      seq,
      source: "s",
      tag: "i",
      payload: "",
    }));
    const bytes = written((writer) => writer.tape(rows), { codec: nodeCodec });
    expect(openRecording(bytes).tape()).toEqual(rows);
    const lazily = written((writer) => writer.tape(new Set(rows)), { codec: nodeCodec });
    expect(lazily).toEqual(bytes);
  });

  test.each(EDGE_NUMBERS)("the number %s", (value) => {
    const nodes = [
      {
        id: value,
        kind: "x",
        repr: null,
        typeName: null,
        length: value,
        truncated: true,
        items: [],
      },
    ];
    const bytes = written((writer) => writer.objects(nodes));
    expect([...openRecording(bytes).objects()]).toEqual(nodes);
    expect(openRecording(bytes).objects().get(BigInt(value))).toEqual(nodes[0]);
  });

  test("10,000 events", () => {
    const events = Array.from({ length: 10_000 }, (_, tstamp) => ({
      kind: 1 + (tstamp % 6),
      thread: tstamp % 3,
      line: tstamp,
      codeId: tstamp % 50,
      tstamp,
    }));
    const bytes = written((writer) => writer.events({ codes: [], events, wrapped: true }));
    const ring = openRecording(bytes).events();
    expect(ring?.events.slice()).toEqual(events);
    expect(ring?.events.at(-1)).toEqual(events.at(-1));
    expect(ring?.events.slice(-3, -1)).toEqual(events.slice(-3, -1));
    expect(ring?.events.at(10_000)).toBeUndefined();
  });

  test("50 sources and one of 1 MiB", () => {
    const big = "0123456789abcdeé".repeat(65_536);
    const names = Array.from({ length: 50 }, (_, i) => `${i}.ts`);
    const bytes = written((writer) => {
      for (const filename of names) writer.source({ filename, text: filename });
      writer.source({ filename: "big.ts", text: big });
    });
    const sources = openRecording(bytes).sources();
    expect(sources.map((source) => source.filename)).toEqual([...names, "big.ts"]);
    expect(sources.at(-1)?.text).toBe(big);
  });
});

test("replaces lone surrogates and keeps pairs", () => {
  const cases = ["a\ud800", "\udc00b", "\ud83d\ude00", `${"x".repeat(40)}\ud800`];
  const rows = cases.map((payload, seq) => ({ seq, source: "s", tag: "s", payload }));
  const read = openRecording(written((writer) => writer.tape(rows))).tape();
  expect(read.map((row) => row.payload)).toEqual(cases.map(wellFormed));
});

test("ends a closed file with the trailer, which points to the index", () => {
  const bytes = everyBlock({ codec: nodeCodec });
  expect(Buffer.from(bytes.subarray(-4)).toString("latin1")).toBe("TLGF");
  const view = new DataView(bytes.buffer);
  const totalBytes = view.getUint32(bytes.length - 8, true);
  expect(bytes[bytes.length - 8 - totalBytes]).toBe(BLOCK.INDEX);
});

test("writes frames with a checksum", () => {
  for (const codec of [nodeCodec, undefined]) {
    const bytes = everyBlock(codec === undefined ? { codec: {} as Codec } : { codec });
    for (const info of openRecording(bytes).blocks) {
      const descriptor = bytes[info.offset + 5 + 4] ?? 0;
      expect(descriptor & 0x04).toBe(0x04);
    }
  }
});

test("leaves a file without footer readable at every moment", () => {
  const parts: Uint8Array[] = [];
  let flushes = 0;
  const sink = {
    write: (bytes: Uint8Array): void => void parts.push(bytes.slice()),
    flush: (): void => {
      flushes++;
      expect(openRecording(concat(...parts)).status).toBe("unsealed");
    },
  };
  const writer = new RecordingWriter(sink, { flightVersion: "1", createdUnixMs: 0 });
  writer.exceptions([]);
  writer.tape([]);
  expect(flushes).toBe(3);
  expect(writer.bytesWritten).toBe(concat(...parts).length);
});

test("keeps extra keys of META and what EXT blocks hold", () => {
  const data = { list: [1, -1, 1.5, true, null, "x"], bin: Uint8Array.of(1, 2), big: 2n ** 63n };
  const bytes = written((writer) => {
    writer.meta({
      pythonVersion: "node-v22",
      platform: "linux/x64",
      argv: [],
      cwd: "",
      flightVersion: "9",
      extra: { pid: 5, reason: "crash", none: undefined },
    });
    writer.extension("node.frames", 2, data, ["FRAME"]);
    writer.rawBlock(0x42, Uint8Array.of(7));
  });
  const recording = openRecording(bytes);
  expect(recording.meta()).toMatchObject({
    flightVersion: "9",
    extra: { pid: 5, reason: "crash" },
  });
  expect(recording.extensions("node.frames")).toEqual([
    { ns: "node.frames", version: 2, data, for: ["FRAME"] },
  ]);
  expect(recording.extensions("node.other")).toEqual([]);
  const unknown = recording.blocks.at(-1);
  expect(unknown?.name).toBe("UNKNOWN");
  expect(unknown && recording.payload(unknown)).toEqual(Uint8Array.of(7));
});

test("finds what several locals stand for", () => {
  const leaf = { repr: null, typeName: null, length: null, truncated: false, items: [] };
  const locals = [
    { name: "a", id: 0 },
    { name: "b", id: 1 },
  ];
  const bytes = written((writer) => {
    const place = { file: "a.js", qualname: "f", line: 1, firstLine: 1 };
    writer.frames([
      { ...place, locals },
      { ...place, locals: [...locals, { name: "c", id: 2 }] },
    ]);
    writer.objects([
      { ...leaf, id: 0, kind: "int" },
      { ...leaf, id: 1, kind: "list" },
      { ...leaf, id: 2, kind: "list" },
    ]);
  });
  const aliases = openRecording(bytes).aliases();
  expect([...aliases]).toEqual([
    [
      1,
      [
        { frame: 0, name: "b" },
        { frame: 1, name: "b" },
      ],
    ],
  ]);
});

function make(codec: Codec = plainCodec): RecordingWriter {
  return new RecordingWriter({ write: () => {} }, { flightVersion: "1", createdUnixMs: 0, codec });
}

describe("refuses", () => {
  test("a second block of which readers see only the first", () => {
    const writer = make();
    writer.frames([]);
    expect(() => writer.frames([])).toThrow("FRAME was written already");
    writer.source({ filename: "a", text: "" });
    writer.source({ filename: "b", text: "" });
  });

  test("anything after close, and anything but close after seal", () => {
    const writer = make();
    writer.seal();
    expect(() => writer.tape([])).toThrow("the recording is sealed");
    writer.close();
    expect(() => writer.close()).toThrow("the recording is closed");
  });

  test("a block of 4 GiB, and stays usable", () => {
    class Huge extends Uint8Array {
      override get length(): number {
        return 2 ** 32;
      }
    }
    let huge = true;
    const compress = (payload: Uint8Array): Uint8Array =>
      huge ? new Huge(1) : (plainCodec.compress?.(payload) ?? payload);
    const writer = make({ ...plainCodec, compress });
    const before = writer.bytesWritten;
    expect(() => writer.tape([])).toThrow(
      expect.objectContaining({ code: "FLIGHT_BLOCK_TOO_LARGE" }),
    );
    expect(writer.bytesWritten).toBe(before);
    huge = false;
    writer.tape([]);
    writer.close();
  });

  test("to go on when the sink has failed", () => {
    let full = false;
    const sink = {
      write(): void {
        if (full) throw new Error("ENOSPC: no space left on device");
      },
    };
    const writer = new RecordingWriter(sink, { flightVersion: "1", createdUnixMs: 0 });
    full = true;
    const write = (): void => writer.tape([]);
    expect(write).toThrow(
      expect.objectContaining({
        code: "FLIGHT_WRITE",
        message: expect.stringContaining("ENOSPC"),
        cause: expect.any(Error),
      }),
    );
    expect(write).toThrow("the recording is broken");
  });

  test("an index as a raw block, numbers that are none, and values that cannot be written", () => {
    const writer = make();
    expect(() => writer.rawBlock(BLOCK.INDEX, new Uint8Array())).toThrow(TypeError);
    expect(() => writer.rawBlock(256, new Uint8Array())).toThrow(TypeError);
    const row = { source: "", tag: "", payload: "" };
    for (const seq of [-1, 1.5, Number.NaN, 2 ** 53, -1n, 2n ** 64n]) {
      expect(() => writer.tape([{ ...row, seq }])).toThrow(RangeError);
    }
    expect(() => writer.extension("x", 1, { f: () => 1 })).toThrow(TypeError);
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => writer.extension("x", 1, cycle)).toThrow("contains itself");
    writer.extension("x", 1, {});
    writer.close();
  });
});

test("stores a payload that the codec cannot compress", () => {
  const codec: Codec = {
    ...plainCodec,
    compress() {
      throw new Error("out of memory");
    },
  };
  const bytes = everyBlock({ codec });
  expect(openRecording(bytes).verify()).toEqual({ seal: "valid" });
});

test("tells its errors apart without their class", () => {
  const copy = Object.assign(new Error("x"), { code: "FLIGHT_READ", hint: "y" });
  expect(isFlightError(copy)).toBe(true);
  expect(isFlightError(copy, "FLIGHT_READ")).toBe(true);
  expect(isFlightError(copy, "FLIGHT_WRITE")).toBe(false);
  expect(isFlightError(Object.assign(new Error("x"), { code: "ENOENT", hint: "y" }))).toBe(false);
  expect(isFlightError({ code: "FLIGHT_READ", hint: "y" })).toBe(false);
});
