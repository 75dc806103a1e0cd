/**
 * Built programs that start the recorder themselves: their own file has been read by then, and is
 * recorded all the same.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  nodeAt,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";
import { type Build, bundle, prepareSources } from "./bundlers.ts";
import { installPeers } from "./compilers.ts";

let folder = "";

beforeAll(() => {
  // Below the repository, where `orangebox` is found.
  folder = mkdtempSync(join(installPeers(), "built-start-"));
  prepareSources(join(ROOT, "test/samples/self-started"), folder);
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const BUNDLERS = ["esbuild", "rolldown", "webpack"];
const FORMATS = ["module", "commonjs"] as const;
const CASES = BUNDLERS.flatMap((bundler) => FORMATS.map((format) => ({ bundler, format })));

function build(bundler: string, more: Partial<Build>): ReturnType<typeof bundle> {
  const to = join(
    folder,
    [bundler, ...Object.values(more).map((value) => JSON.stringify(value))]
      .join("-")
      .replaceAll(/[^\w-]/g, ""),
  );
  return bundle(bundler, { from: folder, to, plugin: {}, ...more });
}

describe.each(runtimes())("on Node $version", ({ path: node, version }) => {
  const cases = version.startsWith("24.")
    ? CASES
    : CASES.filter(({ bundler }) => bundler === "esbuild");

  test.each(cases)("install() in a $format by $bundler", async ({ bundler, format }) => {
    const plain = await build(bundler, { format, plugin: false });
    const { entry } = await build(bundler, { format, plugin: { level: "writes" } });
    const run = await runRecorded({ node, file: entry, isRequired: false });
    removeRun(run);
    const expected = await runPlain({
      node,
      file: plain.entry,
      env: { ORANGEBOX_QUIET: "1", ORANGEBOX_DUMP_ON_CRASH: "0" },
    });
    const { stdout, code } = run;
    expect({ stdout, code }).toEqual({ stdout: expected.stdout, code: expected.code });
    const [box] = run.boxes;
    if (box === undefined) throw new Error(`no box; stderr: ${run.stderr}`);
    expect(frameNames(box).slice(0, 2)).toEqual([
      "Cart.total (cart.ts:16)",
      "checkout (main.ts:13)",
    ]);
    // Some bundlers put the module into a function.
    expect(frameNames(box)[2]).toMatch(/ \(main\.ts:18\)$/);
    expect(localNode(box, 0, "sum")?.repr).toBe("2");
    expect(localNode(box, 1, "tax")?.repr).toBe("3");
    // The class was there before the recorder.
    expect(nodeAt(box, 0, "this", "#lines")?.length).toBe(2);
    expect(box.mutations().length).toBeGreaterThan(5);
  });

  test.each(cases)("its first import, in a $format by $bundler", async ({ bundler, format }) => {
    const { entry } = await build(bundler, { format, entry: "registered.ts" });
    const run = await runRecorded({ node, file: entry, isRequired: false });
    removeRun(run);
    const [box] = run.boxes;
    if (box === undefined) throw new Error(`no box; stderr: ${run.stderr}`);
    expect(frameNames(box).slice(0, 2)).toEqual([
      "Cart.total (cart.ts:16)",
      "checkout (registered.ts:10)",
    ]);
    expect(localNode(box, 1, "tax")?.repr).toBe("3");
    expect(nodeAt(box, 0, "this", "#lines")?.length).toBe(1);
  });
});
