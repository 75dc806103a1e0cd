/** The golden bytes of the specification, read and written. They are never made again. */

import { readFileSync } from "node:fs";
import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { blake2b, openEnvelope, openRecording, sealEnvelope, toHex } from "../src/index.ts";
import type { EnvelopeCrypto, Recording, RecordingWriter } from "../src/index.ts";
import { block, concat, fromHex, header, HEADER_META, nodeCodec, written } from "./compose.ts";

const RING = "93810193a4612e6a73a46d61696e0192950100000100950400070101c2";
const FRAME = "9195a4612e6a73a46d61696e07019292a1780092a2787301";
const OBJECT =
  "939700a3696e74a23432c0c0c2909701a46c697374c0c001c29192c0009702a464696374c0c001c29192a16b00";
const MUTATION = "919900a46974656da56361636865a13594a3696e74a135c0c0a4612e6a73a46d61696e0a01";
const NONDET = "919400a974696d652e74696d65a166ac313738333030303030302e35";
const FILE = `
464c475401003300000083a4746f6f6ca6666c69676874ae666c696768745f76
657273696f6ea5302e302e31af637265617465645f756e69785f6d7301015f00
000028b52ffda05300000099020085ae707974686f6e5f76657273696f6eac6e
6f64652d7632322e302e30a8706c6174666f726da56c696e7578a46172677691
a4612e6a73a3637764a22f77ae666c696768745f76657273696f6ea5302e302e
31062900000028b52ffda01d000000e9000093810193a4612e6a73a46d61696e
0192950100000100950400070101c2701600000028b52ffda00a000000510000
9293013d5f9306cca1291b000000544c4746`;

const ring = {
  codes: [[1, { file: "a.js", qualname: "main", firstLine: 1 }]] as const,
  events: [
    { kind: 1, thread: 0, line: 0, codeId: 1, tstamp: 0 },
    { kind: 4, thread: 0, line: 7, codeId: 1, tstamp: 1 },
  ],
  wrapped: false,
};
const frames = [
  {
    file: "a.js",
    qualname: "main",
    line: 7,
    firstLine: 1,
    locals: [
      { name: "x", id: 0 },
      { name: "xs", id: 1 },
    ],
  },
];
const node = { repr: null, typeName: null, length: 1, truncated: false };
const objects = [
  { ...node, id: 0, kind: "int", repr: "42", length: null, items: [] },
  { ...node, id: 1, kind: "list", items: [{ key: null, id: 0 }] },
  { ...node, id: 2, kind: "dict", items: [{ key: "k", id: 0 }] },
];
const mutations = [
  {
    seq: 0,
    kind: "item",
    name: "cache",
    key: "5",
    value: { kind: "int", repr: "5", typeName: null, length: null },
    file: "a.js",
    qualname: "main",
    line: 10,
    frame: 1,
  },
];
const tape = [{ seq: 0, source: "time.time", tag: "f", payload: "1783000000.5" }];

const payloads: [string, number, string, (writer: RecordingWriter) => void][] = [
  ["EVENT_RING", 6, RING, (writer) => writer.events(ring)],
  ["FRAME", 4, FRAME, (writer) => writer.frames(frames)],
  ["OBJECT", 5, OBJECT, (writer) => writer.objects(objects)],
  ["MUTATION", 7, MUTATION, (writer) => writer.mutations(mutations)],
  ["NONDET", 9, NONDET, (writer) => writer.tape(tape)],
];

test.each(payloads)("writes the golden payload of %s", (_, type, hex, write) => {
  const expected = concat(header(), block(type, fromHex(hex)));
  expect(toHex(written(write))).toBe(toHex(expected));
});

function open(type: number, hex: string): Recording {
  return openRecording(concat(header(), block(type, fromHex(hex))));
}

describe("reads the golden payload of", () => {
  test("EVENT_RING", () => {
    const events = open(6, RING).events();
    expect([...(events?.codes ?? [])]).toEqual(ring.codes);
    expect(events?.events.slice()).toEqual(ring.events);
    expect(events?.wrapped).toBe(false);
  });
  test("FRAME", () => expect(open(4, FRAME).frames()).toEqual(frames));
  test("OBJECT", () => expect([...open(5, OBJECT).objects()]).toEqual(objects));
  test("MUTATION", () => expect(open(7, MUTATION).mutations()).toEqual(mutations));
  test("NONDET", () => expect(open(9, NONDET).tape()).toEqual(tape));
});

test("writes the golden header", () => {
  const bytes = written(() => {});
  expect(toHex(bytes)).toBe(toHex(header(1, HEADER_META)));
  expect(bytes.length).toBe(10 + 51);
});

test("writes the golden file", () => {
  const bytes = written((writer) => {
    writer.meta({ pythonVersion: "node-v22.0.0", platform: "linux", argv: ["a.js"], cwd: "/w" });
    writer.events(ring);
    writer.close();
  });
  expect(toHex(bytes)).toBe(toHex(fromHex(FILE)));
});

