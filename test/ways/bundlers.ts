/**
 * Real bundlers, each building one TypeScript program, with or without the build plugin.
 */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { orangebox as esbuildPlugin } from "@orangebox/plugin/esbuild";
import { orangebox as rollupPlugin } from "@orangebox/plugin/rollup";
import { orangebox as vitePlugin } from "@orangebox/plugin/vite";
import { orangebox as webpackPlugin } from "@orangebox/plugin/webpack";
import { type Plugin as RolldownPlugin, rolldown } from "rolldown";
import { build as viteBuild } from "vite";
import { installPeers, peer } from "./compilers.ts";

/** What the plugin is given. */
type PluginOptions = Parameters<typeof rollupPlugin>[0];

/** One build of the program in `from`, whose entry is `main.ts`. */
export interface Build {
  readonly from: string;
  readonly to: string;
  /** False builds without the plugin. */
  readonly plugin: PluginOptions | false;
  readonly minify?: boolean;
  readonly map?: boolean | "inline";
  /** A script is what each bundler makes for browsers. */
  readonly format?: "module" | "commonjs" | "script";
  /** Rollup may leave out arguments and branches that it knows to be useless; default: it may. */
  readonly treeshake?: boolean;
  /** What webpack is told instead of `map`. */
  readonly devtool?: string;
  /** Another entry. */
  readonly entry?: string;
}

/** What a build said, and what it made. */
export interface Built {
  readonly entry: string;
  readonly warnings: readonly string[];
}

type Bundler = (build: Build) => Promise<Built>;

const esbuild: Bundler = async (job) => {
  const { from, to, plugin, minify = false, map = true, format = "module" } = job;
  const tool = peer("esbuild") as {
    build(options: object): Promise<{ warnings: readonly { text: string }[] }>;
  };
  const { warnings } = await tool.build({
    entryPoints: { main: join(from, entryOf(job)) },
    bundle: true,
    platform: "node",
    format: { module: "esm", commonjs: "cjs", script: "iife" }[format],
    minify,
    sourcemap: map,
    outdir: to,
    logLevel: "silent",
    absWorkingDir: from,
    external: ["orangebox", "orangebox/*"],
    plugins: plugin === false ? [] : [esbuildPlugin(plugin)],
  });
  return { entry: join(to, "main.js"), warnings: warnings.map(({ text }) => text) };
};

const rollup: Bundler = async (job) => {
  const { from, to, plugin, minify = false, map = true, format = "module" } = job;
  const tool = peer("rollup") as {
    rollup(options: object): Promise<{
      write(options: object): Promise<unknown>;
      close(): Promise<void>;
    }>;
  };
  const typescript = peer("@rollup/plugin-typescript") as (options: object) => unknown;
  const terser = minify ? (peer("@rollup/plugin-terser") as () => unknown) : undefined;
  const warnings: string[] = [];
  const made = await tool.rollup({
    input: join(from, entryOf(job)),
    treeshake: job.treeshake ?? true,
    external: /^orangebox/,
    plugins: [
      entryOf(job).endsWith(".ts") &&
        typescript({
          tsconfig: join(from, "tsconfig.json"),
          typescript: peer("typescript"),
          tslib: join(installPeers(), "node_modules/tslib/tslib.es6.js"),
          include: [join(from, "*.ts")],
          filterRoot: false,
        }),
      ...(plugin === false ? [] : [rollupPlugin(plugin)]),
      // Behind ours, and yet its work is done before.
      terser?.(),
    ],
    onLog: (level: string, { message }: { message: string }) => {
      if (level === "warn" && message.includes("[orangebox]")) warnings.push(message);
    },
  });
  await made.write({
    file: join(to, "main.js"),
    format: { module: "es", commonjs: "cjs", script: "iife" }[format],
    sourcemap: map,
  });
  await made.close();
  return { entry: join(to, "main.js"), warnings };
};

const rolldownBundler: Bundler = async (job) => {
  const { from, to, plugin, minify = false, map = true, format = "module" } = job;
  const warnings: string[] = [];
  const made = await rolldown({
    input: join(from, entryOf(job)),
    platform: "node",
    external: [/^orangebox/],
    plugins: plugin === false ? [] : [rollupPlugin(plugin) satisfies RolldownPlugin],
    onLog: (level, { message }) => {
      if (level === "warn") warnings.push(message);
    },
  });
  await made.write({
    file: join(to, "main.js"),
    format: format === "module" ? "es" : "cjs",
    sourcemap: map,
    minify,
  });
  await made.close();
  return { entry: join(to, "main.js"), warnings };
};

