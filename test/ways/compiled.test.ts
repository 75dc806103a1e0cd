/**
 * One TypeScript program, compiled by real compilers: the box of its crash has the frames, the
 * places, the sources and the values of the program run directly.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Recording } from "@orangebox/format";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, ROOT, runRecorded } from "../support/recorded-run.ts";
import { compileProgram, COMPILERS, installPeers, type MapKind } from "./compilers.ts";

const SHOP = join(ROOT, "test/samples/shop");
const folder = mkdtempSync(join(tmpdir(), "orangebox-compiled-"));

beforeAll(() => {
  installPeers();
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What is compared of a frame. */
interface Frame {
  readonly qualname: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly firstLine: number;
  readonly locals: Readonly<Record<string, string>>;
}

function framesOf(box: Recording, sources: string): Frame[] {
  const details = box.extensions("node.frames").flatMap(({ data }) => data as { column: number }[]);
  return box.frames().map(({ qualname, file, line, firstLine, locals }, index) => ({
    qualname,
    file: relative(sources, file),
    line,
    firstLine,
    column: details[index]?.column ?? 0,
    locals: Object.fromEntries(
      locals.map(({ name, id }) => {
        const node = box.objects().get(id);
        return [name, `${node?.kind} ${node?.repr ?? node?.length}`];
      }),
    ),
  }));
}

async function record(node: string, file: string): Promise<Recording> {
  const run = await runRecorded({
    node,
    file,
    // Several processes share two cores here.
    env: { ORANGEBOX_CAPTURE_DEADLINE_MS: "10000" },
  });
  removeRun(run);
  const [box] = run.boxes;
  if (box === undefined) throw new Error(`no box; stderr: ${run.stderr}`);
  expect(run.boxes).toHaveLength(1);
  return box;
}

function sourceHashes(box: Recording): string[] {
  const sources = box.sources().filter(({ filename }) => filename.endsWith(".ts"));
  return sources.map(({ sha1 }) => sha1);
}

/** What a compiler does not keep, by name; the others keep all that is compared. */
const LOST = new Map<string, "the module" | "columns and some variables">([
  ["webpack, development", "the module"],
  ["webpack, production", "columns and some variables"],
]);

/** Reduces what a frame says to what the compiler kept. */
function kept(frames: readonly Frame[], compiler: string): unknown[] {
  const lost = LOST.get(compiler);
  switch (lost) {
    case "the module":
      // Top-level await becomes a function of webpack's that catches the error.
      return frames.map((frame) => (frame.qualname === "<module>" ? "module" : frame));
    case "columns and some variables":
      return frames
        .filter(({ qualname }) => qualname !== "<module>")
        .map(({ qualname, file, line, firstLine }) => ({ qualname, file, line, firstLine }));
    case undefined:
      break;
  }
  return [...frames];
}

const maps: readonly MapKind[] = ["inline", "external"];

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  const isMiddle = version.startsWith("24.");
  const cases = Object.keys(COMPILERS).flatMap((compiler) =>
    maps
      .filter((map) => isMiddle || (map === "external" && /minified|tsc/.test(compiler)))
      .map((map) => ({ compiler, map })),
  );

  test.each(cases)("$compiler, $map map", async ({ compiler, map }) => {
    const { sources, entry } = await compileProgram(compiler, { sources: SHOP, folder, map });
    const direct = await record(node, join(SHOP, "main.ts"));
    const compiled = await record(node, entry);
    const expected = kept(framesOf(direct, SHOP), compiler);
    expect(expected).toHaveLength(compiler === "webpack, production" ? 3 : 4);
    expect(kept(framesOf(compiled, sources), compiler)).toEqual(expected);
    expect(sourceHashes(compiled)).toEqual(sourceHashes(direct));
    expect(compiled.exceptions()).toEqual(direct.exceptions());
  });
});
