/**
 * Puts recordings together byte by byte, so that tests can make files that no writer would.
 */

import { zstdCompressSync, constants } from "node:zlib";
import { RecordingWriter, encodeMsgpack, pureCodec, storedFrame, zlibCodec } from "../src/index.ts";
import type { Codec, WriterOptions } from "../src/index.ts";
import * as zlib from "node:zlib";

export const nodeCodec: Codec = zlibCodec(zlib);
export const plainCodec: Codec = {
  ...pureCodec,
  compress: (payload) => storedFrame(payload, { checksum: false }),
};

export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ""), "hex"));
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts));
}

export function uint32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** The header map of section 18.2, or any other. */
export const HEADER_META: Uint8Array = fromHex(
  "83a4746f6f6ca6666c69676874ae666c696768745f76657273696f6ea5302e302e31af637265617465645f756e69785f6d7301",
);

export function header(
  version: number = 1,
  meta: Uint8Array = HEADER_META,
): Uint8Array<ArrayBuffer> {
  return concat(fromHex("464c4754"), Uint8Array.of(version, 0), uint32(meta.length), meta);
}

/** A block around a frame that is already compressed. */
export function framed(type: number, frame: Uint8Array): Uint8Array<ArrayBuffer> {
  return concat(Uint8Array.of(type), uint32(frame.length), frame);
}

/** A block with a stored payload, without a checksum. */
export function block(type: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  return framed(type, storedFrame(payload, { checksum: false }));
}

/** A block whose payload is any value, encoded. */
export function valueBlock(type: number, value: unknown): Uint8Array<ArrayBuffer> {
  return block(type, encodeMsgpack(value));
}

/** One entry of an index: type, offset, payload size. */
export type Entry = readonly [number, number | bigint, number];

export function entriesOf(blocks: readonly Uint8Array[], start: number = header().length): Entry[] {
  let offset = start;
  return blocks.map((bytes) => {
    const entry: Entry = [bytes[0] ?? 0, offset, bytes.length - 5];
    offset += bytes.length;
    return entry;
  });
}

export function footer(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const index = valueBlock(0x70, entries);
  return concat(index, uint32(index.length), fromHex("544c4746"));
}

/** A closed file of these blocks. */
export function closed(
  blocks: readonly Uint8Array[],
  entries: readonly Entry[] = entriesOf(blocks),
): Uint8Array<ArrayBuffer> {
  return concat(header(), ...blocks, footer(entries));
}

export const META = {
  python_version: "node-v22.0.0",
  platform: "linux",
  argv: ["a.js"],
  cwd: "/w",
  flight_version: "0.0.1",
};

/** The blocks of the reader cases of section 18.1, as values. */
export const BODY_VALUES: readonly (readonly [number, unknown])[] = [
  [0x01, META],
  [
    0x03,
    [
      ["TypeError", "x is not a function", "head"],
      ["RangeError", "too far", "cause"],
    ],
  ],
  [
    0x04,
    [
      [
        "a.js",
        "main",
        7,
        1,
        [
          ["x", 0],
          ["xs", 1],
        ],
      ],
    ],
  ],
  [
    0x05,
    [
      [0, "int", "42", null, null, false, []],
      [1, "list", null, null, 1, false, [[null, 0]]],
    ],
  ],
  [
    0x06,
    [
      new Map([[1, ["a.js", "main", 1]]]),
      [
        [1, 0, 0, 1, 0],
        [4, 0, 7, 1, 1],
      ],
      false,
    ],
  ],
];

export function bodyBlocks(): Uint8Array<ArrayBuffer>[] {
  return BODY_VALUES.map(([type, value]) => valueBlock(type, value));
}

/** The body with the value of one block replaced. */
export function bodyWith(type: number, value: unknown): Uint8Array<ArrayBuffer> {
  return closed(BODY_VALUES.map(([t, v]) => valueBlock(t, t === type ? value : v)));
}

/** A frame made by the real zstd. */
export function zstd(payload: Uint8Array, level: number = 3): Uint8Array<ArrayBuffer> {
  const params = { [constants.ZSTD_c_compressionLevel]: level };
  return Uint8Array.from(zstdCompressSync(payload, { params }));
}

/** Runs a writer and returns the file. */
export function written(
  fill: (writer: RecordingWriter) => void,
  options: Partial<WriterOptions> = {},
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const sink = { write: (bytes: Uint8Array): void => void parts.push(bytes.slice()) };
  fill(
    new RecordingWriter(sink, {
      flightVersion: "0.0.1",
      createdUnixMs: 1,
      codec: plainCodec,
      ...options,
    }),
  );
  return concat(...parts);
}

/** A small file with one block of every kind, sealed and closed. */
export function everyBlock(options: Partial<WriterOptions> = {}): Uint8Array<ArrayBuffer> {
  return written((writer) => {
    writer.meta({ pythonVersion: "node-v22.15.0", platform: "linux/x64", argv: ["a"], cwd: "/" });
    const planned = [1, 3, 4, 5, 9, 2, 7, 6].map((type) => ({ type }));
    const ext = ["node.manifest", "node.seal"].map((ns) => ({ type: 0x7f, ns }));
    writer.manifest([...planned, ...ext]);
    writer.exceptions([{ type: "Error", message: "boom", relation: "head" }]);
    writer.frames([
      { file: "a.js", qualname: "f", line: 2, firstLine: 1, locals: [{ name: "x", id: 0 }] },
    ]);
    writer.objects([
      {
        id: 0,
        kind: "list",
        repr: null,
        typeName: null,
        length: 1,
        truncated: false,
        items: [{ key: null, id: 0 }],
      },
    ]);
    writer.tape([{ seq: 0, source: "Date.now", tag: "i", payload: "5" }]);
    writer.source({ filename: "a.js", text: "f()" });
    writer.mutations([
      {
        seq: 0,
        kind: "local",
        name: "x",
        key: null,
        value: { kind: "int", repr: "1", typeName: null, length: null },
        file: "a.js",
        qualname: "f",
        line: 2,
        frame: 1,
      },
    ]);
    writer.events({
      codes: [[1, { file: "a.js", qualname: "f", firstLine: 1 }]],
      events: [{ kind: 1, thread: 0, line: 1, codeId: 1, tstamp: 0 }],
      wrapped: false,
    });
    writer.seal();
    writer.close();
  }, options);
}
