/**
 * `orangebox()` for esbuild.
 *
 * The output is taken before it is written, gets its probes and is written from here; with
 * `write: false` it is handed on as esbuild does.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { ModuleFormat } from "@orangebox/instrument";
import { TABLE_ENDING } from "@orangebox/recorder/choice";
import { pathFrom, resolveMap } from "./file-sources.ts";
import { BUILD_MODULES, moduleFormats, SCRIPT_FILE } from "./formats.ts";
import { IdRanges } from "./id-ranges.ts";
import { instrumentFile } from "./instrument-file.ts";
import { type BuildChoice, chooseFiles, type PluginOptions } from "./options.ts";
import { parseSourceMap, type SourceMapJson } from "./source-map.ts";
import { Warnings } from "./warnings.ts";

export type { PluginOptions } from "./options.ts";

/** What is used of esbuild's options, which are changed in place. */
interface BuildOptions {
  write?: boolean;
  sourcemap?: boolean | "linked" | "inline" | "external" | "both";
  readonly format?: "iife" | "cjs" | "esm";
  readonly platform?: "browser" | "node" | "neutral";
  readonly bundle?: boolean;
  readonly absWorkingDir?: string;
  readonly outdir?: string;
  readonly outfile?: string;
}

interface OutputFile {
  readonly path: string;
  contents: Uint8Array;
  readonly hash: string;
  readonly text: string;
}

interface BuildResult {
  readonly errors: readonly unknown[];
  warnings: { text: string }[];
  outputFiles?: OutputFile[];
}

interface PluginBuild {
  readonly initialOptions: BuildOptions;
  onEnd(callback: (result: BuildResult) => { warnings: { text: string }[] }): void;
}

/** The plugin, as far as esbuild knows it. */
export interface EsbuildPlugin {
  readonly name: string;
  setup(build: PluginBuild): void;
}

/**
 * Makes the plugin for esbuild. Name it last: plugins behind it see the files with probes.
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` naming the option that is unknown or has a bad value.
 */
export function orangebox(options: PluginOptions = {}): EsbuildPlugin {
  return {
    name: "orangebox",
    setup(build) {
      const given = build.initialOptions;
      const folder = given.absWorkingDir ?? process.cwd();
      const choice = chooseFiles(options, folder);
      if (!choice.isEnabled) return;
      const warnings = new Warnings();
      if (given.outdir === undefined && given.outfile === undefined) {
        build.onEnd(() => {
          const found: { text: string }[] = [];
          warnings.say(
            (text) => found.push({ text }),
            "output without a path gets no probes",
            NAME_A_PATH,
          );
          return { warnings: found };
        });
        return;
      }
      const isWritten = given.write !== false;
      const sourcemap = given.sourcemap ?? false;
      given.write = false;
      // Both a file and a comment would be two maps to change; the comment is made again.
      given.sourcemap = sourcemap === false ? "external" : sourcemap;
      build.onEnd((result) => {
        const found: { text: string }[] = [];
        const files = result.outputFiles ?? [];
        result.outputFiles = instrumentAll(files, {
          choice,
          folder,
          formats: formatsOf(given),
          isMapWanted: sourcemap !== false,
          warn: (message, hint) => warnings.say((text) => found.push({ text }), message, hint),
        });
        if (isWritten) {
          for (const { path, contents } of result.outputFiles) write(path, contents);
          delete result.outputFiles;
        }
        return { warnings: found };
      });
    },
  };
}

/** Said of output that is printed or handed on. */
const NAME_A_PATH = "Set outfile or outdir: the table of a file lies beside it";

/** As esbuild decides: undefined for scripts, all forms where a file decides by itself. */
function formatsOf({
  format,
  platform,
  bundle,
}: BuildOptions): readonly ModuleFormat[] | undefined {
  if (format !== undefined) return moduleFormats(format);
  if (bundle !== true) return ["commonjs", "module"];
  if (platform === "node") return moduleFormats("cjs");
  return moduleFormats(platform === "neutral" ? "esm" : "iife");
}

interface Work {
  readonly choice: BuildChoice;
  readonly folder: string;
  readonly formats: readonly ModuleFormat[] | undefined;
  readonly isMapWanted: boolean;
  readonly warn: (message: string, hint?: string) => void;
}

function instrumentAll(files: readonly OutputFile[], work: Work): OutputFile[] {
  const { choice, folder, formats, isMapWanted, warn } = work;
  const ids = new IdRanges();
  const maps = new Map(files.map((file) => [file.path, file]));
  const made: OutputFile[] = [];
  for (const file of files) {
    const { path } = file;
    if (path.endsWith(".map")) continue;
    const mapFile = maps.get(`${path}.map`);
    const add = (given: OutputFile, contents: Uint8Array | string): void => {
      made.push(outputFile(given, contents));
    };
    const isScript = SCRIPT_FILE.test(path);
    if (isScript && formats === undefined) {
      warn("output of the format iife gets no probes", BUILD_MODULES);
    }
    const json = isScript ? mapOf(file, mapFile) : undefined;
    const built =
      isScript && formats !== undefined
        ? instrumentFile(
            {
              filename: path,
              key: relative(folder, path),
              text: file.text,
              formats,
              map:
                json === undefined
                  ? undefined
                  : resolveMap(json, (source) => pathFrom(dirname(path), json, source)),
            },
            choice,
            ids,
          )
        : undefined;
    if (built === undefined || "untouched" in built) {
      if (built !== undefined) {
        warn(`${relative(folder, path)} gets no probes: ${built.untouched}`);
      }
      made.push(file);
      if (mapFile !== undefined && isMapWanted) made.push(mapFile);
      continue;
    }
    add(file, built.text);
    if (mapFile !== undefined && isMapWanted) add(mapFile, JSON.stringify(built.map));
    made.push({ ...outputFile(file, built.table), path: path + TABLE_ENDING });
  }
  return made;
}

function mapOf(file: OutputFile, mapFile: OutputFile | undefined): SourceMapJson | undefined {
  if (mapFile !== undefined) return parseSourceMap(mapFile.text);
  const data = /\/\/# sourceMappingURL=data:[^,]*;base64,([^\n]*)\n?$/.exec(
    file.text.slice(Math.max(0, file.text.lastIndexOf("//# sourceMappingURL="))),
  )?.[1];
  return data === undefined ? undefined : parseSourceMap(Buffer.from(data, "base64").toString());
}

/** As esbuild's own, whose text follows its bytes. */
function outputFile({ path, hash }: OutputFile, given: Uint8Array | string): OutputFile {
  return {
    path,
    hash,
    contents: typeof given === "string" ? Buffer.from(given) : given,
    get text() {
      return Buffer.from(this.contents).toString("utf8");
    },
  };
}

/** As esbuild does: what begins with `#!` can be run. */
function write(path: string, contents: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const isProgram = contents[0] === 0x23 && contents[1] === 0x21;
  writeFileSync(resolve(path), contents, { mode: isProgram ? 0o777 : 0o666 });
}
