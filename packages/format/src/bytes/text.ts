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

/** Longest string, in bytes, for which the loop beats the platform's decoder. */
const SHORT_BYTES = 24;

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
  if (to - from <= SHORT_BYTES) {
    let text = "";
    for (let i = from; i < to; i++) {
      const byte = bytes[i] ?? 0;
      if (byte >= 0x80) return decodeAny(bytes, from, to);
      text += String.fromCharCode(byte);
    }
    return text;
  }
  return decodeAny(bytes, from, to);
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
