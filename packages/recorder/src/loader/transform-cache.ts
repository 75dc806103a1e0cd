/**
 * Keeps transformed modules on disk, by content.
 *
 * Two files an entry: the text that is run (a line of JSON, the text, the offsets of its ids; read
 * at every start, so nothing of it is decoded needlessly), and the tables (sites, positions) that
 * are read only when something went wrong. Entries are written to a temporary name and renamed, so
 * that processes which share the folder never see half of one. A missing, torn or foreign entry is
 * a miss, never an error. cache-folder.ts keeps the folder small.
 */
import {
  closeSync,
  fstatSync,
  futimesSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { threadId } from "node:worker_threads";
import type { SkippedFunction } from "@orangebox/instrument/sites";
import type { ModuleTables } from "../runtime/module-registry.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { makeRoom, TOUCH_AFTER_MS, versionFolder } from "./cache-folder.ts";
import { bytesHash, textHash } from "./text-hash.ts";

/** What is run. */
export interface CachedText {
  readonly kind: "text";
  /** Its ids count from `base + 1`. */
  readonly code: string;
  readonly base: number;
  readonly siteCount: number;
  /** Where the digits of each id stand in `code`; only needed when the ids must change. */
  idOffsets(): Uint32Array;
  readonly skipped: readonly SkippedFunction[];
}

/** A file that stays as it is, and why. */
export interface CachedRefusal {
  readonly kind: "untouched";
  readonly reason: string;
}

export type CacheEntry = CachedText | CachedRefusal;

const MAGIC = "orangebox-transform-4";

/** Its time is that of the last look at the folder's size, by any process. */
const STAMP_FILE = "last-look";
const LOOK_AFTER_MS = 3_600_000;
/** A process that has written this part of the limit looks again. */
const LOOK_AFTER_PART = 1 / 8;

/** Before the program can replace them: a failing one would look like an entry that is not there. */
const { now } = Date;
const { parse } = JSON;

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
  /** A bit for each folder that this process has made or found. */
  #made = 0;

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
    const bytes = this.#readBytes(`${key}.text`);
    return bytes === undefined ? undefined : decodeEntry(key, bytes);
  }

  readTables(key: string): ModuleTables | undefined {
    const bytes = this.#readBytes(`${key}.sites`);
    const value = bytes === undefined ? undefined : deserialized(bytes);
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
      this.#makeFolderOf(key);
      if (tables !== undefined) {
        this.#writeFile(`${key}.sites`, serialize({ magic: MAGIC, key, tables }));
      }
      this.#writeFile(`${key}.text`, encodeEntry(key, entry));
      return true;
    } catch {
      this.#made = 0;
      return false;
    }
  }

  /** Once for each folder: being told that one is there costs as much as making it. */
  #makeFolderOf(key: string): void {
    const folder = folderOf(key);
    const bit = 1 << Number.parseInt(folder, 16);
    if ((this.#made & bit) !== 0) return;
    makeFolder(join(this.#folder, folder), 0o700);
    this.#made |= bit;
  }

  /** Where the tables of a key are, for the side file of the ring. */
  tablesPath(key: string): string | undefined {
    return this.#root === undefined ? undefined : this.#path(`${key}.sites`);
  }

  #path(name: string): string {
    return join(this.#folder, folderOf(name), name);
  }

  #readBytes(name: string): Buffer | undefined {
    if (this.#root === undefined) return undefined;
    let file: number | undefined;
    try {
      file = openSync(this.#path(name), "r");
      const { size, mtimeMs } = fstatSync(file);
      const bytes = Buffer.allocUnsafeSlow(size);
      if (readSync(file, bytes, 0, size, 0) !== size) return undefined;
      const nowMs = now();
      if (nowMs - mtimeMs > TOUCH_AFTER_MS) markAsUsed(file, nowMs);
      return bytes;
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  #writeFile(name: string, bytes: Uint8Array): void {
    const path = this.#path(name);
    const temporary = `${path}.${process.pid}.${threadId}.${now()}.${this.#count++}.tmp`;
    try {
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

/** One of sixteen: a start that fills the cache makes each of them. */
function folderOf(name: string): string {
  return name.slice(0, 1);
}

/**
 * Reads the tables of an entry by the path of their file, without the cache that it belongs to.
 *
 * @returns Undefined when they are gone, damaged, or of another version of this file's form.
 */
export function readCachedTables(path: string): ModuleTables | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  const value = deserialized(bytes);
  const key = basename(path, ".sites");
  if (!isRecord(value) || value["magic"] !== MAGIC || value["key"] !== key) return undefined;
  return (value as { tables?: ModuleTables }).tables;
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

/** The first line of a `.text` file. */
interface Head {
  readonly magic: string;
  readonly key: string;
  /** `bytesHash` of everything behind the line, and of the numbers in it. */
  readonly check: string;
  readonly reason?: string;
  readonly codeBytes?: number;
  readonly isLatin1?: boolean;
  readonly base?: number;
  readonly siteCount?: number;
  readonly skipped?: readonly SkippedFunction[];
}

const LINE_FEED = 0x0a;

function encodeEntry(key: string, entry: CacheEntry): Buffer {
  if (entry.kind === "untouched") {
    const { reason } = entry;
    const head: Head = { magic: MAGIC, key, check: textHash(`${key} ${reason}`), reason };
    return Buffer.from(`${JSON.stringify(head)}\n`);
  }
  const { code, base, siteCount, skipped } = entry;
  // One byte a unit where that is enough: the engine takes it as it is.
  const isLatin1 = !/[^\0-\xff]/.test(code);
  const text = Buffer.from(code, isLatin1 ? "latin1" : "utf16le");
  const offsets = entry.idOffsets();
  const body = Buffer.concat([text, Buffer.from(offsets.slice().buffer)]);
  const numbers = { codeBytes: text.length, isLatin1, base, siteCount };
  const check = checkOf(key, numbers, body);
  const head: Head = { magic: MAGIC, key, check, ...numbers, skipped };
  const line = Buffer.from(JSON.stringify(head));
  // The rest begins at a multiple of four, where it can be checked without a copy.
  const padding = " ".repeat(3 - (line.length & 3));
  return Buffer.concat([line, Buffer.from(`${padding}\n`), body]);
}

function decodeEntry(key: string, bytes: Buffer): CacheEntry | undefined {
  const line = bytes.indexOf(LINE_FEED);
  if (line < 0) return undefined;
  let head: Partial<Head>;
  try {
    head = parse(bytes.toString("utf8", 0, line)) as Head;
  } catch {
    return undefined;
  }
  if (!isRecord(head) || head.magic !== MAGIC || head.key !== key) return undefined;
  const { check, reason, codeBytes, isLatin1, base, siteCount, skipped } = head;
  if (reason !== undefined) {
    return check === textHash(`${key} ${reason}`) ? { kind: "untouched", reason } : undefined;
  }
  if (codeBytes === undefined || base === undefined || siteCount === undefined) return undefined;
  // What is read here is run: a damaged text must not be.
  const body = bytes.subarray(line + 1);
  const numbers = { codeBytes, isLatin1: isLatin1 === true, base, siteCount };
  if (check !== checkOf(key, numbers, body)) return undefined;
  return {
    kind: "text",
    code: body.toString(numbers.isLatin1 ? "latin1" : "utf16le", 0, codeBytes),
    base,
    siteCount,
    idOffsets: () => new Uint32Array(Uint8Array.from(body.subarray(codeBytes)).buffer),
    skipped: skipped ?? [],
  };
}

/** Covers everything that decides what is run. */
function checkOf(
  key: string,
  numbers: { codeBytes: number; isLatin1: boolean; base: number; siteCount: number },
  body: Uint8Array,
): string {
  const { codeBytes, isLatin1, base, siteCount } = numbers;
  return textHash(`${key} ${codeBytes} ${isLatin1} ${base} ${siteCount} ${bytesHash(body)}`);
}

function deserialized(bytes: Buffer): unknown {
  try {
    return deserialize(bytes);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
