/**
 * The file operations that writing a box needs, so that a test can let each of them fail.
 */
import nodeFs from "node:fs";
import { makeFolder } from "../runtime/make-folder.ts";

// The recorded program may replace these before it fails.
const {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} = nodeFs;

/** Synchronous, since a dying process has no event loop. Each may throw the error of the system. */
export interface BoxIo {
  makeFolder(path: string): void;
  /** Makes a new file, readable by its owner only; throws `EEXIST` when there is one. */
  create(path: string): number;
  /** @returns How many bytes of `bytes` behind `offset` were written. */
  write(descriptor: number, bytes: Uint8Array, offset: number): number;
  sync(descriptor: number): void;
  close(descriptor: number): void;
  /** Gives a file a second name; throws `EEXIST` when the name is taken. */
  link(path: string, newPath: string): void;
  /** Replaces what has the new name. */
  rename(path: string, newPath: string): void;
  remove(path: string): void;
  exists(path: string): boolean;
  list(folder: string): string[];
  /** @returns undefined when it is no ordinary file. */
  stat(path: string): { sizeBytes: number; changedMs: number } | undefined;
  /** @returns The first bytes, at most `length`. */
  readStart(path: string, length: number): Uint8Array;
}

/** The disk. */
export const diskIo: BoxIo = {
  makeFolder(path) {
    makeFolder(path);
  },
  create(path) {
    return openSync(path, "wx", 0o600);
  },
  write(descriptor, bytes, offset) {
    return writeSync(descriptor, bytes, offset, bytes.length - offset);
  },
  sync(descriptor) {
    try {
      fsyncSync(descriptor);
    } catch (error) {
      // The permission model has no fsync, not even of a file that may be written: the system
      // writes the bytes a moment later.
      if (!isAccessDenied(error)) throw error;
    }
  },
  close(descriptor) {
    closeSync(descriptor);
  },
  link(path, newPath) {
    linkSync(path, newPath);
  },
  rename(path, newPath) {
    renameSync(path, newPath);
  },
  remove(path) {
    unlinkSync(path);
  },
  exists(path) {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  },
  list(folder) {
    return readdirSync(folder);
  },
  stat(path) {
    const stats = lstatSync(path);
    return stats.isFile() ? { sizeBytes: stats.size, changedMs: stats.mtimeMs } : undefined;
  },
  readStart(path, length) {
    const descriptor = openSync(path, "r");
    try {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, 0));
    } finally {
      closeSync(descriptor);
    }
  },
};

/** Whether Node's permission model refused, and not the system. */
function isAccessDenied(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_ACCESS_DENIED";
}
