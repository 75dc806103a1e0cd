/**
 * A program built with the plugin: its crash has the frames, the places, the sources and the values
 * of the program run directly.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { ROOT } from "../support/recorded-run.ts";
import { bundle, BUNDLERS, prepareSources } from "./bundlers.ts";
import { installPeers } from "./compilers.ts";
import { type Frame, framesOf, record, sourceHashes } from "./shop-frames.ts";

const SHOP = join(ROOT, "test/samples/shop");
const folder = mkdtempSync(join(tmpdir(), "orangebox-built-"));

beforeAll(() => {
  installPeers();
  prepareSources(SHOP, folder);
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** webpack's module body with top-level await is a function of its own, which catches the error. */
function withoutBody(frames: readonly Frame[], bundler: string): unknown[] {
  return bundler === "webpack" || bundler === "rspack"
    ? frames.map((frame) => (frame.qualname === "<module>" ? "module" : frame))
    : [...frames];
}

/** What minifiers keep for certain; which variables are still there depends on the minifier. */
function minified(frames: readonly Frame[]): unknown[] {
  return frames
    .filter(({ qualname }) => qualname !== "<module>")
    .map(({ qualname, file, line, firstLine }) => ({ qualname, file, line, firstLine }));
}

function localsOf(frames: readonly Frame[], bundler: string): unknown[] {
  return frames
    .filter(({ qualname }) => bundler !== "webpack" || qualname !== "<module>")
    .map(({ locals }) => locals);
}

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  const isMiddle = version.startsWith("24.");
  const cases = [...Object.keys(BUNDLERS), "rspack"].flatMap((bundler) =>
    ([true, "inline", false] as const)
      .filter((map) => isMiddle || (map === true && ["esbuild", "webpack"].includes(bundler)))
      // Rspack makes no maps that nobody asked for, and is told so (built-words.test.ts).
      .filter((map) => bundler !== "rspack" || map !== false)
      .map((map) => ({ bundler, map })),
  );

  test.each(cases)("built by $bundler, source map $map", async ({ bundler, map }) => {
    const to = join(folder, `${bundler}-${map}-${version}`);
    const { entry, warnings } = await bundle(bundler, { from: folder, to, plugin: {}, map });
    expect(warnings).toEqual([]);
    expect(existsSync(`${entry}.map`)).toBe(map === true);
    const direct = await record(node, join(SHOP, "main.ts"));
    const built = await record(node, entry);
    const expected = withoutBody(framesOf(direct, SHOP), bundler);
    expect(expected).toHaveLength(4);
    expect(withoutBody(framesOf(built, folder), bundler)).toEqual(expected);
    expect(sourceHashes(built)).toEqual(sourceHashes(direct));
    expect(built.exceptions()).toEqual(direct.exceptions());
  });

  test.runIf(isMiddle).each(Object.keys(BUNDLERS))("built and minified by %s", async (bundler) => {
    const to = join(folder, `${bundler}-minified`);
    const { entry } = await bundle(bundler, { from: folder, to, plugin: {}, minify: true });
    const direct = framesOf(await record(node, join(SHOP, "main.ts")), SHOP);
    const built = framesOf(await record(node, entry), folder);
    expect(minified(built)).toEqual(minified(direct));
    // What is shown is right; what is not shown was taken out by the minifier.
    expect(localsOf(direct, bundler)).toMatchObject(localsOf(built, bundler));
  });
});
