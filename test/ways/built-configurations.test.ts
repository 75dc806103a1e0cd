/**
 * Builds that are configured as projects do it: maps of every kind, names with hashes, output that is
 * not written, several outputs in one folder, other realms of built-ins.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { orangebox as esbuildPlugin } from "@orangebox/plugin/esbuild";
import { orangebox as rollupPlugin } from "@orangebox/plugin/rollup";
import { orangebox as vitePlugin } from "@orangebox/plugin/vite";
import { orangebox as webpackPlugin } from "@orangebox/plugin/webpack";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, ROOT, runPlain, runRecorded } from "../support/recorded-run.ts";
import { bundle, BUNDLERS, prepareSources } from "./bundlers.ts";
import { installPeers, peer } from "./compilers.ts";

const node = runtimes().find(({ version }) => version.startsWith("24."))?.path ?? process.execPath;
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(installPeers(), "configurations-"));
  prepareSources(join(ROOT, "test/samples/places"), join(folder, "places"));
  writeFileSync(
    join(folder, "program.js"),
    "#!/usr/bin/env node\nclass Sum {\n  static zero = 0;\n  of(a, b) {\n    if (a > 5) throw new RangeError(`too much: ${a}`);\n    return a + b;\n  }\n}\nconsole.log(String(new Sum().of), new Sum().of(1, 2));\ntry {\n  new Sum().of(6, 1);\n} catch (error) {\n  console.log(error.stack.replaceAll(/\\(.*\\//g, '('));\n}\n",
  );
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const names = Object.keys(BUNDLERS);

test.each(names)(
  "stacks are the same beside a source map of %s",
  async (name) => {
    const from = join(folder, "places");
    const build = (plugin: object | false, to: string): ReturnType<typeof bundle> =>
      bundle(name, { from, to: join(from, to, name), plugin, map: true, minify: true });
    const plain = await build(false, "plain");
    const built = await build({}, "built");
    const expected = await outputOf(plain.entry);
    expect(expected).toContain("RangeError");
    expect(await outputOf(built.entry)).toBe(expected);
    expect(await recordedOutputOf(built.entry)).toBe(expected);
  },
  120_000,
);

async function outputOf(file: string, nodeArguments: readonly string[] = []): Promise<string> {
  const run = await runPlain({ node, file, nodeArguments });
  return run.stdout + run.stderr;
}

async function recordedOutputOf(file: string): Promise<string> {
  const run = await runRecorded({ node, file });
  removeRun(run);
  return run.stdout + run.stderr;
}

interface Webpack {
  (options: object, done: (error: unknown) => void): void;
}

/** Builds with a hash in the name; gives the file. */
function buildHashed(to: string, plugins: readonly object[]): Promise<string> {
  return new Promise((resolve, reject) => {
    (peer("webpack") as Webpack)(
      {
        mode: "production",
        target: "node",
        context: folder,
        entry: "./program.js",
        output: { path: join(folder, to), filename: "[name].[contenthash].js" },
        plugins,
      },
      (error) => {
        if (error instanceof Error) reject(error);
        const file = readdirSync(join(folder, to)).find((name) => name.endsWith(".js"));
        resolve(join(folder, to, file ?? ""));
      },
    );
  });
}

test("names with the hash of what is in them keep table and places in webpack", async () => {
  const plain = await buildHashed("hashed-plain", []);
  const built = await buildHashed("hashed", [webpackPlugin()]);
  const expected = (await outputOf(plain))
    .replaceAll(dirname(plain), dirname(built))
    .replaceAll(basename(plain), basename(built));
  expect(existsSync(`${built}.orangebox`)).toBe(true);
  expect(await outputOf(built)).toBe(expected);
  expect(await recordedOutputOf(built)).toBe(expected);
}, 120_000);

