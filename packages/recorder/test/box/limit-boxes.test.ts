/** How many boxes stay, and that nothing else is ever deleted. */
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBoxGate, limitBoxes } from "../../src/box/limit-boxes.ts";
import { writeBox } from "../../src/box/write-box.ts";
import { sampleBox } from "./sample-box.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const NOW_MS = 1_800_000_000_000;
const NO_LIMIT = { maxBoxes: 1000, maxBytes: 2 ** 40, nowMs: NOW_MS };

function addBox(dir: string, pid: number, ageHours: number): string {
  const result = writeBox(sampleBox(), { dir, pid, prefix: "flight" });
  return aged(result.path ?? "", ageHours);
}

function addFile(dir: string, name: string, text: string, ageHours: number): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return aged(path, ageHours);
}

function aged(path: string, hours: number): string {
  const seconds = NOW_MS / 1000 - hours * 3600;
  utimesSync(path, seconds, seconds);
  return path;
}

test("deletes the oldest boxes until few enough are left", () => {
  const dir = temporaryFolder();
  const oldest = addBox(dir, 1, 9);
  const newest = addBox(dir, 2, 1);
  const older = addBox(dir, 3, 5);
  expect(limitBoxes(dir, { ...NO_LIMIT, maxBoxes: 1 })).toEqual([oldest, older]);
  expect(readdirSync(dir).map((name) => join(dir, name))).toEqual([newest]);
});

test("deletes the oldest boxes until they are small enough together", () => {
  const dir = temporaryFolder();
  const [oldest] = [addBox(dir, 1, 9), addBox(dir, 2, 1)];
  expect(limitBoxes(dir, { ...NO_LIMIT, maxBytes: 4000 })).toEqual([oldest]);
});

test("keeps the box that was just written, even when it alone is too much", () => {
  const dir = temporaryFolder();
  const keep = addBox(dir, 1, 9);
  const other = addBox(dir, 2, 1);
  expect(limitBoxes(dir, { ...NO_LIMIT, maxBytes: 1, keep })).toEqual([other]);
});

test("never deletes a file that this recorder did not write", () => {
  const dir = temporaryFolder();
  addFile(dir, "flight-1-1.flight", "somebody's notes", 99);
  addFile(dir, "flight-2-1.flight", "FLGT\u0001\0 another recorder, version 0.0.5", 99);
  addFile(dir, "flight-data.txt", "FLGT -orangebox", 99);
  const mine = addBox(dir, 3, 1);
  expect(limitBoxes(dir, { ...NO_LIMIT, maxBoxes: 1 })).toEqual([]);
  expect(limitBoxes(dir, { ...NO_LIMIT, maxBoxes: 0 })).toEqual([mine]);
  expect(readdirSync(dir)).toHaveLength(3);
});

test("removes temporary files that a dead process left, and no young ones", () => {
  const dir = temporaryFolder();
  const left = addFile(dir, ".flight-1-1.flight.1-0.tmp", "FLGT 0.1.0-orangebox", 2);
  addFile(dir, ".flight-2-1.flight.1-0.tmp", "FLGT 0.1.0-orangebox", 0.5);
  addFile(dir, ".flight-3-1.flight.1-0.tmp", "not ours", 2);
  expect(limitBoxes(dir, NO_LIMIT)).toEqual([left]);
});

test("does nothing in a folder that is not there", () => {
  expect(limitBoxes("/nowhere/at/all", NO_LIMIT)).toEqual([]);
});

test("lets so many boxes a minute through for each failure", () => {
  const gate = createBoxGate(2);
  expect([1, 2, 3].map((atMs) => gate.admit("a", atMs))).toEqual([true, true, false]);
  expect(gate.admit("b", 3)).toBe(true);
  expect(gate.admit("a", 60_001)).toBe(true);
  expect(gate.refusedCount).toBe(1);
});

test("opens the gate again when the clock was set back", () => {
  const gate = createBoxGate(1);
  gate.admit("a", NOW_MS);
  expect(gate.admit("a", NOW_MS - 3_600_000)).toBe(true);
});
