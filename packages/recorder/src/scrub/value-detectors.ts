/**
 * Finds secrets inside texts by their form: tokens, keys, cards, credentials in URLs.
 *
 * Every scan is linear in the text: a run of token characters is measured once, and a candidate that
 * fails is skipped together with the part that made it fail. No regular expression can backtrack here.
 */
import { charCodeAt, item, stringIndexOf, stringSlice, toLowerCase } from "../graph/primordials.ts";
import { findCards } from "./card-numbers.ts";
import { findKeyValuePairs } from "./key-value-pairs.ts";
import type { DetectOptions } from "./key-value-pairs.ts";
import { findPrefixedKeys } from "./prefixed-keys.ts";
import {
  SPACE,
  TOKEN,
  WORD,
  add,
  is,
  runEnd,
  HAS_COLON,
  HAS_EQUALS,
  HAS_DASH,
  HAS_UNDERSCORE,
  HAS_DOT,
  HAS_SPACE,
  HAS_UPPER_A,
  HAS_DIGITS,
  featuresOf,
  NO_SPANS,
} from "./text-scan.ts";
import type { SecretSpan } from "./text-scan.ts";

/** All secret parts of a text, ascending; they may overlap. */
export function detectSecrets(text: string, options: DetectOptions): SecretSpan[] {
  if (text.length < 5) return NO_SPANS;
  const features = featuresOf(text);
  if (features === 0) return NO_SPANS;
  const spans: SecretSpan[] = [];
  if ((features & (HAS_COLON | HAS_EQUALS)) !== 0) {
    findKeyValuePairs(text, options, spans);
    if ((features & HAS_COLON) !== 0) findUrlCredentials(text, spans);
  }
  if ((features & HAS_DIGITS) !== 0) findCards(text, spans);
  if (text.length < 12) return spans;
  if ((features & HAS_DOT) !== 0) findJwt(text, spans);
  if ((features & HAS_SPACE) !== 0) findAuthorization(text, spans);
  if ((features & HAS_DASH) !== 0 && text.length > 30) findPrivateKeys(text, spans);
  if ((features & (HAS_DASH | HAS_UNDERSCORE | HAS_DOT | HAS_UPPER_A)) !== 0) {
    findPrefixedKeys(text, features, spans);
  }
  return spans;
}

/** `aaa.bbb.ccc` with a first part that begins like base64 of `{"`. */
function findJwt(text: string, spans: SecretSpan[]): void {
  let from = 0;
  while (true) {
    const start = stringIndexOf(text, "eyJ", from);
    if (start < 0) return;
    const first = runEnd(text, start, TOKEN);
    from = first;
    if (first - start < 10 || charCodeAt(text, first) !== 46) continue;
    const second = runEnd(text, first + 1, TOKEN);
    if (second - first < 5) continue;
    from = second;
    const end = charCodeAt(text, second) === 46 ? runEnd(text, second + 1, TOKEN) : second;
    add(spans, start, end, "jwt");
    from = end;
  }
}

/** `Bearer …` and `Basic …`; the token only. */
function findAuthorization(text: string, spans: SecretSpan[]): void {
  if (stringIndexOf(text, "earer ") < 0 && stringIndexOf(text, "asic ") < 0) {
    if (stringIndexOf(text, "EARER ") < 0 && stringIndexOf(text, "ASIC ") < 0) return;
  }
  const lower = toLowerCase(text);
  if (lower.length !== text.length) return; // A letter whose lower case is longer: offsets would lie.
  findScheme(text, lower, "bearer ", spans);
  findScheme(text, lower, "basic ", spans);
}

function findScheme(text: string, lower: string, scheme: string, spans: SecretSpan[]): void {
  let from = 0;
  while (true) {
    const found = stringIndexOf(lower, scheme, from);
    if (found < 0) return;
    const start = runEnd(text, found + scheme.length, SPACE);
    from = start;
    if (is(text, found - 1, WORD)) continue;
    let end = start;
    while (is(text, end, TOKEN) || charCodeAt(text, end) === 46) end++;
    from = end;
    if (end - start < 6) continue;
    if (scheme === "bearer " ? looksRandom(text, start, end) : isBasicPair(text, start, end)) {
      add(spans, start, end, scheme === "bearer " ? "bearer" : "basic");
    }
  }
}

/** Whether a token is something else than an English word. */
function looksRandom(text: string, start: number, end: number): boolean {
  if (end - start >= 24) return true;
  for (let at = start; at < end; at++) {
    const code = charCodeAt(text, at);
    const lowerCase = code >= 97 && code <= 122;
    if (
      !lowerCase &&
      !(at === start && code >= 65 && code <= 90) &&
      !(at === end - 1 && code === 46)
    ) {
      return true;
    }
  }
  return false;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Whether base64 text decodes to printable text with a colon in it, as `user:password` does. */
function isBasicPair(text: string, start: number, end: number): boolean {
  let buffer = 0;
  let bits = 0;
  let colon = false;
  const last = end < start + 400 ? end : start + 400;
  for (let at = start; at < last; at++) {
    const code = charCodeAt(text, at);
    if (code === 61) break;
    const value = stringIndexOf(BASE64, item(text, at));
    if (value < 0) return false;
    buffer = ((buffer << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      const byte = (buffer >> bits) & 255;
      if (byte < 32) return false;
      if (byte === 58) colon = true;
    }
  }
  return colon;
}

function findPrivateKeys(text: string, spans: SecretSpan[]): void {
  let from = 0;
  while (true) {
    const found = stringIndexOf(text, "-----BEGIN ", from);
    if (found < 0) return;
    const label = stringIndexOf(stringSlice(text, found, found + 80), "PRIVATE KEY");
    from = found + 11;
    if (label < 0) continue;
    let start = found + label + 11;
    while (charCodeAt(text, start) === 45 || is(text, start, SPACE)) start++;
    const stop = stringIndexOf(text, "-----END", start);
    const end = stop < 0 ? text.length : stop;
    if (end > start) add(spans, start, end, "private-key");
    from = end;
  }
}

/** `scheme://user:password@host`; the password only, or a long user name without one. */
function findUrlCredentials(text: string, spans: SecretSpan[]): void {
  let from = 0;
  while (true) {
    const found = stringIndexOf(text, "://", from);
    if (found < 0) return;
    const start = found + 3;
    let end = start;
    let at = -1;
    let colon = -1;
    while (end < text.length) {
      const code = charCodeAt(text, end);
      if (code <= 32 || code === 34 || code === 39 || code === 60 || code === 62 || code === 96)
        break;
      if (code === 47 || code === 63 || code === 35) {
        // A slash ends the authority, unless a password contains one; then an @ follows soon.
        const next =
          at < 0 && colon >= 0 ? stringIndexOf(stringSlice(text, end, end + 64), "@") : -1;
        if (next < 0 || code !== 47 || hasBlank(text, end, end + next)) break;
        end += next;
        continue;
      }
      if (code === 64) at = end;
      if (code === 58 && colon < 0) colon = end;
      end++;
    }
    from = end > start ? end : start;
    if (at < 0) continue;
    if (colon >= 0 && colon < at) {
      if (at > colon + 1) add(spans, colon + 1, at, "url-credentials");
    } else if (at - start >= 16) add(spans, start, at, "url-credentials");
  }
}

function hasBlank(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = charCodeAt(text, at);
    if (code <= 32 || code === 34 || code === 39 || code === 63) return true;
  }
  return false;
}
