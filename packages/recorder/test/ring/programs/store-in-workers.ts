/**
 * Stores events in the main thread and in three workers, each in a ring of its own, and is then
 * killed; run by ring-survival.test.ts. Argument: state folder.
 */
import { isMainThread, threadId, Worker, workerData } from "node:worker_threads";
import { openRing } from "../../../src/ring/open-ring.ts";

const WORKERS = 3;

interface Shared {
  readonly stateDir: string;
  readonly ready: Int32Array;
}

function storeSome(stateDir: string): void {
  const ring = openRing({ capacity: 1024, stateDir, threadId, pid: process.pid });
  for (let i = 0; i < 100; i++) {
    const next = ring.head[0] ?? 0;
    ring.head[0] = next + 1;
    ring.events[next & ring.mask] = (threadId + 1) * 1000 + i;
  }
}

if (isMainThread) {
  const stateDir = process.argv[2] ?? "";
  storeSome(stateDir);
  const shared: Shared = { stateDir, ready: new Int32Array(new SharedArrayBuffer(4)) };
  for (let i = 0; i < WORKERS; i++) {
    // oxlint-disable-next-line no-new -- It runs by being made.
    new Worker(new URL(import.meta.url), { workerData: shared });
  }
  setInterval(() => {
    if (shared.ready[0] === WORKERS) process.kill(process.pid, "SIGKILL");
  }, 2);
} else {
  const { stateDir, ready }: Shared = workerData;
  storeSome(stateDir);
  Atomics.add(ready, 0, 1);
  setInterval(() => undefined, 1000);
}
