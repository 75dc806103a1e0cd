/**
 * The handed cases: each program, recorded, gives the outcome that its expect.md describes.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { Recording } from "@orangebox/format";
import { runtimes } from "../../scripts/runtimes.ts";
import { type LeftRing, readLeftRing } from "../support/left-ring.ts";
import {
  frameNames,
  localNode,
  nodeAt,
  type RecordedRun,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";

const CASES = join(ROOT, "test/cases");

function onlyBox(run: RecordedRun): Recording {
  expect(run.paths).toHaveLength(1);
  const [box] = run.boxes;
  if (box === undefined) throw new Error(`no box; stderr: ${run.stderr}`);
  expect(box.status).toBe("sealed");
  expect(box.problems).toEqual([]);
  return box;
}

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  const stripsTypes = !version.startsWith("22.15");
  const runs: RecordedRun[] = [];
  afterEach(() => {
    for (const run of runs.splice(0)) removeRun(run);
  });

  async function record(file: string): Promise<RecordedRun> {
    const recorded = await runRecorded({ node, file: join(CASES, file) });
    runs.push(recorded);
    return recorded;
  }

  /** Records a case and compares what it prints and returns with the plain run. */
  async function recordAndCompare(file: string): Promise<RecordedRun> {
    const recorded = await record(file);
    const plain = await runPlain({ node, file: join(CASES, file) });
    const { stdout, stderr, code, signal } = recorded;
    expect({ stdout, stderr, code, signal }).toEqual(plain);
    return recorded;
  }

  test("average: locals of every frame across await, and one empty array", async () => {
    const box = onlyBox(await (stripsTypes ? recordAndCompare : record)("average/main.ts"));
    expect(frameNames(box)).toEqual([
      "mean (main.ts:7)",
      "async summarize (main.ts:15)",
      "async main (main.ts:22)",
      "<module> (main.ts:25)",
    ]);
    expect(localNode(box, 0, "total")?.repr).toBe("0");
    const samples = localNode(box, 0, "samples");
    expect(samples).toMatchObject({ kind: "list", length: 0 });
    expect(localNode(box, 1, "data")?.id).toBe(samples?.id);
    expect(nodeAt(box, 1, "sets", "evening")?.id).toBe(samples?.id);
    expect(localNode(box, 1, "name")?.repr).toBe("evening");
    expect(localNode(box, 1, "reports")?.length).toBe(1);
    expect(localNode(box, 2, "sets")?.id).toBe(localNode(box, 1, "sets")?.id);
    expect(box.exceptions()[0]).toEqual({
      type: "RangeError",
      message: "mean of no samples",
      relation: "head",
    });
    expect(box.sources()[0]?.text).toContain("interface Report");
  });

  test("bare-reject: no stack anywhere, and still the reject site", async () => {
    const box = onlyBox(await recordAndCompare("bare-reject/main.mjs"));
    expect(frameNames(box).slice(0, 2)).toEqual([
      "validate (main.mjs:2)",
      "async place (main.mjs:5)",
    ]);
    expect(nodeAt(box, 0, "order", "id")?.repr).toBe("o-1");
    expect(nodeAt(box, 0, "order", "total")?.repr).toBe("-5");
    expect(box.exceptions()[0]?.type).toBe("throw undefined");
  });

  test("driver-queue: from the data handler across the promise to its awaiters", async () => {
    const box = onlyBox(await record("driver-queue/main.mjs"));
    const names = frameNames(box);
    expect(names[0]).toMatch(/^(?:Socket\.)?<anonymous:\d+:\d+> \(main\.mjs:9\)$/);
    expect(names.slice(1)).toEqual([
      "async saveOrder (main.mjs:16)",
      "async checkout (main.mjs:20)",
      "<module> (main.mjs:22)",
    ]);
    expect(localNode(box, 0, "chunk")?.typeName).toBe("Buffer");
    expect(localNode(box, 1, "sql")?.repr).toBe("insert into orders values ($1)");
    expect(nodeAt(box, 1, "order", "id")?.repr).toBe("70");
    expect(localNode(box, 2, "order")?.id).toBe(localNode(box, 1, "order")?.id);
    expect(nodeAt(box, 2, "cart", "id")?.repr).toBe("7");
    const segments = box.extensions("node.async").flatMap((block) => block.data as unknown[]);
    expect(segments).toContainEqual(
      expect.objectContaining({
        from: 1,
        promise: expect.objectContaining({ qualname: "query", line: 12 }) as unknown,
      }),
    );
  });

  test("early-timer: ends well or says how long it waited", async () => {
    const run = await record("early-timer/main.mjs");
    const waited = /waited (\d+) ms/.exec(run.stderr)?.[1];
    const [box] = run.boxes;
    const reprs = box && ["waited", "failures"].map((name) => localNode(box, 0, name)?.repr);
    expect([run.code, run.stdout, reprs]).toEqual(
      waited === undefined ? [0, "ok 0\n", undefined] : [1, "", [waited, "1"]],
    );
  });

  test("fs-callback: the call in my code that asked for the file", async () => {
    const box = onlyBox(await recordAndCompare("fs-callback/main.mjs"));
    const names = frameNames(box);
    expect(names[0]).toMatch(/\(main\.mjs:6\)$/);
    expect(localNode(box, 0, "error")?.repr).toContain("ENOENT");
    const index = names.indexOf("loadProfile (main.mjs:5)");
    expect(index).toBeGreaterThan(0);
    expect(localNode(box, index, "path")?.repr).toBe("/nonexistent/42.json");
    expect(nodeAt(box, index, "user", "plan")?.repr).toBe("gold");
    const segments = box.extensions("node.async").flatMap((block) => block.data as unknown[]);
    expect(segments).toContainEqual(expect.objectContaining({ from: index, label: "fs.readFile" }));
  });

  test("hostile-graph: nothing of the program runs during capture", async () => {
    const run = await record("hostile-graph/main.mjs");
    expect(run.stdout).toBe("touched 0\n");
    expect(run.code).toBe(1);
    const box = onlyBox(run);
    expect(nodeAt(box, 0, "account", "#pin")?.repr).toBe("1234");
    expect(nodeAt(box, 0, "account", "owner", "password")?.kind).toBe("redacted");
    expect(JSON.stringify([...box.objects()], bigintText)).not.toContain("hunter2");
    expect(nodeAt(box, 0, "keep", "0", "boom")).toMatchObject({ typeName: "accessor" });
    const proxy = nodeAt(box, 0, "keep", "1");
    expect(proxy?.typeName).toBe("Proxy");
    expect(proxy?.items.map((item) => item.key)).toEqual(["[[Target]]", "[[Handler]]"]);
    const cycle = nodeAt(box, 0, "keep", "2");
    expect(nodeAt(box, 0, "keep", "2", "self")?.id).toBe(cycle?.id);
    expect(nodeAt(box, 0, "keep", "2", "list", "0")?.id).toBe(cycle?.id);
    const map = localNode(box, 0, "map");
    expect(map).toMatchObject({ kind: "dict", typeName: "Map", length: 2 });
    expect(nodeAt(box, 0, "map", "a")?.repr).toBe("-0.0");
    expect(localNode(box, 0, "bytes")).toMatchObject({
      kind: "ndarray",
      typeName: "Float64Array",
    });
  });

  test("hostile-graph: bigint, invalid date and symbol as parameters", async () => {
    const box = onlyBox(await record("hostile-graph/main.mjs"));
    const reprs = box
      .frames()[0]
      ?.locals.map(({ name, id }) => [name, box.objects().get(id)?.repr ?? null] as const);
    const values = new Map(reprs);
    expect([...values.values()]).toContain("Invalid Date");
    expect([...values.values()]).toContain("Symbol(s)");
    expect([...values.values()]).toContain(`1${"0".repeat(30)}`);
  });

  test("huge-local: inside the deadline, near data first, cuts marked", async () => {
    const run = await recordAndCompare("huge-local/main.mjs");
    const box = onlyBox(run);
    expect(frameNames(box)[0]).toBe("scan (main.mjs:1)");
    expect(localNode(box, 0, "table")?.repr).toBe("last");
    expect(localNode(box, 0, "huge")).toMatchObject({ length: 1_000_000, truncated: true });
    expect(localNode(box, 0, "hits")?.repr).toBe("1");
    const [runtime] = box.extensions("node.runtime");
    const facts = runtime?.data as { recorder: { captureMs: number } } | undefined;
    // The deadline of 250 ms, and room for a machine that runs other tests at the same time.
    expect(facts?.recorder.captureMs).toBeLessThan(2000);
  });

  test("odd-throw: a value without a prototype, its throw site and step", async () => {
    const run = await recordAndCompare("odd-throw/main.mjs");
    const box = onlyBox(run);
    expect(frameNames(box)[0]).toBe("fail (main.mjs:2)");
    expect(localNode(box, 0, "step")?.repr).toBe("3");
    expect(box.exceptions()[0]?.type).toBe("throw NullObject");
    const odd = [...box.objects()].find(({ items }) => items.some(({ key }) => key === "code"));
    expect(odd?.typeName).toBe("NullObject");
  });

  test("transparency: the same bytes", async () => {
    const run = await recordAndCompare("transparency/main.mjs");
    expect(run.code).toBe(0);
    expect(run.boxes).toEqual([]);
  });

  test("typescript: runs without a build step, in original positions", async () => {
    const run = await record("typescript/main.ts");
    expect(run.stdout).toBe("2\n");
    expect(run.code).toBe(1);
    const box = onlyBox(run);
    expect(frameNames(box)[0]).toBe("Meter.read (main.ts:3)");
    expect(localNode(box, 0, "scale")?.repr).toBe("2");
    expect(localNode(box, 0, "raw")?.repr).toBe("4");
    expect(localNode(box, 0, "this")?.typeName).toBe("Meter");
    expect(nodeAt(box, 0, "this", "label")?.repr).toBe("b");
    expect(box.exceptions()[0]?.message).toBe("b over limit");
    expect(box.sources()[0]?.text).toContain("enum Level");
  });

  test("worker-brandless: a box of the worker; the parent is unchanged", async () => {
    const run = await recordAndCompare("worker-brandless/main.mjs");
    const box = onlyBox(run);
    expect(frameNames(box)).toEqual(["insert (worker.mjs:4)", "<module> (worker.mjs:5)"]);
    expect(localNode(box, 0, "table")?.repr).toBe("users");
    expect(localNode(box, 0, "row")?.repr).toBe("3");
    expect(localNode(box, 0, "attempt")?.repr).toBe("6");
    expect(box.exceptions()[0]).toMatchObject({ type: "DbError" });
    expect(box.exceptions()[0]?.message).toContain("constraint failed");
    const [errors] = box.extensions("node.errors");
    expect(JSON.stringify(errors?.data)).toContain("E23");
    const [links] = box.extensions("node.links");
    expect(links?.data).toMatchObject({ parent: { thread: 0 } });
  });

  test("exit-truncates: the same bytes; with onExit the call site, the code and what is pending", async () => {
    const file = join(CASES, "exit-truncates/main.mjs");
    const plain = await runPlain({ node, file });
    const run = await runRecorded({ node, file, env: { ORANGEBOX_ON_EXIT: "true" } });
    runs.push(run);
    expect(run.code).toBe(3);
    expect(run.stderr).toBe(plain.stderr);
    // How much the pipe takes before the exit depends on its reader; a prefix it always is.
    const rows = Array.from({ length: 300_000 }, (_, i) => `row ${i}`).join("\n");
    expect(rows.startsWith(run.stdout.trimEnd()) || `${rows}\n` === run.stdout).toBe(true);
    const box = onlyBox(run);
    expect(frameNames(box)[0]).toBe("report (main.mjs:1)");
    const [runtime] = box.extensions("node.runtime");
    expect(runtime?.data).toMatchObject({ exit: { code: 3 } });
    expect(runtime?.data).toHaveProperty("exit.pendingStdoutBytes");
    expect(box.meta()?.extra).toMatchObject({ reason: "exit" });
  });

  test("infinite-loop: the ring of a killed program says where it was", async () => {
    const state = mkdtempSync(join(tmpdir(), "orangebox-state-"));
    const child = spawn(
      node,
      [
        "--require",
        join(ROOT, "packages/recorder/register.cjs"),
        join(CASES, "infinite-loop/main.mjs"),
      ],
      { env: { ...process.env, ORANGEBOX_STATE_DIR: state }, stdio: "ignore" },
    );
    // The kernel has every event at once, so the ring of the living process can be read too.
    for (let tries = 0; tries < 100 && openIn(state)[0] !== "poll"; tries++) await sleep(100);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    const { open } = leftRing(state);
    rmSync(state, { recursive: true, force: true });
    expect(open[0]).toBe("poll");
  });

  test("oom: no JavaScript runs afterwards, and the ring has the last events", async () => {
    const state = mkdtempSync(join(tmpdir(), "orangebox-state-"));
    const run = await runPlain({
      node,
      nodeArguments: [
        "--max-old-space-size=64",
        "--require",
        join(ROOT, "packages/recorder/register.cjs"),
      ],
      file: join(CASES, "oom/main.mjs"),
      env: { ORANGEBOX_STATE_DIR: state },
    });
    expect(run.signal ?? run.code).not.toBe(0);
    const { open, last } = leftRing(state);
    rmSync(state, { recursive: true, force: true });
    expect(last).toContain("remember");
    expect(last).toContain("tick");
    // The heap limit strikes inside an allocation of `remember`, or in a collection between two ticks.
    expect([[], ["remember", "tick"]]).toContainEqual(open.slice(0, 2));
  });
});

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** The ring that was left in `state`. */
function leftRing(state: string): LeftRing {
  const folder = join(state, "rings");
  const [ring] = readdirSync(folder).filter((name) => name.endsWith(".ring"));
  if (ring === undefined) throw new Error("no ring was left");
  return readLeftRing(join(folder, ring));
}

/** The functions that are open in a program that still runs; none before its ring is there. */
function openIn(state: string): readonly string[] {
  try {
    return leftRing(state).open;
  } catch {
    return [];
  }
}
