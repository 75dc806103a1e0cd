/**
 * Programs that end without a word under `flight run`: each has its recording when the command ends.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Recording } from "@orangebox/format";
import { runtimes } from "../../scripts/runtimes.ts";
import { readLeftRing } from "../support/left-ring.ts";
import { frameNames, openBox, ROOT } from "../support/recorded-run.ts";
import {
  boxesOf,
  deathOf,
  ended,
  type Ended,
  filesIn,
  flight,
  makePlace,
  type Place,
  programOf,
  removePlace,
  startFlight,
} from "./run-killed.ts";

const CASES = join(ROOT, "test/cases");

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => {
  removePlace(place);
});

function onlyBox(run: Ended): Recording {
  const boxes = boxesOf(place);
  expect(boxes.map(({ path }) => path)).toHaveLength(1);
  const [first] = boxes;
  if (first === undefined) throw new Error(`no box; stderr: ${run.stderr}`);
  expect(run.stderr.trimEnd().split("\n").at(-1)).toBe(`[flight] recorded ${first.path}`);
  expect(first.box.status).toBe("sealed");
  expect(first.box.problems).toEqual([]);
  // Recovered and removed.
  expect(filesIn(place.rings)).toEqual([]);
  return first.box;
}

function lastNames(box: Recording, count: number): string[] {
  const ring = box.events();
  return [...(ring?.events ?? [])]
    .slice(-count)
    .map(({ codeId }) => ring?.codes.get(codeId)?.qualname ?? "");
}

/** The functions that are open in a program that still runs; none before its ring is there. */
function openIn({ rings }: Place): readonly string[] {
  const [ring] = filesIn(rings).filter((name) => name.endsWith(".ring"));
  try {
    return ring === undefined ? [] : readLeftRing(join(rings, ring)).open;
  } catch {
    // In the making.
    return [];
  }
}

function writeProgram(name: string, text: string): string {
  const file = join(place.folder, name);
  writeFileSync(file, text);
  return file;
}

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test("oom: the last events, the open stack, and killed by a signal", async () => {
    const file = join(CASES, "oom/main.mjs");
    const run = await flight(node, ["run", "--", "--max-old-space-size=64", file], place);
    const box = onlyBox(run);
    expect(run.signal).toBe("SIGABRT");
    expect(box.meta()?.extra["reason"]).toBe("killed");
    expect(deathOf(box)).toMatchObject({ how: "signal", signal: "SIGABRT", cause: "fatal-error" });
    expect(new Set(lastNames(box, 20))).toContain("remember");
    // The heap limit strikes inside an allocation of `remember`, or in a collection between two ticks.
    const names = frameNames(box);
    expect([[], ["remember (main.mjs:3)", "tick (main.mjs:4)"]]).toContainEqual(names);
    expect(box.frames().every(({ locals }) => locals.length === 0)).toBe(true);
    expect(JSON.stringify(box.extensions("node.runtime")[0]?.data)).toContain("no variables");
  });

  test("infinite-loop: killed from outside, the box shows where it was", async () => {
    const child = startFlight(node, ["run", join(CASES, "infinite-loop/main.mjs")], place);
    const end = ended(child);
    const pid = await programOf(child, "infinite-loop/main.mjs");
    // The kernel has every event at once, so the ring of the living process can be read too.
    for (let tries = 0; tries < 200 && openIn(place)[0] !== "poll"; tries++) await sleep(50);
    process.kill(pid, "SIGKILL");
    const killedAtMs = Date.now();
    const run = await end;
    expect([run.code, run.signal]).toEqual([null, "SIGKILL"]);
    const box = onlyBox(run);
    expect(frameNames(box)[0]).toBe("poll (main.mjs:1)");
    expect(deathOf(box)).toMatchObject({ how: "signal", signal: "SIGKILL", isStackWhole: true });
    expect(box.meta()?.extra).toMatchObject({ reason: "killed", pid });
    expect(box.sources()[0]?.text).toContain("while (!state.done)");
    // Within 100 ms on a machine of its own; other tests run on this one.
    expect((boxesOf(place)[0]?.atMs ?? Infinity) - killedAtMs).toBeLessThan(1000);
  });

  test("exit-truncates: --on-exit names the call site, the code and what is pending", async () => {
    const file = join(CASES, "exit-truncates/main.mjs");
    const run = await flight(node, ["run", "--on-exit", file], place);
    expect(run.code).toBe(3);
    const box = onlyBox(run);
    expect(frameNames(box)[0]).toBe("report (main.mjs:1)");
    expect(box.extensions("node.runtime")[0]?.data).toMatchObject({ exit: { code: 3 } });
    expect(box.extensions("orangebox.death")).toEqual([]);
  });

  test("exit-truncates: without --on-exit nothing is said and nothing is left", async () => {
    const run = await flight(node, ["run", join(CASES, "exit-truncates/main.mjs")], place);
    expect([run.code, run.stderr]).toEqual([3, ""]);
    expect([...boxesOf(place), ...filesIn(place.rings)]).toEqual([]);
  });

  test("worker-brandless: the worker's own box, and no second one", async () => {
    const run = await flight(node, ["run", join(CASES, "worker-brandless/main.mjs")], place);
    expect([run.code, run.stdout]).toEqual([1, "parent got false [ 'message', 'code' ]\n"]);
    const box = onlyBox(run);
    expect(frameNames(box)).toEqual(["insert (worker.mjs:4)", "<module> (worker.mjs:5)"]);
  });

  test("process.abort() is told from a fatal error of the engine", async () => {
    const file = writeProgram(
      "abort.cjs",
      "function leave(why) { process.abort(); }\nsetTimeout(() => leave('full'), 20);\n",
    );
    const run = await flight(node, ["run", file], place);
    const box = onlyBox(run);
    expect(frameNames(box)[0]).toBe("leave (abort.cjs:1)");
    expect(deathOf(box)).toMatchObject({ signal: "SIGABRT", cause: "abort-called" });
  });
});

