/** Opens an age file with the secrets at hand: finds the key of the file, for every kind of recipient. */
import { findAgeHeaderEnd, FlightError } from "@orangebox/format";
import type { ByteSource } from "@orangebox/format";

import { altered, cut, openAgePayload } from "./age-payload.ts";
import type { AgePayload } from "./age-payload.ts";
import type { KeyRing } from "./key-ring.ts";
import { wrongKey, wrongPassphrase } from "./wrong-key.ts";

/** Thousands of recipients. */
const MAX_HEADER_BYTES = 2 ** 21;
const NO_MATCH = "no identity matched any of the file's recipients";

/**
 * Opens an age file.
 *
 * @param name What to call it in messages.
 * @throws {FlightError} `FLIGHT_ENCRYPTED` without a secret, `FLIGHT_WRONG_KEY`, `FLIGHT_ALTERED`,
 * `FLIGHT_CUT`, `FLIGHT_BAD_CONFIG` for a secret key that is none.
 */
export async function openAge(
  name: string,
  source: ByteSource,
  keys: KeyRing,
): Promise<AgePayload> {
  const start = source.read(0, Math.min(source.sizeBytes, MAX_HEADER_BYTES));
  const headerBytes = findAgeHeaderEnd(start);
  if (headerBytes === undefined) throw cut(name, "it ends within its header");
  const fileKey = await findFileKey(name, start.slice(0, headerBytes), keys);
  return openAgePayload({ name, source, headerBytes, fileKey });
}

async function findFileKey(name: string, header: Uint8Array, keys: KeyRing): Promise<Uint8Array> {
  const takesPassphrase = isForPassphrase(header);
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  if (takesPassphrase) decrypter.addPassphrase(await passphraseText(name, keys));
  else addIdentities(decrypter, name, keys.identities());
  try {
    return await decrypter.decryptHeader(header);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    if (reason !== NO_MATCH) throw altered(name, `its header (${reason})`, error);
    throw takesPassphrase ? wrongPassphrase(name, error) : wrongKey(name, error);
  }
}

function isForPassphrase(header: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(header.subarray(0, 64)).includes("\n-> scrypt ");
}

async function passphraseText(name: string, keys: KeyRing): Promise<string> {
  const bytes = await keys.passphrase("open");
  if (bytes === undefined) throw needsPassphrase(name);
  return new TextDecoder().decode(bytes);
}

function addIdentities(
  decrypter: { addIdentity(identity: string): void },
  name: string,
  identities: readonly string[],
): void {
  if (identities.length === 0) {
    throw new FlightError(
      "FLIGHT_ENCRYPTED",
      `${name} is encrypted to a public key; no secret key was given`,
      "Name the file of the secret key with --key-file, or in FLIGHT_KEY_FILE.",
    );
  }
  for (const identity of identities) {
    try {
      decrypter.addIdentity(identity);
    } catch (error) {
      throw new FlightError(
        "FLIGHT_BAD_CONFIG",
        "a secret key cannot be used: it is misspelt, cut, or of an unknown kind",
        "Check the key file; flight keygen makes keys that work.",
        { cause: error },
      );
    }
  }
}

/** The error for a file that nothing was given to open with. */
export function needsPassphrase(name: string): FlightError {
  return new FlightError(
    "FLIGHT_ENCRYPTED",
    `${name} is encrypted with a passphrase; none was given`,
    "Name a --passphrase-file, set FLIGHT_PASSPHRASE, or run flight at a terminal, where it asks.",
  );
}
