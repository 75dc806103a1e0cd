/**
 * `orangebox()` for Vite: builds, and the modules that a development server runs in Node.
 *
 * A server (`vite dev` with server-side rendering, `vite-node`, Vitest) hands modules to Node one
 * by one and changes them once more on the way. They get their probes in `transform`, behind all
 * other plugins; their tables lie in Vite's cache folder. What goes to browsers is left alone.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TABLE_ENDING, textHash } from "@orangebox/recorder/choice";
import { isScriptSource, type ResolvedMap, resolveMap } from "./file-sources.ts";
import { IdRanges } from "./id-ranges.ts";
import { instrumentFile } from "./instrument-file.ts";
import { type BuildChoice, chooseFiles, type PluginOptions } from "./options.ts";
import { type RollupPlugin, rollupPlugin } from "./rollup.ts";
import { encodeMappings, parseSourceMap, type SourceMapJson } from "./source-map.ts";
import { Warnings } from "./warnings.ts";

export type { PluginOptions } from "./options.ts";

/** What is used of Vite's configuration. */
interface ViteConfig {
  readonly command: "build" | "serve";
  readonly cacheDir: string;
}

interface TransformContext {
  readonly environment?: { readonly config: { readonly consumer?: string } };
  getCombinedSourcemap(): object;
  warn(message: string): void;
}

/** The plugin, as far as Vite knows it. */
export interface VitePlugin extends RollupPlugin {
  readonly enforce: "post";
  configResolved(config: ViteConfig): void;
  transform(
    this: TransformContext,
    code: string,
    id: string,
    options?: { ssr?: boolean | undefined },
  ): { code: string; map: string } | undefined;
}

/** Tables of texts that nobody has asked for so long are removed when a server starts. */
const KEEP_MS = 7 * 86_400_000;

/**
 * Makes the plugin for Vite.
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` naming the option that is unknown or has a bad value.
 */
export function orangebox(options: PluginOptions = {}): VitePlugin {
  const choice = chooseFiles(options, process.cwd());
  const ids = new IdRanges();
  const warnings = new Warnings();
  let tables: string | undefined;
  return {
    ...rollupPlugin(choice),
    enforce: "post",
    configResolved({ command, cacheDir }) {
      if (command !== "serve" || !choice.isEnabled) return;
      tables = join(cacheDir, "orangebox");
      removeOld(tables);
    },
    transform(code, id, { ssr } = {}) {
      if (tables === undefined) return undefined;
      const isForNode = this.environment?.config.consumer === "server" || ssr === true;
      const [file = ""] = id.split("?", 1);
      if (!isForNode || !isScriptSource(file) || !choice.filter(file)) return undefined;
      const json = parseSourceMap(JSON.stringify(this.getCombinedSourcemap()));
      if (json === undefined) return undefined;
      const made = instrumentModule({ code, id, file, json, tables }, choice, ids);
      if (made === undefined) return undefined;
      if ("untouched" in made) {
        warnings.say((text) => this.warn(text), `${file} gets no probes: ${made.untouched}`);
        return undefined;
      }
      return made;
    },
  };
}

interface ServedModule {
  readonly code: string;
  readonly id: string;
  readonly file: string;
  readonly json: SourceMapJson;
  readonly tables: string;
}

function instrumentModule(
  { code, id, file, json, tables }: ServedModule,
  choice: BuildChoice,
  ids: IdRanges,
): { code: string; map: string } | { untouched: string } | undefined {
  // Whatever a map calls it, it is this file; other sources are parts that plugins put into it.
  const map = resolveMap(json, () => file);
  const tablePath = join(tables, textHash(`${id}\n${choice.words}\n${code}`) + TABLE_ENDING);
  const made = instrumentFile(
    { filename: file, key: id, text: code, formats: ["module"], map, tablePath, isFinal: false },
    choice,
    ids,
  );
  if (made === undefined || "untouched" in made) return made;
  if (!writeWhole(tablePath, made.table)) return { untouched: "its table cannot be written" };
  return { code: made.text, map: stepMap(map, made.columns, id) };
}

/** The map of this one step: each place that has one further back, to itself. */
function stepMap({ mappings }: ResolvedMap, columns: readonly number[], id: string): string {
  const lines: number[] = [];
  for (let line = 0; line + 1 < mappings.lines.length; line++) {
    for (let index = mappings.lines[line] ?? 0; index < (mappings.lines[line + 1] ?? 0); index++) {
      lines.push(line);
    }
  }
  return JSON.stringify({
    version: 3,
    sources: [id],
    names: [],
    mappings: encodeMappings({
      lines: mappings.lines,
      columns,
      sources: lines.map(() => 0),
      originalLines: lines,
      originalColumns: mappings.columns,
      names: lines.map(() => -1),
    }),
  });
}

function removeOld(folder: string): void {
  const now = Date.now();
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    // There is none yet.
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    try {
      if (name.endsWith(TABLE_ENDING) && now - statSync(path).mtimeMs > KEEP_MS) rmSync(path);
    } catch {
      // Another server was faster, or it is not ours to remove.
    }
  }
}

/** Programs that another server started may read the same table meanwhile: it is there or it is not. */
function writeWhole(path: string, bytes: Uint8Array): boolean {
  const unfinished = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(unfinished, bytes);
    renameSync(unfinished, path);
    return true;
  } catch {
    try {
      rmSync(unfinished, { force: true });
    } catch {
      // There is no such folder.
    }
    return false;
  }
}
