/**
 * Real compilers and bundlers, each turning one TypeScript program into JavaScript with a source map.
 *
 * They are installed on demand, pinned, below `.cache`; none of them is a dependency of ours.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPinned } from "../../scripts/install-pinned.ts";
import { ROOT } from "../support/recorded-run.ts";

const LOCK_WAIT_MS = 200;
const MAX_LOCK_MS = 300_000;

/** Installs the peers once, however many test files ask at the same time; gives their folder. */
export function installPeers(): string {
  const target = join(ROOT, ".cache/ways");
  const lock = join(ROOT, ".cache/ways.lock");
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  for (let waitedMs = 0; ; waitedMs += LOCK_WAIT_MS) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (waitedMs > MAX_LOCK_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_WAIT_MS);
    }
  }
  try {
    return installPinned(fileURLToPath(new URL("peers", import.meta.url)), target);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Loads a peer as its own package would see it. */
export function peer(name: string): unknown {
  return createRequire(join(installPeers(), "package.json"))(name) as unknown;
}

/** Where the map goes. */
export type MapKind = "inline" | "external";

/** What to compile, and where to. */
interface Job {
  /** Folder with `main.ts` and the modules that it imports. */
  readonly from: string;
  readonly to: string;
  readonly map: MapKind;
}

type Compile = (job: Job) => Promise<string>;

interface Esbuild {
  build(options: object): Promise<unknown>;
}

function esbuild(more: object): Compile {
  return async ({ from, to, map }) => {
    await (peer("esbuild") as Esbuild).build({
      entryPoints: readdirSync(from)
        .filter((name) => name.endsWith(".ts") && (!("bundle" in more) || name === "main.ts"))
        .map((name) => join(from, name)),
      format: "esm",
      outdir: to,
      sourcemap: map,
      logLevel: "error",
      absWorkingDir: from,
      ...more,
      ...(map === "external" ? { sourcemap: true } : {}),
    });
    renameImports(to);
    return join(to, "main.js");
  };
}

/** A compiler that goes file by file leaves the `.ts` of imports. */
function renameImports(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".js")) continue;
    const path = join(folder, name);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll(/(from\s*")(\.\/[\w-]+)\.ts"/g, '$1$2.js"'));
  }
}

interface TypeScript {
  transpileModule(
    text: string,
    options: object,
  ): { outputText: string; sourceMapText: string | undefined };
}

const tsc: Compile = async ({ from, to, map }) => {
  const { transpileModule } = peer("typescript") as TypeScript;
  for (const name of readdirSync(from).filter((file) => file.endsWith(".ts"))) {
    const { outputText, sourceMapText } = transpileModule(readFileSync(join(from, name), "utf8"), {
      fileName: name,
      compilerOptions: {
        module: "es2022",
        target: "es2022",
        ...(map === "inline"
          ? { inlineSourceMap: true, inlineSources: true }
          : { sourceMap: true }),
        sourceRoot: from,
      },
    });
    writeFileSync(join(to, name.replace(/ts$/, "js")), outputText);
    if (sourceMapText !== undefined) {
      writeFileSync(join(to, name.replace(/ts$/, "js.map")), sourceMapText);
    }
  }
  renameImports(to);
  return join(to, "main.js");
};

interface Swc {
  transformFileSync(file: string, options: object): { code: string; map?: string };
}

const swc: Compile = async ({ from, to, map }) => {
  const { transformFileSync } = peer("@swc/core") as Swc;
  for (const name of readdirSync(from).filter((file) => file.endsWith(".ts"))) {
    const made = transformFileSync(join(from, name), {
      configFile: false,
      swcrc: false,
      jsc: { parser: { syntax: "typescript" }, target: "es2022" },
      module: { type: "es6" },
      sourceMaps: map === "inline" ? "inline" : true,
      sourceFileName: join(from, name),
    });
    const output = name.replace(/ts$/, "js");
    const comment = map === "inline" ? "" : `\n//# sourceMappingURL=${output}.map\n`;
    writeFileSync(join(to, output), made.code + comment);
    if (map !== "inline") writeFileSync(join(to, `${output}.map`), made.map ?? "");
  }
  renameImports(to);
  return join(to, "main.js");
};

type Webpack = (
  options: object,
  done: (error: unknown, stats: { hasErrors(): boolean; toString(): string }) => void,
) => void;

function webpack(mode: "development" | "production"): Compile {
  return ({ from, to, map }) =>
    new Promise((resolve, reject) => {
      (peer("webpack") as Webpack)(
        {
          mode,
          target: "node",
          context: from,
          entry: "./main.ts",
          devtool: map === "inline" ? "inline-source-map" : "source-map",
          experiments: { outputModule: true },
          output: { path: to, filename: "main.js", module: true, chunkFormat: "module" },
          resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
          resolveLoader: { modules: [join(installPeers(), "node_modules")] },
          module: {
            rules: [
              {
                test: /\.ts$/,
                loader: "ts-loader",
                options: {
                  transpileOnly: true,
                  silent: true,
                  compiler: join(installPeers(), "node_modules/typescript"),
                },
              },
            ],
          },
        },
        (error, stats) => {
          if (error instanceof Error) reject(error);
          else if (stats.hasErrors()) reject(new Error(stats.toString()));
          else resolve(join(to, "main.js"));
        },
      );
    });
}

interface Rollup {
  rollup(options: object): Promise<{
    write(options: object): Promise<unknown>;
    close(): Promise<void>;
  }>;
}

const rollup: Compile = async ({ from, to, map }) => {
  const typescript = peer("@rollup/plugin-typescript") as (options: object) => unknown;
  const bundle = await (peer("rollup") as Rollup).rollup({
    input: join(from, "main.ts"),
    plugins: [
      typescript({
        tsconfig: join(from, "tsconfig.json"),
        typescript: peer("typescript"),
        tslib: join(installPeers(), "node_modules/tslib/tslib.es6.js"),
        include: [join(from, "*.ts")],
        filterRoot: false,
      }),
    ],
    onLog: () => undefined,
  });
  await bundle.write({
    file: join(to, "main.js"),
    format: "es",
    sourcemap: map === "inline" ? "inline" : true,
  });
  await bundle.close();
  return join(to, "main.js");
};

/** Every compiler, by the name that a test shows. */
export const COMPILERS: Readonly<Record<string, Compile>> = {
  "esbuild, file by file": esbuild({}),
  "esbuild, bundled": esbuild({ bundle: true }),
  "esbuild, minified": esbuild({ bundle: true, minify: true }),
  tsc,
  swc,
  "webpack, development": webpack("development"),
  "webpack, production": webpack("production"),
  rollup,
};

/**
 * Copies a program and compiles it.
 *
 * @returns Folder of the sources and the compiled entry.
 */
export async function compileProgram(
  name: string,
  { sources, folder, map }: { sources: string; folder: string; map: MapKind },
): Promise<{ sources: string; entry: string }> {
  const from = join(folder, basename(sources));
  cpSync(sources, from, { recursive: true });
  const configuration = {
    compilerOptions: {
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2022",
      sourceMap: true,
      rewriteRelativeImportExtensions: true,
      rootDir: from,
    },
    include: ["*.ts"],
  };
  writeFileSync(join(from, "tsconfig.json"), JSON.stringify(configuration));
  const to = join(from, `out-${name.replaceAll(/\W+/g, "-")}-${map}`);
  mkdirSync(to, { recursive: true });
  const compile = COMPILERS[name];
  if (compile === undefined) throw new TypeError(`no compiler is called ${name}`);
  return { sources: from, entry: await compile({ from, to, map }) };
}
