/**
 * Feeds altered recordings to the reader until the time is up, and stops at the first surprise.
 *
 * A surprise is an error that is not documented, an answer that takes too long, content beyond the
 * bounds without a problem that says so, or two codecs that disagree. Prints its seed: the same
 * seed gives the same inputs. A failing input is saved and can be replayed with `--file`.
 *
 *   npm run fuzz -- --minutes 10 --seed 1
 */

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as zlib from "node:zlib";
import {
  decodeMsgpack,
  encodeMsgpack,
  isFlightError,
  openRecording,
  pureCodec,
  RecordingWriter,
  storedFrame,
  zlibCodec,
} from "../packages/format/src/index.ts";
import type { Codec, Recording, WriterOptions } from "../packages/format/src/index.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    file: { type: "string" },
  },
});

const MAX_INPUT_MS = 5_000;
const MAX_SILENT_BYTES = 256 * 1024 * 1024;
const TYPES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0x70, 0x7f, 0x42, 0];
const ALLOWED = [
  "FLIGHT_BAD_MAGIC",
  "FLIGHT_BAD_HEADER",
  "FLIGHT_BAD_VERSION",
  "FLIGHT_ENCRYPTED",
] as const;

/** Repeatable random numbers (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000) * limit);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError("there is nothing to pick from");
    return item;
  }
}

/** A block as the fuzzer keeps it: its type and its payload, decompressed. */
interface Part {
  type: number;
  payload: Uint8Array;
}

const nodeCodec = zlibCodec(zlib);
const digest = {
  sha256: (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest(),
};

function corpus(): Uint8Array[] {
  const sample = new URL(
    "../packages/format/test/samples/other-recorder-ring.flight",
    import.meta.url,
  );
  const options = { flightVersion: "0.0.1", createdUnixMs: 1 };
  return [
    Uint8Array.from(readFileSync(sample)),
    record(options, 3),
    record({ ...options, codec: nodeCodec }, 3),
    record({ ...options, codec: nodeCodec }, 100),
    record(
      { ...options, codec: { ...pureCodec, compress: (p) => storedFrame(p, { checksum: false }) } },
      20,
    ),
  ];
}

function record(options: WriterOptions, size: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  const writer = new RecordingWriter(
    { write: (bytes) => void chunks.push(bytes.slice()) },
    options,
  );
  const many = Array.from({ length: size }, (_, i) => i);
  const place = { file: "src/a.ts", qualname: "Order.total" };
  writer.meta({ pythonVersion: "node-v22.15.0", platform: "linux/x64", argv: ["a"], cwd: "/" });
  writer.manifest([1, 0x7f, 3, 4, 5, 9, 2, 7, 6, 0x7f].map((type) => ({ type })));
  writer.exceptions(many.map((i) => ({ type: "Error", message: `m${i}`, relation: "cause" })));
  writer.frames(
    many.map((i) => ({ ...place, line: i, firstLine: 1, locals: [{ name: "größe", id: i }] })),
  );
  writer.objects(
    many.map((id) => ({
      id: id === 2 ? 2n ** 60n : id,
      kind: "dict",
      repr: id % 2 === 0 ? null : `text ${id}`,
      typeName: null,
      length: id,
      truncated: false,
      items: [{ key: "k", id: (id * 7) % size }],
    })),
  );
  writer.tape(many.map((seq) => ({ seq, source: "Date.now", tag: "i", payload: String(seq) })));
  writer.source({ filename: "src/a.ts", text: "const answer = 42;\n".repeat(size) });
  writer.mutations(
    many.map((seq) => ({
      seq,
      kind: "local",
      name: "x",
      key: null,
      value: { kind: "int", repr: "1", typeName: null, length: null },
      ...place,
      line: 2,
      frame: seq,
    })),
  );
  const events = many.map((i) => ({ kind: 1 + (i % 6), thread: 0, line: i, codeId: 1, tstamp: i }));
  writer.events({ codes: [[1, { ...place, firstLine: 1 }]], events, wrapped: true });
  writer.extension("node.frames", 1, [{ frame: 0, column: 3 }], ["FRAME"]);
  writer.seal();
  writer.close();
  return joined(chunks);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Bytes that were right, made wrong. */
function alterBytes(dice: Dice, original: Uint8Array): Uint8Array {
  let bytes: Uint8Array = original.slice();
  for (let i = 1 + dice.below(4); i > 0 && bytes.length > 3; i--) {
    const at = dice.below(bytes.length);
    const size = 1 + dice.below(Math.min(64, bytes.length - at));
    switch (dice.below(8)) {
      case 0:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(8));
        break;
      case 1:
        bytes[at] = dice.pick([0, 1, 0x7f, 0x80, 0xff, dice.below(256)]);
        break;
      case 2:
        bytes = joined([bytes.subarray(0, at), bytes.subarray(at + size)]);
        break;
      case 3:
        bytes = joined([bytes.subarray(0, at + size), bytes.subarray(at)]);
        break;
      case 4:
        bytes = bytes.slice(0, at);
        break;
      case 5:
        new DataView(bytes.buffer, bytes.byteOffset).setUint32(
          Math.min(at, Math.max(0, bytes.length - 4)),
          dice.pick([0, 1, 0x7fff_ffff, 0xffff_ffff, bytes.length, dice.below(2 ** 32)]),
          dice.below(2) === 0,
        );
        break;
      case 6:
        bytes.copyWithin(at, dice.below(bytes.length), dice.below(bytes.length));
        break;
      default:
        bytes = joined([bytes.subarray(0, at), noise(dice, size), bytes.subarray(at)]);
    }
  }
  return bytes;
}

function noise(dice: Dice, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, () => dice.below(256));
}

