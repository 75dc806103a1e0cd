/**
 * Keeps boxes from filling a disk: how often one failure is written, and how many files stay.
 *
 * Only files that this recorder wrote are ever deleted: the name and the first bytes must say so.
 */
import { join, resolve } from "node:path";
import { isAgeFile } from "@orangebox/format";
import type { BoxIo } from "./box-io.ts";
import { diskIo } from "./box-io.ts";
import { boxMark } from "./box-mark.ts";

/** How much may stay in a folder. */
export interface BoxLimits {
  readonly maxBoxes: number;
  readonly maxBytes: number;
  /** Never deleted: the box that was just written. */
  readonly keep?: string;
  readonly nowMs: number;
}

const BOX_NAME = /^flight-.*\.flight(?:\.age)?$/;
const TEMP_NAME = /^\.flight-.*\.flight(?:\.age)?\.\d+-\d+\.tmp$/;
const MAX_EXAMINED = 10_000;
/** A temporary file this old was left by a process that died while writing. */
const STALE_TEMP_MS = 3_600_000;
/** Enough for the header of a recording of ours. */
const START_BYTES = 256;

/**
 * Deletes the oldest boxes of ours until both limits hold, and temporary files that were left behind.
 *
 * Opens no file while the folder is below the limits.
 *
 * @returns The deleted paths. Never throws.
 */
export function limitBoxes(folder: string, limits: BoxLimits, io: BoxIo = diskIo): string[] {
  const names = listNames(folder, io);
  const deleted = deleteStale(folder, names, { limits, io });
  const files = names
    .filter((name) => BOX_NAME.test(name))
    .flatMap((name) => describe(join(folder, name), io));
  if (withinLimits(files, limits)) return deleted;
  const ours = files
    .filter(({ path }) => isOurs(path, io))
    .toSorted((a, b) => a.changedMs - b.changedMs);
  const keep = limits.keep === undefined ? undefined : resolve(limits.keep);
  while (!withinLimits(ours, limits)) {
    const index = ours.findIndex(({ path }) => resolve(path) !== keep);
    const [oldest] = index < 0 ? [] : ours.splice(index, 1);
    if (oldest === undefined) break;
    if (remove(oldest.path, io)) deleted.push(oldest.path);
  }
  return deleted;
}

/**
 * Makes a gate that lets a number of boxes a minute through for each failure.
 *
 * Keeps at most a thousand fingerprints; counts start again when the process does.
 */
export function createBoxGate(maxPerMinute: number): BoxGate {
  const windows = new Map<string, { startMs: number; count: number }>();
  let refusedCount = 0;
  return {
    admit(fingerprint, nowMs) {
      const window = windows.get(fingerprint);
      // A clock that was set back must not close the gate for ever.
      const current = window !== undefined && Math.abs(nowMs - window.startMs) < MINUTE_MS;
      if (!current) {
        windows.delete(fingerprint);
        if (windows.size >= MAX_FINGERPRINTS) {
          const [first] = windows.keys();
          if (first !== undefined) windows.delete(first);
        }
        windows.set(fingerprint, { startMs: nowMs, count: 1 });
        return true;
      }
      window.count++;
      if (window.count <= maxPerMinute) return true;
      refusedCount++;
      return false;
    },
    get refusedCount() {
      return refusedCount;
    },
  };
}

/** Decides whether a failure is worth another box. */
export interface BoxGate {
  /** Counts one box of this failure; false when there were enough in this minute. */
  admit(fingerprint: string, nowMs: number): boolean;
  readonly refusedCount: number;
}

const MINUTE_MS = 60_000;
const MAX_FINGERPRINTS = 1000;

interface BoxFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly changedMs: number;
}

function listNames(folder: string, io: BoxIo): string[] {
  try {
    return io.list(folder).slice(0, MAX_EXAMINED);
  } catch {
    // No folder, no boxes.
    return [];
  }
}

function deleteStale(
  folder: string,
  names: readonly string[],
  { limits, io }: { limits: BoxLimits; io: BoxIo },
): string[] {
  const deleted: string[] = [];
  for (const name of names) {
    if (!TEMP_NAME.test(name)) continue;
    for (const { path, sizeBytes, changedMs } of describe(join(folder, name), io)) {
      if (limits.nowMs - changedMs < STALE_TEMP_MS) continue;
      if ((sizeBytes === 0 || isOurs(path, io)) && remove(path, io)) deleted.push(path);
    }
  }
  return deleted;
}

function withinLimits(files: readonly BoxFile[], { maxBoxes, maxBytes }: BoxLimits): boolean {
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return files.length <= maxBoxes && sizeBytes <= maxBytes;
}

function describe(path: string, io: BoxIo): BoxFile[] {
  try {
    const stat = io.stat(path);
    return stat === undefined ? [] : [{ path, ...stat }];
  } catch {
    // Deleted by somebody else in the meantime.
    return [];
  }
}

function isOurs(path: string, io: BoxIo): boolean {
  try {
    const start = io.readStart(path, START_BYTES);
    if (isAgeFile(start)) return boxMark(start) !== undefined;
    const text = String.fromCharCode(...start);
    // Other recorders write the same format; their version has no such suffix.
    return text.startsWith("FLGT") && text.includes("-orangebox");
  } catch {
    // What cannot be read is not known to be ours.
    return false;
  }
}

function remove(path: string, io: BoxIo): boolean {
  try {
    io.remove(path);
    return true;
  } catch {
    // A read-only folder: the limit cannot be kept, which is no reason to fail.
    return false;
  }
}
