/**
 * Classes of characters, and runs of them: what all detectors scan texts with.
 */
import { append, charCodeAt, item } from "../graph/primordials.ts";

/** A part of a text that must be hidden. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly detector: string;
}

/** The answer for texts without a secret: shared, and never changed. */
export const NO_SPANS: SecretSpan[] = [];

export const WORD = 1; // letters and digits

export const TOKEN = 2; // what base64, base64url and bearer tokens are made of, without the dot

export const DIGIT = 4;

export const KEY = 8; // names of keys: word characters, dash, underscore, dot

export const SPACE = 16;

const CLASS = new Uint8Array(128);

for (let code = 0; code < 128; code++) {
  const letter = String.fromCharCode(code);
  let bits = 0;
  if (/[A-Za-z0-9]/.test(letter)) bits |= WORD;
  if (/[A-Za-z0-9_\-+/=~]/.test(letter)) bits |= TOKEN;
  if (/[0-9]/.test(letter)) bits |= DIGIT;
  if (/[A-Za-z0-9_\-.]/.test(letter)) bits |= KEY;
  if (/[ \t]/.test(letter)) bits |= SPACE;
  CLASS[code] = bits;
}

export function is(text: string, at: number, bits: number): boolean {
  if (at < 0 || at >= text.length) return false;
  const code = charCodeAt(text, at);
  return code < 128 && (item(CLASS, code) & bits) !== 0;
}

export function runEnd(text: string, from: number, bits: number): number {
  let at = from;
  while (is(text, at, bits)) at++;
  return at;
}

export function add(spans: SecretSpan[], start: number, end: number, detector: string): void {
  append(spans, { start, end, detector });
}

// What a text contains at all, found in one cheap pass; most texts contain nothing of interest.
export const HAS_COLON: number = 1;

export const HAS_EQUALS: number = 2;

export const HAS_DASH: number = 4;

export const HAS_UNDERSCORE: number = 8;

export const HAS_DOT: number = 16;

export const HAS_SPACE: number = 32;

export const HAS_UPPER_A: number = 64;

export const HAS_DIGITS: number = 128; // 13 or more

/** Which of the marks above a text contains; one cheap pass, and most texts contain none. */
export function featuresOf(text: string): number {
  let features = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = charCodeAt(text, at);
    if (code >= 97) {
      if (code > 122) continue;
    } else if (code >= 48 && code <= 57) {
      if (++digits >= 13) features |= HAS_DIGITS;
    } else if (code === 58) features |= HAS_COLON;
    else if (code === 61) features |= HAS_EQUALS;
    else if (code === 45) features |= HAS_DASH;
    else if (code === 95) features |= HAS_UNDERSCORE;
    else if (code === 46) features |= HAS_DOT;
    else if (code === 32) features |= HAS_SPACE;
    else if (code === 65) features |= HAS_UPPER_A;
  }
  return features;
}
