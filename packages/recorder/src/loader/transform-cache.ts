/**
 * Keeps transformed modules on disk, by content.
 *
 * Two files an entry: the text that is run, and the tables (sites, positions) that are read only
 * when something went wrong. Entries are written to a temporary name and renamed, so that
 * processes which share the folder never see half of one. A missing, torn or foreign entry is a
 * miss, never an error.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { SkippedFunction } from "@orangebox/instrument/sites";
import type { ModuleTables } from "../runtime/module-registry.ts";
import { textHash } from "./text-hash.ts";
import { makeFolder } from "../runtime/make-folder.ts";

/** What is run. */
export interface CachedText {
  readonly kind: "text";
  readonly code: string;
  readonly idOffsets: Uint32Array;
  readonly siteCount: number;
  readonly skipped: readonly SkippedFunction[];
}

/** A file that stays as it is, and why. */
export interface CachedRefusal {
  readonly kind: "untouched";
  readonly reason: string;
}

export type CacheEntry = CachedText | CachedRefusal;

const MAGIC = "orangebox-transform-2";

/** The cache of one folder. */
export class TransformCache {
  readonly #folder: string | undefined;
  #isUsable = true;

  /** @param folder Undefined switches the cache off. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** The key of a text under given options. */
  key(parts: readonly string[]): string {
    return textHash([MAGIC, ...parts].join("\0"));
  }

  read(key: string): CacheEntry | undefined {
    const value = this.#readFile(`${key}.text`);
    if (!isRecord(value) || value["magic"] !== MAGIC || value["key"] !== key) return undefined;
    const { entry, check } = value as { entry?: CacheEntry; check?: unknown };
    // What is read here is run: a damaged text must not be.
    return isRecord(entry) && check !== undefined && check === checksum(entry) ? entry : undefined;
  }

  readTables(key: string): ModuleTables | undefined {
    const value = this.#readFile(`${key}.sites`);
    if (!isRecord(value) || value["magic"] !== MAGIC || value["key"] !== key) return undefined;
    return (value as { tables?: ModuleTables }).tables;
  }

  /** Writes both files; a cache that cannot be written is switched off. */
  write(key: string, entry: CacheEntry, tables: ModuleTables | undefined): boolean {
    if (this.#folder === undefined || !this.#isUsable) return false;
    try {
      makeFolder(join(this.#folder, key.slice(0, 2)), 0o700);
      if (tables !== undefined) this.#writeFile(`${key}.sites`, { magic: MAGIC, key, tables });
      this.#writeFile(`${key}.text`, { magic: MAGIC, key, check: checksum(entry), entry });
      return true;
    } catch {
      this.#isUsable = false;
      return false;
    }
  }

  /** Where the tables of a key are, for the side file of the ring. */
  tablesPath(key: string): string | undefined {
    return this.#folder === undefined ? undefined : this.#path(`${key}.sites`);
  }

  #path(name: string): string {
    return join(this.#folder ?? "", name.slice(0, 2), name);
  }

  #readFile(name: string): unknown {
    if (this.#folder === undefined) return undefined;
    try {
      return deserialize(readFileSync(this.#path(name)));
    } catch {
      return undefined;
    }
  }

  #writeFile(name: string, value: unknown): void {
    const path = this.#path(name);
    const temporary = `${path}.${process.pid}.${Math.trunc(performance.now() * 1000)}.tmp`;
    try {
      writeFileSync(temporary, serialize(value), { mode: 0o600 });
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }
}

/** Covers everything that decides what is run. */
function checksum(entry: CacheEntry): string | undefined {
  if (entry.kind === "untouched") return textHash(entry.reason);
  const { kind, code, idOffsets, siteCount } = entry;
  const isWhole = kind === "text" && typeof code === "string" && idOffsets instanceof Uint32Array;
  if (!isWhole) return undefined;
  let sum = siteCount;
  for (let i = 0; i < idOffsets.length; i++) sum = (Math.imul(sum, 31) + (idOffsets[i] ?? 0)) | 0;
  return `${textHash(code)} ${sum}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
