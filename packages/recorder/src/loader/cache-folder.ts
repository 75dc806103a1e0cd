/**
 * The folder in which transformed modules are kept: its layout, its size, and what goes first.
 *
 * `<folder>/transform-<version>/<first digit>/<key>.text` and `.sites`, and what Node keeps of the
 * engine's code, `<folder>/code/<version of Node>/<digits>`. Only files of that form are ever
 * counted or deleted, because the folder may be one that the user has other things in. Every
 * process may list, add and delete at any moment: what is gone meanwhile is no error.
 */
import { readdirSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";

/** One transformed module on disk. */
interface CachedFile {
  readonly version: string;
  /** The text first: without it the tables are never asked for. */
  readonly paths: readonly string[];
  readonly bytes: number;
  /** When it was last written or used, to within {@link TOUCH_AFTER_MS}. */
  readonly usedMs: number;
}

/** What is in the folder. */
export interface FolderContents {
  readonly entries: readonly CachedFile[];
  readonly bytes: number;
  /** What a process left that died while it wrote. */
  readonly abandoned: readonly string[];
}

/** How much was deleted. */
export interface Deleted {
  readonly entries: number;
  readonly bytes: number;
}

/** An entry that is read is marked as used when its mark is older. */
export const TOUCH_AFTER_MS: number = 6 * 3_600_000;
/** A temporary file of this age belongs to nobody any more. */
const ABANDONED_AFTER_MS = 3_600_000;
/** Files looked at in one go. */
const MAX_FILES = 400_000;
/** What is left after making room, so that the next entry does not start the work again. */
const LOW_WATER = 0.8;

const VERSION_FOLDER = /^transform-[\w.+-]{1,100}$/;
/** Two digits in versions before. */
const KEY_FOLDER = /^[0-9a-f]{1,2}$/;
const ENTRY_FILE = /^([0-9a-f]{32})\.(text|sites)$/;
const TEMPORARY_FILE = /^[0-9a-f]{32}\.(?:text|sites)\.[\w.]{1,100}\.tmp$/;
/** Where Node puts the engine's code (code-cache.ts); it names the folders and files below. */
export const CODE_FOLDER = "code";
const CODE_VERSION_FOLDER = /^v\d[\w.+-]{1,100}$/;
const CODE_FILE = /^[0-9a-f]{1,16}$/;
const CODE_TEMPORARY_FILE = /^[0-9a-f]{1,16}\.[\w.]{1,20}$/;
/** Where entries lay before they were kept by version. */
const OLDEST = "transform-0";

/** The folder of one version below the cache's. */
export function versionFolder(version: string): string {
  return `transform-${version.replaceAll(/[^\w.+-]/g, "-").slice(0, 100)}`;
}

/** Lists all entries. Never throws. */
export function readCacheFolder(folder: string, nowMs: number): FolderContents {
  const found: Found = { entries: [], bytes: 0, abandoned: [], files: 0, nowMs };
  for (const version of names(folder)) {
    if (KEY_FOLDER.test(version)) readKeyFolder(join(folder, version), OLDEST, found);
    else if (VERSION_FOLDER.test(version)) {
      for (const key of names(join(folder, version))) {
        if (KEY_FOLDER.test(key)) readKeyFolder(join(folder, version, key), version, found);
      }
    }
  }
  for (const version of names(join(folder, CODE_FOLDER))) {
    if (CODE_VERSION_FOLDER.test(version)) {
      readCodeFolder(join(folder, CODE_FOLDER, version), `${CODE_FOLDER} ${version}`, found);
    }
  }
  return found;
}

interface Found {
  readonly entries: CachedFile[];
  bytes: number;
  readonly abandoned: string[];
  files: number;
  readonly nowMs: number;
}

function readKeyFolder(folder: string, version: string, found: Found): void {
  const byKey = new Map<string, { text?: string; sites?: string; bytes: number; usedMs: number }>();
  for (const name of names(folder)) {
    if (++found.files > MAX_FILES) break;
    const path = join(folder, name);
    const [, key, part] = ENTRY_FILE.exec(name) ?? [];
    if (key === undefined && !TEMPORARY_FILE.test(name)) continue;
    let size: number;
    let mtimeMs: number;
    try {
      ({ size, mtimeMs } = statSync(path));
    } catch {
      continue;
    }
    if (key === undefined) {
      if (found.nowMs - mtimeMs > ABANDONED_AFTER_MS) found.abandoned.push(path);
      continue;
    }
    const entry = byKey.get(key) ?? { bytes: 0, usedMs: 0 };
    byKey.set(key, entry);
    entry[part === "text" ? "text" : "sites"] = path;
    entry.bytes += size;
    entry.usedMs = Math.max(entry.usedMs, mtimeMs);
  }
  for (const { text, sites, bytes, usedMs } of byKey.values()) {
    const paths = [text, sites].filter((path) => path !== undefined);
    found.entries.push({ version, paths, bytes, usedMs });
    found.bytes += bytes;
  }
}

function readCodeFolder(folder: string, version: string, found: Found): void {
  for (const name of names(folder)) {
    if (++found.files > MAX_FILES) break;
    const isEntry = CODE_FILE.test(name);
    if (!isEntry && !CODE_TEMPORARY_FILE.test(name)) continue;
    const path = join(folder, name);
    try {
      const { size, mtimeMs, atimeMs } = statSync(path);
      // Node does not mark what it uses; the file system does, roughly.
      const usedMs = Math.max(mtimeMs, atimeMs);
      if (isEntry) {
        found.entries.push({ version, paths: [path], bytes: size, usedMs });
        found.bytes += size;
      } else if (found.nowMs - mtimeMs > ABANDONED_AFTER_MS) found.abandoned.push(path);
    } catch {
      // Gone meanwhile.
    }
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Deletes the entries that were not used for the longest time until the rest fits.
 *
 * Does nothing but take away abandoned files while everything fits. Never throws.
 */
export function makeRoom(folder: string, maxBytes: number, nowMs: number): Deleted {
  const { entries, bytes, abandoned } = readCacheFolder(folder, nowMs);
  for (const path of abandoned) deleteFile(path);
  if (bytes <= maxBytes) return { entries: 0, bytes: 0 };
  const target = maxBytes * LOW_WATER;
  const oldestFirst = entries.toSorted((one, other) => one.usedMs - other.usedMs);
  const doomed: CachedFile[] = [];
  let left = bytes;
  for (const entry of oldestFirst) {
    if (left <= target) break;
    doomed.push(entry);
    left -= entry.bytes;
  }
  return deleteEntries(folder, doomed);
}

/** Deletes every entry, and the folders that are empty then. Never throws. */
export function clearCacheFolder(folder: string, nowMs: number): Deleted {
  const { entries, abandoned } = readCacheFolder(folder, nowMs);
  for (const path of abandoned) deleteFile(path);
  return deleteEntries(folder, entries);
}

function deleteEntries(folder: string, doomed: readonly CachedFile[]): Deleted {
  let entries = 0;
  let bytes = 0;
  for (const entry of doomed) {
    if (entry.paths.map(deleteFile).every(Boolean)) {
      entries++;
      bytes += entry.bytes;
    }
  }
  deleteEmptyFolders(folder);
  return { entries, bytes };
}

/** Whether the file is gone, whoever deleted it. */
function deleteFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

function deleteEmptyFolders(folder: string): void {
  for (const version of names(folder)) {
    const isVersion = VERSION_FOLDER.test(version);
    if (!isVersion && !KEY_FOLDER.test(version)) continue;
    if (isVersion) {
      for (const key of names(join(folder, version))) {
        if (KEY_FOLDER.test(key)) deleteFolder(join(folder, version, key));
      }
    }
    deleteFolder(join(folder, version));
  }
  for (const version of names(join(folder, CODE_FOLDER))) {
    if (CODE_VERSION_FOLDER.test(version)) deleteFolder(join(folder, CODE_FOLDER, version));
  }
  deleteFolder(join(folder, CODE_FOLDER));
}

/** Refused by the system when something is in it. */
function deleteFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Not empty, or gone already.
  }
}
