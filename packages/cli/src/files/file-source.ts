/** Reads parts of a file when they are asked for, so that a large recording opens at once. */
import { FlightError } from "@orangebox/format";
import type { ByteSource } from "@orangebox/format";
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

const unused = new FinalizationRegistry<number>((descriptor) => {
  closeSync(descriptor);
});

/**
 * Opens a file for reading parts of it; it is closed when nothing uses it any more.
 *
 * @throws {FlightError} `FLIGHT_READ` if it cannot be opened, `FLIGHT_NOT_A_FILE` if it is no regular file.
 */
export function openFileSource(path: string): ByteSource {
  // Asked before opening: a pipe by its name would wait for somebody to write into it.
  if (!attempt(path, () => statSync(path)).isFile()) throw noFile(path);
  const descriptor = attempt(path, () => openSync(path, "r"));
  const stat = attempt(path, () => fstatSync(descriptor));
  if (!stat.isFile()) {
    closeSync(descriptor);
    throw noFile(path);
  }
  const source: ByteSource = {
    sizeBytes: stat.size,
    read: (offset, length) => attempt(path, () => readPart(descriptor, offset, length)),
  };
  unused.register(source, descriptor);
  return source;
}

/** Makes bytes that are in memory look like a file. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}

function noFile(path: string): FlightError {
  return new FlightError("FLIGHT_NOT_A_FILE", `${path} is no file`, "Name a .flight file.");
}

/** Reads up to `length` bytes; fewer where the file ends, as it may have shrunk meanwhile. */
function readPart(descriptor: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** Makes a `FLIGHT_READ` of an error of the file system. */
export function cannotRead(path: string, error: unknown): FlightError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why =
    code === "ENOENT"
      ? "there is no such file"
      : code === "EACCES" || code === "EPERM"
        ? "reading it is not permitted"
        : error instanceof Error
          ? error.message
          : String(error);
  return new FlightError(
    "FLIGHT_READ",
    `cannot read ${path}: ${why}`,
    code === "ENOENT"
      ? "Check the path; a folder picks its newest crash."
      : "Check the path and its permissions.",
    { cause: error },
  );
}
