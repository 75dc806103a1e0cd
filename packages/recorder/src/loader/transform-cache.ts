/**
 * Keeps transformed modules on disk, by content.
 *
 * Two files an entry: the text that is run, and the tables (sites, positions) that are read only
 * when something went wrong. Entries are written to a temporary name and renamed, so that
 * processes which share the folder never see half of one. A missing, torn or foreign entry is a
 * miss, never an error. cache-folder.ts keeps the folder small.
 */
import {
  closeSync,
  fstatSync,
  futimesSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { threadId } from "node:worker_threads";
import type { SkippedFunction } from "@orangebox/instrument/sites";
import type { ModuleTables } from "../runtime/module-registry.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { makeRoom, TOUCH_AFTER_MS, versionFolder } from "./cache-folder.ts";
import { textHash } from "./text-hash.ts";

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

const MAGIC = "orangebox-transform-3";

/** Its time is that of the last look at the folder's size, by any process. */
const STAMP_FILE = "last-look";
const LOOK_AFTER_MS = 3_600_000;
/** A process that has written this part of the limit looks again. */
const LOOK_AFTER_PART = 1 / 8;

/** Before the program can replace it. */
const { now } = Date;

/** Where the cache is and how much it may hold. */
export interface CachePlace {
  /** Undefined switches the cache off. */
  readonly folder: string | undefined;
  /** Names the build that wrote an entry: entries of another one are never read. */
  readonly version: string;
  readonly maxBytes: number;
}

/** The cache of one folder. */
export class TransformCache {
  readonly #root: string | undefined;
  readonly #folder: string;
  readonly #version: string;
  readonly #maxBytes: number;
  #isUsable = true;
  #writtenBytes = 0;
  /** Bytes to write until the next look. */
  #lookAtBytes = 0;
  #count = 0;

  constructor({ folder, version, maxBytes }: CachePlace) {
    this.#root = folder;
    this.#folder = join(folder ?? "", versionFolder(version));
    this.#version = version;
    this.#maxBytes = maxBytes;
  }

  /** The key of a text under given options. */
  key(parts: readonly string[]): string {
    return textHash([MAGIC, this.#version, ...parts].join("\0"));
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
    if (this.#root === undefined || !this.#isUsable) return false;
    // Another process may be clearing the folder between two steps of this one.
    const isWritten = this.#tryToWrite(key, entry, tables) || this.#tryToWrite(key, entry, tables);
    this.#isUsable = isWritten;
    if (isWritten) this.#keepSmall(this.#root);
    return isWritten;
  }

  #tryToWrite(key: string, entry: CacheEntry, tables: ModuleTables | undefined): boolean {
    try {
      makeFolder(join(this.#folder, key.slice(0, 2)), 0o700);
      if (tables !== undefined) this.#writeFile(`${key}.sites`, { magic: MAGIC, key, tables });
      this.#writeFile(`${key}.text`, { magic: MAGIC, key, check: checksum(entry), entry });
      return true;
    } catch {
      return false;
    }
  }

  /** Where the tables of a key are, for the side file of the ring. */
  tablesPath(key: string): string | undefined {
    return this.#root === undefined ? undefined : this.#path(`${key}.sites`);
  }

  #path(name: string): string {
    return join(this.#folder, name.slice(0, 2), name);
  }

  #readFile(name: string): unknown {
    if (this.#root === undefined) return undefined;
    let file: number | undefined;
    try {
      file = openSync(this.#path(name), "r");
      const { size, mtimeMs } = fstatSync(file);
      const bytes = Buffer.allocUnsafeSlow(size);
      if (readSync(file, bytes, 0, size, 0) !== size) return undefined;
      const nowMs = now();
      if (nowMs - mtimeMs > TOUCH_AFTER_MS) markAsUsed(file, nowMs);
      return deserialize(bytes);
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  #writeFile(name: string, value: unknown): void {
    const path = this.#path(name);
    const temporary = `${path}.${process.pid}.${threadId}.${now()}.${this.#count++}.tmp`;
    try {
      const bytes = serialize(value);
      // Exclusive: machines that share the folder may have the same process numbers.
      writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx" });
      renameSync(temporary, path);
      this.#writtenBytes += bytes.length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(temporary, { force: true });
      throw error;
    }
  }

  /**
   * Makes room in the folder, now and then: at the first entry that a process writes, when no
   * process has looked for an hour, and after each eighth of the limit that it writes itself.
   */
  #keepSmall(root: string): void {
    if (this.#writtenBytes < this.#lookAtBytes) return;
    const isFirst = this.#lookAtBytes === 0;
    this.#lookAtBytes = this.#writtenBytes + this.#maxBytes * LOOK_AFTER_PART;
    const stamp = join(root, STAMP_FILE);
    const nowMs = now();
    if (isFirst && nowMs - timeOf(stamp) < LOOK_AFTER_MS) return;
    try {
      // First the stamp: processes that start together need not all look.
      writeFileSync(stamp, "", { mode: 0o600 });
      utimesSync(stamp, nowMs / 1000, nowMs / 1000);
      makeRoom(root, this.#maxBytes, nowMs);
    } catch {
      // The folder cannot be written any more; the next entry will show it.
    }
  }
}

function markAsUsed(file: number, nowMs: number): void {
  try {
    futimesSync(file, nowMs / 1000, nowMs / 1000);
  } catch {
    // A folder that may only be read: nothing is deleted from it either.
  }
}

function timeOf(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
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
