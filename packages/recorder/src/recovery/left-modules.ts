/**
 * Knows the modules of a dead program again: from the lines of the side file, and from the tables in
 * the cache or beside built files that these lines name.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { SiteTable } from "@orangebox/instrument/sites";
import { readTableHead, readTables, TABLE_ENDING } from "../built/table-file.ts";
import { readCachedTables } from "../loader/transform-cache.ts";
import type { SitesRecord } from "../ring/open-ring.ts";
import { LoadedModule, ModuleRegistry, type ModuleTables } from "../runtime/module-registry.ts";
import { readUnchangedSource } from "../stack/unchanged-source.ts";

/** The modules, and what is wrong with some. */
export interface LeftModules {
  readonly modules: ModuleRegistry;
  /** Sentences; grows while tables are read. */
  readonly problems: string[];
}

/** Tables that are missing are told one by one up to this number. */
const MAX_PROBLEMS = 20;
const EMPTY = new Uint32Array(1);

/** Registers every module of a side file. Reads no table until one of its ids is asked for. */
export function leftModules(records: readonly SitesRecord[]): LeftModules {
  const modules = new ModuleRegistry();
  const problems: string[] = [];
  const tell = (problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  for (const record of records) {
    const { base, count, filename } = record;
    const module = modules.addAt(
      new LoadedModule({
        filename,
        scriptName: filename,
        // What only matters while a program runs is not known, and not asked for.
        format: "commonjs",
        isTyped: false,
        isUnmarked: record.isUnmarked === true,
        base,
        siteCount: count,
        generatedLength: 0,
        contentHash: record.hash ?? "",
        // Then a table that cannot be read is a problem of the module, and no error.
        tablePath: "cacheFile" in record ? record.cacheFile : "",
        load: () => {
          try {
            return tablesOf(record);
          } catch (error) {
            const reason = error instanceof Error ? error.message : "unknown error";
            tell(`events of ${filename} have no names: ${reason}`);
            throw error;
          }
        },
      }),
    );
    if (module === undefined) tell(`${filename} is left out: its ids are those of another module`);
  }
  return { modules, problems };
}

/** The text that a module was loaded from, without a byte order mark; undefined when it is lost. */
export function leftSource(module: LoadedModule): string | undefined {
  if (module.problem !== undefined) return undefined;
  const { text } = module.tables;
  if (text !== undefined) return text;
  if (module.contentHash === "") return undefined;
  const source = readUnchangedSource(module.filename, module.contentHash);
  return module.isUnmarked ? source?.slice(1) : source;
}

function tablesOf(record: SitesRecord): ModuleTables {
  if ("sites" in record) return { sites: checkedSites(record.sites, record), positions: NOWHERE };
  const { cacheFile } = record;
  if (!cacheFile.endsWith(TABLE_ENDING)) {
    const tables = readCachedTables(cacheFile);
    if (tables === undefined) {
      throw new Error(`its table is not in the cache any more (${basename(cacheFile)})`);
    }
    return { ...tables, sites: checkedSites(tables.sites, record) };
  }
  const head = readTableHead(cacheFile);
  if (typeof head === "string") throw new Error(head);
  if (head.hash !== record.hash || head.base !== record.base) {
    throw new Error(`${basename(cacheFile)} belongs to another build of it`);
  }
  const { sites, positions, text, map, isFinal } = readTables(cacheFile);
  return { sites, positions, text, ...(map === undefined ? {} : { map }), isFinal };
}

const NOWHERE: ModuleTables["positions"] = {
  version: 1,
  generated: EMPTY,
  original: EMPTY,
  generatedLineStarts: EMPTY,
  originalLineStarts: EMPTY,
};

/** A line of JSON may hold anything; every id that the module has must be in the table. */
function checkedSites(sites: unknown, { count }: SitesRecord): SiteTable {
  if (!isTable(sites, count)) throw new Error("its table is damaged, or of another version");
  return sites;
}

function isTable(value: unknown, count: number): value is SiteTable {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const hasColumn = (name: string, length: number): boolean => {
    const column = fields.get(name);
    return Array.isArray(column) && column.length >= length;
  };
  return (
    fields.get("version") === 1 &&
    ["kinds", "owners", "starts", "ends"].every((name) => hasColumn(name, count)) &&
    hasColumn("lineStarts", 1) &&
    hasColumn("functions", 0)
  );
}

/** Reads a file as it is now, where nothing says what it was. */
export function readPresentSource(filename: string): string | undefined {
  try {
    return readFileSync(filename, "utf8");
  } catch {
    // Moved or deleted since.
    return undefined;
  }
}
