/**
 * A worker thread that fails on one of its rows. The main thread hears of it and goes on.
 *
 *   flight run examples/worker.ts
 *
 * The worker's crash gets a recording of its own.
 */
import { isMainThread, Worker, workerData } from "node:worker_threads";

interface Job {
  readonly table: string;
  readonly rows: readonly number[];
}

function insert(table: string, row: number): number {
  const attempt = row * 2;
  if (attempt > 4) throw new RangeError(`${table} has no place for attempt ${attempt}`);
  return attempt;
}

if (isMainThread) {
  const job: Job = { table: "users", rows: [1, 2, 3] };
  const worker = new Worker(new URL(import.meta.url), { workerData: job });
  worker.on("error", (error: Error) => {
    console.log("the main thread heard:", error.message);
    process.exitCode = 1;
  });
} else {
  const { table, rows } = workerData as Job;
  for (const row of rows) insert(table, row);
}
