/**
 * Finds secrets inside texts by their form: tokens, keys, cards, credentials in URLs.
 *
 * Every scan is linear in the text: a run of token characters is measured once, and a candidate that
 * fails is skipped together with the part that made it fail. No regular expression can backtrack here.
 */
import {
  append,
  charCodeAt,
  stringIndexOf,
  stringLastIndexOf,
  stringSlice,
  toLowerCase,
} from "../graph/primordials.ts";

/** A part of a text that must be hidden. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly detector: string;
}

const WORD = 1; // letters and digits
const TOKEN = 2; // what base64, base64url and bearer tokens are made of, without the dot
const DIGIT = 4;
const KEY = 8; // names of keys: word characters, dash, underscore, dot
const SPACE = 16;

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

function is(text: string, at: number, bits: number): boolean {
  if (at < 0 || at >= text.length) return false;
  const code = charCodeAt(text, at);
  return code < 128 && ((CLASS[code] as number) & bits) !== 0;
}

function runEnd(text: string, from: number, bits: number): number {
  let at = from;
  while (is(text, at, bits)) at++;
  return at;
}

// What a text contains at all, found in one cheap pass; most texts contain nothing of interest.
const HAS_COLON = 1;
const HAS_EQUALS = 2;
const HAS_DASH = 4;
const HAS_UNDERSCORE = 8;
const HAS_DOT = 16;
const HAS_SPACE = 32;
const HAS_UPPER_A = 64;
const HAS_DIGITS = 128; // 13 or more

function featuresOf(text: string): number {
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

export interface DetectOptions {
  isSensitiveName(name: string): boolean;
  /** In program text only quoted values are secrets; `token: string` is a type. */
  readonly sourceText: boolean;
}

/** All secret parts of a text, ascending; they may overlap. */
export function detectSecrets(text: string, options: DetectOptions): SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (text.length < 5) return spans;
  const features = featuresOf(text);
  if (features === 0) return spans;
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