const [{ path: node } = { path: process.execPath }] = runtimes();

test.each(["SIGSEGV", "SIGBUS", "SIGQUIT", "SIGTERM"])(
  "a program that dies of %s has a box with what was running",
  async (signal) => {
    const file = writeProgram(
      "dies.cjs",
      `function fall() { process.kill(process.pid, "${signal}"); for (;;); }\nsetTimeout(fall, 20);\n`,
    );
    const run = await flight(node, ["run", file], place);
    expect(run.signal).toBe(signal);
    const box = onlyBox(run);
    expect(frameNames(box)).toEqual(["fall (dies.cjs:1)"]);
    expect(deathOf(box)).toMatchObject({ how: "signal", signal });
  },
);

test.each(["SIGTERM", "SIGINT", "SIGHUP"])(
  "a program that is told to end by %s while it does nothing leaves nothing",
  async (signal) => {
    const file = writeProgram(
      "idle.cjs",
      "setInterval(() => undefined, 1e6);\nconsole.log('ready');\n",
    );
    const child = startFlight(node, ["run", file], place);
    const end = ended(child);
    const pid = await programOf(child, "idle.cjs");
    child.stdout?.once("data", () => setTimeout(() => process.kill(pid, signal), 400));
    const run = await end;
    expect([run.signal, run.stderr]).toEqual([signal, ""]);
    expect([...boxesOf(place), ...filesIn(place.rings)]).toEqual([]);
  },
);

test("a top level that waits for nothing is told, with what waits; a code 13 of its own is not", async () => {
  const file = writeProgram(
    "never.mjs",
    `async function load(id) {
  await new Promise(() => undefined);
}
await load(3);
`,
  );
  const run = await flight(node, ["run", file], place);
  expect(run.code).toBe(13);
  const box = onlyBox(run);
  expect(frameNames(box)).toEqual(["<module> (never.mjs:4)", "async load (never.mjs:2)"]);
  expect(deathOf(box)).toMatchObject({ how: "exit", code: 13, cause: "nothing-left-to-do" });
  const own = await flight(node, ["run", writeProgram("own.mjs", "process.exitCode = 13;")], place);
  expect([own.code, own.stderr, boxesOf(place).length]).toEqual([13, "", 1]);
});

test("suspended async functions are shown where they wait", async () => {
  const file = writeProgram(
    "waits.mjs",
    `async function load(id) {
  await new Promise((done) => setTimeout(done, 1e6));
}
async function handle(id) {
  await load(id);
}
for (let id = 0; id < 3; id++) handle(id);
function stop() { process.kill(process.pid, "SIGKILL"); for (;;); }
setTimeout(stop, 20);
`,
  );
  await flight(node, ["run", file], place);
  const box = boxesOf(place)[0]?.box;
  if (box === undefined) throw new Error("no box");
  expect(frameNames(box)).toEqual([
    "stop (waits.mjs:8)",
    "async handle (waits.mjs:5)",
    "async load (waits.mjs:2)",
  ]);
  expect(JSON.stringify(box.extensions("node.frames")[0]?.data)).toContain("waits here 3 times");
  expect(deathOf(box)).toMatchObject({ openCount: 1, waitingCount: 6 });
});

test("each thread of a killed process has a box of its own, with links to the main one", async () => {
  const file = writeProgram(
    "threads.mjs",
    `import { Worker } from "node:worker_threads";
const worker = new Worker(new URL("./spin.mjs", import.meta.url));
function fall() { process.kill(process.pid, "SIGKILL"); for (;;); }
worker.on("message", function ready() { fall(); });
`,
  );
  writeProgram(
    "spin.mjs",
    `import { parentPort } from "node:worker_threads";
function spin() { parentPort.postMessage(1); for (;;); }
spin();
`,
  );
  const run = await flight(node, ["run", file], place);
  const boxes = boxesOf(place).map(({ box }) => box);
  expect(boxes.map((box) => frameNames(box)[0]).toSorted()).toEqual([
    "fall (threads.mjs:3)",
    "spin (spin.mjs:2)",
  ]);
  expect(run.stderr.match(/\[flight\] recorded/g)).toHaveLength(2);
  const runs = boxes.map((box) => box.extensions("node.links")[0]?.data as { run: string });
  expect(new Set(runs.map((link) => link.run)).size).toBe(1);
  expect(runs).toContainEqual(
    expect.objectContaining({
      thread: 1,
      parent: expect.objectContaining({ thread: 0 }) as unknown,
    }),
  );
});

