/** Opens recordings from paths, file URLs and bytes, for Node programs and for the commands. */
import { openRecording } from "@orangebox/format";
import type { ByteSource, OpenOptions, Recording } from "@orangebox/format";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { keyRingOf } from "../encryption/key-ring.ts";
import { isEncrypted, openEncrypted } from "../encryption/open-encrypted.ts";
import { bytesSource, cannotRead, openFileSource } from "./file-source.ts";
import { nodeCodec } from "./node-codec.ts";

/** Where a recording comes from: a path, a `file:` URL, or its bytes. */
export type RecordingInput = string | URL | Uint8Array;

/** How a recording is opened. */
export interface ReadOptions extends OpenOptions {
  /** Secret keys (`AGE-SECRET-KEY-…`) for a recording that is encrypted to a public key. */
  readonly identities?: readonly string[];
  /** For a recording that is encrypted with a passphrase: text, taken as UTF-8, or bytes. */
  readonly passphrase?: string | Uint8Array;
}

/**
 * Opens a recording. The file is read whole first, so that it may be moved or deleted afterwards.
 *
 * An encrypted one whose end is missing is opened as far as it is whole: its status is not `sealed`.
 *
 * @throws {FlightError} as `openRecording` does, and `FLIGHT_READ` if the file cannot be read; for an
 * encrypted one `FLIGHT_ENCRYPTED` without a secret, `FLIGHT_WRONG_KEY`, `FLIGHT_ALTERED`, `FLIGHT_CUT`.
 */
export async function read(input: RecordingInput, options: ReadOptions = {}): Promise<Recording> {
  const { identities, passphrase, ...rest } = options;
  const name = input instanceof Uint8Array ? "recording" : pathOf(input);
  const bytes =
    input instanceof Uint8Array
      ? input
      : await readFile(name).catch((error: unknown) => {
          throw cannotRead(name, error);
        });
  const source = bytesSource(bytes);
  if (!isEncrypted(source)) return openSource(bytes, name, rest);
  const keys = keyRingOf({ identities, passphrase });
  return openSource((await openEncrypted(name, source, keys)).source, name, rest);
}

/**
 * Opens a recording without waiting, and reads of the file only what is asked for; the file must
 * stay as it is while the recording is in use. Encrypted recordings are opened by {@link read}.
 *
 * @throws {FlightError} as `openRecording` does, and `FLIGHT_READ` if the file cannot be read.
 */
export function readSync(input: RecordingInput, options: OpenOptions = {}): Recording {
  if (input instanceof Uint8Array) return openSource(input, "recording", options);
  const path = pathOf(input);
  return openSource(openFileSource(path), path, options);
}

/** Opens a recording whose bytes are at hand, with the codec of this Node. */
export function openSource(
  source: Uint8Array | ByteSource,
  name: string,
  options: OpenOptions,
): Recording {
  return openRecording(source, { codec: nodeCodec(), name, ...options });
}

function pathOf(input: string | URL): string {
  return typeof input === "string" && !input.startsWith("file:") ? input : fileURLToPath(input);
}
