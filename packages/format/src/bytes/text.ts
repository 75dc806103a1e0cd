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

/** Throws `Undecodable` if `bytes[from, to)` is not UTF-8; several times cheaper than decoding. */
export function assertUtf8(bytes: Uint8Array, from: number, to: number): void {
  let at = from;
  while (at < to) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      at++;
      continue;
    }
    const size = sequenceSize(bytes, at, to);
    if (size === 0) throw invalid(from);
    at += size;
  }
}

/** Returns the size of the sequence of several bytes at `at`, or 0 if it is not allowed. */
function sequenceSize(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || at + size > to) return 0;
  // Longer forms than needed, halves of surrogate pairs, and what is beyond U+10FFFF.
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < size; i++) {
    if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return size;
}

function decodeAny(bytes: Uint8Array, from: number, to: number): string {
  try {
    return strictDecoder.decode(bytes.subarray(from, to));
  } catch {
    // The platform's error says nothing that the offset does not say better.
    throw invalid(from);
  }
}

function invalid(from: number): Undecodable {
  return new Undecodable("malformed", `invalid UTF-8 in the string at byte ${from}`);
}