/** The blocks of a good file, decompressed. */
function takeApart(bytes: Uint8Array): Part[] {
  const recording = openRecording(bytes, { codec: nodeCodec });
  return recording.blocks.map((info) => ({
    type: info.type,
    payload: recording.payload(info) ?? new Uint8Array(0),
  }));
}

/** A file with good frames and a good index around payloads that make no sense. */
function alterStructure(dice: Dice, original: Uint8Array): Uint8Array {
  const parts = takeApart(original);
  for (let i = 1 + dice.below(3); i > 0; i--) {
    const part = dice.pick(parts);
    switch (dice.below(5)) {
      case 0:
        part.payload = alterBytes(dice, part.payload);
        break;
      case 1:
        part.payload = encodeMsgpack(alterValue(dice, tryDecode(part.payload), 0));
        break;
      case 2:
        part.payload = encodeMsgpack(randomValue(dice, 0));
        break;
      case 3:
        part.type = dice.pick(TYPES);
        break;
      default:
        parts.splice(dice.below(parts.length), 0, { ...dice.pick(parts) });
    }
  }
  return assemble(dice, parts);
}

function tryDecode(payload: Uint8Array): unknown {
  try {
    return decodeMsgpack(payload);
  } catch {
    // An earlier change made it undecodable; any value will do.
    return null;
  }
}

function alterValue(dice: Dice, value: unknown, depth: number): unknown {
  if (dice.below(12) === 0) return randomValue(dice, depth);
  if (Array.isArray(value)) {
    const items = value.map((item) =>
      dice.below(3) === 0 ? alterValue(dice, item, depth + 1) : item,
    );
    if (dice.below(6) === 0) items.splice(dice.below(items.length + 1), 1);
    if (dice.below(6) === 0) items.push(randomValue(dice, depth + 1));
    if (dice.below(20) === 0) return new Map(items.entries());
    return items;
  }
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, alterValue(dice, item, depth + 1)]),
    );
  }
  return value;
}

function randomValue(dice: Dice, depth: number): unknown {
  const simple = [
    null,
    true,
    0,
    -1,
    127,
    128,
    65_536,
    2 ** 32,
    2n ** 64n - 1n,
    1.5,
    "",
    "x",
    "ü".repeat(20),
  ];
  if (depth > 6 || dice.below(3) > 0) return dice.pick([...simple, noise(dice, 3)]);
  const items = Array.from({ length: dice.below(8) }, () => randomValue(dice, depth + 1));
  return dice.below(3) === 0 ? new Map(items.entries()) : items;
}

function assemble(dice: Dice, parts: readonly Part[]): Uint8Array {
  const meta = encodeMsgpack({ tool: "flight", flight_version: "1", created_unix_ms: 1 });
  const head = new Uint8Array(10);
  head.set([0x46, 0x4c, 0x47, 0x54, 1]);
  new DataView(head.buffer).setUint32(6, meta.length, true);
  const chunks: Uint8Array[] = [head, meta];
  const entries: unknown[][] = [];
  let offset = 10 + meta.length;
  for (const { type, payload } of parts) {
    const frame = compress(dice, payload);
    entries.push([type, offset, frame.length]);
    chunks.push(blockHead(type, frame.length), frame);
    offset += 5 + frame.length;
  }
  if (dice.below(4) === 0) return joined(chunks);
  const index = compress(
    dice,
    encodeMsgpack(dice.below(3) === 0 ? alterValue(dice, entries, 0) : entries),
  );
  const trailer = blockHead(0, 5 + index.length).subarray(1);
  return joined([...chunks, blockHead(0x70, index.length), index, trailer, Buffer.from("TLGF")]);
}

