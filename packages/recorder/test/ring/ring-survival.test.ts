/** What is left of a ring after its process died, in every way a process can die. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readRing, type RingContents } from "../../src/ring/read-ring.ts";
import { runProgram, temporaryFolder } from "./run-program.ts";

// Starting a process can take seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const CAPACITY = 64;

function ringsIn(stateDir: string): RingContents[] {
  const folder = join(stateDir, "rings");
  const names = readdirSync(folder).filter((name) => name.endsWith(".ring"));
  return names.map((name) => readRing(join(folder, name)));
}

function counted(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

test.each([0, 1, 63, 64, 65, 128, 1000])(
  "has exactly the %i events that were stored before SIGKILL",
  async (count) => {
    const stateDir = temporaryFolder();
    const args = [stateDir, String(CAPACITY), String(count), "SIGKILL"];
    const { signal, stderr } = await runProgram("store-events.ts", args);
    expect(stderr).toBe("");
    expect(signal).toBe("SIGKILL");
    const [ring] = ringsIn(stateDir);
    expect([...(ring?.events ?? [])]).toEqual(counted(Math.max(1, count - CAPACITY + 1), count));
    expect(ring?.problems).toEqual([]);
    expect(ring?.firstIndex).toBe(Math.max(0, count - CAPACITY));
  },
);

const ENDINGS = [
  { ending: "abort", signal: "SIGABRT", code: null },
  { ending: "SIGSEGV", signal: "SIGSEGV", code: null },
  { ending: "exit in a callback", signal: null, code: 3 },
  { ending: "out of memory", signal: "SIGABRT", code: null, flags: ["--max-old-space-size=32"] },
];

test.each(ENDINGS)("loses no event at: $ending", async ({ ending, signal, code, flags = [] }) => {
  const stateDir = temporaryFolder();
  const args = [stateDir, String(CAPACITY), "100", ending];
  const ended = await runProgram("store-events.ts", args, { flags });
  expect({ signal: ended.signal, code: ended.code }).toEqual({ signal, code });
  const [ring] = ringsIn(stateDir);
  expect([...(ring?.events ?? [])]).toEqual(counted(37, 100));
  expect(ring?.closed).toBe(false);
  expect(ring?.about).toEqual({ argv: ["counted"] });
  expect(ring?.sites).toEqual([
    { base: 0, count: 10, filename: "/counted.js", sites: { lines: [1, 2, 3] } },
    { base: 10, count: 5, filename: "/cached.js", cacheFile: "/cache/a.json", hash: "abc" },
  ]);
  expect(ring?.header).toMatchObject({
    capacity: CAPACITY,
    pid: ended.pid,
    threadId: 0,
    nodeVersion: process.version,
    platform: `${process.platform}/${process.arch}`,
  });
});

test("has consecutive events when killed from outside in the middle of storing", async () => {
  const stateDir = temporaryFolder();
  const args = [stateDir, "65536", "0", "never"];
  const ended = await runProgram("store-events.ts", args, {
    onOutput: (pid) => process.kill(pid, "SIGKILL"),
  });
  expect(ended.signal).toBe("SIGKILL");
  const events = [...(ringsIn(stateDir)[0]?.events ?? [])];
  const first = events[0] ?? 1;
  // Counting the index and storing the word are two steps: the newest slot may still be the old one.
  const settled = events.slice(0, -1);
  expect(settled).toEqual(settled.map((_, index) => first + index));
});

test("keeps one ring for each thread", async () => {
  const stateDir = temporaryFolder();
  const { signal, stderr } = await runProgram("store-in-workers.ts", [stateDir]);
  expect({ signal, stderr }).toEqual({ signal: "SIGKILL", stderr: "" });
  const rings = ringsIn(stateDir).toSorted(
    (a, b) => (a.header?.threadId ?? 0) - (b.header?.threadId ?? 0),
  );
  expect(rings.map((ring) => ring.header?.threadId)).toEqual([0, 1, 2, 3]);
  for (const [thread, ring] of rings.entries()) {
    const first = (thread + 1) * 1000;
    expect([...ring.events]).toEqual(counted(first, first + 99));
  }
});

test("leaves nothing behind when the program ends in good order", async () => {
  const stateDir = temporaryFolder();
  const { code } = await runProgram("store-events.ts", [stateDir, "64", "5", "close"]);
  expect(code).toBe(0);
  expect(readdirSync(join(stateDir, "rings"))).toEqual([]);
});

test("says that a ring was closed when it is kept on purpose", async () => {
  const stateDir = temporaryFolder();
  await runProgram("store-events.ts", [stateDir, "64", "5", "keep"]);
  const [ring] = ringsIn(stateDir);
  expect(ring?.closed).toBe(true);
  expect([...(ring?.events ?? [])]).toEqual([1, 2, 3, 4, 5]);
});
