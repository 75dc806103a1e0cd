/**
 * The encrypted form of a recording: magic, salt, nonce, AES-256-GCM ciphertext and tag.
 *
 * The parameters are fixed by the magic. The ciphers are handed in, so that this runs anywhere.
 * Layout: docs/format.md, "Envelope".
 */

import { encodeUtf8 } from "../bytes/text.ts";
import { FlightError } from "../errors.ts";

/** The cryptography that an envelope needs. */
export interface EnvelopeCrypto {
  randomBytes(size: number): Uint8Array;
  /** Derives a key of `keyBytes` by scrypt (RFC 7914). */
  scrypt(secret: Uint8Array, salt: Uint8Array, parameters: ScryptParameters): Uint8Array;
  /** Returns the ciphertext followed by the tag of 16 bytes. */
  encryptAesGcm(input: AesGcmInput): Uint8Array;
  /** Takes ciphertext and tag; throws when the tag does not match. */
  decryptAesGcm(input: AesGcmInput): Uint8Array;
}

/** Parameters of scrypt. `N * r * 128` bytes of memory are needed. */
export interface ScryptParameters {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly keyBytes: number;
}

/** What AES-256-GCM works on. */
export interface AesGcmInput {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  /** Authenticated, not encrypted. */
  readonly additional: Uint8Array;
  readonly data: Uint8Array;
}

/** The parts of an envelope; views of it. */
export interface EnvelopeParts {
  readonly salt: Uint8Array;
  readonly nonce: Uint8Array;
  readonly additional: Uint8Array;
  readonly sealed: Uint8Array;
}

/** Parameters of `FLGTENC1`. They never change: stronger ones need another magic. */
export const ENVELOPE_SCRYPT: ScryptParameters = { N: 16_384, r: 8, p: 1, keyBytes: 32 };

const MAGIC = encodeUtf8("FLGTENC1");
const SALT_AT = 8;
const NONCE_AT = 24;
const DATA_AT = 36;

/** Tells whether `bytes` begins like an envelope. */
export function isEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.every((byte, i) => bytes[i] === byte);
}

/**
 * Encrypts a whole recording.
 *
 * @param passphrase Text (taken as UTF-8), or bytes as they are.
 */
export function sealEnvelope(
  recording: Uint8Array,
  passphrase: string | Uint8Array,
  crypto: EnvelopeCrypto,
): Uint8Array<ArrayBuffer> {
  const head = beginEnvelope(crypto);
  const { salt, nonce } = readEnvelope(head);
  const key = crypto.scrypt(secretBytes(passphrase), salt, ENVELOPE_SCRYPT);
  const sealed = crypto.encryptAesGcm({ key, nonce, additional: head, data: recording });
  const envelope = new Uint8Array(DATA_AT + sealed.length);
  envelope.set(head);
  envelope.set(sealed, DATA_AT);
  return envelope;
}

/** Gives the first 36 bytes of a new envelope, for those who encrypt what follows in parts. */
export function beginEnvelope({ randomBytes }: Pick<EnvelopeCrypto, "randomBytes">): Uint8Array {
  const head = new Uint8Array(DATA_AT);
  head.set(MAGIC);
  head.set(randomBytes(NONCE_AT - SALT_AT), SALT_AT);
  head.set(randomBytes(DATA_AT - NONCE_AT), NONCE_AT);
  return head;
}

/**
 * Decrypts an envelope and returns the recording in it.
 *
 * @throws {FlightError} `FLIGHT_NOT_ENCRYPTED` if it is no envelope.
 * @throws {FlightError} `FLIGHT_DECRYPT` if the passphrase is wrong, or the file cut or altered:
 * the three cannot be told apart.
 */
export function openEnvelope(
  envelope: Uint8Array,
  passphrase: string | Uint8Array,
  crypto: EnvelopeCrypto,
): Uint8Array {
  const { salt, nonce, additional, sealed } = readEnvelope(envelope);
  const key = crypto.scrypt(secretBytes(passphrase), salt, ENVELOPE_SCRYPT);
  try {
    return crypto.decryptAesGcm({ key, nonce, additional, data: sealed });
  } catch (error) {
    throw new FlightError(
      "FLIGHT_DECRYPT",
      "the file does not decrypt: the passphrase is wrong, or the file is cut or altered",
      "Check the passphrase, then fetch the file again from where it was made.",
      { cause: error },
    );
  }
}

/**
 * Takes an envelope apart without decrypting it, for ciphers that answer later (Web Crypto).
 *
 * @throws {FlightError} `FLIGHT_NOT_ENCRYPTED` if it is no envelope.
 */
export function readEnvelope(envelope: Uint8Array): EnvelopeParts {
  if (!isEnvelope(envelope) || envelope.length < DATA_AT) {
    throw new FlightError(
      "FLIGHT_NOT_ENCRYPTED",
      "the file is not an encrypted recording",
      "Open it as it is; recordings that are not encrypted need no passphrase.",
    );
  }
  return {
    salt: envelope.subarray(SALT_AT, NONCE_AT),
    nonce: envelope.subarray(NONCE_AT, DATA_AT),
    additional: envelope.subarray(0, DATA_AT),
    sealed: envelope.subarray(DATA_AT),
  };
}

function secretBytes(passphrase: string | Uint8Array): Uint8Array {
  return typeof passphrase === "string" ? encodeUtf8(passphrase) : passphrase;
}
