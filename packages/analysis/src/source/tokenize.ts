/**
 * Finds the identifiers of JavaScript and TypeScript text: not in strings, comments, regular
 * expressions or the text of templates; yes in the expressions inside templates.
 *
 * Made for showing values beside code, not for compiling: never fails, always ends. Where a
 * slash could be a division or a regular expression, the token before it decides.
 */

/** An identifier in a text. */
export interface IdentifierToken {
  readonly name: string;
  /** Offset of its first character, in UTF-16 units. */
  readonly start: number;
  /** Whether a `.` or `?.` stands before it, which makes it a property and no variable. */
  readonly isProperty: boolean;
}

/** Longest text that is looked at, in UTF-16 units; a longer one has no identifiers. */
export const MAX_TOKENIZED_LENGTH: number = 8_000_000;

const SPACE = /\s+/uy;
const LINE_COMMENT = /\/\/[^\n\r\u2028\u2029]*|#![^\n\r]*/y;
const BLOCK_COMMENT = /\/\*[^]*?(?:\*\/|$)/y;
const STRING = /'(?:[^'\\\n\r]|\\[^])*(?:'|(?=[\n\r])|$)|"(?:[^"\\\n\r]|\\[^])*(?:"|(?=[\n\r])|$)/y;
const NUMBER = /\.?\d(?:[\w.]|(?<=[eE])[+-])*/y;
const NAME = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const REGEXP = /\/(?:[^/\\[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+\/[a-z]*/y;
/** Template text up to its end or the next expression. */
const TEMPLATE_PART = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{|$)/y;

/** Words behind which a slash begins a regular expression. */
const WORDS_BEFORE_EXPRESSION = new Set(
  "return typeof case do else in of instanceof new delete void throw yield await".split(" "),
);

/**
 * Finds the identifiers of `text`.
 *
 * @yields Each identifier, in order.
 */
export function* identifiers(text: string): Generator<IdentifierToken> {
  if (text.length > MAX_TOKENIZED_LENGTH) return;
  /** For each open template expression, how many braces are open inside it. */
  const templates: number[] = [];
  let at = 0;
  let before = "";
  while (at < text.length) {
    const found = skipBlank(text, at) ?? skipLiteral(text, at, before);
    if (found !== undefined) {
      if (found.isToken) before = "literal";
      at = found.end;
      continue;
    }
    const name = matchEnd(NAME, text, at);
    if (name !== undefined) {
      const word = text.slice(at, name);
      yield { name: word, start: at, isProperty: before === "." };
      before = word;
      at = name;
      continue;
    }
    const character = text.charAt(at);
    at += 1;
    before = character;
    const depth = templates.at(-1);
    if (character === "`") at = openTemplate(text, at, templates);
    else if (character === "{" && depth !== undefined) templates[templates.length - 1] = depth + 1;
    else if (character === "}" && depth !== undefined) {
      templates[templates.length - 1] = depth - 1;
      if (depth === 0) {
        templates.pop();
        at = openTemplate(text, at, templates);
      }
    } else if (character === "." && text.startsWith("..", at)) {
      // A spread is no property access.
      at += 2;
      before = "...";
    }
    if (character === "`" || (character === "}" && text.charAt(at - 1) === "`")) before = "literal";
  }
}

function skipBlank(text: string, at: number): { end: number; isToken: false } | undefined {
  const end =
    matchEnd(SPACE, text, at) ??
    (text.charAt(at) === "/" || (at === 0 && text.charAt(0) === "#")
      ? (matchEnd(LINE_COMMENT, text, at) ?? matchEnd(BLOCK_COMMENT, text, at))
      : undefined);
  return end === undefined ? undefined : { end, isToken: false };
}

function skipLiteral(
  text: string,
  at: number,
  before: string,
): { end: number; isToken: true } | undefined {
  const end =
    matchEnd(STRING, text, at) ??
    matchEnd(NUMBER, text, at) ??
    (text.charAt(at) === "/" && beginsExpression(before) ? matchEnd(REGEXP, text, at) : undefined);
  return end === undefined ? undefined : { end, isToken: true };
}

/** Tells whether an expression, and no operator, is expected behind this token. */
function beginsExpression(before: string): boolean {
  if (before === "") return true;
  if (WORDS_BEFORE_EXPRESSION.has(before)) return true;
  return before !== "literal" && !/^[\p{ID_Continue}$#]|^[)\]}]$/u.test(before);
}

/** Skips template text; where an expression begins, notes it and stops behind its brace. */
function openTemplate(text: string, at: number, templates: number[]): number {
  const end = matchEnd(TEMPLATE_PART, text, at) ?? text.length;
  if (text.charAt(end - 1) === "{" && end > at + 1) templates.push(0);
  return end;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) && pattern.lastIndex > at ? pattern.lastIndex : undefined;
}
