/**
 * Terminates workers in the middle of storing and takes their rings back; run by
 * ring-workers.test.ts. Argument: state folder. Prints what is left.
 */
import { readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isMainThread, threadId, Worker, workerData } from "node:worker_threads";
import { openRing, type Ring } from "../../../src/ring/open-ring.ts";
import { readRing } from "../../../src/ring/read-ring.ts";
import { reclaimRings, ringsOfThread } from "../../../src/ring/reclaim-ring.ts";

interface Shared {
  readonly stateDir: string;
  readonly ready: Int32Array;
}

const ROUNDS = 12;

function store({ events, head, mask }: Ring, count: number): void {
  for (let i = 0; i < count; i++) {
    const next = head[0] ?? 0;
    head[0] = next + 1;
    events[next & mask] = 7;
  }
}

async function run(stateDir: string): Promise<void> {
  const own = openRing({ capacity: 4096, stateDir, threadId, pid: process.pid });
  let lostCount = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const shared: Shared = { stateDir, ready: new Int32Array(new SharedArrayBuffer(4)) };
    const worker = new Worker(new URL(import.meta.url), { workerData: shared });
    const id = worker.threadId;
    await Atomics.waitAsync(shared.ready, 0, 0).value;
    await worker.terminate();
    const [path = ""] = ringsOfThread({ stateDir, threadId: id });
    if (readRing(path).events.length !== 4096) lostCount++;
    reclaimRings({ stateDir, threadId: id });
  }
  store(own, 5000);
  const folder = join(stateDir, "rings");
  const mapped = readFileSync("/proc/self/maps", "utf8").match(/\.ring/g) ?? [];
  const left = readdirSync(folder).length;
  writeSync(1, JSON.stringify({ lostCount, left, mapped: mapped.length }));
}

if (isMainThread) {
  await run(process.argv[2] ?? "");
} else {
  const { stateDir, ready }: Shared = workerData;
  const ring = openRing({ capacity: 4096, stateDir, threadId, pid: process.pid });
  store(ring, 5000);
  Atomics.store(ready, 0, 1);
  Atomics.notify(ready, 0);
  for (;;) store(ring, 1000);
}
