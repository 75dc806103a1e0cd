/**
 * Writes a file that is there whole or not at all, readable by its owner only.
 *
 * It is made under a temporary name beside its place, is made durable, and then gets its name: a
 * process that is killed or a disk that is full leaves what was there before as it was.
 */
import { FlightError } from "@orangebox/format";
import * as fs from "node:fs";
import { closeSync, openSync, unlinkSync } from "node:fs";
import { link, lstat, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const write = promisify(fs.write);
const sync = promisify(fs.fsync);
const close = promisify(fs.close);

/** Where a file goes. */
export interface NewFile {
  readonly path: string;
  /** Whether a file of that name may be replaced. */
  readonly replace: boolean;
}

const OWNER_ONLY = 0o600;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Writes a file; `fill` hands over its bytes in order.
 *
 * @throws {FlightError} `FLIGHT_EXISTS` when there is a file that may not be replaced, `FLIGHT_WRITE`;
 * and what `fill` throws. Then there is no new file.
 */
export async function writeNewFile(
  { path, replace }: NewFile,
  fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (!replace) await assertAbsent(path);
  const tempPath = join(
    dirname(path),
    `.${basename(path)}.${process.pid}-${Date.now().toString(36)}.tmp`,
  );
  // Before the file is there, and it is made in one step: a signal finds no gap between the two.
  const stopWatching = removeAtSignals(tempPath);
  let descriptor: number | undefined;
  try {
    const opened = openNew(path, tempPath);
    descriptor = opened;
    await fill((bytes) => attempt(path, () => writeAll(opened, bytes)));
    await attempt(path, () => sync(opened));
    descriptor = undefined;
    await attempt(path, () => close(opened));
    await giveName(tempPath, { path, replace });
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    await unlink(tempPath).catch(() => undefined);
    throw error;
  } finally {
    stopWatching();
  }
  await syncFolder(dirname(path));
}

/** Makes names that were given and taken in a folder durable, where the system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // Not every system has this; there the names are durable a little later.
  }
}

function openNew(path: string, tempPath: string): number {
  try {
    return openSync(tempPath, "wx", OWNER_ONLY);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    const { bytesWritten } = await write(descriptor, bytes, offset);
    offset += bytesWritten;
  }
}

async function giveName(tempPath: string, { path, replace }: NewFile): Promise<void> {
  if (replace) return attempt(path, () => rename(tempPath, path));
  try {
    await link(tempPath, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw exists(path);
    // No second names on this file system: looking first leaves a gap of microseconds.
    await assertAbsent(path);
    return attempt(path, () => rename(tempPath, path));
  }
  await unlink(tempPath);
}

async function assertAbsent(path: string): Promise<void> {
  try {
    await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw cannotWrite(path, error);
  }
  throw exists(path);
}

function exists(path: string): FlightError {
  return new FlightError(
    "FLIGHT_EXISTS",
    `${path} is there already`,
    "Name another file with --output, or replace it with --force.",
  );
}

/** Ctrl-C must not leave a half-written file behind, which may be in the clear. */
function removeAtSignals(tempPath: string): () => void {
  const remove = (signal: NodeJS.Signals): void => {
    stop();
    try {
      unlinkSync(tempPath);
    } catch {
      // It has its name by now.
    }
    process.kill(process.pid, signal);
  };
  const stop = (): void => {
    for (const signal of SIGNALS) process.off(signal, remove);
  };
  for (const signal of SIGNALS) process.once(signal, remove);
  return stop;
}

async function attempt<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function cannotWrite(path: string, error: unknown): FlightError {
  const reason = error instanceof Error ? error.message : String(error);
  const hint =
    codeOf(error) === "ENOSPC"
      ? "Make room, or name a file on another disk with --output."
      : "Name a file in a folder that may be written, with --output.";
  return new FlightError("FLIGHT_WRITE", `cannot write ${path}: ${reason}`, hint, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
