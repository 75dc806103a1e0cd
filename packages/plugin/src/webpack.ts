/**
 * `orangebox()` for webpack and Rspack.
 *
 * Assets get their probes behind the minimizer and before their source maps are written.
 */
import { join, resolve } from "node:path";
import type { ModuleFormat } from "@orangebox/instrument";
import { TABLE_ENDING } from "@orangebox/recorder/choice";
import { resolveMap } from "./file-sources.ts";
import { BUILD_MODULES, SCRIPT_FILE } from "./formats.ts";
import { IdRanges } from "./id-ranges.ts";
import { instrumentFile } from "./instrument-file.ts";
import { type BuildChoice, chooseFiles, type PluginOptions } from "./options.ts";
import type { SourceMapJson } from "./source-map.ts";
import { Warnings } from "./warnings.ts";

/** Text of an asset, and its map. */
interface Source {
  sourceAndMap(): { readonly source: string | Uint8Array; readonly map: SourceMapJson | null };
}

interface Compilation {
  readonly hooks: {
    readonly buildModule: {
      tap(name: string, callback: (module: object) => void): void;
    };
    readonly processAssets: {
      tap(options: { name: string; stage: number }, callback: () => void): void;
    };
  };
  readonly warnings: Error[];
  readonly outputOptions: { readonly path?: string; readonly module?: boolean };
  getAssets(): readonly {
    readonly name: string;
    readonly source: Source;
    readonly info: AssetInfo;
  }[];
  updateAsset(name: string, source: object, info?: object): void;
  emitAsset(name: string, source: object, info?: object): void;
}

interface AssetInfo {
  readonly javascriptModule?: boolean;
  readonly hotModuleReplacement?: boolean;
  readonly development?: boolean;
}

export type { PluginOptions } from "./options.ts";

/** What is used of a compiler. */
interface Compiler {
  readonly context: string;
  readonly options: {
    readonly devtool?: unknown;
    readonly output?: { readonly chunkFormat?: unknown; readonly module?: unknown };
  };
  readonly hooks: {
    readonly thisCompilation: {
      tap(name: string, callback: (compilation: Compilation) => void): void;
    };
  };
  readonly webpack: {
    readonly Compilation: { readonly PROCESS_ASSETS_STAGE_DEV_TOOLING: number };
    readonly sources: {
      readonly RawSource: new (value: string | Buffer) => object;
      readonly SourceMapSource: new (value: string, name: string, map: SourceMapJson) => object;
    };
  };
}

/** The plugin, as far as webpack and Rspack know it. */
export interface WebpackPlugin {
  apply(compiler: Compiler): void;
}

const NAME = "orangebox";

/**
 * Makes the plugin for webpack and Rspack.
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` naming the option that is unknown or has a bad value.
 */
export function orangebox(options: PluginOptions = {}): WebpackPlugin {
  const checked = chooseFiles(options, process.cwd());
  const warnings = new Warnings();
  return {
    apply(compiler) {
      if (!checked.isEnabled) return;
      const choice = chooseFiles(options, compiler.context);
      compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
        // Without this, maps are made only where `devtool` asks for them.
        compilation.hooks.buildModule.tap(NAME, (module) => {
          // Rspack has made up its mind by then.
          Reflect.set(module, "useSourceMap", true);
        });
        const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_DEV_TOOLING - 1;
        compilation.hooks.processAssets.tap({ name: NAME, stage }, () => {
          instrumentAssets({ compiler, compilation, choice, warnings });
        });
      });
    },
  };
}

interface Work {
  readonly compiler: Compiler;
  readonly compilation: Compilation;
  readonly choice: BuildChoice;
  readonly warnings: Warnings;
}

function instrumentAssets({ compiler, compilation, choice, warnings }: Work): void {
  const { RawSource, SourceMapSource } = compiler.webpack.sources;
  const warn = (message: string): void => {
    const warning = new Error(message);
    warning.name = "OrangeboxWarning";
    compilation.warnings.push(warning);
  };
  const devtool = String(compiler.options.devtool);
  if (devtool.includes("eval")) {
    warnings.say(
      warn,
      `modules get no probes with devtool: "${devtool}", which puts them into eval`,
      'Set devtool: "source-map" to record them',
    );
    return;
  }
  const formats = formatsOf(compiler, compilation);
  const folder = resolve(compilation.outputOptions.path ?? ".");
  const ids = new IdRanges();
  for (const { name, source, info } of compilation.getAssets()) {
    if (!SCRIPT_FILE.test(name) || info.hotModuleReplacement === true) continue;
    if (formats === undefined) {
      warnings.say(warn, "output for browsers gets no probes", `${BUILD_MODULES}: target: "node"`);
      return;
    }
    const { source: given, map } = source.sourceAndMap();
    const text = typeof given === "string" ? given : Buffer.from(given).toString("utf8");
    const made = instrumentFile(
      {
        filename: join(folder, name),
        key: name,
        text,
        formats,
        map: map === null ? undefined : resolveMap(map, (path) => fileOf(path, compiler.context)),
      },
      choice,
      ids,
    );
    if (made === undefined) continue;
    if (map === null) {
      warnings.say(
        warn,
        `${name} has no source map: recordings will show what was built`,
        'Set devtool: "hidden-source-map" to see your sources',
      );
    }
    if ("untouched" in made) {
      warnings.say(warn, `${name} gets no probes: ${made.untouched}`);
      continue;
    }
    compilation.updateAsset(
      name,
      made.map === undefined
        ? new RawSource(made.text)
        : new SourceMapSource(made.text, name, made.map),
    );
    compilation.emitAsset(name + TABLE_ENDING, new RawSource(Buffer.from(made.table)));
  }
}

/** What Node will take the files for; undefined for scripts. */
function formatsOf(
  { options }: Compiler,
  { outputOptions }: Compilation,
): readonly ModuleFormat[] | undefined {
  if (outputOptions.module === true || options.output?.module === true) return ["module"];
  return options.output?.chunkFormat === "commonjs" ? ["commonjs"] : undefined;
}

/** `webpack://name/./src/main.ts`, or a path. */
function fileOf(source: string, context: string): string | undefined {
  const path = source.replace(/^webpack:\/\/(?:[^/]*\/(?=\.{0,2}\/))?/, "").replace(/\?.*$/, "");
  if (path.startsWith("webpack/") || path.startsWith("external ")) return undefined;
  return resolve(context, path);
}