describe("esbuild", () => {
  interface Result {
    readonly warnings: readonly { readonly text: string }[];
    readonly outputFiles?: readonly { readonly path: string; readonly text: string }[];
  }
  const build = (more: object): Promise<Result> =>
    (peer("esbuild") as { build(options: object): Promise<Result> }).build({
      entryPoints: [join(folder, "program.js")],
      bundle: true,
      platform: "node",
      format: "cjs",
      logLevel: "silent",
      plugins: [esbuildPlugin()],
      ...more,
    });

  test("output without a path is esbuild's own, with a word about it", async () => {
    const { outputFiles, warnings } = await build({ write: false });
    const plain = await build({ write: false, plugins: [] });
    expect(outputFiles?.map(({ text }) => text)).toEqual(
      plain.outputFiles?.map(({ text }) => text),
    );
    expect(warnings.map(({ text }) => text)).toEqual([
      "[orangebox] output without a path gets no probes. Set outfile or outdir: the table of a file lies beside it",
    ]);
  });

  test("a program with a first line for the shell can be run as esbuild's", async () => {
    await build({ outfile: join(folder, "run/plain.cjs"), plugins: [] });
    await build({ outfile: join(folder, "run/built.cjs") });
    const modeOf = (name: string): number => statSync(join(folder, "run", name)).mode;
    expect(modeOf("built.cjs")).toBe(modeOf("plain.cjs"));
    expect(modeOf("built.cjs") & 0o100).toBe(0o100);
    expect(modeOf("built.cjs.orangebox") & 0o111).toBe(0);
  });

  test("scripts for browsers are named, and stay as they are", async () => {
    const options = { format: "iife", platform: "browser", write: false, outdir: folder };
    const { outputFiles, warnings } = await build(options);
    expect(outputFiles?.map(({ path }) => basename(path))).toEqual(["program.js"]);
    expect(outputFiles?.[0]?.text).not.toContain("__ob");
    expect(warnings.map(({ text }) => text)).toEqual([
      "[orangebox] output of the format iife gets no probes. Build ES modules or CommonJS to record them in Node",
    ]);
  });

  test("a file that runs twice, under another name or in another folder, keeps its places", async () => {
    const one = "one/program.mjs";
    await build({ outfile: join(folder, "twice-plain", one), format: "esm", plugins: [] });
    await build({ outfile: join(folder, "twice-built", one), format: "esm" });
    for (const name of ["twice-plain", "twice-built"]) {
      cpSync(join(folder, name, "one"), join(folder, name, "two"), { recursive: true });
      const imports = ["one/program.mjs?first", "one/program.mjs?second", "two/program.mjs"];
      const text = imports.map((path) => `await import("./${path}");\n`).join("");
      writeFileSync(join(folder, name, "main.mjs"), text);
    }
    const plain = await outputOf(join(folder, "twice-plain/main.mjs"));
    const expected = plain.replaceAll("twice-plain", "twice-built");
    expect(expected.match(/RangeError: /g)).toHaveLength(3);
    expect(await recordedOutputOf(join(folder, "twice-built/main.mjs"))).toBe(expected);
  });

  // What SES and polyfills do before a program starts.
  const REALMS = {
    "frozen built-ins":
      "for (const one of [Function.prototype, Error, Array.prototype]) Object.freeze(one);",
    "accessors in place of methods": `
      const { toString } = Function.prototype;
      Object.defineProperty(Function.prototype, "toString", { get: () => toString, set() {}, configurable: false });`,
  };

  test.each(Object.entries(REALMS))("starts alone with %s", async (name, text) => {
    const outfile = join(folder, name, "built.cjs");
    await build({ outfile });
    writeFileSync(join(folder, name, "realm.cjs"), text);
    const output = await outputOf(outfile, ["--require", join(folder, name, "realm.cjs")]);
    expect(output).toMatch(/ 3\nRangeError: too much: 6\n/);
  });

  test("calls no built-in that the program has replaced since", async () => {
    const outfile = join(folder, "replaced.cjs");
    writeFileSync(
      join(folder, "replaced.js"),
      `${REPLACE}
class Kept { #own = 1; get own() { return this.#own; } }
const list = [new Kept().own];
for (let round = 0; round < 100; round++) {
  try { fail(round); } catch (error) { list.length = round; list[round] = error; }
}
function fail(at) { const box = { at }; box.at += 1; delete box.at; throw new TypeError("no"); }
report();
`,
    );
    const entryPoints = [join(folder, "replaced.js")];
    await build({ entryPoints, outfile, plugins: [esbuildPlugin({ level: "writes" })] });
    expect(await outputOf(outfile)).toBe("calls: \n");
    expect(await recordedOutputOf(outfile)).toBe("calls: \n");
  });
});

