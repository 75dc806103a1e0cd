/**
 * `orangebox()` for webpack and Rspack.
 *
 * Assets get their probes behind the minimizer and before their source maps are written.
 */
import { join, resolve } from "node:path";
import type { ModuleFormat } from "@orangebox/instrument";
import { renewTable, TABLE_ENDING, tableHead, textHash } from "@orangebox/recorder/choice";
import { resolveMap } from "./file-sources.ts";
import { BUILD_MODULES, SCRIPT_FILE } from "./formats.ts";
import { IdRanges } from "./id-ranges.ts";
import { instrumentFile } from "./instrument-file.ts";
import { type BuildChoice, chooseFiles, type PluginOptions } from "./options.ts";
import type { SourceMapJson } from "./source-map.ts";
import { Warnings } from "./warnings.ts";
import { fileOf } from "./webpack-names.ts";

/** Text of an asset, and its map. */
interface Source {
  source(): string | Uint8Array;
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
    readonly Compilation: {
      readonly PROCESS_ASSETS_STAGE_DEV_TOOLING: number;
      readonly PROCESS_ASSETS_STAGE_OPTIMIZE_HASH: number;
    };
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
        const { PROCESS_ASSETS_STAGE_DEV_TOOLING, PROCESS_ASSETS_STAGE_OPTIMIZE_HASH } =
          compiler.webpack.Compilation;
        const { processAssets } = compilation.hooks;
        const sizes = new Map<string, number>();
        processAssets.tap({ name: NAME, stage: PROCESS_ASSETS_STAGE_DEV_TOOLING - 1 }, () => {
          instrumentAssets({ compiler, compilation, choice, warnings, sizes });
        });
        processAssets.tap({ name: NAME, stage: PROCESS_ASSETS_STAGE_OPTIMIZE_HASH + 1 }, () => {
          renewTables({ compiler, compilation, sizes });
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
  /** Units of the texts with probes, by the hash that their tables have of them. */
  readonly sizes: Map<string, number>;
}

function instrumentAssets({ compiler, compilation, choice, warnings, sizes }: Work): void {
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
    const text = textOf(given);
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
    sizes.set(textHash(made.text), made.text.length);
  }
}

/** What is put behind a file with a source map. */
const MAP_COMMENT = /\n?\/\/# sourceMappingURL=[^\n]*\n?$/;

/**
 * Makes tables belong to the files that are written: since they got their probes, names with a hash in
 * them may have become those of other hashes, and a comment may have come behind. Nothing moves by that.
 */
function renewTables({ compiler, compilation, sizes }: Omit<Work, "choice" | "warnings">): void {
  const { RawSource } = compiler.webpack.sources;
  const sources = new Map(compilation.getAssets().map(({ name, source }) => [name, source]));
  for (const [name, source] of sources) {
    const table = sources.get(name + TABLE_ENDING)?.source();
    if (table === undefined || typeof table === "string") continue;
    const size = sizes.get(tableHead(table)?.hash ?? "");
    const text = textOf(source.source());
    const comment = MAP_COMMENT.exec(text)?.[0] ?? "";
    // Of another size: somebody else has changed it, which the recorder finds out.
    if (size !== text.length && size !== text.length - comment.length) continue;
    const renewed = renewTable(table, textHash(text));
    compilation.updateAsset(name + TABLE_ENDING, new RawSource(Buffer.from(renewed)));
  }
}

function textOf(source: string | Uint8Array): string {
  return typeof source === "string" ? source : Buffer.from(source).toString("utf8");
}

/** What Node will take the files for; undefined for scripts. */
function formatsOf(
  { options }: Compiler,
  { outputOptions }: Compilation,
): readonly ModuleFormat[] | undefined {
  if (outputOptions.module === true || options.output?.module === true) return ["module"];
  return options.output?.chunkFormat === "commonjs" ? ["commonjs"] : undefined;
}
