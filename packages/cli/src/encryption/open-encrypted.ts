/** Makes an encrypted recording one that readers can read, without a file in the clear. */
import { encryptedForm } from "@orangebox/format";
import type { ByteSource } from "@orangebox/format";

import { openAge } from "./open-age.ts";
import type { KeyRing } from "./key-ring.ts";
import { openWithPassphrase } from "./open-envelope.ts";

/** An encrypted recording, opened. */
export interface Decrypted {
  readonly source: ByteSource | Uint8Array;
  /** The end of the file is missing; what is before it is authentic. */
  readonly isCut: boolean;
}

/** Up to this size every byte is checked before the first is shown; beyond it, each when it is read. */
const CHECKED_BYTES = 2 ** 26;
const PART_BYTES = 2 ** 20;
const START_BYTES = 16;

/** Tells whether a file is encrypted, by its beginning. */
export function isEncrypted(source: ByteSource): boolean {
  const start = source.read(0, Math.min(START_BYTES, source.sizeBytes));
  return encryptedForm(start) !== undefined;
}

/**
 * Opens an encrypted recording.
 *
 * An age file is read in parts, when they are asked for. An envelope of version 1 is read whole: its one
 * tag stands behind everything.
 *
 * @throws {FlightError} `FLIGHT_ENCRYPTED` without a secret, `FLIGHT_WRONG_KEY`, `FLIGHT_ALTERED`,
 * `FLIGHT_CUT`, and what the key ring throws.
 */
export async function openEncrypted(
  name: string,
  source: ByteSource,
  keys: KeyRing,
): Promise<Decrypted> {
  const form = encryptedForm(source.read(0, Math.min(START_BYTES, source.sizeBytes)));
  if (form === "age") {
    const payload = await openAge(name, source, keys);
    if (payload.sizeBytes <= CHECKED_BYTES) {
      for (let at = 0; at < payload.sizeBytes; at += PART_BYTES) payload.read(at, PART_BYTES);
    }
    return { source: payload, isCut: payload.isCut };
  }
  const parts: Uint8Array[] = [];
  const take = (part: Uint8Array): Promise<void> => {
    parts.push(part);
    return Promise.resolve();
  };
  await openWithPassphrase(name, source, { keys, take });
  return { source: Buffer.concat(parts), isCut: false };
}
