/** Boxes on a disk that works: what is in them, what they are called, what they never destroy. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pureCodec } from "@orangebox/format";
import { expect, test } from "vitest";
import type { BoxContents } from "../../src/box/box-contents.ts";
import { diskIo } from "../../src/box/box-io.ts";
import { type BoxTarget, writeBox } from "../../src/box/write-box.ts";
import { CREATED_MS, SAMPLE_ORDER, sampleBox } from "./sample-box.ts";
import { openBox, temporaryFolder } from "./temporary-folder.ts";

const NAME = `flight-7-${CREATED_MS}.flight`;

function targetIn(dir: string, more: Partial<BoxTarget> = {}): BoxTarget {
  return { dir, pid: 7, prefix: "flight", fallbackDir: join(dir, "fallback"), ...more };
}

function namesOf(path: string): string[] {
  const recording = openBox(path);
  const spaces = recording.extensions().map(({ ns }) => ns);
  return recording.blocks.map(({ name }) => (name === "EXT" ? (spaces.shift() ?? "") : name));
}

test("writes every block in the order of the format, sealed", () => {
  const dir = temporaryFolder();
  const result = writeBox(sampleBox(), targetIn(dir));
  expect(result).toEqual({ path: join(dir, NAME), whole: true });
  const recording = openBox(join(dir, NAME));
  expect(namesOf(join(dir, NAME))).toEqual(SAMPLE_ORDER);
  expect(recording.status).toBe("sealed");
  expect(recording.problems).toEqual([]);
  expect(recording.header).toMatchObject({
    flightVersion: "0.1.0-orangebox",
    createdUnixMs: CREATED_MS,
  });
  expect(recording.frames()[0]).toMatchObject({ qualname: "f", locals: [{ name: "x", id: 0 }] });
  expect(readdirSync(dir)).toEqual([NAME]);
});

test("leaves out what is empty, but always writes a ring", () => {
  const dir = temporaryFolder();
  const { flightVersion, createdUnixMs, meta } = sampleBox();
  writeBox({ flightVersion, createdUnixMs, meta, frames: [], sources: [] }, targetIn(dir));
  expect(namesOf(join(dir, NAME))).toEqual(["META", "node.manifest", "EVENT_RING", "node.seal"]);
});

test("makes the folder when it is missing", () => {
  const dir = join(temporaryFolder(), "deep", "er");
  expect(writeBox(sampleBox(), targetIn(dir)).path).toBe(join(dir, NAME));
});

test("gives boxes of the same millisecond different names", () => {
  const dir = temporaryFolder();
  const paths = [1, 2, 3].map(() => writeBox(sampleBox(), targetIn(dir)).path);
  expect(paths).toEqual([
    join(dir, NAME),
    join(dir, `flight-7-${CREATED_MS}-1.flight`),
    join(dir, `flight-7-${CREATED_MS}-2.flight`),
  ]);
  expect(readdirSync(dir)).toHaveLength(3);
});

test("never destroys a file that has the wanted name", () => {
  const dir = temporaryFolder();
  writeFileSync(join(dir, "crash.flight"), "precious");
  const { path } = writeBox(sampleBox(), targetIn(dir, { path: "crash.flight" }));
  expect(path).toBe(join(dir, "crash-1.flight"));
  expect(readFileSync(join(dir, "crash.flight"), "utf8")).toBe("precious");
});

test("replaces a file when it was told to", () => {
  const dir = temporaryFolder();
  writeFileSync(join(dir, "crash.flight"), "old");
  const target = targetIn(dir, { path: join(dir, "crash.flight"), overwrite: true });
  expect(writeBox(sampleBox(), target)).toEqual({ path: join(dir, "crash.flight"), whole: true });
  expect(openBox(join(dir, "crash.flight")).status).toBe("sealed");
  expect(readdirSync(dir)).toEqual(["crash.flight"]);
});

test("does not take a folder of the wanted name for a file", () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, "crash.flight"));
  const { path } = writeBox(sampleBox(), targetIn(dir, { path: "crash.flight" }));
  expect(path).toBe(join(dir, "crash-1.flight"));
});

test("lets only the owner read a box, since it holds values of the program", () => {
  const dir = temporaryFolder();
  const { path = "" } = writeBox(sampleBox(), targetIn(dir));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("writes the other blocks when one cannot be encoded", () => {
  const dir = temporaryFolder();
  const broken: BoxContents = {
    ...sampleBox(),
    objects: {
      [Symbol.iterator](): never {
        throw new RangeError("the graph broke");
      },
    },
  };
  const result = writeBox(broken, targetIn(dir));
  expect(result).toEqual({
    path: join(dir, NAME),
    whole: false,
    problem: "OBJECT is missing: the graph broke",
  });
  expect(namesOf(join(dir, NAME))).toEqual(SAMPLE_ORDER.filter((name) => name !== "OBJECT"));
});

test("keeps strings that are not well-formed Unicode", () => {
  const dir = temporaryFolder();
  const exceptions = [{ type: "Error", message: "a\ud800b", relation: "head" }];
  expect(writeBox({ ...sampleBox(), exceptions }, targetIn(dir)).problem).toBe(undefined);
  expect(openBox(join(dir, NAME)).exceptions()[0]?.message).toBe("a\ufffdb");
});

test("works without a compressor", () => {
  const dir = temporaryFolder();
  writeBox(sampleBox(), targetIn(dir), { codec: { decompress: pureCodec.decompress } });
  expect(namesOf(join(dir, NAME))).toEqual(SAMPLE_ORDER);
});

test("numbers names where files cannot have two", () => {
  const dir = temporaryFolder();
  const io = {
    ...diskIo,
    link(): never {
      throw Object.assign(new Error("EPERM: link"), { code: "EPERM" });
    },
  };
  const paths = [1, 2].map(() => writeBox(sampleBox(), targetIn(dir), { io }).path);
  expect(paths).toEqual([join(dir, NAME), join(dir, `flight-7-${CREATED_MS}-1.flight`)]);
});
