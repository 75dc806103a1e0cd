/**
 * UTF-8 in both directions, and well-formed Unicode.
 *
 * Short ASCII strings are handled in JavaScript, since calling the platform's coder costs more than
 * the loop; everything else goes to the platform.
 */

import { Undecodable } from "./undecodable.ts";

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(label: string, options: { fatal: boolean; ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Longest string, in bytes, that is looked up before it is decoded. */
const SHORT_BYTES = 64;
/** Longest string, in bytes, that is put together faster than the platform decodes it. */
const TINY_BYTES = 24;
/** Strings that were decoded lately, by hash: recordings repeat names, kinds and paths. */
const recent: (string | undefined)[] = Array.from({ length: 4096 }, () => undefined);

/** Returns `text` with every lone surrogate replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Encodes `text` as UTF-8; lone surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Encodes `text` to the front of `target` and returns how many bytes were written. */
export function encodeUtf8Into(text: string, target: Uint8Array): number {
  return encoder.encodeInto(text, target).written;
}

/** Decodes `bytes[from, to)`; throws `Undecodable` if that is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > SHORT_BYTES) return decodeAny(bytes, from, to);
  let hash = to - from;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (byte >= 0x80) return decodeAny(bytes, from, to);
    hash = Math.imul(hash ^ byte, 0x0100_0193);
  }
  const slot = (hash ^ (hash >>> 15)) & (recent.length - 1);
  const known = recent[slot];
  if (known !== undefined && isSame(known, bytes, from, to)) return known;
  const text = to - from > TINY_BYTES ? decodeAny(bytes, from, to) : join(bytes, from, to);
  recent[slot] = text;
  return text;
}

function isSame(text: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let i = from; i < to; i++) {
    if (text.charCodeAt(i - from) !== bytes[i]) return false;
  }
  return true;
}

function join(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let i = from; i < to; i++) text += String.fromCharCode(bytes[i] ?? 0);
  return text;
}

/** Throws `Undecodable` if `bytes[from, to)` is not UTF-8; cheaper than decoding when it is ASCII. */
export function assertUtf8(bytes: Uint8Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    if ((bytes[i] ?? 0) >= 0x80) {
      decodeAny(bytes, i, to);
      return;
    }
  }
}

function decodeAny(bytes: Uint8Array, from: number, to: number): string {
  try {
    return strictDecoder.decode(bytes.subarray(from, to));
  } catch {
    // The platform's error says nothing that the offset does not say better.
    throw new Undecodable("malformed", `invalid UTF-8 in the string at byte ${from}`);
  }
}
