/**
 * Brings the files that Node writes under `NODE_V8_COVERAGE` back to the original text.
 *
 * Node writes them when the process or the worker has ended, which is too late for us. So, when the
 * program has run its last listener, the counts are taken, and what was written is mapped. What Node
 * writes behind that counts our own code alone. A file that is mapped already stays as it is.
 */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import type { LoadedModule, ModuleRegistry } from "../runtime/module-registry.ts";
import { type FunctionCoverage, mapFunctions } from "./map-coverage.ts";

/** What mapping needs. */
interface CoverageSources {
  readonly modules: ModuleRegistry;
  /** The text of a module before it got probes. */
  readSource(module: LoadedModule): string | undefined;
  /** The recorder's own packages, with a final slash: a plain run does not load them. */
  readonly ownFolders: readonly string[];
}

/** Waits for the end of this thread. */
export interface CoverageWatch {
  /** Takes the counts and maps every file of this process. Never throws. */
  finish(): void;
}

interface ScriptCoverage {
  readonly url: string;
  functions: readonly FunctionCoverage[];
}

interface CoverageFile {
  result: ScriptCoverage[];
  readonly "source-map-cache"?: Readonly<Record<string, { lineLengths: number[] }>>;
}

/** In a file that is mapped. Readers of coverage know nothing of it. */
const MARK = "orangebox";

/** Starts watching, if coverage was asked for when this process started. */
export function watchCoverage(sources: CoverageSources): CoverageWatch | undefined {
  const folder = process.env["NODE_V8_COVERAGE"];
  if (folder === undefined || folder === "") return undefined;
  const { takeCoverage } = process.getBuiltinModule("node:v8");
  return {
    finish() {
      try {
        takeCoverage();
        for (const name of readdirSync(folder)) {
          if (name.startsWith(`coverage-${process.pid}-`) && name.endsWith(".json")) {
            mapFile(join(folder, name), sources);
          }
        }
      } catch {
        // What was not mapped counts the text with probes.
      }
    },
  };
}

function mapFile(path: string, sources: CoverageSources): void {
  const file = JSON.parse(readFileSync(path, "utf8")) as CoverageFile;
  // Another thread of this process may have been here.
  if (MARK in file) return;
  const kept = file.result.filter(({ url }) => !isOwn(url, sources.ownFolders));
  for (const script of kept) mapScript(script, file, sources);
  const temporary = `${path}.${threadId}.tmp`;
  try {
    writeFileSync(temporary, JSON.stringify({ ...file, result: kept, [MARK]: 1 }));
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function mapScript(
  script: ScriptCoverage,
  file: CoverageFile,
  { modules, readSource }: CoverageSources,
): void {
  const module = modules.findByScript(script.url) ?? modules.findByScript(pathOf(script.url));
  // What is counted in a built file is its text as it is on disk, and its source map is of that.
  if (module === undefined || module.tablePath !== undefined) return;
  const ends = script.functions.map(({ ranges }) => ranges[0]?.endOffset ?? 0);
  // Counts of another text of this name, which was loaded before or after.
  if (ends.some((end) => end > module.generatedLength)) return;
  const text = readSource(module);
  if (text === undefined) return;
  const added = module.isTyped ? `\n\n//# sourceURL=${script.url}` : "";
  script.functions = mapFunctions(script.functions, {
    text,
    sites: module.tables.sites,
    positions: module.tables.positions,
    addedLength: added.length,
  });
  const map = file["source-map-cache"]?.[script.url];
  if (map !== undefined) map.lineLengths = lineLengths(text + added);
}

/** As Node counts them: a carriage return belongs to its line. */
function lineLengths(text: string): number[] {
  return text.split(/[\n\u2028\u2029]/).map((line) => line.length);
}

/** Native packages that the recorder loads. */
const OWN_DEPENDENCY = /\/node_modules\/(?:@?oxc-(?:parser|transform)|koffi|@koromix)\//;

function isOwn(url: string, folders: readonly string[]): boolean {
  const path = pathOf(url);
  return OWN_DEPENDENCY.test(path) || folders.some((folder) => path.startsWith(folder));
}

function pathOf(url: string): string {
  try {
    return url.startsWith("file:") ? fileURLToPath(url) : url;
  } catch {
    return url;
  }
}
