/**
 * Encrypts a box for public keys while it is written, as an age file: no byte of it reaches the disk in
 * the clear, and this process could not read it again.
 *
 * A chunk is encrypted when the next one begins, so a torn file ends up to 64 KiB earlier than a plain
 * one. Layout: docs/format.md, "Encrypted recordings".
 */
import type { KeyObject } from "node:crypto";
import {
  AGE_BOX_STANZA,
  AGE_CHUNK_BYTES,
  AGE_NONCE_BYTES,
  ageChunkNonce,
  type AgeStanza,
  encodeAgeHeader,
  encodeBase64,
  parseAgeRecipient,
  type RecordingSink,
} from "@orangebox/format";
import { type SavedCrypto, savedCrypto } from "../runtime/saved-crypto.ts";

const FILE_KEY_BYTES = 16;
const NO_SALT = new Uint8Array(0);
/** Each key that wraps a file key is used once. */
const ZERO_NONCE = new Uint8Array(12);

/** Who can read a box, and which recorder wrote it. */
export interface BoxRecipients {
  /** Public keys, `age1…`. */
  readonly recipients: readonly string[];
  /** Written into the readable header, as a plain box has it in its own. */
  readonly flightVersion: string;
  /** A word that the header says beside it. */
  readonly token?: string | undefined;
}

/** Stands between the writer of a box and the file. */
export class EncryptingSink implements RecordingSink {
  readonly #inner: RecordingSink;
  readonly #crypto: SavedCrypto;
  readonly #key: Uint8Array;
  readonly #chunk: Uint8Array = new Uint8Array(AGE_CHUNK_BYTES);
  #filled = 0;
  #index = 0;
  /** Blocks that end in the chunk that is not written yet. */
  #blockEnds = 0;

  /** Writes the header. @throws When a recipient is none, or this Node cannot encrypt. */
  constructor(inner: RecordingSink, recipients: BoxRecipients) {
    this.#inner = inner;
    this.#crypto = savedCrypto();
    const fileKey = this.#crypto.randomBytes(FILE_KEY_BYTES);
    const nonce = this.#crypto.randomBytes(AGE_NONCE_BYTES);
    const header = makeHeader(this.#crypto, fileKey, recipients);
    this.#key = this.#crypto.hkdf(fileKey, nonce, "payload");
    fileKey.fill(0);
    inner.write(asciiBytes(header));
    inner.write(nonce);
  }

  write(bytes: Uint8Array): void {
    for (let offset = 0; offset < bytes.length;) {
      if (this.#filled === AGE_CHUNK_BYTES) this.#seal("before-last");
      const count = Math.min(AGE_CHUNK_BYTES - this.#filled, bytes.length - offset);
      this.#chunk.set(bytes.subarray(offset, offset + count), this.#filled);
      this.#filled += count;
      offset += count;
    }
  }

  /** Notes the end of a block; the file below learns of it when the bytes are written. */
  flush(): void {
    this.#blockEnds++;
  }

  /** Writes the last chunk; nothing can be written behind it. */
  end(): void {
    this.#seal("last");
    this.#key.fill(0);
  }

  #seal(place: "last" | "before-last"): void {
    const data = this.#chunk.subarray(0, this.#filled);
    this.#inner.write(this.#crypto.seal(this.#key, ageChunkNonce(this.#index, place), data));
    this.#index++;
    this.#filled = 0;
    for (; this.#blockEnds > 0; this.#blockEnds--) this.#inner.flush?.();
  }
}

function makeHeader(
  crypto: SavedCrypto,
  fileKey: Uint8Array,
  { recipients, flightVersion, token }: BoxRecipients,
): string {
  const mark = [AGE_BOX_STANZA, flightVersion, ...(token === undefined ? [] : [token])];
  const stanzas: AgeStanza[] = [{ args: mark, body: NO_SALT }];
  for (const text of recipients) stanzas.push(wrapKey(crypto, fileKey, recipientKey(text)));
  if (stanzas.length === 1) throw new Error("there is no public key to encrypt it to");
  const signed = encodeAgeHeader(stanzas);
  const mac = crypto.hmac(crypto.hkdf(fileKey, NO_SALT, "header"), signed);
  return `${signed} ${encodeBase64(mac)}\n`;
}

function recipientKey(text: string): Uint8Array {
  const key = parseAgeRecipient(text);
  if (key === undefined) throw new Error("encryptTo names no usable public key");
  return key;
}

/** Encrypts the key of the file so that only the owner of a secret key can read it. */
function wrapKey(crypto: SavedCrypto, fileKey: Uint8Array, recipient: Uint8Array): AgeStanza {
  const { privateKey, publicKey } = crypto.newX25519Pair();
  const share = crypto.exportX25519(publicKey);
  const salt = new Uint8Array(share.length + recipient.length);
  salt.set(share);
  salt.set(recipient, share.length);
  const secret = sharedSecret(crypto, privateKey, recipient);
  const key = crypto.hkdf(secret, salt, "age-encryption.org/v1/X25519");
  return { args: ["X25519", encodeBase64(share)], body: crypto.seal(key, ZERO_NONCE, fileKey) };
}

/** @throws For the few keys with which every secret is the same, known to all. */
function sharedSecret(
  crypto: SavedCrypto,
  privateKey: KeyObject,
  recipient: Uint8Array,
): Uint8Array {
  try {
    return crypto.sharedSecret(privateKey, crypto.importX25519(recipient));
  } catch (error) {
    throw new Error("encryptTo names no usable public key", { cause: error });
  }
}

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
