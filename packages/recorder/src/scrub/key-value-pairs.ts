/**
 * Finds values behind sensitive keys inside texts: `key=value`, headers, JSON, query parameters.
 */
import {
  charCodeAt,
  item,
  stringIndexOf,
  stringLastIndexOf,
  stringSlice,
  toLowerCase,
} from "../graph/primordials.ts";
import { KEY, SPACE, WORD, add, is, runEnd } from "./text-scan.ts";
import type { SecretSpan } from "./text-scan.ts";

export interface DetectOptions {
  isSensitiveName(name: string): boolean;
  /** In program text only quoted values are secrets; `token: string` is a type. */
  readonly sourceText: boolean;
}

/** `key=value`, `key: value`, `"key":"value"` and query parameters with a sensitive key. */
export function findKeyValuePairs(text: string, options: DetectOptions, spans: SecretSpan[]): void {
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
  return at < text.length && stringIndexOf(QUOTES, item(text, at)) >= 0;
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
  const quote = item(text, open);
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
    if (code <= 32 || stringIndexOf("&;,\"'`<>)}]", item(text, end)) >= 0) break;
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
