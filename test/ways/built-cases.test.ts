/**
 * The crash cases, built by real bundlers with the plugin: the boxes have the frames, the values and
 * the errors of the programs run directly.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, ROOT, runRecorded } from "../support/recorded-run.ts";
import { bundle, prepareSources } from "./bundlers.ts";
import { installPeers } from "./compilers.ts";
import { type Frame, framesOf } from "./shop-frames.ts";

/** Cases that leave a box by themselves and in every run, in one thread. */
const CASES = [
  "average",
  "bare-reject",
  "driver-queue",
  "fs-callback",
  "hostile-graph",
  "odd-throw",
  "race",
  "typescript",
] as const;

const node = runtimes().find(({ version }) => version.startsWith("24."))?.path ?? process.execPath;
const folder = mkdtempSync(join(tmpdir(), "orangebox-built-cases-"));

beforeAll(() => {
  installPeers();
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Left {
  readonly boxes: readonly {
    readonly frames: readonly Frame[];
    readonly errors: readonly { readonly type: string; readonly message: string }[];
  }[];
  readonly code: number | null;
}

async function left(file: string, sources: string): Promise<Left> {
  const run = await runRecorded({
    node,
    file,
    cwd: folder,
    env: { ORANGEBOX_CAPTURE_DEADLINE_MS: "10000" },
  });
  removeRun(run);
  const { code } = run;
  return {
    boxes: run.boxes.map((box) => ({
      frames: framesOf(box, sources),
      errors: box.exceptions().map(({ type, message }) => ({ type, message })),
    })),
    code,
  };
}

/** One of the programs prints what a race decided. */
function withoutLocals({ boxes, code }: Left): unknown {
  const plain = boxes.map(({ frames, errors }) => ({
    frames: frames.map(({ locals: _locals, ...frame }) => frame),
    errors: errors.map(({ type, message }) => ({ type, message: message.replaceAll(/\d+/g, "N") })),
  }));
  return { boxes: plain, code };
}

function localsOf({ boxes }: Left): unknown[] {
  return boxes.map(({ frames }) =>
    frames.map(({ locals }) =>
      Object.fromEntries(
        Object.entries(locals).map(([name, text]) => [
          name,
          // Folders that a program makes have other names in each run.
          text.replaceAll(/(?<=\/race-)\w+/g, "X").replaceAll(/\d+/g, "N"),
        ]),
      ),
    ),
  );
}

function countOf({ boxes }: Left): number {
  return boxes.flatMap(({ frames }) => frames.flatMap(({ locals }) => Object.keys(locals))).length;
}

function entryOf(name: string): string {
  return name === "average" || name === "typescript" ? "main.ts" : "main.mjs";
}

describe.each(["esbuild", "rollup", "vite"])("built by %s", (bundler) => {
  test.each(CASES)("%s", async (name) => {
    const sources = join(ROOT, "test/cases", name);
    const from = join(folder, bundler, name);
    prepareSources(sources, from);
    const { entry, warnings } = await bundle(bundler, {
      from,
      to: join(from, "out"),
      entry: entryOf(name),
      plugin: {},
      treeshake: false,
    });
    expect(warnings).toEqual([]);
    const direct = await left(join(sources, entryOf(name)), sources);
    const built = await left(entry, from);
    expect(direct.boxes.length).toBeGreaterThan(0);
    expect(withoutLocals(built)).toEqual(withoutLocals(direct));
    // What is shown is right; constants that a bundler has put into their places are not shown.
    expect(localsOf(direct)).toMatchObject(localsOf(built));
    const lost = countOf(direct) - countOf(built);
    expect(lost).toBeLessThanOrEqual(bundler === "rollup" ? 0 : 3);
  });
});
