/** What is left in memory of errors that a program handled. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, runRecorded } from "../support/recorded-run.ts";

// The event loop never goes round in here: every await is of something settled.
const HANDLES = `
function fail(index) {
  const local = [index];
  if (local.length > 0) throw new RangeError("failure " + index);
}
async function handle(index) {
  await undefined;
  try { fail(index); } catch (error) { return error.message.length; }
}
async function work(count) {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += await handle(index);
  return sum;
}
function heapBytes() {
  for (let round = 0; round < 4; round++) gc();
  return process.memoryUsage().heapUsed;
}
await work(2000);
const before = heapBytes();
await work(20_000);
console.log(heapBytes() - before);
`;

const STORES = `
class Big { #bytes = new Array(20_000).fill(1.5); }
function fail(index) {
  const big = new Big();
  throw Object.assign(new Error("failure " + index), { index });
}
const errors = [];
for (let index = 0; index < 2000; index++) {
  try { fail(index); } catch (error) { errors.push(error); }
  await new Promise((resolve) => setImmediate(resolve));
}
for (let round = 0; round < 4; round++) gc();
console.log(process.memoryUsage().heapUsed);
`;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-memory-"));
  writeFileSync(join(folder, "handles.mjs"), HANDLES);
  writeFileSync(join(folder, "stores.mjs"), STORES);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("Node $version", ({ path: node }) => {
  test("handled errors leave nothing, although the event loop never goes round", async () => {
    const run = await runRecorded({
      node,
      nodeArguments: ["--expose-gc"],
      file: join(folder, "handles.mjs"),
    });
    removeRun(run);
    expect(run.code).toBe(0);
    // Twenty bytes an error would be 400 kB.
    expect(Number(run.stdout)).toBeLessThan(200_000);
  });

  test("errors that a program stores keep no frames but those of the last 32", async () => {
    const run = await runRecorded({
      node,
      nodeArguments: ["--expose-gc"],
      file: join(folder, "stores.mjs"),
    });
    removeRun(run);
    expect(run.code).toBe(0);
    // Each frame holds 160 kB: all of them would be 320 MB.
    expect(Number(run.stdout)).toBeLessThan(40_000_000);
  });
});
