/** Encrypts a recording into another file: with a passphrase, or to public keys. */
import { encryptedForm, FlightError } from "@orangebox/format";
import type { ByteSource } from "@orangebox/format";
import { unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { openFileSource } from "../files/file-source.ts";
import { syncFolder, writeNewFile } from "../files/new-file.ts";
import type { KeyRing } from "./key-ring.ts";
import { sealWithPassphrase } from "./open-envelope.ts";
import type { TakePart } from "./open-envelope.ts";

/** How a recording is encrypted, and where to. */
export interface EncryptTarget {
  /** Public keys; none: with the passphrase of the key ring. */
  readonly recipients: readonly string[];
  /** Default: the name of the file, with `.age` or `.enc` behind it. */
  readonly output?: string | undefined;
  /** Whether a file of that name is replaced. */
  readonly force?: boolean;
  /** Whether the recording is deleted, when the new file is complete and on disk. */
  readonly remove?: boolean;
}

const PART_BYTES = 2 ** 20;
const START_BYTES = 16;
const MAGIC = "FLGT";

/**
 * Encrypts a recording and returns the path of the new file.
 *
 * Takes a fixed amount of memory. When it fails or is killed, no file was changed.
 *
 * @throws {FlightError} `FLIGHT_USAGE` without a way to encrypt or for a key that is none,
 * `FLIGHT_ENCRYPTED` for a file that is encrypted already, `FLIGHT_BAD_MAGIC` for one that is no
 * recording, `FLIGHT_EXISTS`, `FLIGHT_READ`, `FLIGHT_WRITE`.
 */
export async function encryptRecording(
  path: string,
  target: EncryptTarget,
  keys: KeyRing,
): Promise<string> {
  const source = openFileSource(path);
  assertRecording(path, source);
  const { recipients, output } = target;
  const fill =
    recipients.length > 0
      ? await fillForKeys(source, recipients)
      : await fillWithPassphrase(source, keys);
  const made = output ?? `${path}${recipients.length > 0 ? ".age" : ".enc"}`;
  await writeNewFile({ path: made, replace: target.force === true }, fill);
  if (target.remove === true) await removeOriginal(path, made);
  return made;
}

/** Deletes what was read, unless the new file has taken its name. */
export async function removeOriginal(path: string, made: string): Promise<void> {
  if (resolve(path) === resolve(made)) return;
  try {
    await unlink(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FlightError(
      "FLIGHT_WRITE",
      `${made} is written, but ${path} cannot be deleted: ${reason}`,
      "Delete it by hand.",
      { cause: error },
    );
  }
  await syncFolder(dirname(path));
}

type Fill = (take: TakePart) => Promise<void>;

function assertRecording(path: string, source: ByteSource): void {
  const start = source.read(0, Math.min(START_BYTES, source.sizeBytes));
  if (encryptedForm(start) !== undefined) {
    throw new FlightError(
      "FLIGHT_ENCRYPTED",
      `${path} is encrypted already`,
      "Decrypt it first, to encrypt it in another way.",
    );
  }
  if (String.fromCharCode(...start.subarray(0, MAGIC.length)) === MAGIC) return;
  throw new FlightError(
    "FLIGHT_BAD_MAGIC",
    `${path} is not a recording: it does not begin with FLGT`,
    "Check the path; only recordings are encrypted, so that a wrong key can be told from damage.",
  );
}

async function fillWithPassphrase(source: ByteSource, keys: KeyRing): Promise<Fill> {
  const passphrase = await keys.passphrase("seal");
  if (passphrase !== undefined) return (take) => sealWithPassphrase(source, passphrase, take);
  throw new FlightError(
    "FLIGHT_USAGE",
    "neither a public key nor a passphrase was given",
    "Name a --recipient, or a --passphrase-file, set FLIGHT_PASSPHRASE, or run flight at a terminal, where it asks.",
  );
}

async function fillForKeys(source: ByteSource, recipients: readonly string[]): Promise<Fill> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw notPublic(recipient, error);
    }
  }
  return async (take) => {
    const reader = (await encrypter.encrypt(streamOf(source))).getReader();
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) break;
      await take(value);
    }
  };
}

function notPublic(text: string, cause: unknown): FlightError {
  // Somebody's secret key must not be repeated on the terminal.
  const shown = text.toUpperCase().startsWith("AGE-SECRET") ? "a secret key" : text.slice(0, 80);
  return new FlightError(
    "FLIGHT_USAGE",
    `${shown} is no public key`,
    "A public key begins with age1; flight keygen --public FILE shows that of a key file.",
    { cause },
  );
}

function streamOf(source: ByteSource): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === source.sizeBytes) return controller.close();
      const part = source.read(at, Math.min(PART_BYTES, source.sizeBytes - at));
      at += part.length;
      controller.enqueue(part);
    },
  });
}
