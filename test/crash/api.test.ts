/**
 * What a program can ask of the recorder, in real programs.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  nodeAt,
  openBox,
  type RecordedRun,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";

const SAMPLES = join(ROOT, "test/samples");

const clean = (text: string): string => text.replaceAll(/\(node:\d+\)/g, "(node)");

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  const runs: RecordedRun[] = [];
  afterEach(() => {
    for (const run of runs.splice(0)) removeRun(run);
  });
  async function record(
    file: string,
    rest: { env?: Record<string, string>; nodeArguments?: string[] } = {},
  ): Promise<RecordedRun> {
    const run = await runRecorded({ node, file: join(SAMPLES, file), ...rest });
    runs.push(run);
    return run;
  }

  test("capture, captureSync and dump write boxes and the program goes on", async () => {
    const run = await record("api/capture.mjs");
    expect(run.stderr).toBe("");
    const lines = run.stdout.trim().split("\n");
    expect(lines[0]).toMatch(/^FLIGHT_BAD_CONFIG .*maxString/);
    expect(lines[1]).toBe("true true true 3");
    expect(lines[2]).toBe("false undefined function charge(order) {");
    const [caught, paused, ring] = lines.slice(3).map(openBox);
    if (caught === undefined || paused === undefined || ring === undefined)
      throw new Error("boxes");

    expect(frameNames(caught)[0]).toBe("charge (capture.mjs:13)");
    expect(localNode(caught, 0, "price")).toMatchObject({ typeName: "Price", repr: "2.5 EUR" });
    expect(nodeAt(caught, 0, "order", "token")?.kind).toBe("redacted");
    expect(localNode(caught, 0, "bad")).toMatchObject({ typeName: "Bad" });
    expect(caught.meta()?.extra).toMatchObject({ reason: "test" });
    expect(caught.exceptions()[0]?.type).toBe("RangeError");

    expect(frameNames(paused)[0]).toBe("here (capture.mjs:22)");
    expect(nodeAt(paused, 0, "note", "step")?.repr).toBe("3");
    expect(paused.exceptions()).toEqual([]);

    expect(ring.frames()).toEqual([]);
    expect(ring.events()?.events.length).toBeGreaterThan(3);
  });

  test.each(["throw", "strict", "warn", "none", "warn-with-error-code"])(
    "an unhandled rejection in mode %s: same end, and a box",
    async (mode) => {
      const nodeArguments = [`--unhandled-rejections=${mode}`];
      const file = "api/rejections.mjs";
      const plain = await runPlain({ node, file: join(SAMPLES, file), nodeArguments });
      const run = await record(file, { nodeArguments });
      const { stdout, code, signal } = run;
      expect({ stdout, code, signal }).toEqual({
        stdout: plain.stdout,
        code: plain.code,
        signal: plain.signal,
      });
      // Warnings name the process.
      expect(clean(run.stderr)).toBe(clean(plain.stderr));
      expect(run.boxes).toHaveLength(1);
      const [box] = run.boxes;
      if (box === undefined) throw new Error("no box");
      expect(frameNames(box)[0]).toBe("async refuse (rejections.mjs:2)");
      expect(nodeAt(box, 0, "detail", "id")?.repr).toBe("7");
    },
  );

  test("a storm of equal failures gets a few boxes, not fifty", async () => {
    const run = await record("api/storm.mjs");
    expect(run.stdout).toBe("done\n");
    expect(run.stderr).toBe("");
    expect(run.boxes.length).toBeGreaterThan(0);
    expect(run.boxes.length).toBeLessThan(20);
  });

  test("an adapter that throws costs its description, not the box", async () => {
    const run = await record("api/crash-in-adapter.mjs");
    const plain = await runPlain({ node, file: join(SAMPLES, "api/crash-in-adapter.mjs") });
    expect(run.stderr).toBe(plain.stderr);
    const [box] = run.boxes;
    if (box === undefined) throw new Error("no box");
    expect(frameNames(box)[0]).toBe("go (crash-in-adapter.mjs:5)");
    expect(localNode(box, 0, "evil")).toMatchObject({ typeName: "Evil" });
    expect(localNode(box, 0, "hostile")).toMatchObject({ typeName: "Hostile" });
  });

  test("files compiled ahead give the frames of their source", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orangebox-compiled-"));
    writeFileSync(join(folder, "compiled.ts"), readFileSync(join(SAMPLES, "compiled.ts")));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    execFileSync(
      join(ROOT, "node_modules/.bin/tsc"),
      [
        "--ignoreConfig",
        "--sourceMap",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--outDir",
        join(folder, "out"),
        join(folder, "compiled.ts"),
      ],
      { cwd: folder },
    );
    const run = await runRecorded({ node, file: join(folder, "out/compiled.js") });
    runs.push(run);
    const [box] = run.boxes;
    if (box === undefined) throw new Error("no box");
    expect(frameNames(box)).toEqual(["Store.add (compiled.ts:9)", "async load (compiled.ts:19)"]);
    expect(localNode(box, 0, "before")?.repr).toBe("1");
    expect(box.sources()[0]?.text).toContain("interface Sample");
    rmSync(folder, { recursive: true });
  });

  test("a missing output folder is made", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orangebox-out-"));
    const out = join(folder, "deep/er");
    const run = await runRecorded({
      node,
      file: join(SAMPLES, "api/crash-in-adapter.mjs"),
      env: {},
      out,
    });
    runs.push(run);
    expect(readdirSync(out).filter((name) => name.endsWith(".flight"))).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });

  test("an earlier file of that name stays, and the new one gets a number", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orangebox-out-"));
    const out = join(folder, "box.flight");
    writeFileSync(out, "precious");
    const run = await runRecorded({ node, file: join(SAMPLES, "api/crash-in-adapter.mjs"), out });
    runs.push(run);
    expect(readFileSync(out, "utf8")).toBe("precious");
    expect(readdirSync(folder).filter((name) => name.endsWith(".flight"))).toHaveLength(2);
    rmSync(folder, { recursive: true });
  });

  test("a folder that cannot be written: the program ends as ever, and one line says so", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orangebox-out-"));
    const out = join(folder, "file");
    writeFileSync(out, "not a folder");
    mkdirSync(join(folder, "tmp"));
    const run = await runRecorded({
      node,
      file: join(SAMPLES, "api/crash-in-adapter.mjs"),
      out: join(out, "sub"),
      env: { TMPDIR: join(folder, "tmp") },
    });
    runs.push(run);
    expect(run.code).toBe(1);
    // The other line is for recovery.
    const captures = run.reports.filter(({ reason }) => reason !== undefined);
    expect(captures).toHaveLength(1);
    expect(captures[0]?.problem).toMatch(/ENOTDIR|not a directory/);
    expect(existsSync(captures[0]?.path ?? "")).toBe(true);
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });

  test("a wrong option is said once and does not stop the program", async () => {
    const run = await record("api/rejections.mjs", {
      env: { ORANGEBOX_LEVEL: "everything" },
      nodeArguments: ["--unhandled-rejections=none"],
    });
    expect(run.stdout).toBe("alive\n");
    expect(run.stderr).toMatch(/^\[flight\] .*LEVEL.*FLIGHT_BAD_CONFIG/);
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
  });
});
