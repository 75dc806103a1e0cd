/**
 * What the plugin leaves on disk: the build as it would be without it, plus probes; a table and a
 * source map that fit; and clear words where something gets none.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTables } from "../../packages/recorder/src/built/table-file.ts";
import { decodeMappings, type SourceMapJson } from "../../packages/plugin/src/source-map.ts";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";
import { type Build, type Built, bundle, BUNDLERS, prepareSources } from "./bundlers.ts";
import { installPeers, peer } from "./compilers.ts";
import { type Frame, framesOf, record } from "./shop-frames.ts";

const node = runtimes().find(({ version }) => version.startsWith("24."))?.path ?? process.execPath;
const folder = mkdtempSync(join(tmpdir(), "orangebox-built-output-"));
const names = Object.keys(BUNDLERS);
let count = 0;

beforeAll(() => {
  installPeers();
  for (const sample of ["shaken", "shop", "places"]) {
    prepareSources(join(ROOT, "test/samples", sample), join(folder, sample));
  }
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function build(name: string, sample: string, more: Partial<Build> = {}): Promise<Built> {
  const from = join(folder, sample);
  return bundle(name, { from, to: join(from, `out-${count++}`), plugin: {}, ...more });
}

function textOf(path: string): string {
  return readFileSync(path, "utf8");
}

describe.each(names)("built by %s", (name) => {
  test.each([
    { sample: "shaken", minify: false },
    { sample: "shaken", minify: true },
    { sample: "places", minify: true },
  ])("$sample is the build without the plugin, minified: $minify", async ({ sample, minify }) => {
    const plain = await build(name, sample, { minify, map: false, plugin: false });
    const built = await build(name, sample, { minify, map: false });
    const { text } = readTables(`${built.entry}.orangebox`);
    // Nothing that was shaken out came back, and nothing else is different.
    expect(text).toBe(textOf(plain.entry));
    // webpack takes unused exports out when it minifies.
    const isKept = sample === "shaken" && name === "webpack" && !minify;
    expect(text.includes("never in the bundle")).toBe(isKept);
    expect(textOf(built.entry)).toContain("/*__ob-built*/");
  });

  test.each([true, "inline"] as const)("its source map (%s) has every place", async (map) => {
    const { entry } = await build(name, "shop", { map });
    const { text, map: json = "{}" } = readTables(`${entry}.orangebox`);
    const given = JSON.parse(json) as SourceMapJson;
    const written = mapOf(entry);
    const before = placesOf(text, given);
    const after = placesOf(textOf(entry), written);
    expect(after).toEqual(before);
    expect(before.length).toBeGreaterThan(100);
    // What is webpack's own has no file, and is left out of the table's map.
    const isFile = (_: unknown, index: number): boolean => given.sources[index] !== null;
    expect(sourceNames(written).filter(isFile)).toEqual(sourceNames(given).filter(isFile));
  });
});

