/** Tells the two encrypted forms of a recording from everything else. */
import { isAgeFile } from "./age-file.ts";
import { isEnvelope } from "./envelope.ts";

/** `envelope`: encrypted with a passphrase, version 1. `age`: for public keys, or by the age tool. */
export type EncryptedForm = "envelope" | "age";

/**
 * Tells how a file is encrypted, by its beginning; ten bytes are enough.
 *
 * @returns Undefined when it is not.
 */
export function encryptedForm(start: Uint8Array): EncryptedForm | undefined {
  if (isEnvelope(start)) return "envelope";
  return isAgeFile(start) ? "age" : undefined;
}