function add(spans: SecretSpan[], start: number, end: number, detector: string): void {
  append(spans, { start, end, detector });
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
    const value = stringIndexOf(BASE64, text[at] as string);
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

/** 13 to 19 digits, single blanks or dashes between them, with the right first and last digit. */
function findCards(text: string, spans: SecretSpan[]): void {
  let at = 0;
  while (at < text.length) {
    if (!is(text, at, DIGIT)) {
      at++;
      continue;
    }
    const start = at;
    let digits = "";
    let end = at;
    let count = 0;
    while (true) {
      if (is(text, at, DIGIT)) {
        if (count < 20) digits += text[at];
        count++;
        end = ++at;
        continue;
      }
      const code = charCodeAt(text, at);
      if ((code === 32 || code === 45) && is(text, at + 1, DIGIT)) at++;
      else break;
    }
    if (count >= 13 && count <= 19 && isCard(digits) && bordersCard(text, start, end)) {
      add(spans, start, end, "card");
    } else if (count > 19) {
      findCardInGroups(text, start, end, spans);
    }
  }
}

/** A longer row, such as `order 1234 4111 1111 1111 1111`: tries at the borders of its groups. */
function findCardInGroups(text: string, start: number, end: number, spans: SecretSpan[]): void {
  let at = start;
  while (at < end) {
    let digits = "";
    let stop = at;
    while (stop < end && digits.length <= 19) {
      if (is(text, stop, DIGIT)) digits += text[stop];
      stop++;
      const atBorder = stop === end || !is(text, stop, DIGIT);
      if (atBorder && digits.length >= 13 && digits.length <= 19 && isCard(digits)) {
        add(spans, at, stop, "card");
        break;
      }
    }
    at = runEnd(text, at, DIGIT) + 1;
  }
}

function bordersCard(text: string, start: number, end: number): boolean {
  if (is(text, start - 1, WORD) || is(text, end, WORD)) return false;
  // `0.4111…` and `4111….5` are numbers.
  if (charCodeAt(text, start - 1) === 46) return false;
  return !(charCodeAt(text, end) === 46 && is(text, end + 1, DIGIT));
}

/** Whether bare digits are a payment card by prefix and check digit. */
export function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  const first = charCodeAt(digits, 0) - 48;
  if (first < 2 || first > 6) return false;
  let sum = 0;
  let same = true;
  for (let at = digits.length - 1, double = false; at >= 0; at--, double = !double) {
    let value = charCodeAt(digits, at) - 48;
    if (charCodeAt(digits, at) !== charCodeAt(digits, 0)) same = false;
    if (double) {
      value *= 2;
      if (value > 9) value -= 9;
    }
    sum += value;
  }
  return sum % 10 === 0 && !same;
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

interface Prefix {
  readonly text: string;
  readonly detector: string;
  /** Fewest characters of the token behind the prefix. */
  readonly least: number;
  /** Which must be present for the prefix to occur at all. */
  readonly feature: number;
  /** Of capitals and digits only, exactly `least` of them. */
  readonly isExact: boolean;
  /** English words joined by dashes have no digit. */
  readonly needsDigit: boolean;
}

/** Fills in what most prefixes share, so that reading one never looks behind the object. */
function prefix(
  text: string,
  detector: string,
  least: number,
  feature: number,
  special?: "exact" | "digit",
): Prefix {
  const isExact = special === "exact";
  return { text, detector, least, feature, isExact, needsDigit: special === "digit" };
}

const PREFIXES: readonly Prefix[] = [
  prefix("AKIA", "aws-key", 16, HAS_UPPER_A, "exact"),
  prefix("ASIA", "aws-key", 16, HAS_UPPER_A, "exact"),
  prefix("ABIA", "aws-key", 16, HAS_UPPER_A, "exact"),
  prefix("ACCA", "aws-key", 16, HAS_UPPER_A, "exact"),
  prefix("AIza", "google-key", 30, HAS_UPPER_A),
  prefix("ya29.", "google-token", 20, HAS_DOT),
  prefix("GOCSPX-", "google-secret", 20, HAS_DASH),
  prefix("ghp_", "github-token", 20, HAS_UNDERSCORE),
  prefix("gho_", "github-token", 20, HAS_UNDERSCORE),
  prefix("ghu_", "github-token", 20, HAS_UNDERSCORE),
  prefix("ghs_", "github-token", 20, HAS_UNDERSCORE),
  prefix("ghr_", "github-token", 20, HAS_UNDERSCORE),
  prefix("github_pat_", "github-token", 20, HAS_UNDERSCORE),
  prefix("glpat-", "gitlab-token", 16, HAS_DASH),
  prefix("xoxa-", "slack-token", 8, HAS_DASH),
  prefix("xoxb-", "slack-token", 8, HAS_DASH),
  prefix("xoxe-", "slack-token", 8, HAS_DASH),
  prefix("xoxe.", "slack-token", 8, HAS_DOT),
  prefix("xoxo-", "slack-token", 8, HAS_DASH),
  prefix("xoxp-", "slack-token", 8, HAS_DASH),
  prefix("xoxr-", "slack-token", 8, HAS_DASH),
  prefix("xoxs-", "slack-token", 8, HAS_DASH),
  prefix("xapp-", "slack-token", 8, HAS_DASH),
  prefix("hooks.slack.com/services/", "slack-webhook", 12, HAS_DOT),
  prefix("sk_live_", "stripe-key", 10, HAS_UNDERSCORE),
  prefix("sk_test_", "stripe-key", 10, HAS_UNDERSCORE),
  prefix("rk_live_", "stripe-key", 10, HAS_UNDERSCORE),
  prefix("rk_test_", "stripe-key", 10, HAS_UNDERSCORE),
  prefix("whsec_", "stripe-secret", 16, HAS_UNDERSCORE),
  prefix("npm_", "npm-token", 30, HAS_UNDERSCORE),
  prefix("sk-", "ai-key", 16, HAS_DASH, "digit"),
  prefix("hf_", "ai-key", 24, HAS_UNDERSCORE),
  prefix("SG.", "sendgrid-key", 20, HAS_DOT),
  prefix("dop_v1_", "cloud-key", 32, HAS_UNDERSCORE),
  prefix("shpat_", "cloud-key", 24, HAS_UNDERSCORE),
];

function findPrefixedKeys(text: string, features: number, spans: SecretSpan[]): void {
  for (let which = 0; which < PREFIXES.length; which++) {
    const wanted = PREFIXES[which] as Prefix;
    if ((features & wanted.feature) !== 0) findPrefix(text, wanted, spans);
  }
}

function findPrefix(text: string, wanted: Prefix, spans: SecretSpan[]): void {
  let from = 0;
  let knownEnd = 0;
  while (true) {
    const found = stringIndexOf(text, wanted.text, from);
    if (found < 0) return;
    const start = found + wanted.text.length;
    from = start;
    if (is(text, found - 1, WORD)) continue;
    if (start > knownEnd) {
      // Measured once for all candidates inside one run, so that a hostile text costs O(n).
      knownEnd = runEnd(text, start, wanted.isExact ? WORD : TOKEN);
      while (charCodeAt(text, knownEnd) === 46 && is(text, knownEnd + 1, TOKEN)) {
        knownEnd = runEnd(text, knownEnd + 1, TOKEN);
      }
    }
    const size = knownEnd - start;
    if (size < wanted.least || (wanted.isExact && size !== wanted.least)) continue;
    if (wanted.isExact && !isUpper(text, start, knownEnd)) continue;
    if (wanted.needsDigit && !hasDigit(text, start, knownEnd)) {
      from = knownEnd; // Every later candidate in this run lacks a digit too.
      continue;
    }
    add(spans, found, knownEnd, wanted.detector);
    from = knownEnd;
  }
}

function isUpper(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = charCodeAt(text, at);
    if (code >= 97 && code <= 122) return false;
  }
  return true;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (is(text, at, DIGIT)) return true;
  return false;
}

