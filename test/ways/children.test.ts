/**
 * Child processes and workers of every kind are recorded, each into a box of its own, and see the
 * environment and arguments of a run without the recorder.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Recording } from "@orangebox/format";
import { runtimes } from "../../scripts/runtimes.ts";
import { finished, type Finished, plainEnvironment } from "../cli/flight.ts";
import { openBox, removeRun, ROOT, runRecorded } from "../support/recorded-run.ts";

const MAIN = join(ROOT, "test/samples/children/main.cjs");
const FLIGHT = join(ROOT, "packages/orangebox/bin/flight.js");

/** How the sample starts the same failing file. */
const WAYS = [
  "cluster",
  "empty env",
  "exec",
  "execSync",
  "fork",
  "fork2",
  "spawnSync",
  "worker",
] as const;

function run(
  node: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return finished(
    spawn(node, args, { env: plainEnvironment(env), stdio: ["ignore", "pipe", "pipe"] }),
  );
}

function message(box: Recording): string {
  return (box.exceptions()[0]?.message ?? "").replace(/^kid /, "");
}

function boxesIn(folder: string): Recording[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".flight"));
  return names.map((name) => openBox(join(folder, name)));
}

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test("under flight run", async () => {
    const out = mkdtempSync(join(tmpdir(), "orangebox-children-"));
    const plain = await run(node, [MAIN]);
    const recorded = await run(node, [FLIGHT, "run", "--out", out, MAIN]);
    const boxes = boxesIn(out);
    rmSync(out, { recursive: true, force: true });
    expect(recorded.stdout).toBe(plain.stdout);
    expect(recorded.code).toBe(plain.code);
    expect(boxes.map(message).toSorted()).toEqual([...WAYS]);
    for (const box of boxes) {
      const [frame] = box.frames();
      expect(frame?.qualname).toBe("inner");
      expect(frame?.locals.map(({ name }) => name)).toContain("kind");
    }
    const runs = boxes.flatMap((box) =>
      box.extensions("node.links").map(({ data }) => (data as { run: string }).run),
    );
    expect(runs).toHaveLength(WAYS.length);
    expect(new Set(runs).size).toBe(1);
  }, 90_000);

  test("with --require alone", async () => {
    const plain = await run(node, [MAIN]);
    const recorded = await runRecorded({ node, file: MAIN });
    removeRun(recorded);
    // Variables that the user sets are the user's: the program sees them.
    const own = /"ORANGEBOX_\w+",?/g;
    expect(recorded.stdout.replaceAll(own, "")).toBe(plain.stdout);
    expect(recorded.boxes.map(message).toSorted()).toEqual([...WAYS]);
  }, 90_000);

  test("not when they are to be left alone", async () => {
    const recorded = await runRecorded({ node, file: MAIN, env: { ORANGEBOX_CHILDREN: "false" } });
    removeRun(recorded);
    expect(recorded.boxes.map(message)).toEqual(["worker"]);
  }, 90_000);
});

test.each([
  // The permission model would refuse the files of the recorder to the child.
  [["--permission", "--allow-fs-read=*"], "--permission"],
  [["--max-old-space-size=64", "--stack-size=800"], "--stack-size=800"],
])("options that a program gives its child stay: %j", async (options, shown) => {
  const node = runtimes().find(({ version }) => version.startsWith("24."))?.path ?? "node";
  const script = "console.log(process.execArgv.join(), process.env.NODE_OPTIONS)";
  const code = `const { spawnSync } = require("node:child_process");
const { stdout, stderr } = spawnSync(process.execPath, ${JSON.stringify([...options, "-e", script])}, { encoding: "utf8" });
console.log(stdout + stderr);`;
  const plain = await run(node, ["-e", code]);
  const recorded = await run(node, [
    "--require",
    join(ROOT, "packages/recorder/register.cjs"),
    "-e",
    code,
  ]);
  expect(plain.stdout).toContain(shown);
  expect(recorded).toEqual(plain);
});
