/** Which rings are cleared away, and that no others are. */
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { currentProcessIdentity, type ProcessIdentity } from "../../src/ring/process-identity.ts";
import { readRing } from "../../src/ring/read-ring.ts";
import { listRings, pruneRings, sitesPathOf } from "../../src/ring/ring-folder.ts";
import { encodeRingHeader, RING_VERSION } from "../../src/ring/ring-layout.ts";
import { temporaryFolder } from "./run-program.ts";

const viewer = currentProcessIdentity();
const DAY_MS = 86_400_000;
const NOW_MS = 1_800_000_000_000;

let folder = "";
beforeEach(() => {
  folder = join(temporaryFolder(), "rings");
  mkdirSync(folder);
});

interface Written {
  readonly owner?: Partial<ProcessIdentity>;
  readonly ageDays?: number;
}

function writeRing(name: string, { owner = {}, ageDays = 30 }: Written): string {
  const bytes = new Uint8Array(20_000);
  encodeRingHeader(bytes, {
    version: RING_VERSION,
    capacity: 64,
    threadId: 0,
    ...viewer,
    createdUnixMs: 0,
    createdMonotonicNs: 0n,
    nodeVersion: "v24",
    platform: "linux/x64",
    ...owner,
  });
  const path = join(folder, name);
  writeFileSync(path, bytes);
  writeFileSync(sitesPathOf(path), "{}");
  age(path, ageDays);
  return path;
}

function age(path: string, days: number): void {
  const seconds = (NOW_MS - days * DAY_MS) / 1000;
  utimesSync(path, seconds, seconds);
}

function prune(limits: { maxCount?: number; maxBytes?: number } = {}): string[] {
  return pruneRings(folder, {
    viewer,
    maxAgeMs: 7 * DAY_MS,
    maxCount: 100,
    maxBytes: 2 ** 30,
    nowMs: NOW_MS,
    ...limits,
  });
}

const linux = process.platform === "linux";

test.skipIf(!linux)("removes old rings whose owner is dead, with their side files", () => {
  const dead = [
    writeRing("gone.ring", { owner: { pid: 4_194_300 } }),
    writeRing("reused.ring", { owner: { processStart: viewer.processStart + 1 } }),
    writeRing("reboot.ring", { owner: { bootId: "another" } }),
  ];
  expect(prune().toSorted()).toEqual(dead.toSorted());
  expect(readdirSync(folder)).toEqual([]);
});

test.skipIf(!linux)("keeps what is alive, young, unseen, or not a ring", () => {
  writeRing("alive.ring", {});
  writeRing("young.ring", { owner: { pid: 4_194_300 }, ageDays: 6 });
  writeRing("other-container.ring", { owner: { pid: 4_194_300, pidNamespace: 1 } });
  const foreign = join(folder, "foreign.ring");
  writeFileSync(foreign, "somebody's notes");
  age(foreign, 30);
  mkdirSync(join(folder, "folder.ring"));
  const before = readdirSync(folder);
  expect(prune()).toEqual([]);
  expect(readdirSync(folder)).toEqual(before);
});

test.skipIf(!linux)(
  "keeps so many rings of the dead, and so many bytes; the oldest go first",
  () => {
    const dead = { pid: 4_194_300 };
    const oldest = writeRing("c.ring", { owner: dead, ageDays: 3 });
    const older = writeRing("a.ring", { owner: dead, ageDays: 2 });
    const young = writeRing("b.ring", { owner: dead, ageDays: 1 });
    const alive = writeRing("alive.ring", { ageDays: 30 });
    expect(prune({ maxCount: 3, maxBytes: 60_000 })).toEqual([]);
    expect(prune({ maxCount: 2 })).toEqual([oldest]);
    expect(prune({ maxBytes: 20_000 })).toEqual([older]);
    expect(prune({ maxCount: 0 })).toEqual([young]);
    expect(readdirSync(folder).toSorted()).toEqual(["alive.ring", "alive.sites"]);
    expect(existsSync(alive)).toBe(true);
  },
);

test("lists the rings of a state folder", () => {
  const path = writeRing("a.ring", {});
  expect(listRings(join(folder, ".."))).toContain(path);
  rmSync(folder, { recursive: true });
  expect(listRings(join(folder, ".."))).not.toContain(path);
});

test("reads foreign, torn and missing files without throwing", () => {
  const foreign = join(folder, "a.ring");
  writeFileSync(foreign, "x".repeat(10_000));
  expect(readRing(foreign).problems).toEqual([
    "the file is not a ring: its first bytes are others",
  ]);
  expect(readRing(join(folder, "none.ring")).problems[0]).toContain("ENOENT");
  expect(readRing(folder).problems[0]).toContain("EISDIR");
});

test("reads the side file around torn lines", () => {
  const path = writeRing("a.ring", {});
  const good = { base: 5, count: 2, filename: "/b.js", cacheFile: "/c", hash: "d" };
  const lines = ['{"base":0,"count":', JSON.stringify(good), '{"base":-1}', "[1]", "null"];
  writeFileSync(sitesPathOf(path), lines.join("\n"));
  const { sites, problems } = readRing(path);
  expect(sites).toEqual([good]);
  expect(problems).toEqual(["4 lines of the side file are torn"]);
});

test("says that events have no names when the side file is gone", () => {
  const path = writeRing("a.ring", {});
  rmSync(sitesPathOf(path));
  expect(existsSync(path)).toBe(true);
  expect(readRing(path).problems).toContain("the side file cannot be read: events have no names");
});
