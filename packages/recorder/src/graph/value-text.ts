/**
 * Spells numbers, bytes and cut texts the way version 1 of the format does.
 *
 * Spellings: docs/format.md, "Object graph" and "Values".
 */
import {
  append,
  bigintToString,
  charCodeAt,
  isSafeInteger,
  numberToString,
  sameValue,
  stringFromCharCode,
  stringSlice,
  item,
} from "./primordials.ts";

/** Bytes of a `bytes` value that are shown. */
export const SHOWN_BYTES = 64;
const HUGE_BIGINT = 1n << 33_219n;

/** `int` for safe whole numbers but -0, else `float`. */
export function numberKind(value: number): "int" | "float" {
  return isSafeInteger(value) && !sameValue(value, -0) ? "int" : "float";
}

export function numberText(value: number): string {
  if (value !== value) return "nan";
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  if (sameValue(value, -0)) return "-0.0";
  return numberToString(value);
}

/** Decimal digits; beyond 10,000 digits only a mark, because the conversion is more than linear. */
export function bigintText(value: bigint): string {
  return value >= HUGE_BIGINT || value <= -HUGE_BIGINT ? "<huge int>" : bigintToString(value);
}

/** The first `limit` UTF-16 units, one less where that would split a pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = charCodeAt(text, limit - 1);
  return stringSlice(text, 0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}

/** Cuts like `cutText` and says so with `…`. */
export function cutWithMark(text: string, limit: number): string {
  return text.length <= limit ? text : `${cutText(text, limit)}…`;
}

const HEX = "0123456789abcdef";

/** A literal like `b'ab\x00'` of latin1 text, one character per byte. */
export function bytesLiteral(latin1: string): string {
  let single = false;
  let double = false;
  for (let at = 0; at < latin1.length; at++) {
    const code = charCodeAt(latin1, at);
    if (code === 39) single = true;
    else if (code === 34) double = true;
  }
  const quote = single && !double ? '"' : "'";
  let text = `b${quote}`;
  for (let at = 0; at < latin1.length; at++) text += byteText(charCodeAt(latin1, at), quote);
  return text + quote;
}

function byteText(code: number, quote: string): string {
  if (code === 92) return "\\\\";
  if (code === 39 && quote === "'") return "\\'";
  if (code === 9) return "\\t";
  if (code === 10) return "\\n";
  if (code === 13) return "\\r";
  if (code >= 32 && code < 127) return stringFromCharCode(code);
  return `\\x${HEX[(code >> 4) & 15]}${HEX[code & 15]}`;
}

/** Bytes as text, one character per byte. */
export function latin1Of(bytes: Uint8Array, count: number): string {
  let text = "";
  for (let at = 0; at < count; at++) text += stringFromCharCode(item(bytes, at));
  return text;
}

/** The texts under which a secret string can show up in a bytes literal. */
export function secretSpellings(secret: string): string[] {
  const spellings = [secret];
  let ascii = true;
  let special = false;
  for (let at = 0; at < secret.length; at++) {
    const code = charCodeAt(secret, at);
    if (code > 126 || code < 32) ascii = false;
    else if (code === 39 || code === 92) special = true;
  }
  if (ascii && !special) return spellings;
  const utf8 = bytesLiteral(utf8AsLatin1(secret));
  const latin = bytesLiteral(secret);
  append(spellings, stringSlice(utf8, 2, -1));
  append(spellings, stringSlice(latin, 2, -1));
  return spellings;
}

function utf8AsLatin1(text: string): string {
  let bytes = "";
  for (let at = 0; at < text.length; at++) {
    let code = charCodeAt(text, at);
    if (code >= 0xd800 && code <= 0xdbff && at + 1 < text.length) {
      code = 0x10000 + ((code - 0xd800) << 10) + (charCodeAt(text, ++at) - 0xdc00);
    }
    if (code < 0x80) bytes += stringFromCharCode(code);
    else if (code < 0x800) {
      bytes += stringFromCharCode(0xc0 | (code >> 6)) + stringFromCharCode(0x80 | (code & 63));
    } else if (code < 0x10000) {
      bytes += stringFromCharCode(0xe0 | (code >> 12));
      bytes += stringFromCharCode(0x80 | ((code >> 6) & 63));
      bytes += stringFromCharCode(0x80 | (code & 63));
    } else {
      bytes += stringFromCharCode(0xf0 | (code >> 18));
      bytes += stringFromCharCode(0x80 | ((code >> 12) & 63));
      bytes += stringFromCharCode(0x80 | ((code >> 6) & 63));
      bytes += stringFromCharCode(0x80 | (code & 63));
    }
  }
  return bytes;
}
