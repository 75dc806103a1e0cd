/**
 * Turns what a user names into one open recording: a file, `-` for standard input, or a folder,
 * pattern or several files, of which the newest that holds a crash is taken.
 */
import { hasCrash } from "@orangebox/analysis";
import { FlightError, isEnvelope, isFlightError } from "@orangebox/format";
import type { Recording } from "@orangebox/format";
import { closeSync, openSync, readdirSync, readSync as readBytesSync, statSync } from "node:fs";
import { join } from "node:path";

import { cannotRead } from "./file-source.ts";
import { isPattern, matchFiles } from "./glob.ts";
import { readSync } from "./read-recording.ts";

/** A recording and what to call it. */
export interface FoundRecording {
  readonly name: string;
  readonly recording: Recording;
}

/** Most files of a folder that are opened in search of a crash. */
const MAX_OPENED = 2000;
const STDIN = 0;
const CHUNK_BYTES = 2 ** 18;
const MAX_STDIN_BYTES = 2 ** 31;

/**
 * Opens the recording that `inputs` name.
 *
 * @throws {FlightError} `FLIGHT_READ` if there is no such file, `FLIGHT_NOT_FOUND` if a folder or
 * pattern holds no recording, `FLIGHT_ENCRYPTED` if the file is sealed, and what `openRecording`
 * throws.
 */
export function findRecording(inputs: readonly string[]): FoundRecording {
  const [only] = inputs;
  if (only !== undefined && inputs.length === 1) {
    if (only === "-") return { name: "standard input", recording: openBytes(readStandardInput()) };
    const isFolder = statSync(only, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const exists = isFolder || statSync(only, { throwIfNoEntry: false }) !== undefined;
    if (!isFolder && (exists || !isPattern(only))) return { name: only, recording: open(only) };
  }
  return newestCrash(inputs);
}

function newestCrash(inputs: readonly string[]): FoundRecording {
  const files = inputs.flatMap(filesOf).map((path) => ({
    path,
    changedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  const newestFirst = files.toSorted((a, b) => b.changedMs - a.changedMs);
  let newest: FoundRecording | undefined;
  let failure: FlightError | undefined;
  for (const { path } of newestFirst.slice(0, MAX_OPENED)) {
    try {
      const found = { name: path, recording: open(path) };
      if (hasCrash(found.recording)) return found;
      newest ??= found;
    } catch (error) {
      if (!isFlightError(error)) throw error;
      failure ??= error;
    }
  }
  if (newest !== undefined) return newest;
  if (failure !== undefined) throw failure;
  throw new FlightError(
    "FLIGHT_NOT_FOUND",
    `there is no recording in ${inputs.join(", ")}`,
    "Recordings end in .flight; flight run writes one when the program fails.",
  );
}

function filesOf(input: string): string[] {
  if (isPattern(input) && statSync(input, { throwIfNoEntry: false }) === undefined)
    return matchFiles(input);
  const isFolder = statSync(input, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder) return [input];
  return readdirSync(input)
    .filter((name) => name.endsWith(".flight"))
    .map((name) => join(input, name));
}

function open(path: string): Recording {
  if (startsSealed(path)) throw sealed(path);
  return explained(path, () => readSync(path, { salvage: true }));
}

function openBytes(bytes: Uint8Array): Recording {
  if (isEnvelope(bytes)) throw sealed("standard input");
  return explained("standard input", () =>
    readSync(bytes, { name: "standard input", salvage: true }),
  );
}

/** Says in place of a bare code what the file seems to be instead of a recording. */
function explained(name: string, action: () => Recording): Recording {
  try {
    return action();
  } catch (error) {
    if (isFlightError(error, "FLIGHT_ENCRYPTED")) throw sealed(name);
    throw error;
  }
}

function startsSealed(path: string): boolean {
  const start = new Uint8Array(64);
  try {
    // Opening a pipe by its name would wait for somebody to write into it.
    if (!statSync(path).isFile()) return false;
    const descriptor = openSync(path, "r");
    try {
      return isEnvelope(start.subarray(0, readBytesSync(descriptor, start, 0, 64, 0)));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Opening it properly tells the reason.
    return false;
  }
}

function sealed(name: string): FlightError {
  return new FlightError(
    "FLIGHT_ENCRYPTED",
    `${name} is sealed with a passphrase`,
    "Open it with the passphrase first: openEnvelope of orangebox/format gives the recording's bytes.",
  );
}

function readStandardInput(): Uint8Array {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for (;;) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const count = readBytesSync(STDIN, chunk, 0, CHUNK_BYTES, null);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      sizeBytes += count;
      // The beginning decides: an endless stream that is none is not read to its end.
      if (!mayBeRecording(chunks[0] ?? chunk)) break;
      if (sizeBytes > MAX_STDIN_BYTES) throw tooLarge();
    }
  } catch (error) {
    if (isFlightError(error)) throw error;
    throw cannotRead("standard input", error);
  }
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  return bytes;
}

/** `FLGT`: a recording or an envelope. */
function mayBeRecording(start: Uint8Array): boolean {
  return start.length < 4 || String.fromCharCode(...start.subarray(0, 4)) === "FLGT";
}

function tooLarge(): FlightError {
  return new FlightError(
    "FLIGHT_READ",
    "standard input holds more than 2 GiB",
    "Write it into a file and name the file: then it is read in parts.",
  );
}