function sourceNames({ sources }: SourceMapJson): (string | undefined)[] {
  return sources.map((source) => source?.replace(/^.*\//, ""));
}

function mapOf(entry: string): SourceMapJson {
  const url = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(textOf(entry))?.[1] ?? "";
  const json = url.startsWith("data:")
    ? Buffer.from(url.slice(url.indexOf(",") + 1), "base64").toString()
    : textOf(join(dirname(entry), url));
  return JSON.parse(json) as SourceMapJson;
}

/** What stands at each place of a map, and where it is from. */
function placesOf(text: string, map: SourceMapJson): string[] {
  const { lines, columns, sources, originalLines, originalColumns } = decodeMappings(map.mappings);
  const texts = text.split("\n");
  const places: string[] = [];
  for (let line = 0; line + 1 < lines.length; line++) {
    for (let index = lines[line] ?? 0; index < (lines[line + 1] ?? 0); index++) {
      const column = columns[index] ?? 0;
      // A name, or one sign: behind it something may be inserted.
      const there = /^(?:[\w$]+|.|$)/.exec((texts[line] ?? "").slice(column))?.[0];
      places.push(
        `${line} ${there} ${sources[index]} ${originalLines[index]} ${originalColumns[index]}`,
      );
    }
  }
  return places;
}

test("levels, packages and globs go by the source, also in one file", async () => {
  const from = join(folder, "chosen");
  mkdirSync(join(from, "node_modules/tiny"), { recursive: true });
  mkdirSync(join(from, "node_modules/other"), { recursive: true });
  const write = (path: string, text: string): void => {
    writeFileSync(join(from, path), text);
  };
  write(
    "node_modules/tiny/package.json",
    '{ "name": "tiny", "type": "module", "main": "index.js" }',
  );
  write(
    "node_modules/tiny/index.js",
    "export function inTiny(a) {\n  return a + Math.random();\n}\n",
  );
  write(
    "node_modules/other/package.json",
    '{ "name": "other", "type": "module", "main": "index.js" }',
  );
  write(
    "node_modules/other/index.js",
    "export function inOther(a) {\n  if (a > 5) return 0;\n  return a + Math.random();\n}\n",
  );
  write(
    "fine.js",
    "export function inFine(a) {\n  let b = a;\n  b += 1;\n  return b + Math.random();\n}\n",
  );
  write(
    "left.js",
    "export function inLeft(a) {\n  let b = a;\n  b += 1;\n  return b + Math.random();\n}\n",
  );
  write(
    "main.js",
    "import { inTiny } from 'tiny';\nimport { inOther } from 'other';\nimport { inFine } from './fine.js';\nimport { inLeft } from './left.js';\nfunction inMain(a) {\n  let b = a;\n  b += 1;\n  return b + Math.random();\n}\nconsole.log(inTiny(1), inOther(1), inFine(1), inLeft(1), inMain(1));\n",
  );
  const { entry, warnings } = await bundle("esbuild", {
    from,
    to: join(from, "out"),
    entry: "main.js",
    plugin: {
      level: "lines",
      levelFor: [`${from}/fine.js=writes`],
      includePackages: ["tiny"],
      exclude: [`${from}/left.js`],
    },
  });
  expect(warnings).toEqual([]);
  const text = textOf(entry);
  const bodyOf = (name: string): string => {
    const at = text.indexOf(`function ${name}(`);
    return text.slice(at, text.indexOf("\n}\n", at));
  };
  const what = (name: string): string[] => [
    ...(bodyOf(name).includes(".x($ol") ? ["calls"] : []),
    ...(/=0x6/.test(bodyOf(name)) ? ["lines"] : []),
    ...(bodyOf(name).includes("$oW(") ? ["writes"] : []),
  ];
  expect(["inTiny", "inOther", "inFine", "inLeft", "inMain"].map(what)).toEqual([
    ["calls", "lines"],
    [],
    ["calls", "lines", "writes"],
    [],
    ["calls", "lines"],
  ]);
  expect((await runPlain({ node, file: entry })).code).toBe(0);
});

describe("a table", () => {
  test("holds the text of the sources unless it is told not to", async () => {
    const { entry } = await build("rollup", "shop");
    expect(readTables(`${entry}.orangebox`).map).toContain("Checkout");
    const without = await build("rollup", "shop", { plugin: { sources: false } });
    const { sourcesContent, sources } = JSON.parse(
      readTables(`${without.entry}.orangebox`).map ?? "{}",
    ) as SourceMapJson;
    expect(sourcesContent).toBeUndefined();
    expect(sources).toContain("../checkout.ts");
    // The files are in their place here.
    expect(framesOf(await record(node, without.entry), join(folder, "shop"))).toHaveLength(4);
  });

  test.each([
    {
      what: "is missing",
      spoil: (table: string) => rmSync(table),
      says: "its table cannot be read: main.js.orangebox",
    },
    {
      what: "is cut",
      spoil: (table: string) => writeFileSync(table, readFileSync(table).subarray(0, 9)),
      says: "its table is no table of this version: main.js.orangebox",
    },
    {
      what: "is of another build",
      spoil: (table: string) => cpSync(join(folder, "places/out-table/main.js.orangebox"), table),
      says: "main.js.orangebox belongs to another build of it",
    },
  ])("that $what is said in the recording; the program runs", async ({ spoil, says }) => {
    await bundle("esbuild", {
      from: join(folder, "places"),
      to: join(folder, "places/out-table"),
      plugin: {},
    });
    const { entry } = await build("esbuild", "shop");
    const plain = await runPlain({ node, file: entry });
    spoil(`${entry}.orangebox`);
    const run = await runRecorded({ node, file: entry });
    removeRun(run);
    expect({ stdout: run.stdout, code: run.code }).toEqual({
      stdout: plain.stdout,
      code: plain.code,
    });
    const [box] = run.boxes;
    if (box === undefined) throw new Error("no box");
    const facts = JSON.stringify(box.extensions("node.runtime").map(({ data }) => data));
    expect(facts).toContain(says);
  });

  /** What becomes of a table, and what the recording says of it. */
  const LOSSES: readonly { what: string; spoil: (table: string) => void; says: string }[] = [
    {
      what: "missing",
      spoil: (table) => rmSync(table),
      says: "its table cannot be read: main.js.orangebox",
    },
    {
      what: "empty",
      spoil: (table) => writeFileSync(table, ""),
      says: "its table is no table of this version: main.js.orangebox",
    },
    {
      what: "cut",
      spoil: (table) => writeFileSync(table, readFileSync(table).subarray(0, 300)),
      says: "its table is damaged: main.js.orangebox",
    },
    {
      what: "flipped",
      spoil: (table) => {
        const bytes = readFileSync(table);
        bytes[400] = (bytes[400] ?? 0) ^ 255;
        writeFileSync(table, bytes);
      },
      says: "its table is damaged: main.js.orangebox",
    },
    {
      what: "that of another file",
      spoil: (table) => cpSync(join(folder, "places/out-table/main.js.orangebox"), table),
      says: "main.js.orangebox belongs to another build of it",
    },
  ];

  test.each(LOSSES.flatMap((loss) => [true, false].map((map) => ({ ...loss, map }))))(
    "$what leaves the places and the frames of the stack, which is said; source map $map",
    async ({ spoil, says, map }) => {
      await bundle("esbuild", {
        from: join(folder, "places"),
        to: join(folder, "places/out-table"),
        plugin: {},
      });
      writeFileSync(
        join(folder, "places/lost.ts"),
        "function fail(count: number): number { if (count < 1) throw new RangeError(`no ${count}`); return fail(count - 1) + 1; }\ntry {\n  console.log(fail(2), 1);\n} catch (error) {\n  console.log((error as Error).stack);\n}\nconsole.log(1, fail(1));\n",
      );
      const { entry } = await build("esbuild", "places", { map, entry: "lost.ts" });
      const plain = await runPlain({ node, file: entry });
      spoil(`${entry}.orangebox`);
      const run = await runRecorded({ node, file: entry });
      removeRun(run);
      // `e.stack` on stdout, and what Node says of the crash.
      expect(plain.stdout).toContain("main.js:");
      expect(run.stdout).toBe(plain.stdout);
      expect(run.stderr).toBe(plain.stderr);
      expect(run.reports.flatMap(({ problem }) => problem ?? [])).toEqual([
        `${entry} is recorded without variables: ${says}`,
      ]);
      const [box] = run.boxes;
      const notes = box
        ?.extensions("node.frames")
        .flatMap(({ data }) => data as { note?: string }[]);
      expect(notes?.length).toBeGreaterThan(0);
      expect(notes?.every(({ note }) => note === `not recorded: ${says}`)).toBe(true);
    },
  );
});

test.each(["16", "1024", "1048576"])("a ring of %s events", async (capacity) => {
  const { entry } = await build("esbuild", "shop");
  const run = await runRecorded({
    node,
    file: entry,
    env: { ORANGEBOX_RING_CAPACITY: capacity, ORANGEBOX_CAPTURE_DEADLINE_MS: "10000" },
  });
  removeRun(run);
  const [box] = run.boxes;
  expect(box === undefined ? [] : frameNames(box).slice(0, 2)).toEqual([
    "async Checkout.run.step (checkout.ts:17)",
    "async Checkout.run (checkout.ts:22)",
  ]);
  const events = box?.events()?.events ?? [];
  expect(events.length).toBeGreaterThan(8);
  expect(events.length).toBeLessThanOrEqual(Number(capacity) + 4);
});

test("a minifier that comes behind everything keeps the frames and the values", async () => {
  const { entry } = await build("esbuild", "shop", { map: false });
  const { minify } = peer("terser") as {
    minify(text: string, options: object): Promise<{ code: string }>;
  };
  const expected = framesOf(await record(node, entry), join(folder, "shop"));
  const { code } = await minify(textOf(entry), {
    module: true,
    toplevel: true,
    compress: { passes: 2 },
  });
  expect(code).not.toContain("/*__ob:");
  writeFileSync(entry, code);
  const box = framesOf(await record(node, entry), join(folder, "shop"));
  expect(box.map(withoutNames)).toEqual(expected.map(withoutNames));
  const alone = await runPlain({ node, file: entry });
  expect(alone.stdout).toBe("1 2 2\n");
});

/** Functions and classes have the names that the minifier gave them. */
function withoutNames({ qualname, file, line, locals }: Frame): unknown {
  const values = Object.entries(locals).map(([name, value]) => [
    name,
    value.startsWith("object ") ? "object" : value,
  ]);
  return { qualname, file, line, locals: Object.fromEntries(values) };
}

test.each(["esbuild", "rollup", "webpack"])(
  "--enable-source-maps follows the map of %s",
  async (name) => {
    const plain = await build(name, "shop", { plugin: false, minify: name === "esbuild" });
    const built = await build(name, "shop", { minify: name === "esbuild" });
    const flag = { node, nodeArguments: ["--enable-source-maps"] };
    const expected = await runPlain({ ...flag, file: plain.entry });
    const alone = await runPlain({ ...flag, file: built.entry });
    const recorded = await runRecorded({ ...flag, file: built.entry });
    removeRun(recorded);
    const comparable = (text: string): string =>
      text.replaceAll(dirname(plain.entry), "out").replaceAll(dirname(built.entry), "out");
    expect(comparable(recorded.stderr)).toBe(comparable(expected.stderr));
    // Alone, the excerpt above may be that of a probe.
    const stack = (text: string): string =>
      comparable(text).slice(comparable(text).indexOf("Error: cannot"));
    expect(stack(alone.stderr)).toBe(stack(expected.stderr));
    expect(localNode(recorded.boxes[0] as never, 0, "label")?.repr).toBe("2/2");
  },
);