function compress(dice: Dice, payload: Uint8Array): Uint8Array {
  if (dice.below(3) === 0) return storedFrame(payload, { checksum: dice.below(2) === 0 });
  const level = dice.pick([-5, 1, 1, 3, 3, 3, 9]);
  return zlib.zstdCompressSync(payload, {
    params: {
      [zlib.constants.ZSTD_c_compressionLevel]: level,
      [zlib.constants.ZSTD_c_checksumFlag]: dice.below(2),
    },
  });
}

function blockHead(type: number, size: number): Uint8Array {
  const head = new Uint8Array(5);
  head[0] = type;
  new DataView(head.buffer).setUint32(1, size, true);
  return head;
}

/** Reads everything there is; throws for every surprise. */
function check(bytes: Uint8Array): string {
  const started = performance.now();
  const ours = readWith(bytes, pureCodec, false);
  const theirs = readWith(bytes, nodeCodec, false);
  if (ours !== theirs) throw new Error(`the codecs disagree:\n${ours}\n${theirs}`);
  readWith(bytes, nodeCodec, true);
  const ms = performance.now() - started;
  if (ms > MAX_INPUT_MS) throw new Error(`took ${Math.round(ms)} ms`);
  return ours;
}

function readWith(bytes: Uint8Array, codec: Codec, salvage: boolean): string {
  let content = 0;
  const counting: Codec = {
    decompress(frame, maxOutputBytes) {
      const payload = codec.decompress(frame, maxOutputBytes);
      content = Math.max(content, payload.length);
      return payload;
    },
  };
  try {
    const recording = openRecording(bytes, { codec: counting, salvage });
    const summary = ask(recording);
    const kinds = new Set(recording.problems.map((problem) => problem.kind));
    const large = content > Math.max(MAX_SILENT_BYTES, bytes.length * 4);
    if (large && !kinds.has("expansion") && !kinds.has("limit")) {
      throw new Error(`${content} bytes came out of ${bytes.length} without a problem`);
    }
    return summary;
  } catch (error) {
    if (!isFlightError(error) || !ALLOWED.some((code) => code === error.code)) throw error;
    return error.code;
  }
}

function ask(recording: Recording): string {
  const objects = recording.objects();
  let edges = 0;
  for (const node of objects) {
    for (const item of node.items) edges += objects.get(item.id) === undefined ? 0 : 1;
  }
  let codes = 0;
  const ring = recording.events();
  for (const event of ring?.events ?? []) codes += ring?.codes.has(event.codeId) === true ? 1 : 0;
  recording.verify({ digest });
  return [
    recording.status,
    recording.blocks.map((info) => `${info.type}@${info.offset}`).join(","),
    recording.meta()?.cwd,
    recording.exceptions().length,
    recording.frames().length,
    `${objects.size}/${edges}`,
    `${ring?.events.length}/${codes}`,
    recording.sources().length,
    recording.mutations().length,
    recording.tape().length,
    recording.aliases().size,
    recording.extensions().map((extension) => extension.ns),
  ].join(" ");
}

function run(): void {
  if (flags.file !== undefined) {
    console.log(check(Uint8Array.from(readFileSync(flags.file))));
    return;
  }
  const seed = Number(flags.seed ?? Date.now() % 0x7fff_ffff);
  const endMs = Date.now() + Number(flags.minutes) * 60_000;
  console.log(`seed ${seed}, ${flags.minutes} minutes`);
  const dice = new Dice(seed);
  const seeds = corpus();
  const outcomes = new Map<string, number>();
  let count = 0;
  let nextReportMs = Date.now() + 5_000;
  while (Date.now() < endMs) {
    const original = dice.pick(seeds);
    const alter = dice.pick([alterBytes, alterStructure, alterStructure]);
    const input = alter(dice, original);
    try {
      const [outcome = ""] = check(input).split(" ");
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      const path = join(mkdtempSync(join(tmpdir(), "flight-fuzz-")), "input.flight");
      writeFileSync(path, input);
      console.error(`\ninput ${count} of seed ${seed} failed; replay it with --file ${path}`);
      console.error(error);
      process.exitCode = 1;
      return;
    }
    count++;
    if (Date.now() >= nextReportMs) {
      nextReportMs += 5_000;
      console.log(report(count, outcomes));
    }
  }
  console.log(`${report(count, outcomes)}; no surprise`);
}

function report(count: number, outcomes: ReadonlyMap<string, number>): string {
  const parts = [...outcomes].toSorted((a, b) => b[1] - a[1]).map(([name, n]) => `${name} ${n}`);
  const rssMb = Math.round(process.memoryUsage.rss() / 1e6);
  return `${count} inputs, ${rssMb} MB: ${parts.join(", ")}`;
}

run();
