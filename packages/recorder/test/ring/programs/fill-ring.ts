/**
 * Opens a ring, waits for the disk to be full or the folder to be gone, and stores over all of it; run
 * by ring-disk.test.ts.
 *
 * Arguments: state folder, capacity, what happens in between (a folder to fill, or "delete", or
 * "release", or "hole:<file>"). Prints what came of it as JSON.
 */
import { closeSync, ftruncateSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { loadNativeMemory } from "../../../src/ring/native-memory.ts";
import { appendSites, closeRing, openRing, releaseRing } from "../../../src/ring/open-ring.ts";
import { readRing } from "../../../src/ring/read-ring.ts";

const [stateDir = "", capacity = "", between = ""] = process.argv.slice(2);

if (between.startsWith("hole:")) storeIntoHole(between.slice("hole:".length));
else run();

function run(): void {
  const wish = Number(capacity);
  const ring = openRing({ capacity: wish, stateDir, threadId: 0, pid: process.pid });
  if (between === "delete") rmSync(stateDir, { recursive: true });
  else if (between === "release") releaseRing(ring);
  else if (between !== "") fillDisk(between);
  for (let i = 0; i < ring.capacity; i++) {
    ring.events[i] = i + 1;
    ring.head[0] = i + 1;
  }
  appendSites(ring, [{ base: 0, count: 1, filename: "/a.js", sites: "x".repeat(8192) }]);
  const { mapping } = ring;
  const events = mapping.kind === "mapped" ? readRing(mapping.path).events : ring.events;
  closeRing(ring, { keep: false });
  const stored = events.filter((word, index) => word === index + 1).length;
  const found = { mapping, stored, problems: ring.problems };
  writeSync(1, JSON.stringify(found));
}

function fillDisk(folder: string): void {
  const descriptor = openSync(join(folder, "filler"), "w");
  const chunk = new Uint8Array(4096).fill(1);
  try {
    for (;;) writeSync(descriptor, chunk);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** What a ring would do whose blocks were not allocated: the reason for writing zeros. */
function storeIntoHole(file: string): void {
  const sizeBytes = 2 ** 20;
  writeFileSync(file, "");
  const descriptor = openSync(file, "r+");
  ftruncateSync(descriptor, sizeBytes);
  const native = loadNativeMemory();
  if ("reason" in native) return;
  const mapped = native.map(descriptor, sizeBytes);
  if (typeof mapped === "number") return;
  fillDisk(stateDir);
  new Uint8Array(mapped.buffer).fill(1);
  writeSync(1, "survived");
}
