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
const ANY_RING = /\.ring(?:\.by-[\w-]+)?$/;
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
  /** Rings of dead owners that are older go. */
  readonly maxAgeMs: number;
  /** So many rings of dead owners stay; the oldest go first. */
  readonly maxCount: number;
  /** And so many bytes of them. */
  readonly maxBytes: number;
  readonly nowMs: number;
}

/**
 * Removes rings of ours whose owner is dead and that are past one of the limits, with their side files.
 *
 * Opens no ring while all of them, those of running programs included, are within the limits.
 *
 * @returns The paths of the removed rings. Never throws.
 */
export function pruneRings(folder: string, options: PruneOptions): string[] {
  const { viewer, maxAgeMs, maxCount, maxBytes, nowMs } = options;
  const found = describeRings(folder);
  const oldestFirst = found.toSorted((a, b) => a.changedMs - b.changedMs);
  const isOver = ({ length }: readonly RingFile[], sizeBytes: number): boolean =>
    length > maxCount || sizeBytes > maxBytes;
  const removed: string[] = [];
  const remove = ({ path }: RingFile): void => {
    if (removeRing(path)) removed.push(path);
  };
  // A mapped file's time of change may stand still while it is written, so age alone proves nothing.
  const isOld = ({ changedMs }: RingFile): boolean => nowMs - changedMs >= maxAgeMs;
  if (!isOver(found, sizeOf(found))) {
    for (const file of oldestFirst.filter(isOld)) if (isDead(file, viewer)) remove(file);
    return removed;
  }
  const dead = oldestFirst.filter((file) => isDead(file, viewer));
  let rest = sizeOf(dead);
  for (let index = 0; index < dead.length; index++) {
    const file = dead[index];
    if (file === undefined || !(isOld(file) || isOver(dead.slice(index), rest))) break;
    remove(file);
    rest -= file.sizeBytes;
  }
  return removed;
}

interface RingFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** When it was last changed, or claimed by a recovery. */
  readonly changedMs: number;
}

function sizeOf(files: readonly RingFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Rings, and those that a recovery has claimed and never given back. */
function describeRings(folder: string): RingFile[] {
  return namesIn(folder)
    .filter((name) => ANY_RING.test(name))
    .slice(0, MAX_EXAMINED)
    .flatMap((name) => {
      const path = join(folder, name);
      const isClaimed = !name.endsWith(RING_ENDING);
      try {
        const stats = lstatSync(path);
        if (!stats.isFile()) return [];
        const { size, mtimeMs, ctimeMs } = stats;
        const changedMs = isClaimed ? Math.max(mtimeMs, ctimeMs) : mtimeMs;
        return { path, sizeBytes: size, changedMs };
      } catch {
        // Gone in the meantime.
        return [];
      }
    });
}

function removeRing(path: string): boolean {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or not ours to remove: clearing away is never worth a failure.
    return false;
  }
  try {
    unlinkSync(sitesPathOf(path));
  } catch {
    // It had none.
  }
  return true;
}

/** Gives the path of the side file of a ring, also of one that a recovery has claimed. */
export function sitesPathOf(ringPath: string): string {
  return ringPath.replace(/\.ring(?:\.by-[^/\\]*)?$/, "") + SITES_ENDING;
}

function isDead(file: RingFile, viewer: ProcessIdentity): boolean {
  try {
    return isOwnerDead(file.path, viewer);
  } catch {
    // Gone in the meantime, or not to be read by us.
    return false;
  }
}

function isOwnerDead(path: string, viewer: ProcessIdentity): boolean {
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
  return namesIn(folder)
    .filter((name) => name.endsWith(RING_ENDING))
    .map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No folder, no rings.
    return [];
  }
}
