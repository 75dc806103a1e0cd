/**
 * Turns what a user names into one open recording: a file, `-` for standard input, or a folder,
 * pattern or several files, of which the newest that holds a crash is taken.
 */
import { hasCrash } from "@orangebox/analysis";
import { encryptedForm, FlightError, isFlightError } from "@orangebox/format";
import type { ByteSource, Recording } from "@orangebox/format";
import { readdirSync, readSync as readBytesSync, statSync } from "node:fs";
import { join } from "node:path";

import type { KeyRing } from "../encryption/key-ring.ts";
import { bytesSource, cannotRead, openFileSource } from "./file-source.ts";
import { isPattern, matchFiles } from "./glob.ts";
import { openSource } from "./read-recording.ts";

/** A recording and what to call it. */
export interface FoundRecording {
  readonly name: string;
  readonly recording: Recording;
  /** What the reader of a report should know beside it, one line each. */
  readonly warnings: readonly string[];
}

/** Most files of a folder that are opened in search of a crash. */
const MAX_OPENED = 2000;
/** Encrypted or not. */
const RECORDING_NAME = /\.flight(?:\.age|\.enc)?$/;
const LOCKED: readonly string[] = ["FLIGHT_ENCRYPTED", "FLIGHT_WRONG_KEY"];
const START_BYTES = 16;
const STDIN = 0;
const CHUNK_BYTES = 2 ** 18;
const MAX_STDIN_BYTES = 2 ** 31;

/**
 * Opens the recording that `inputs` name; an encrypted one with the secrets of `keys`.
 *
 * @throws {FlightError} `FLIGHT_READ` if there is no such file, `FLIGHT_NOT_FOUND` if a folder or
 * pattern holds no recording, `FLIGHT_ENCRYPTED` if the file is encrypted and no secret is at hand, and
 * what `openEncrypted` and `openRecording` throw.
 */
export async function findRecording(
  inputs: readonly string[],
  keys: KeyRing,
): Promise<FoundRecording> {
  const [only] = inputs;
  if (only !== undefined && inputs.length === 1) {
    if (only === "-") return open("standard input", bytesSource(readStandardInput()), keys);
    const isFolder = statSync(only, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const exists = isFolder || statSync(only, { throwIfNoEntry: false }) !== undefined;
    if (!isFolder && (exists || !isPattern(only))) return open(only, openFileSource(only), keys);
  }
  return newestCrash(inputs, keys);
}

async function newestCrash(inputs: readonly string[], keys: KeyRing): Promise<FoundRecording> {
  const files = inputs.flatMap(filesOf).map((path) => ({
    path,
    changedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  const newestFirst = files.toSorted((a, b) => b.changedMs - a.changedMs);
  let newest: FoundRecording | undefined;
  let failure: FlightError | undefined;
  let lockedCount = 0;
  for (const { path } of newestFirst.slice(0, MAX_OPENED)) {
    try {
      // One at a time, the newest first: most often it is the one.
      const found = await open(path, openFileSource(path), keys);
      if (hasCrash(found.recording)) return withLocked(found, lockedCount);
      newest ??= withLocked(found, lockedCount);
    } catch (error) {
      if (!isFlightError(error)) throw error;
      failure ??= error;
      if (LOCKED.includes(error.code)) lockedCount++;
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
    .filter((name) => RECORDING_NAME.test(name))
    .map((name) => join(input, name));
}

async function open(name: string, source: ByteSource, keys: KeyRing): Promise<FoundRecording> {
  if (encryptedForm(source.read(0, Math.min(START_BYTES, source.sizeBytes))) === undefined) {
    return { name, recording: openSource(source, name, { salvage: true }), warnings: [] };
  }
  // Loaded only here: it brings ciphers along that plain recordings do not need.
  const { openEncrypted } = await import("../encryption/open-encrypted.ts");
  const decrypted = await openEncrypted(name, source, keys);
  const recording = openSource(decrypted.source, name, { salvage: true });
  const warnings = decrypted.isCut ? [`the end of ${name} is missing; this is what is whole`] : [];
  return { name, recording, warnings };
}

/** An older recording is shown because newer ones are locked: that must be said. */
function withLocked(found: FoundRecording, lockedCount: number): FoundRecording {
  if (lockedCount === 0) return found;
  const files = lockedCount === 1 ? "1 newer recording" : `${lockedCount} newer recordings`;
  const line = `${files} could not be opened: encrypted, and the key is missing or another`;
  return { ...found, warnings: [line, ...found.warnings] };
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

/** `FLGT`: a recording or an envelope. `age-`: one that is encrypted to a key. */
function mayBeRecording(start: Uint8Array): boolean {
  return start.length < 4 || /^(?:FLGT|age-)/.test(String.fromCharCode(...start.subarray(0, 4)));
}

function tooLarge(): FlightError {
  return new FlightError(
    "FLIGHT_READ",
    "standard input holds more than 2 GiB",
    "Write it into a file and name the file: then it is read in parts.",
  );
}
