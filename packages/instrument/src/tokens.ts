/**
 * Finds the few tokens that the syntax tree has no offsets for.
 */

/** Offset of the next token: skips white space and comments. */
export function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === 47 && text.charCodeAt(at + 1) === 47) {
      at = skipLine(text, at);
    } else if (unit === 47 && text.charCodeAt(at + 1) === 42) {
      const end = text.indexOf("*/", at + 2);
      if (end === -1) return text.length;
      at = end + 2;
    } else if (unit <= 32 || (unit > 127 && /\s/.test(text.charAt(at)))) {
      at++;
    } else {
      return at;
    }
  }
}

/** Offset of the end of a line. */
export function skipLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++;
  return at;
}

/** Offset behind the identifier or keyword that begins at `from`; `from` if there is none. */
export function skipWord(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === 92) {
      // An escape: \u0061 or \u{61}.
      at = text.charAt(at + 2) === "{" ? text.indexOf("}", at) + 1 : at + 6;
    } else if (isWordUnit(unit)) {
      at++;
    } else {
      return at;
    }
  }
}

export function hasLineEnd(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (isLineEnd(text.charCodeAt(at))) return true;
  return false;
}

/** Whether a text ends with the end of a line. */
export function endsLine(text: string): boolean {
  return isLineEnd(text.charCodeAt(text.length - 1));
}

/** As many spaces as the text has UTF-16 units; line breaks stay. */
export function blankText(text: string): string {
  return text.replaceAll(/[^\n\r\u2028\u2029]/g, " ");
}

function isLineEnd(unit: number): boolean {
  return unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029;
}

function isWordUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === 36 ||
    unit === 95 ||
    (unit > 127 && !/\s/.test(String.fromCharCode(unit)))
  );
}
