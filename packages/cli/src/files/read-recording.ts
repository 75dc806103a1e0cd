/** Opens recordings from paths, file URLs and bytes, for Node programs and for the commands. */
import { openRecording } from "@orangebox/format";
import type { OpenOptions, Recording } from "@orangebox/format";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { cannotRead, openFileSource } from "./file-source.ts";
import { nodeCodec } from "./node-codec.ts";

/** Where a recording comes from: a path, a `file:` URL, or its bytes. */
export type RecordingInput = string | URL | Uint8Array;

/**
 * Opens a recording. The file is read whole first, so that it may be moved or deleted afterwards.
 *
 * @throws {FlightError} as `openRecording` does, and `FLIGHT_READ` if the file cannot be read.
 */
export async function read(input: RecordingInput, options: OpenOptions = {}): Promise<Recording> {
  if (input instanceof Uint8Array) return open(input, "recording", options);
  const path = pathOf(input);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw cannotRead(path, error);
  });
  return open(bytes, path, options);
}

/**
 * Opens a recording without waiting, and reads of the file only what is asked for; the file must
 * stay as it is while the recording is in use.
 *
 * @throws {FlightError} as `openRecording` does, and `FLIGHT_READ` if the file cannot be read.
 */
export function readSync(input: RecordingInput, options: OpenOptions = {}): Recording {
  if (input instanceof Uint8Array) return open(input, "recording", options);
  const path = pathOf(input);
  return openRecording(openFileSource(path), { codec: nodeCodec(), name: path, ...options });
}

function open(bytes: Uint8Array, name: string, options: OpenOptions): Recording {
  return openRecording(bytes, { codec: nodeCodec(), name, ...options });
}

function pathOf(input: string | URL): string {
  return typeof input === "string" && !input.startsWith("file:") ? input : fileURLToPath(input);
}