/** Counts the calls of built-ins from here on. */
const REPLACE = `
const called = {};
const { apply } = Reflect;
const NativeMap = WeakMap;
function replace(owner, name, label) {
  const native = owner[name];
  owner[name] = { [label](...rest) { called[label] = (called[label] ?? 0) + 1; return apply(native, this, rest); } }[label];
}
replace(WeakMap.prototype, "get", "WeakMap get");
replace(WeakMap.prototype, "set", "WeakMap set");
replace(Function.prototype, "bind", "bind");
replace(Array.prototype, "push", "push");
replace(Array.prototype, Symbol.iterator, "iterator");
replace(Reflect, "apply", "Reflect.apply");
globalThis.WeakMap = class WeakMap extends NativeMap { constructor() { super(); called.WeakMap = 1; } };
function report() { console.log("calls: " + Object.keys(called)); }
`;

test("outputs of rollup that share a folder have the maps that they asked for", async () => {
  const { rollup } = peer("rollup") as {
    rollup(options: object): Promise<{ write(options: object): Promise<unknown> }>;
  };
  const dir = join(folder, "shared");
  const made = await rollup({ input: join(folder, "program.js"), plugins: [rollupPlugin()] });
  await made.write({ dir, format: "es", entryFileNames: "bare.js" });
  await made.write({ dir, format: "es", entryFileNames: "mapped.js", sourcemap: true });
  expect(readdirSync(dir).toSorted()).toEqual([
    "bare.js",
    "bare.js.orangebox",
    "mapped.js",
    "mapped.js.map",
    "mapped.js.orangebox",
  ]);
  expect(readFileSync(join(dir, "mapped.js"), "utf8")).toContain("mapped.js.map");
});

describe("a development server", () => {
  const CODE = "export function price(count) {\n  return count * 2;\n}\n";
  const transform = (cacheDir: string): { code: string | undefined; said: string[] } => {
    const said: string[] = [];
    const plugin = vitePlugin();
    plugin.configResolved({ command: "serve", cacheDir });
    const file = join(folder, "price.js");
    writeFileSync(file, CODE);
    const context = {
      getCombinedSourcemap: () => ({ version: 3, sources: [file], mappings: "AAAA;AACA;AACA" }),
      warn: (text: string) => said.push(text),
    };
    return { code: plugin.transform.call(context, CODE, file, { ssr: true })?.code, said };
  };

  test("starts although old tables cannot be removed", () => {
    const cacheDir = join(folder, "old");
    const stuck = join(cacheDir, "orangebox/stuck.orangebox");
    mkdirSync(stuck, { recursive: true });
    utimesSync(stuck, 0, 0);
    expect(transform(cacheDir).code).toContain("/*__ob-built*/");
    expect(readdirSync(join(cacheDir, "orangebox"))).toHaveLength(2);
  });

  test("serves a module as it is when its table cannot be written", () => {
    const cacheDir = join(folder, "no-folder");
    writeFileSync(cacheDir, "a file");
    const { code, said } = transform(cacheDir);
    expect(code).toBeUndefined();
    expect(said).toEqual([
      expect.stringMatching(/price\.js gets no probes: its table cannot be written$/),
    ]);
  });
});
