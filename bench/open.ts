/**
 * `node bench/open.ts [--sizes 1,100,1000] [--rounds 5]`: what opening and reading recordings costs.
 *
 * Writes files of these sizes (in megabytes) to a temporary folder, opens each through ranges as the
 * command line does, and prints a table and JSON. The files hold every kind of block; three quarters
 * are blobs that do not compress, so that the sizes are those on disk. The page cache is warm.
 */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFillSync } from "node:crypto";
import { parseArgs } from "node:util";
import * as zlib from "node:zlib";
import {
  openRecording,
  pureCodec,
  RecordingWriter,
  zlibCodec,
} from "../packages/format/src/index.ts";
import type { ByteSource, Codec, ObjectNode } from "../packages/format/src/index.ts";

const { values: flags } = parseArgs({
  options: {
    sizes: { type: "string", default: "1,100,1000" },
    rounds: { type: "string", default: "5" },
  },
});

const MB = 1_000_000;
const BLOB_BYTES = 8 * MB;

interface Row {
  readonly file: string;
  readonly codec: string;
  readonly sizeMb: number;
  readonly openMs: number;
  readonly framesMs: number;
  readonly objectsMs: number;
  readonly everythingMs: number;
  readonly nodes: number;
}

function* nodes(count: number): Generator<ObjectNode> {
  const leaf = { typeName: null, length: null, truncated: false };
  for (let id = 0; id < count; id++) {
    if (id % 3 === 0) {
      yield { ...leaf, id, kind: "str", repr: `customer number ${id}`, length: 20, items: [] };
    } else {
      const items = [1, 2, 3].map((i) => ({ key: `field${i}`, id: (id * i) % count }));
      yield { ...leaf, id, kind: "object", repr: "Order {…}", typeName: "Order", length: 3, items };
    }
  }
}

function writeFile(path: string, sizeBytes: number): void {
  const fd = openSync(path, "w");
  const sink = {
    write(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    },
  };
  const writer = new RecordingWriter(sink, {
    flightVersion: "0.0.1",
    createdUnixMs: Date.now(),
    codec: zlibCodec(zlib),
    sealable: false,
  });
  const place = { file: "/srv/app/src/orders.ts", qualname: "Order.total", line: 12 };
  const count = Math.round(sizeBytes / 120);
  const local = { name: "order", id: 1 };
  writer.meta({ pythonVersion: process.version, platform: "linux/x64", argv: [], cwd: "/srv/app" });
  writer.exceptions([{ type: "TypeError", message: "x is undefined", relation: "head" }]);
  writer.frames(Array.from({ length: 20 }, () => ({ ...place, firstLine: 3, locals: [local] })));
  writer.objects(nodes(count));
  for (let i = 0; i < 200; i++)
    writer.source({ filename: `${i}.ts`, text: `// ${i}\n`.repeat(300) });
  writer.mutations(mutations(count >> 2, place));
  writer.events({ codes: [[1, { ...place, firstLine: 3 }]], events: events(count), wrapped: true });
  const blob = new Uint8Array(Math.min(BLOB_BYTES, sizeBytes >> 3));
  while (writer.bytesWritten < sizeBytes - blob.length) {
    writer.extension("node.tape", 1, { blobs: { x: randomFillSync(blob) } });
  }
  writer.close();
  closeSync(fd);
}

function* mutations(count: number, place: { file: string; qualname: string; line: number }) {
  const value = { kind: "int", repr: "5", typeName: null, length: null };
  for (let seq = 0; seq < count; seq++) {
    yield { seq, kind: "local", name: "total", key: null, value, ...place, frame: seq >> 4 };
  }
}

function* events(count: number) {
  for (let tstamp = 0; tstamp < count; tstamp++) {
    yield { kind: 1 + (tstamp % 2), thread: 0, line: tstamp % 500, codeId: 1, tstamp };
  }
}

function fileSource(path: string): ByteSource & { close(): void } {
  const fd = openSync(path, "r");
  return {
    sizeBytes: statSync(path).size,
    read(offset, length) {
      const bytes = new Uint8Array(length);
      let at = 0;
      while (at < length) {
        const count = readSync(fd, bytes, at, length - at, offset + at);
        if (count === 0) break;
        at += count;
      }
      return bytes.subarray(0, at);
    },
    close: () => closeSync(fd),
  };
}

function measure(path: string, codecName: string, codec: Codec, rounds: number): Row {
  const samples = Array.from({ length: rounds }, () => measureOnce(path, codec));
  const median = (key: keyof (typeof samples)[number]): number =>
    samples.map((sample) => sample[key]).toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
  return {
    file: path.slice(path.lastIndexOf("/") + 1),
    codec: codecName,
    sizeMb: Math.round(statSync(path).size / MB),
    openMs: median("openMs"),
    framesMs: median("framesMs"),
    objectsMs: median("objectsMs"),
    everythingMs: median("everythingMs"),
    nodes: median("nodes"),
  };
}

function measureOnce(path: string, codec: Codec) {
  const source = fileSource(path);
  const started = performance.now();
  const recording = openRecording(source, { codec });
  const opened = performance.now();
  if (recording.frames().length !== 20) throw new Error("the frames are missing");
  const framesRead = performance.now();
  const count = recording.objects().size;
  const objectsRead = performance.now();
  recording.verify();
  const done = performance.now();
  source.close();
  if (recording.problems.length > 0) throw new Error(recording.problems[0]?.message);
  return {
    openMs: opened - started,
    framesMs: framesRead - started,
    objectsMs: objectsRead - framesRead,
    everythingMs: done - started,
    nodes: count,
  };
}

function run(): void {
  const folder = mkdtempSync(join(tmpdir(), "flight-open-"));
  const rows: Row[] = [];
  try {
    for (const size of flags.sizes.split(",").map(Number)) {
      const path = join(folder, `${size}mb.flight`);
      writeFile(path, size * MB);
      const rounds = size > 500 ? Math.min(3, Number(flags.rounds)) : Number(flags.rounds);
      rows.push(measure(path, "node:zlib", zlibCodec(zlib), rounds));
      if (size <= 100) rows.push(measure(path, "plain JavaScript", pureCodec, rounds));
      rmSync(path);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  print(rows);
}

function print(rows: readonly Row[]): void {
  console.log("| MB | codec | open ms | first frames ms | objects ms (nodes) | everything ms |");
  console.log("| ---: | --- | ---: | ---: | ---: | ---: |");
  for (const row of rows) {
    const objects = `${row.objectsMs.toFixed(1)} (${row.nodes})`;
    const cells = [
      row.openMs.toFixed(1),
      row.framesMs.toFixed(1),
      objects,
      row.everythingMs.toFixed(0),
    ];
    console.log(`| ${row.sizeMb} | ${row.codec} | ${cells.join(" | ")} |`);
  }
  console.log(JSON.stringify({ node: process.version, rows }));
}

run();