test("a recorded child process that is killed has a box, and its parent none", async () => {
  const file = writeProgram(
    "parent.cjs",
    `const child = require("node:child_process").fork("./child.cjs");
child.on("exit", (code, signal) => { console.log(signal); });
`,
  );
  writeProgram(
    "child.cjs",
    `function fall() { process.kill(process.pid, "SIGKILL"); for (;;); }\nsetTimeout(fall, 20);\n`,
  );
  const run = await flight(node, ["run", file], place);
  expect([run.code, run.stdout]).toEqual([0, "SIGKILL\n"]);
  const box = onlyBox(run);
  expect(frameNames(box)).toEqual(["fall (child.cjs:1)"]);
  // Its parent waited for it, and we did not.
  expect(deathOf(box)).toMatchObject({ how: "unknown", cause: "unknown" });
});

test("workers that a process stops by ending in good order leave nothing", async () => {
  const file = writeProgram(
    "parent.cjs",
    `require("node:child_process").fork("./child.cjs").on("exit", (code) => { console.log(code); });\n`,
  );
  writeProgram(
    "child.cjs",
    `const { Worker } = require("node:worker_threads");
new Worker("./idle.cjs").on("message", () => { setTimeout(() => process.exit(0), 50); });
`,
  );
  writeProgram(
    "idle.cjs",
    `const { parentPort } = require("node:worker_threads");
setInterval(function wait() {}, 1e6);
parentPort.postMessage(1);
`,
  );
  const run = await flight(node, ["run", file], place);
  expect([run.code, run.stdout, run.stderr]).toEqual([0, "0\n", ""]);
  expect([...boxesOf(place), ...filesIn(place.rings)]).toEqual([]);
});

test("killed at a random moment, it has the last event that was told, and the stack that was open", async () => {
  const file = writeProgram(
    "steps.cjs",
    `const { writeSync } = require("node:fs");
function step(n) { return n + 1; }
function work(n) { n = step(n); writeSync(1, n + "\\n"); return n; }
function run() { for (let n = 0; ; ) n = work(n); }
setTimeout(run, 1);
`,
  );
  for (let round = 0; round < 10; round++) {
    const child = startFlight(node, ["run", file], place);
    const end = ended(child);
    const pid = await programOf(child, "steps.cjs");
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    await sleep(Math.random() * 60);
    process.kill(pid, "SIGKILL");
    const { stdout, stderr } = await end;
    const path = /recorded (.*)\n$/.exec(stderr)?.[1] ?? "";
    const box = openBox(path);
    const ring = box.events();
    if (ring === undefined || ring.wrapped) throw new Error("the ring is too small for this test");
    const isStep = ({ codeId }: { codeId: number | bigint }): boolean =>
      ring.codes.get(codeId)?.qualname === "step";
    const returns = [...ring.events].filter((event) => event.kind === 2 && isStep(event)).length;
    const told = Number(stdout.slice(0, stdout.lastIndexOf("\n")).split("\n").at(-1));
    expect(told).toBeGreaterThan(0);
    expect(returns - told).toBeGreaterThanOrEqual(0);
    // It was at most one step further than what it told.
    expect(returns - told).toBeLessThanOrEqual(1);
    const names = box.frames().map(({ qualname }) => qualname);
    expect([["step", "work", "run"], ["work", "run"], ["run"]]).toContainEqual(names);
  }
});

test("a child that is killed has its recording while its parent still runs", async () => {
  const file = writeProgram(
    "server.cjs",
    `const child = require("node:child_process").fork("./child.cjs");
setInterval(() => undefined, 1e6);
`,
  );
  writeProgram(
    "child.cjs",
    `function fall() { process.kill(process.pid, "SIGKILL"); for (;;); }\nsetTimeout(fall, 20);\n`,
  );
  const child = startFlight(node, ["run", file], place);
  const end = ended(child);
  const pid = await programOf(child, "server.cjs");
  for (let tries = 0; tries < 200 && boxesOf(place).length === 0; tries++) await sleep(50);
  expect(boxesOf(place).map(({ box }) => frameNames(box))).toEqual([["fall (child.cjs:1)"]]);
  process.kill(pid, "SIGTERM");
  const run = await end;
  expect(run.stderr).toBe(`[flight] recorded ${boxesOf(place)[0]?.path ?? ""}\n`);
});
