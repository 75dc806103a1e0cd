/**
 * The layout of an age file: header lines, then chunks that are each encrypted by themselves.
 *
 * Layout only: the ciphers are elsewhere, so that this runs anywhere. Described in docs/format.md,
 * "Encrypted recordings", and at age-encryption.org/v1.
 */
import { encodeUtf8 } from "../bytes/text.ts";
import { encodeBase64 } from "./base64.ts";
import { decodeBech32 } from "./bech32.ts";

/** One way to the key of a file: what a recipient needs to find it. */
export interface AgeStanza {
  /** The type and its arguments; printable, without spaces. */
  readonly args: readonly string[];
  readonly body: Uint8Array;
}

/** Bytes of the recording in each chunk but the last, which has 1 to as many. */
export const AGE_CHUNK_BYTES = 65_536;
/** What authentication adds to a chunk. */
export const AGE_TAG_BYTES = 16;
/** Random bytes between the header and the first chunk. */
export const AGE_NONCE_BYTES = 16;
/** The first argument of the stanza by which boxes of this recorder are known. It opens nothing. */
export const AGE_BOX_STANZA = "orangebox";

const VERSION_LINE = "age-encryption.org/v1\n";
const MAGIC = encodeUtf8("age-encryption.org/v1\n");
/** Enough to tell the format from others; a recording's fixed header is as long. */
const TOLD_BY_BYTES = 10;
const LINE_FEED = 0x0a;
const BODY_COLUMNS = 64;
const KEY_BYTES = 32;
const COUNTER_END = 10;
const LAST_FLAG_AT = 11;

/** Tells whether bytes begin like an age file; ten of them are enough. */
export function isAgeFile(start: Uint8Array): boolean {
  if (start.length < TOLD_BY_BYTES) return false;
  return MAGIC.every((byte, at) => at >= start.length || start[at] === byte);
}

/**
 * Reads a public key of X25519, `age1…`.
 *
 * @returns Its 32 bytes, or undefined when it is none: misspelt, of another type, or a secret key.
 */
export function parseAgeRecipient(text: string): Uint8Array | undefined {
  const decoded = decodeBech32(text);
  return decoded?.prefix === "age" && decoded.bytes.length === KEY_BYTES
    ? decoded.bytes
    : undefined;
}

/** Gives the header up to and with `---`: what its MAC is made of. */
export function encodeAgeHeader(stanzas: readonly AgeStanza[]): string {
  let text = VERSION_LINE;
  for (const { args, body } of stanzas) {
    text += `-> ${args.join(" ")}\n`;
    const base64 = encodeBase64(body);
    // The line that ends a body is shorter than a full one, and empty behind full ones.
    for (let at = 0; at <= base64.length; at += BODY_COLUMNS) {
      text += `${base64.slice(at, at + BODY_COLUMNS)}\n`;
    }
  }
  return `${text}---`;
}

/**
 * Finds where the header ends.
 *
 * @param start The beginning of an age file.
 * @returns Its size in bytes, or undefined when its last line is not within `start`.
 */
export function findAgeHeaderEnd(start: Uint8Array): number | undefined {
  for (let lineAt = 0; lineAt < start.length;) {
    const end = start.indexOf(LINE_FEED, lineAt);
    if (end < 0) return undefined;
    if (start[lineAt] === 0x2d && start[lineAt + 1] === 0x2d && start[lineAt + 2] === 0x2d)
      return end + 1;
    lineAt = end + 1;
  }
  return undefined;
}

/** The nonce of a chunk: its index, and whether it is the last. */
export function ageChunkNonce(index: number, place: "last" | "before-last"): Uint8Array {
  const nonce = new Uint8Array(LAST_FLAG_AT + 1);
  for (let at = COUNTER_END, rest = index; rest > 0; at--, rest = Math.floor(rest / 256)) {
    nonce[at] = rest % 256;
  }
  if (place === "last") nonce[LAST_FLAG_AT] = 1;
  return nonce;
}
