/**
 * Copies of what encrypting a box needs of `node:crypto`, which programs replace: a test that makes
 * `randomBytes` predictable must not make the key of a box predictable.
 *
 * Loading `node:crypto` costs milliseconds, so the copies are made when the program first asks for the
 * module, before it has it, or else at the crash.
 */
import type { CipherChaCha20Poly1305, KeyObject, KeyPairKeyObjectResult } from "node:crypto";
import { sharedState } from "./shared-state.ts";

const { apply } = Reflect;

/** The functions, with their receivers as the first argument where they have one. */
export interface SavedCrypto {
  readonly randomBytes: (size: number) => Uint8Array;
  readonly newX25519Pair: () => KeyPairKeyObjectResult;
  /** A public key of 32 bytes. */
  readonly importX25519: (key: Uint8Array) => KeyObject;
  readonly exportX25519: (key: KeyObject) => Uint8Array;
  readonly sharedSecret: (privateKey: KeyObject, publicKey: KeyObject) => Uint8Array;
  /** HKDF with SHA-256, 32 bytes. */
  readonly hkdf: (secret: Uint8Array, salt: Uint8Array, info: string) => Uint8Array;
  /** HMAC with SHA-256. */
  readonly hmac: (key: Uint8Array, text: string) => Uint8Array;
  /** ChaCha20-Poly1305: ciphertext, then the tag. */
  readonly seal: (key: Uint8Array, nonce: Uint8Array, data: Uint8Array) => Uint8Array;
}

/** What stands in front of the 32 bytes in the standard form of a public key (SPKI). */
const SPKI_HEAD = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x21, 0x00];
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const CHACHA = { authTagLength: TAG_BYTES };

/** Gives the copies; makes them the first time. */
export function savedCrypto(): SavedCrypto {
  return sharedState("crypto", save);
}

function save(): SavedCrypto {
  const crypto = process.getBuiltinModule("node:crypto");
  const { createCipheriv, createHmac, createPublicKey, diffieHellman } = crypto;
  const { generateKeyPairSync, hkdfSync, randomFillSync } = crypto;
  const newCipher = (key: Uint8Array, nonce: Uint8Array): CipherChaCha20Poly1305 =>
    createCipheriv("chacha20-poly1305", key, nonce, CHACHA);
  const { update, final, getAuthTag } = newCipher(new Uint8Array(KEY_BYTES), new Uint8Array(12));
  const { update: updateHmac, digest } = createHmac("sha256", "");
  const importX25519 = (key: Uint8Array): KeyObject => {
    const der = new Uint8Array(SPKI_HEAD.length + KEY_BYTES);
    der.set(SPKI_HEAD);
    der.set(key, SPKI_HEAD.length);
    return createPublicKey({ key: der as Buffer, format: "der", type: "spki" });
  };
  const { export: exportKey } = importX25519(new Uint8Array(KEY_BYTES).fill(9, 0, 1));
  return {
    randomBytes: (size) => randomFillSync(new Uint8Array(size)),
    newX25519Pair: () => generateKeyPairSync("x25519"),
    importX25519,
    exportX25519: (key) => {
      const der = apply(exportKey, key, [{ format: "der", type: "spki" }]) as Uint8Array;
      return new Uint8Array(der.subarray(SPKI_HEAD.length));
    },
    sharedSecret: (privateKey, publicKey) => diffieHellman({ privateKey, publicKey }),
    hkdf: (secret, salt, info) => new Uint8Array(hkdfSync("sha256", secret, salt, info, KEY_BYTES)),
    hmac: (key, text) => {
      const running = createHmac("sha256", key);
      apply(updateHmac, running, [text, "utf8"]);
      return apply(digest, running, []) as Uint8Array;
    },
    seal: (key, nonce, data) => {
      const running = newCipher(key, nonce);
      const body = apply(update, running, [data]) as Uint8Array;
      // A stream cipher keeps nothing back; this makes the tag.
      apply(final, running, []);
      const sealed = new Uint8Array(body.length + TAG_BYTES);
      sealed.set(body);
      sealed.set(apply(getAuthTag, running, []) as Uint8Array, body.length);
      return sealed;
    },
  };
}
