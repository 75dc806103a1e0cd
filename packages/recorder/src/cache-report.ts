/**
 * What the cache of transformed modules holds, for `flight cache`, and how it is emptied.
 */
import { resolveConfigSafely, type Config } from "./config/resolve-config.ts";
import {
  clearCacheFolder,
  CODE_FOLDER,
  readCacheFolder,
  versionFolder,
} from "./loader/cache-folder.ts";
import { recorderBuild } from "./loader/recorder-build.ts";

/** Where the configuration is from that says where the cache is. */
export interface CacheSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
}

/** The entries of one version of the recorder. */
export interface CacheVersion {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  /** Whether this installation uses them. */
  readonly isCurrent: boolean;
}

/** What the cache holds. */
export interface CacheReport {
  /** Absolute. */
  readonly folder: string;
  readonly entries: number;
  readonly bytes: number;
  readonly limitBytes: number;
  /** The current version first, then the largest first. */
  readonly versions: readonly CacheVersion[];
}

/** Counts what is in the cache. Never throws; a folder that is not there holds nothing. */
export function cacheReport(sources: CacheSources): CacheReport {
  const { cacheDir, cacheMaxBytes } = cacheConfig(sources);
  const { entries, bytes } = readCacheFolder(cacheDir, Date.now());
  const current = versionFolder(recorderBuild());
  const versions = new Map<string, { entries: number; bytes: number }>();
  for (const entry of entries) {
    const version = versions.get(entry.version) ?? { entries: 0, bytes: 0 };
    versions.set(entry.version, {
      entries: version.entries + 1,
      bytes: version.bytes + entry.bytes,
    });
  }
  return {
    folder: cacheDir,
    entries: entries.length,
    bytes,
    limitBytes: cacheMaxBytes,
    versions: [...versions]
      // Code is kept by the version of Node, whatever transformed the text.
      .map(([name, sum]) => ({
        name,
        ...sum,
        isCurrent: name === current || name.startsWith(`${CODE_FOLDER} `),
      }))
      .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.bytes - a.bytes),
  };
}

/**
 * Deletes every transformed module, and nothing else that is in the folder. Never throws.
 *
 * Programs that run meanwhile go on; they transform again what they load later.
 *
 * @returns What was deleted.
 */
export function clearCache(sources: CacheSources): {
  readonly folder: string;
  readonly entries: number;
  readonly bytes: number;
} {
  const { cacheDir } = cacheConfig(sources);
  return { folder: cacheDir, ...clearCacheFolder(cacheDir, Date.now()) };
}

function cacheConfig(sources: CacheSources): Config {
  return resolveConfigSafely(sources).config;
}
