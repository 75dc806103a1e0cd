/**
 * `orangebox()` for Rollup and Rolldown, and the part of the Vite plugin that builds.
 *
 * Chunks get their probes in `generateBundle`, behind everything that other plugins do to them.
 */
import { dirname, resolve } from "node:path";
import type { ModuleFormat } from "@orangebox/instrument";
import { TABLE_ENDING } from "@orangebox/recorder/choice";
import { pathFrom, resolveMap } from "./file-sources.ts";
import { BUILD_MODULES, moduleFormats, SCRIPT_FILE } from "./formats.ts";
import { IdRanges } from "./id-ranges.ts";
import { type BuiltFile, instrumentFile } from "./instrument-file.ts";
import { type BuildChoice, chooseFiles, type PluginOptions } from "./options.ts";
import { parseSourceMap, type SourceMapJson } from "./source-map.ts";
import { Warnings } from "./warnings.ts";

export type { PluginOptions } from "./options.ts";

/** What is used of the context of Rollup's hooks. */
interface PluginContext {
  warn(message: string): void;
  emitFile(file: { type: "asset"; fileName: string; source: string | Uint8Array }): unknown;
}

/** What is used of a chunk, which is changed in place. */
interface Chunk {
  readonly type: "chunk";
  readonly fileName: string;
  readonly sourcemapFileName?: string | null | undefined;
  code: string;
  map: { toString(): string } | null;
}

interface Asset {
  readonly type: "asset";
  source: string | Uint8Array;
}

type Bundle = Record<string, Chunk | Asset>;

interface OutputOptions {
  readonly dir?: string | undefined;
  readonly file?: string | undefined;
  readonly format?: string | undefined;
  readonly sourcemap?: boolean | "inline" | "hidden" | undefined;
}

/** The plugin, as far as Rollup, Rolldown and Vite know it. */
export interface RollupPlugin {
  readonly name: string;
  outputOptions<Options extends OutputOptions>(options: Options): Options | null;
  augmentChunkHash(): string | undefined;
  readonly generateBundle: {
    readonly order: "post";
    handler(this: PluginContext, options: OutputOptions, bundle: Bundle): void;
  };
}

/**
 * Makes the plugin for Rollup and Rolldown.
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` naming the option that is unknown or has a bad value.
 */
export function orangebox(options: PluginOptions = {}): RollupPlugin {
  return rollupPlugin(chooseFiles(options, process.cwd()));
}

/** The same with options that are checked already. */
export function rollupPlugin(choice: BuildChoice): RollupPlugin {
  const warnings = new Warnings();
  /** Outputs whose maps only the tables need. */
  const unasked = new Set<string>();
  return {
    name: "orangebox",
    outputOptions(output) {
      if (!choice.isEnabled || (output.sourcemap ?? false) !== false) return null;
      unasked.add(targetOf(output));
      return { ...output, sourcemap: "hidden" };
    },
    // A file with probes is another file: its name says so where names hold a hash.
    augmentChunkHash: () => (choice.isEnabled ? `orangebox ${choice.words}` : undefined),
    generateBundle: {
      order: "post",
      handler(output, bundle) {
        if (!choice.isEnabled) return;
        const warn = (message: string): void => this.warn(message);
        const format = output.format ?? "es";
        const formats = moduleFormats(format);
        const ids = new IdRanges();
        for (const chunk of Object.values(bundle)) {
          if (chunk.type !== "chunk" || !SCRIPT_FILE.test(chunk.fileName)) continue;
          if (formats === undefined) {
            warnings.say(warn, `output of the format ${format} gets no probes`, BUILD_MODULES);
          } else {
            const made = instrumentChunk(chunk, { output, formats, choice, ids });
            if (made !== undefined && "untouched" in made) {
              warnings.say(warn, `${chunk.fileName} gets no probes: ${made.untouched}`);
            } else if (made !== undefined) {
              useBuiltFile(made, chunk, bundle);
              const fileName = chunk.fileName + TABLE_ENDING;
              this.emitFile({ type: "asset", fileName, source: made.table });
            }
          }
          // Another output into the same folder may have asked for its map.
          if (output.sourcemap === "hidden" && unasked.has(targetOf(output))) {
            removeMap(chunk, bundle);
          }
        }
      },
    },
  };
}

/** Names an output among those of one build. */
function targetOf({ dir, file, format }: OutputOptions): string {
  return [format ?? "es", dir ?? "", file ?? ""].join("\n");
}

function instrumentChunk(
  chunk: Chunk,
  {
    output,
    formats,
    choice,
    ids,
  }: {
    output: OutputOptions;
    formats: readonly ModuleFormat[];
    choice: BuildChoice;
    ids: IdRanges;
  },
): ReturnType<typeof instrumentFile> {
  const folder = output.dir ?? (output.file === undefined ? "." : dirname(output.file));
  const filename = resolve(folder, chunk.fileName);
  const json = chunk.map === null ? undefined : parseSourceMap(chunk.map.toString());
  const map =
    json === undefined
      ? undefined
      : resolveMap(json, (source) => pathFrom(dirname(filename), json, source));
  return instrumentFile(
    { filename, key: chunk.fileName, text: chunk.code, formats, map },
    choice,
    ids,
  );
}

/** Puts a file and its map into the places of the ones without probes. */
function useBuiltFile({ text, map }: BuiltFile, chunk: Chunk, bundle: Bundle): void {
  chunk.code = text;
  if (map === undefined || chunk.map === null) return;
  const asset = bundle[mapName(chunk)];
  if (asset?.type === "asset") asset.source = JSON.stringify(map);
  chunk.map = new MovedMap(map);
}

/** What Rollup's own maps can do. */
class MovedMap {
  constructor(map: SourceMapJson) {
    Object.assign(this, map);
  }

  toString(): string {
    return JSON.stringify(this);
  }

  toUrl(): string {
    const data = Buffer.from(this.toString()).toString("base64");
    return `data:application/json;charset=utf-8;base64,${data}`;
  }
}

function removeMap(chunk: Chunk, bundle: Bundle): void {
  delete bundle[mapName(chunk)];
  chunk.map = null;
}

function mapName({ fileName, sourcemapFileName }: Chunk): string {
  return sourcemapFileName ?? `${fileName}.map`;
}
