/**
 * Knows which source file each place of a built text comes from, and what that file is to get.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Level } from "@orangebox/instrument";
import type { BuildChoice } from "./options.ts";
import { decodeMappings, type Mappings, type SourceMapJson } from "./source-map.ts";

/** A source map, and where its sources are. */
export interface ResolvedMap {
  readonly json: SourceMapJson;
  readonly mappings: Mappings;
  /** Absolute paths of the sources, by index; undefined for what no file holds. */
  readonly files: readonly (string | undefined)[];
}

/** Files whose text a development server makes JavaScript of. */
export function isScriptSource(file: string): boolean {
  return /\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx)$/.test(file) && !file.includes("\0");
}

/** Decodes a map. @param fileOf The absolute path of a source; undefined for what no file holds. */
export function resolveMap(
  json: SourceMapJson,
  fileOf: (source: string) => string | undefined,
): ResolvedMap {
  return {
    json,
    mappings: decodeMappings(json.mappings),
    files: json.sources.map((source) => (source === null ? undefined : fileOf(source))),
  };
}

/** The path of a source that is named from a folder, as bundlers write them into maps. */
export function pathFrom(
  folder: string,
  { sourceRoot = "" }: SourceMapJson,
  source: string,
): string | undefined {
  if (source.includes("\0")) return undefined;
  try {
    if (source.startsWith("file:")) return fileURLToPath(source);
    return resolve(folder, sourceRoot, source);
  } catch {
    return undefined;
  }
}

/** Gives the level of the function at a range of the text; undefined leaves it alone. */
export function levelsBySource(
  { json, mappings, files }: ResolvedMap,
  lineStarts: readonly number[],
  choice: BuildChoice,
): (start: number, end: number) => Level | undefined {
  const levels = files.map((file, index) => {
    // Packages name sources that they do not ship, with their text.
    const isSource = file !== undefined && (existsSync(file) || hasText(json, index));
    return isSource && choice.filter(file) ? choice.levelOf(file) : undefined;
  });
  const offsets: number[] = [];
  const found: (Level | undefined)[] = [];
  for (let line = 0; line + 1 < mappings.lines.length; line++) {
    const lineStart = lineStarts[line];
    if (lineStart === undefined) break;
    for (let index = mappings.lines[line] ?? 0; index < (mappings.lines[line + 1] ?? 0); index++) {
      const source = mappings.sources[index] ?? -1;
      if (source < 0) continue;
      offsets.push(lineStart + (mappings.columns[index] ?? 0));
      found.push(levels[source]);
    }
  }
  return (start, end) => {
    const index = firstAtLeast(offsets, start);
    const offset = offsets[index];
    if (offset !== undefined && offset < end) return found[index];
    // A coarse map has one place for a line.
    const before = offsets[index - 1];
    const line = firstAtLeast(lineStarts, start + 1) - 1;
    return before !== undefined && before >= (lineStarts[line] ?? 0) ? found[index - 1] : undefined;
  };
}

function hasText({ sourcesContent }: SourceMapJson, index: number): boolean {
  return typeof sourcesContent?.[index] === "string";
}

function firstAtLeast(values: readonly number[], wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The map for a table: sources by their way from the folder of the built file, with their text where
 * that is wanted.
 */
export function tableMap(
  { json, files }: ResolvedMap,
  filename: string,
  { keepsSources }: Pick<BuildChoice, "keepsSources">,
): string {
  const folder = dirname(filename);
  const { sourceRoot: _root, file: _file, sourcesContent, ...rest } = json;
  return JSON.stringify({
    ...rest,
    sources: json.sources.map((_, index) => {
      // What no file holds is a bundler's own, and shown as the built file.
      const file = files[index];
      return file === undefined ? null : asUrl(relative(folder, file));
    }),
    ...(keepsSources
      ? {
          sourcesContent: json.sources.map(
            (_, index) => sourcesContent?.[index] ?? read(files[index]),
          ),
        }
      : {}),
  });
}

function asUrl(path: string): string {
  return path.split(sep).map(encodeURIComponent).join("/");
}

function read(file: string | undefined): string | null {
  try {
    return file === undefined ? null : readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