const vite: Bundler = async (job) => {
  const { from, to, plugin, minify = false, map = true, format = "module" } = job;
  const warnings: string[] = [];
  await viteBuild({
    root: from,
    configFile: false,
    logLevel: "silent",
    plugins: plugin === false ? [] : [vitePlugin(plugin)],
    ssr: { external: ["orangebox"] },
    build: {
      ssr: entryOf(job),
      outDir: to,
      emptyOutDir: false,
      minify,
      sourcemap: map,
      target: "es2022",
      rolldownOptions: {
        output: { format: format === "module" ? "es" : "cjs", entryFileNames: "main.js" },
        onLog: (level, { message }) => {
          if (level === "warn") warnings.push(message);
        },
      },
    },
  });
  return { entry: join(to, "main.js"), warnings };
};

interface Stats {
  hasErrors(): boolean;
  toString(): string;
  toJson(options: object): { warnings: readonly { message: string }[] };
}

type Webpack = (options: object, done: (error: unknown, stats: Stats) => void) => void;

const webpack: Bundler = (job) =>
  runWebpack(peer("webpack") as Webpack, job, {
    loader: "ts-loader",
    options: {
      transpileOnly: true,
      silent: true,
      compiler: join(installPeers(), "node_modules/typescript"),
    },
  });

const rspack: Bundler = (job) =>
  runWebpack((peer("@rspack/core") as { rspack: Webpack }).rspack, job, {
    loader: "builtin:swc-loader",
    options: { jsc: { parser: { syntax: "typescript" }, target: "es2022" } },
  });

function runWebpack(run: Webpack, job: Build, loader: object): Promise<Built> {
  const { from, to, plugin, minify = false, map = true, format = "module" } = job;
  const isModule = format === "module";
  return new Promise((resolve, reject) => {
    run(
      {
        mode: minify ? "production" : "development",
        target: format === "script" ? "web" : "node",
        context: from,
        entry: `./${entryOf(job)}`,
        devtool: job.devtool ?? (map === "inline" ? "inline-source-map" : map && "source-map"),
        experiments: { outputModule: isModule },
        externals: [/^orangebox/],
        externalsType: isModule ? "module" : "commonjs",
        output: {
          path: to,
          filename: "main.js",
          ...(isModule ? { module: true, chunkFormat: "module" } : {}),
        },
        resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
        resolveLoader: { modules: [join(installPeers(), "node_modules")] },
        module: {
          rules: [
            {
              test: /\.ts$/,
              ...loader,
            },
          ],
        },
        plugins: plugin === false ? [] : [webpackPlugin(plugin)],
      },
      (error, stats) => {
        if (error instanceof Error) reject(error);
        else if (stats.hasErrors()) reject(new Error(stats.toString()));
        else {
          const { warnings } = stats.toJson({ all: false, warnings: true });
          resolve({
            entry: join(to, "main.js"),
            warnings: warnings.map(({ message }) => message),
          });
        }
      },
    );
  });
}

function entryOf({ entry = "main.ts" }: Build): string {
  return entry;
}

/** Every bundler, by the name that a test shows; `rspack` is one more, whose plugin is webpack's. */
export const BUNDLERS: Readonly<Record<string, Bundler>> = {
  esbuild,
  rollup,
  rolldown: rolldownBundler,
  vite,
  webpack,
};

/** Builds with the bundler of this name. */
export function bundle(name: string, build: Build): Promise<Built> {
  const bundler = name === "rspack" ? rspack : BUNDLERS[name];
  if (bundler === undefined) throw new TypeError(`no bundler is called ${name}`);
  mkdirSync(build.to, { recursive: true });
  const type = build.format === "commonjs" ? "commonjs" : "module";
  writeFileSync(join(build.to, "package.json"), JSON.stringify({ type }));
  return bundler(build);
}

/** Copies a program to where it can be built. */
export function prepareSources(sources: string, folder: string): void {
  cpSync(sources, folder, { recursive: true });
  const configuration = {
    compilerOptions: {
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2022",
      sourceMap: true,
      rewriteRelativeImportExtensions: true,
      rootDir: folder,
    },
    include: ["*.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(configuration));
}
