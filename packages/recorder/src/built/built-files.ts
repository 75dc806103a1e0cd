/**
 * Registers files that got their probes when they were built, as they start.
 *
 * A built file tells the recorder its ids and the name of its table (`__obF.t`); the recorder finds
 * out which file that is from the stack. Nothing of the table but its first line is read until
 * somebody asks.
 */
import { statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type FilePlaces,
  LoadedModule,
  type ModuleRegistry,
  type ModuleTables,
} from "../runtime/module-registry.ts";
import { readPlaces } from "./stub-places.ts";
import { readTableHead, readTables, type TableHead } from "./table-file.ts";

/** What registering needs. */
export interface BuiltFilesOptions {
  readonly modules: ModuleRegistry;
  /** The script that called a function of the recorder's. */
  readonly callerScript: () => string | undefined;
  onModule(module: LoadedModule, tables: { path: string | undefined; read(): ModuleTables }): void;
  onLost(filename: string, reason: string): void;
}

/** Gives the function behind `__obF.t`. @returns Never throws. */
export function createBuiltFiles({
  modules,
  callerScript,
  onModule,
  onLost,
}: BuiltFilesOptions): (base: number, note: string, script?: string) => void {
  return (base, note, script) => {
    try {
      const scriptName = script ?? callerScript() ?? "";
      const filename = fileOf(scriptName);
      const siteCount = Number(note.slice(0, note.indexOf(" ")));
      const tablePath = pathOfTable(
        note.slice(note.indexOf(" ") + 1).split("\n", 1)[0] ?? "",
        filename,
      );
      const known = modules.findLoaded(base + 1);
      // Several copies of a file in one thread (another context, an import with a query) share its ids.
      if (known?.base === base && known.tablePath === tablePath) {
        modules.addCopy(scriptName, known);
        return;
      }
      const places = readPlaces(note);
      // Its places are still to be had, from the file itself.
      const lose = (reason: string): void => {
        onLost(filename, reason);
        const head: TableHead = { base, siteCount, format: "commonjs", hash: "" };
        const load = (): never => {
          throw new Error(reason);
        };
        const lost = createModule({ head, filename, scriptName, tablePath, places, load });
        if (modules.addAt(lost) === undefined) modules.addCopy(scriptName, lost);
      };
      const head = readTableHead(tablePath);
      if (typeof head === "string") {
        lose(`${head}: ${basename(tablePath)}`);
        return;
      }
      if (head.base !== base || head.siteCount !== siteCount) {
        lose(`${basename(tablePath)} belongs to another build of it`);
        return;
      }
      // So do copies in other folders, as packages that are installed twice.
      if (known?.base === base && known.contentHash === head.hash) {
        modules.addCopy(scriptName, known);
        return;
      }
      const load = (): ModuleTables => {
        try {
          return tablesOf(tablePath);
        } catch (error) {
          const reason = `its table is damaged: ${basename(tablePath)}`;
          onLost(filename, reason);
          throw new Error(reason, { cause: error });
        }
      };
      const module = modules.addAt(
        createModule({ head, filename, scriptName, tablePath, places, load }),
      );
      if (module === undefined) {
        lose(`its ids are those of ${known?.filename ?? "another file"}: build them together`);
        return;
      }
      onModule(module, { path: tablePath, read: () => module.tables });
    } catch {
      // The file runs as it would without a recorder.
    }
  };
}

function createModule({
  head,
  filename,
  scriptName,
  tablePath,
  places,
  load,
}: {
  head: TableHead;
  filename: string;
  scriptName: string;
  tablePath: string;
  places: FilePlaces | undefined;
  load: () => ModuleTables;
}): LoadedModule {
  return new LoadedModule({
    filename: head.file ?? filename,
    scriptName,
    format: head.format,
    isTyped: false,
    isUnmarked: false,
    base: head.base,
    siteCount: head.siteCount,
    generatedLength: sizeOf(filename),
    contentHash: head.hash,
    tablePath,
    places,
    load,
  });
}

function tablesOf(tablePath: string): ModuleTables {
  const { sites, positions, text, map, isFinal } = readTables(tablePath);
  return { sites, positions, text, ...(map === undefined ? {} : { map }), isFinal };
}

function sizeOf(filename: string): number {
  try {
    return statSync(filename).size;
  } catch {
    return 0;
  }
}

/** The path of a script, which the engine knows by a path, a URL, or a name that a tool gave it. */
function fileOf(scriptName: string): string {
  try {
    return scriptName.startsWith("file:") ? fileURLToPath(scriptName) : scriptName;
  } catch {
    return scriptName;
  }
}

/** Beside the file; the absolute path where a development server has no file. */
function pathOfTable(name: string, filename: string): string {
  return isAbsolute(name) ? name : join(dirname(filename), name);
}
