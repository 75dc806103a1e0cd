/**
 * Takes back what a worker left that was terminated: it ran no code at its end, so its ring is still
 * mapped and on disk, although the process lives on.
 */
import nodeFs from "node:fs";
import { basename } from "node:path";
import { loadNativeMemory } from "./native-memory.ts";
import { currentProcessIdentity } from "./process-identity.ts";
import { listRings, sitesPathOf } from "./ring-folder.ts";

const { readFileSync, realpathSync, unlinkSync } = nodeFs;

/** Whose ring. */
export interface WorkerRing {
  readonly stateDir: string;
  /** `worker.threadId`, noted before the worker's `exit` event: it is -1 afterwards. */
  readonly threadId: number;
}

/**
 * Gives the paths of the rings that a thread of this process has on disk.
 *
 * Normally one or none; more after `uninstall()` and `install()` again.
 */
export function ringsOfThread({ stateDir, threadId }: WorkerRing): string[] {
  const { pid, processStart } = currentProcessIdentity();
  const stem = `${pid}-${processStart}-${threadId}`;
  return listRings(stateDir).filter((path) => {
    const name = basename(path);
    return name === `${stem}.ring` || name.startsWith(`${stem}-`);
  });
}

/**
 * Lets the memory and the files of a worker's rings go; to be called after its `exit` event, when no
 * code of it can run any more, and after whatever is wanted from the ring was read.
 *
 * The memory comes back on Linux only, where the system says what is mapped. Never throws.
 */
export function reclaimRings(worker: WorkerRing): void {
  const paths = ringsOfThread(worker);
  if (paths.length === 0) return;
  releaseMappings(new Set(paths.map((path) => realPath(path))));
  for (const path of paths) {
    removeQuietly(path);
    removeQuietly(sitesPathOf(path));
  }
}

function releaseMappings(paths: ReadonlySet<string>): void {
  if (process.platform !== "linux") return;
  const native = loadNativeMemory();
  if ("reason" in native) return;
  for (const { start, sizeBytes, path } of mappedFiles()) {
    if (paths.has(path)) native.release(start, sizeBytes);
  }
}

/** What `/proc/self/maps` says: `start-end rights offset device inode path`. */
function mappedFiles(): { start: bigint; sizeBytes: number; path: string }[] {
  let text: string;
  try {
    text = readFileSync("/proc/self/maps", "utf8");
  } catch {
    // No /proc: then the memory stays until the process ends.
    return [];
  }
  const found: { start: bigint; sizeBytes: number; path: string }[] = [];
  for (const match of text.matchAll(/^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ +(\/.*\.ring)$/gm)) {
    const [, from = "", to = "", path = ""] = match;
    const start = BigInt(`0x${from}`);
    found.push({ start, sizeBytes: Number(BigInt(`0x${to}`) - start), path });
  }
  return found;
}

/** The system names what is mapped without symbolic links. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Removed in the meantime: its memory stays until the process ends.
    return path;
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already.
  }
}