test.each([undefined, nodeCodec])("reads the golden file", (codec) => {
  const recording = openRecording(fromHex(FILE), codec === undefined ? {} : { codec });
  expect(recording).toMatchObject({
    status: "sealed",
    partial: false,
    usedIndex: true,
    problems: [],
  });
  expect(recording.header).toEqual({
    version: 1,
    tool: "flight",
    flightVersion: "0.0.1",
    createdUnixMs: 1,
  });
  expect(recording.meta()).toEqual({
    pythonVersion: "node-v22.0.0",
    platform: "linux",
    argv: ["a.js"],
    cwd: "/w",
    flightVersion: "0.0.1",
    extra: {},
  });
  expect(recording.events()?.events.length).toBe(2);
  expect(recording.events()?.codes.size).toBe(1);
});

test("reads a file of another project's recorder", () => {
  const path = new URL("samples/other-recorder-ring.flight", import.meta.url);
  const recording = openRecording(readFileSync(path));
  expect(recording).toMatchObject({ status: "sealed", partial: false, usedIndex: true });
  const events = recording.events();
  expect(events?.events.slice().map((event) => event.kind)).toEqual([1, 1, 3, 3, 4, 6, 5, 6]);
  expect(events?.codes.size).toBe(2);
  expect(recording.meta()?.pythonVersion).toBe("node-v20.20.2");
  expect(recording.verify()).toEqual({ seal: "absent" });
  expect(recording.problems).toEqual([]);
});

test.each([
  [8, "", "e4a6a0577479b2b4"],
  [8, "abc", "d8bb14d833d59559"],
  [16, "", "cae66941d9efbd404e4d88758ea67670"],
  [16, "abc", "cf4ab791c62b8d2b2109c90275287816"],
])("has the golden BLAKE2b of %i bytes of %j", (size, text, expected) => {
  expect(toHex(blake2b(new TextEncoder().encode(text), size))).toBe(expected);
});

describe("the golden envelope", () => {
  const envelope = fromHex(`
464c4754454e4331000102030405060708090a0b0c0d0e0f000102030405060708090a0b
e26fcba0702e802386379980a99aae695165704389e2f3ead2`);
  const plaintext = new TextEncoder().encode("FLGT test");
  const keys: string[] = [];
  const crypto: EnvelopeCrypto = {
    randomBytes: (size) => Uint8Array.from({ length: size }, (_, i) => i),
    scrypt: (secret, salt, { N, r, p, keyBytes }) => {
      const key = scryptSync(secret, salt, keyBytes, { N, r, p });
      keys.push(toHex(key));
      return key;
    },
    encryptAesGcm: ({ key, nonce, additional, data }) => {
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(additional);
      return concat(cipher.update(data), cipher.final(), cipher.getAuthTag());
    },
    decryptAesGcm: ({ key, nonce, additional, data }) => {
      const decipher = createDecipheriv("aes-256-gcm", key, nonce);
      decipher.setAAD(additional);
      decipher.setAuthTag(data.subarray(-16));
      return concat(decipher.update(data.subarray(0, -16)), decipher.final());
    },
  };

  test("is written", () => {
    expect(toHex(sealEnvelope(plaintext, "correct horse", crypto))).toBe(toHex(envelope));
    expect(keys).toContain("25b376840366f4d3b0e21e414476676e3cd0e89af4430356a234ce0b65a021b5");
  });

  test("is read", () => {
    expect(openEnvelope(envelope, "correct horse", crypto)).toEqual(plaintext);
    const asBytes = new TextEncoder().encode("correct horse");
    expect(openEnvelope(envelope, asBytes, crypto)).toEqual(plaintext);
  });

  test.each([
    ["a wrong passphrase", envelope, "wrong"],
    ["a cut file", envelope.subarray(0, -1), "correct horse"],
    ["an altered nonce", envelope.with(30, 1), "correct horse"],
    ["nothing but the head", envelope.subarray(0, 36), "correct horse"],
  ])("does not open with %s", (_, bytes, passphrase) => {
    expect(() => openEnvelope(bytes, passphrase, crypto)).toThrow(
      expect.objectContaining({ code: "FLIGHT_DECRYPT" }),
    );
  });

  test("is told from other files", () => {
    const expected = expect.objectContaining({ code: "FLIGHT_NOT_ENCRYPTED" });
    for (const bytes of [fromHex(FILE), envelope.subarray(0, 35)]) {
      expect(() => openEnvelope(bytes, "x", crypto)).toThrow(expected);
    }
  });

  test("is recognised when it is opened as a recording", () => {
    expect(() => openRecording(envelope, { name: "a.flight.enc" })).toThrow(
      expect.objectContaining({
        code: "FLIGHT_ENCRYPTED",
        message: "a.flight.enc is encrypted",
        hint: "Decrypt it with its passphrase first.",
      }),
    );
  });
});
