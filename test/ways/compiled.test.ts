/**
 * One TypeScript program, compiled by real compilers: the box of its crash has the frames, the
 * places, the sources and the values of the program run directly.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { ROOT } from "../support/recorded-run.ts";
import { compileProgram, COMPILERS, installPeers, type MapKind } from "./compilers.ts";
import { type Frame, framesOf, record, sourceHashes } from "./shop-frames.ts";

const SHOP = join(ROOT, "test/samples/shop");
const folder = mkdtempSync(join(tmpdir(), "orangebox-compiled-"));

beforeAll(() => {
  installPeers();
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

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