/** `key=value`, `key: value`, `"key":"value"` and query parameters with a sensitive key. */
function findKeyValuePairs(text: string, options: DetectOptions, spans: SecretSpan[]): void {
  let behind = 0;
  for (let at = 1; at < text.length; at++) {
    const code = charCodeAt(text, at);
    if (code !== 58 && code !== 61) continue;
    const key = keyBefore(text, at, behind);
    behind = at + 1;
    if (key === "" || !options.isSensitiveName(key)) continue;
    const span = valueBehind(text, at, key, options.sourceText);
    if (span === undefined) continue;
    add(spans, span.start, span.end, "key-value");
    at = span.end - 1;
    behind = span.end;
  }
}

const QUOTES = "\"'`";

function isQuote(text: string, at: number): boolean {
  return at < text.length && stringIndexOf(QUOTES, text[at] as string) >= 0;
}

/** The name that ends right before a separator; blanks and quotes between are skipped. */
function keyBefore(text: string, separator: number, behind: number): string {
  let end = separator;
  // At most a few, so that a text of blanks and colons stays linear.
  for (let skip = 0; skip < 4 && end > behind; skip++) {
    const code = charCodeAt(text, end - 1);
    if (code === 32 || code === 92 || code === 93 || code === 63 || isQuote(text, end - 1)) end--;
    else break;
  }
  let start = end;
  while (start > behind && end - start < 64 && is(text, start - 1, KEY)) start--;
  return start === end ? "" : stringSlice(text, start, end);
}

function valueBehind(
  text: string,
  separator: number,
  key: string,
  sourceText: boolean,
): { start: number; end: number } | undefined {
  let start = separator + 1;
  while (charCodeAt(text, start) === 61 || charCodeAt(text, start) === 62) start++; // ==, =>
  start = runEnd(text, start, SPACE);
  const escaped = charCodeAt(text, start) === 92 && isQuote(text, start + 1);
  if (escaped) start++;
  if (isQuote(text, start)) return quotedValue(text, start, escaped);
  if (sourceText) return undefined;
  const header = toLowerCase(key);
  if (stringEndsWithAny(header)) return trimmed(text, start, lineEnd(text, start));
  const end = wordEnd(text, start);
  return isRealValue(text, start, end) ? { start, end } : undefined;
}

/** Headers whose whole value is secret, blanks included. */
function stringEndsWithAny(key: string): boolean {
  return stringLastIndexOf(key, "cookie") >= 0 || stringLastIndexOf(key, "authorization") >= 0;
}

function quotedValue(
  text: string,
  open: number,
  escaped: boolean,
): { start: number; end: number } | undefined {
  const quote = text[open] as string;
  let end = open + 1;
  while (end < text.length && text[end] !== quote) {
    const code = charCodeAt(text, end);
    if (code === 92) {
      if (escaped && text[end + 1] === quote) break;
      end++;
    }
    end++;
  }
  if (end > text.length) end = text.length;
  return end > open + 1 ? { start: open + 1, end } : undefined;
}

function lineEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const code = charCodeAt(text, end);
    if (code === 10 || code === 13 || code === 34 || code === 39 || code === 125) break;
    end++;
  }
  return end;
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const code = charCodeAt(text, end);
    if (code <= 32 || stringIndexOf("&;,\"'`<>)}]", text[end] as string) >= 0) break;
    end++;
  }
  return end;
}

function trimmed(
  text: string,
  start: number,
  end: number,
): { start: number; end: number } | undefined {
  let last = end;
  while (last > start && is(text, last - 1, SPACE)) last--;
  return isRealValue(text, start, last) ? { start, end: last } : undefined;
}

function isRealValue(text: string, start: number, end: number): boolean {
  if (end <= start) return false;
  const value = end - start > 12 ? "" : stringSlice(text, start, end);
  if (value === "undefined" || value === "null" || value === "true" || value === "false")
    return false;
  if (value === "<redacted>" || value === "[Getter]") return false;
  for (let at = start; at < end; at++) {
    if (is(text, at, WORD) || charCodeAt(text, at) > 127) return true;
  }
  return false;
}
