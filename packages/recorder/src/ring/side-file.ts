/**
 * Appends JSON lines to the side file of a ring, and reads them back.
 *
 * One open, one append, one close for each batch: a descriptor that is kept open could, in a program
 * that closes descriptors it does not own, come to mean a file of the program.
 */
import nodeFs from "node:fs";

const { closeSync, constants, openSync, readFileSync, statSync, writeSync } = nodeFs;

/** No side file is read beyond this; tables this large belong into the cache. */
const MAX_SIDE_FILE_BYTES: number = 2 ** 28;

/**
 * Appends one line for each value, with one append for all of them.
 *
 * Without `create` the file must exist: a folder that somebody removed is not made again.
 *
 * @throws The error of the system; a torn line may then be left, which the reader skips.
 */
export function appendLines(path: string, values: readonly unknown[], create?: "create"): void {
  // The line break also leads, so that a line torn by a full disk spoils only itself.
  const text = `\n${values.map((value) => JSON.stringify(value)).join("\n")}\n`;
  const bytes = Buffer.from(text, "utf8");
  const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;
  const flags = O_WRONLY | O_APPEND | (create === undefined ? 0 : O_CREAT | O_EXCL);
  const descriptor = openSync(path, flags, 0o600);
  try {
    for (let offset = 0; offset < bytes.length;) {
      const count = writeSync(descriptor, bytes, offset, bytes.length - offset);
      if (count <= 0) throw new Error("the disk takes no more");
      offset += count;
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the lines of a side file; lines that are torn or no JSON objects are counted, not thrown.
 *
 * @returns undefined when the file cannot be read or is larger than the limit.
 */
export function readLines(
  path: string,
): { rows: Record<string, unknown>[]; tornCount: number } | undefined {
  let text: string;
  try {
    if (statSync(path).size > MAX_SIDE_FILE_BYTES) return undefined;
    text = readFileSync(path, "utf8");
  } catch {
    // Missing or unreadable: the caller reports it beside what it could read.
    return undefined;
  }
  const rows: Record<string, unknown>[] = [];
  let tornCount = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const row = parseRow(line);
    if (row === undefined) tornCount++;
    else rows.push(row);
  }
  return { rows, tornCount };
}

function parseRow(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRow(value) ? value : undefined;
  } catch {
    // A line cut short by a full disk or by the end of the process.
    return undefined;
  }
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
