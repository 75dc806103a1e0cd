/**
 * Seals and opens the passphrase envelope of version 1, in parts, so that a file of any size takes a
 * fixed amount of memory.
 *
 * Its one tag stands behind everything, so opening reads the file twice: nothing is given out before
 * the tag was found right. Layout: docs/format.md, "Encrypted recordings".
 */
import { beginEnvelope, ENVELOPE_SCRYPT, FlightError, readEnvelope } from "@orangebox/format";
import type { ByteSource, EnvelopeParts } from "@orangebox/format";
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";

import { altered, cut } from "./age-payload.ts";
import { needsPassphrase } from "./open-age.ts";
import type { KeyRing } from "./key-ring.ts";
import { wrongPassphrase } from "./wrong-key.ts";

/** Takes the parts of what is made, in order. */
export type TakePart = (part: Uint8Array) => Promise<void>;

const HEAD_BYTES = 36;
const TAG_BYTES = 16;
const PART_BYTES = 2 ** 20;
/** What AES-GCM can encrypt under one nonce. */
const MAX_BYTES = 2 ** 36 - 32;
const RECORDING_START = [0x46, 0x4c, 0x47, 0x54];
const RECORDING_END = [0x54, 0x4c, 0x47, 0x46];

/**
 * Seals a recording with a passphrase.
 *
 * @throws {FlightError} `FLIGHT_WRITE` for one that is too large for the format.
 */
export async function sealWithPassphrase(
  source: ByteSource,
  passphrase: Uint8Array,
  take: TakePart,
): Promise<void> {
  if (source.sizeBytes > MAX_BYTES) {
    throw new FlightError(
      "FLIGHT_WRITE",
      `the recording has ${source.sizeBytes} bytes; a passphrase envelope holds at most ${MAX_BYTES}`,
      "Encrypt it to a public key: flight encrypt --recipient.",
    );
  }
  const head = beginEnvelope({ randomBytes });
  const { salt, nonce } = readEnvelope(head);
  const cipher = createCipheriv("aes-256-gcm", await deriveKey(passphrase, salt), nonce);
  cipher.setAAD(head);
  await take(head);
  for (let at = 0; at < source.sizeBytes; at += PART_BYTES) {
    await take(cipher.update(readPart(source, at)));
  }
  await take(cipher.final());
  await take(cipher.getAuthTag());
}

/**
 * Opens an envelope; `take` gets the first part when all of it is known to be authentic.
 *
 * @throws {FlightError} `FLIGHT_ENCRYPTED` without a passphrase, `FLIGHT_WRONG_KEY`,
 * `FLIGHT_ALTERED`, `FLIGHT_CUT`.
 */
export async function openWithPassphrase(
  name: string,
  source: ByteSource,
  { keys, take }: { readonly keys: KeyRing; readonly take: TakePart },
): Promise<void> {
  if (source.sizeBytes < HEAD_BYTES + TAG_BYTES) throw cut(name, "it ends within its header");
  const head = readEnvelope(source.read(0, HEAD_BYTES));
  const passphrase = await keys.passphrase("open");
  if (passphrase === undefined) throw needsPassphrase(name);
  const sealed = { source, head, key: await deriveKey(passphrase, head.salt) };
  const seen = await decrypt(sealed, () => Promise.resolve());
  if (!seen.isAuthentic) throw whatIsWrong(name, seen);
  const again = await decrypt(sealed, take);
  if (!again.isAuthentic) throw altered(name, "it changed while it was read");
}

interface Sealed {
  readonly source: ByteSource;
  readonly head: EnvelopeParts;
  readonly key: Uint8Array;
}

interface Seen {
  readonly isAuthentic: boolean;
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

async function decrypt({ source, head, key }: Sealed, take: TakePart): Promise<Seen> {
  const decipher = createDecipheriv("aes-256-gcm", key, head.nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(head.additional);
  const dataEnd = source.sizeBytes - TAG_BYTES;
  decipher.setAuthTag(source.read(dataEnd, TAG_BYTES));
  let start: Uint8Array = new Uint8Array(0);
  let end = start;
  for (let at = HEAD_BYTES; at < dataEnd; at += PART_BYTES) {
    const part = decipher.update(source.read(at, Math.min(PART_BYTES, dataEnd - at)));
    if (at === HEAD_BYTES) start = part.subarray(0, RECORDING_START.length);
    end = lastBytes(end, part);
    await take(part);
  }
  try {
    decipher.final();
    return { isAuthentic: true, start, end };
  } catch {
    return { isAuthentic: false, start, end };
  }
}

/**
 * The tag does not say why it is wrong. What the key makes of the first and last bytes does: a recording
 * begins with FLGT under the right key only, and ends with TLGF where nothing is missing.
 */
function whatIsWrong(name: string, { start, end }: Seen): FlightError {
  if (start.length < RECORDING_START.length) return cut(name, "it ends within its first bytes");
  if (!isEqual(start, RECORDING_START)) return wrongPassphrase(name);
  return isEqual(end, RECORDING_END)
    ? altered(name, "its bytes are not those that were sealed")
    : cut(name, "it does not end as a recording does");
}

function lastBytes(before: Uint8Array, part: Uint8Array): Uint8Array {
  const both = [...before, ...part.subarray(-RECORDING_END.length)];
  return Uint8Array.from(both.slice(-RECORDING_END.length));
}

function isEqual(bytes: Uint8Array, expected: readonly number[]): boolean {
  return bytes.length === expected.length && expected.every((byte, at) => bytes[at] === byte);
}

function readPart(source: ByteSource, at: number): Uint8Array {
  return source.read(at, Math.min(PART_BYTES, source.sizeBytes - at));
}

function deriveKey(passphrase: Uint8Array, salt: Uint8Array): Promise<Uint8Array> {
  const { N, r, p, keyBytes } = ENVELOPE_SCRYPT;
  return new Promise((settle, fail) => {
    scrypt(passphrase, salt, keyBytes, { N, r, p }, (error, key) => {
      if (error === null) settle(key);
      else fail(error);
    });
  });
}
