/**
 * Makes recorded text safe to show: no control character, escape sequence or direction override
 * of a recording reaches a terminal or a page.
 */

/** Controls, line separators, invisible and direction-changing characters, tags, surrogates alone. */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

const SHORT_ESCAPES = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\v", "\\v"],
]);

/** Replaces every character that acts on a display by its JavaScript escape. */
export function visibleText(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Writes a text as a JavaScript string literal in double quotes that is safe to show. */
export function quoteText(text: string): string {
  return `"${visibleText(text.replace(/["\\]/g, "\\$&"))}"`;
}

/** Cuts a text after at most `limit` UTF-16 units, never inside a pair; a cut text ends in `…`. */
export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = Math.max(0, limit - 1);
  const last = text.charCodeAt(end - 1);
  if (end > 0 && last >= 0xd800 && last <= 0xdbff) end -= 1;
  return `${text.slice(0, end)}…`;
}

function escapeCharacter(character: string): string {
  const short = SHORT_ESCAPES.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
