/**
 * What the plugin says: mistakes in its options at once, and once, through the bundler, what gets no probes.
 */
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFlightError } from "@orangebox/format";
import { orangebox as esbuildPlugin } from "@orangebox/plugin/esbuild";
import { orangebox as rollupPlugin } from "@orangebox/plugin/rollup";
import { orangebox as vitePlugin } from "@orangebox/plugin/vite";
import { orangebox as webpackPlugin } from "@orangebox/plugin/webpack";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";
import { type Build, type Built, bundle, prepareSources } from "./bundlers.ts";
import { installPeers, peer } from "./compilers.ts";

const node = runtimes().find(({ version }) => version.startsWith("24."))?.path ?? process.execPath;
const folder = mkdtempSync(join(tmpdir(), "orangebox-built-words-"));
let count = 0;

beforeAll(() => {
  installPeers();
  prepareSources(join(ROOT, "test/samples/shaken"), folder);
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function build(name: string, more: Partial<Build>): Promise<Built> {
  return bundle(name, { from: folder, to: join(folder, `out-${count++}`), plugin: {}, ...more });
}

describe("an option", () => {
  const plugins = { rollupPlugin, vitePlugin, webpackPlugin };
  const mistakes: readonly { options: object; message: RegExp; hint: RegExp }[] = [
    { options: { levle: "calls" }, message: /no option "levle"/, hint: /level, levelFor/ },
    { options: { level: "all" }, message: /level/, hint: /configuration\.md/ },
    { options: { levelFor: ["src/**"] }, message: /levelFor/, hint: /configuration\.md/ },
    { options: { include: "src" }, message: /include/, hint: /./ },
    { options: { sources: "no" }, message: /"sources" is "no"/, hint: /true or false/ },
    { options: { maxDepth: 3 }, message: /no option "maxDepth"/, hint: /exclude/ },
    { options: "calls" as unknown as object, message: /no object/, hint: /Pass an object/ },
  ];

  test.each(
    Object.entries(plugins).flatMap(([name, plugin]) =>
      mistakes.map((mistake) => ({ name, plugin, ...mistake })),
    ),
  )("that is wrong is named by $name: $options", ({ plugin, options, message, hint }) => {
    let thrown: unknown;
    try {
      plugin(options);
    } catch (error) {
      thrown = error;
    }
    expect(isFlightError(thrown, "FLIGHT_BAD_CONFIG")).toBe(true);
    expect((thrown as Error).message).toMatch(message);
    expect((thrown as { hint: string }).hint).toMatch(hint);
  });

  test("that is wrong stops a build of esbuild", async () => {
    const tool = peer("esbuild") as { build(options: object): Promise<unknown> };
    const options = { levle: "calls" } as never;
    await expect(
      tool.build({
        entryPoints: [join(folder, "main.ts")],
        write: false,
        logLevel: "silent",
        plugins: [esbuildPlugin(options)],
      }),
    ).rejects.toThrow(/no option "levle"/);
  });
});

test.each(["esbuild", "rollup"])(
  "a script by %s gets no probes, which is said once",
  async (name) => {
    const plain = await build(name, { format: "script", map: false, plugin: false });
    const { entry, warnings } = await build(name, { format: "script", map: false });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(
      "[orangebox] output of the format iife gets no probes. Build ES modules or CommonJS to record them in Node",
    );
    expect(readFileSync(entry, "utf8")).toBe(readFileSync(plain.entry, "utf8"));
  },
);

test("what webpack makes for browsers gets no probes, which is said once", async () => {
  const { entry, warnings } = await build("webpack", { format: "script", map: false });
  expect(warnings).toEqual([
    expect.stringContaining("[orangebox] output for browsers gets no probes"),
  ]);
  expect(readFileSync(entry, "utf8")).not.toContain("__ob");
});

test("what webpack puts into eval gets no probes, which is said once", async () => {
  const { entry, warnings } = await build("webpack", { devtool: "eval-source-map" });
  expect(warnings).toEqual([expect.stringContaining('Set devtool: "source-map" to record them')]);
  expect(readFileSync(entry, "utf8")).not.toContain("__ob");
});

test("Rspack without maps is told what that means", async () => {
  const { entry, warnings } = await build("rspack", { map: false });
  expect(warnings).toEqual([expect.stringContaining("main.js has no source map")]);
  expect(readFileSync(entry, "utf8")).toContain("__ob-built");
});

test.each(["esbuild", "rollup", "rolldown", "vite", "webpack"])(
  "a file that cannot get probes is left alone by %s, which is said",
  async (name) => {
    const text =
      "// The recorder's own name.\nexport const ring = () => globalThis.__obR;\nconsole.log(typeof ring());\n";
    writeFileSync(join(folder, "own.ts"), text);
    const { entry, warnings } = await build(name, { entry: "own.ts", map: false });
    expect(warnings).toEqual([
      expect.stringMatching(
        /\[orangebox\] \S*main\.js gets no probes: the text names the recorder's own globals/,
      ),
    ]);
    expect((await runPlain({ node, file: entry })).stdout).toBe("undefined\n");
  },
);

test("enabled: false does nothing", async () => {
  const plain = await build("rollup", { plugin: false });
  const { entry } = await build("rollup", { plugin: { enabled: false } });
  expect(readFileSync(entry, "utf8")).toBe(readFileSync(plain.entry, "utf8"));
});

async function expectNewLines(entry: string): Promise<void> {
  const run = await runRecorded({ node, file: entry });
  removeRun(run);
  const [box] = run.boxes;
  if (box === undefined) throw new Error(`no box; stderr: ${run.stderr}`);
  expect(frameNames(box)[0]).toBe("price (price.ts:4)");
  expect(localNode(box, 0, "rate")?.repr).toBe("42");
}

/** Where the ids of a file begin. */
function baseOf(entry: string): string {
  return /__obF\.t\((0x[0-9a-f]{8}),/.exec(readFileSync(entry, "utf8"))?.[1] ?? "";
}

describe("watching", () => {
  const before =
    "export function price(count: number): number {\n  return count * 2;\n}\nconsole.log(price(2));\n";
  const after =
    "// A line more.\nexport function price(count: number): number {\n  const rate = count + 40;\n  if (rate > 41) throw new RangeError('too much');\n  return count * rate;\n}\nconsole.log(price(2));\n";

  test("with esbuild: a changed file has new ids and a new table, the same text the same", async () => {
    writeFileSync(join(folder, "price.ts"), before);
    const to = join(folder, "watched");
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const tool = peer("esbuild") as {
      context(options: object): Promise<{ rebuild(): Promise<unknown>; dispose(): Promise<void> }>;
    };
    const context = await tool.context({
      entryPoints: [join(folder, "price.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      outdir: to,
      logLevel: "silent",
      plugins: [esbuildPlugin({})],
    });
    const entry = join(to, "price.js");
    await context.rebuild();
    const first = baseOf(entry);
    await context.rebuild();
    expect(baseOf(entry)).toBe(first);
    writeFileSync(join(folder, "price.ts"), after);
    await context.rebuild();
    await context.dispose();
    expect(first).toMatch(/^0x0/);
    expect(baseOf(entry)).not.toBe(first);
    await expectNewLines(entry);
  });

  test("with Vite: the table follows the file", async () => {
    writeFileSync(join(folder, "price.ts"), before);
    const { build: viteBuild } = await import("vite");
    const to = join(folder, "vite-watched");
    const watcher = (await viteBuild({
      root: folder,
      configFile: false,
      logLevel: "silent",
      plugins: [vitePlugin({})],
      build: {
        ssr: "price.ts",
        outDir: to,
        watch: {},
        rolldownOptions: { output: { entryFileNames: "main.js" } },
      },
    })) as unknown as {
      on(event: "event", listener: (event: { code: string }) => void): void;
      close(): Promise<void>;
    };
    const ends = new EventEmitter();
    watcher.on("event", ({ code }) => {
      if (code === "END") ends.emit("end");
    });
    const next = (): Promise<unknown> => once(ends, "end");
    const entry = join(to, "main.js");
    const ended = next();
    await ended;
    const first = baseOf(entry);
    const again = next();
    writeFileSync(join(folder, "price.ts"), after);
    await again;
    await watcher.close();
    expect(baseOf(entry)).not.toBe(first);
    await expectNewLines(entry);
  });
});
