/**
 * Where rings live: the folder, whether its file system can carry one, and what is cleared away.
 *
 * Only removes rings that are old and whose owner is certainly dead; a ring of another user, of
 * another container or of a running program stays.
 */
import nodeFs from "node:fs";
import { join } from "node:path";
import { ownerState, type ProcessIdentity } from "./process-identity.ts";
import { decodeRingHeader, HEAD_OFFSET } from "./ring-layout.ts";
import { makeFolder } from "../runtime/make-folder.ts";

const { closeSync, lstatSync, openSync, readdirSync, readSync, statfsSync, unlinkSync } = nodeFs;

/** The ending of a ring file and of the side file beside it. */
export const RING_ENDING = ".ring";
const SITES_ENDING = ".sites";
/** How many files one clearing looks at, so that a full folder does not slow a start. */
const MAX_EXAMINED = 256;

/**
 * File systems where a page of a mapped file can fail to be written after its blocks were
 * allocated: they copy on write, or the disk is somebody else's. A failure there would be a SIGBUS.
 */
const UNSAFE_FILE_SYSTEMS = new Map<number, string>([
  [0x9123683e, "btrfs"],
  [0x2fc12fc1, "zfs"],
  [0xca451a4e, "bcachefs"],
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x65735546, "fuse"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x47504653, "gpfs"],
  [0x0bd00bd0, "lustre"],
]);

/** Gives the folders where a ring for this state folder may be, in the order they are tried. */
export function ringFolders(stateDir: string): string[] {
  const folders = [join(stateDir, "rings")];
  if (process.platform === "linux" && process.getuid !== undefined) {
    folders.push(`/dev/shm/orangebox-${process.getuid()}`);
  }
  return folders;
}

/**
 * Makes the folder when it is missing and checks that a ring may lie in it.
 *
 * @returns Why not, or undefined when all is well. Never throws.
 */
export function prepareRingFolder(folder: string): string | undefined {
  try {
    makeFolder(folder, 0o700);
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) return `${folder} is not a folder`;
    // Anybody may make a folder in /dev/shm: never write into one that others can change.
    if (process.getuid !== undefined && stats.uid !== process.getuid()) {
      return `${folder} belongs to another user`;
    }
    if (process.platform === "linux") {
      const unsafe = UNSAFE_FILE_SYSTEMS.get(statfsSync(folder).type);
      if (unsafe !== undefined)
        return `${folder} is on ${unsafe}, which cannot carry a ring safely`;
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : `${folder} cannot be used`;
  }
}

/** Lists the ring files that belong to a state folder, in no particular order. Never throws. */
export function listRings(stateDir: string): string[] {
  return ringFolders(stateDir).flatMap((folder) => listRingsIn(folder));
}

/** Which rings to clear away. */
export interface PruneOptions {
  readonly viewer: ProcessIdentity;
  /** Rings younger than this stay, so that they can be recovered. */
  readonly maxAgeMs: number;
  readonly nowMs: number;
}

/**
 * Removes rings of ours whose owner is dead and that are older than the limit, with their side files.
 *
 * @returns The paths of the removed rings. Never throws.
 */
export function pruneRings(folder: string, options: PruneOptions): string[] {
  const removed: string[] = [];
  for (const path of listRingsIn(folder).slice(0, MAX_EXAMINED)) {
    try {
      if (!isForgotten(path, options)) continue;
      unlinkSync(path);
      removed.push(path);
      unlinkSync(sitesPathOf(path));
    } catch {
      // Gone already, or not ours to remove: clearing away is never worth a failure.
    }
  }
  return removed;
}

/** Gives the path of the side file of a ring, also of one that a recovery has claimed. */
export function sitesPathOf(ringPath: string): string {
  return ringPath.replace(/\.ring(?:\.by-[^/\\]*)?$/, "") + SITES_ENDING;
}

function isForgotten(path: string, { viewer, maxAgeMs, nowMs }: PruneOptions): boolean {
  const stats = lstatSync(path);
  // A mapped file's time of change may stand still while it is written, so age alone proves nothing.
  if (!stats.isFile() || nowMs - stats.mtimeMs < maxAgeMs) return false;
  const bytes = new Uint8Array(HEAD_OFFSET);
  const descriptor = openSync(path, "r");
  try {
    readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const decoded = decodeRingHeader(bytes);
  return "header" in decoded && ownerState(decoded.header, viewer) === "dead";
}

function listRingsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(RING_ENDING))
      .map((name) => join(folder, name));
  } catch {
    // No folder, no rings.
    return [];
  }
}
