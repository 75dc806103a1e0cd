/**
 * Estimates how deep the syntax tree of a text is, before anything walks it.
 *
 * The parser recurses on the native stack, where an overflow ends the process and cannot be caught.
 * Tokens are read, not parsed: each one that could nest what follows or precedes costs about as much
 * stack as it needs there; statements, commas and closing brackets give it back. Where tokens do not
 * tell (a regular expression behind a bracket), the estimate may be off by one line or statement.
 */

import type { Language } from "./instrumented.ts";

/**
 * What a text may cost. A worker's stack of 4 MiB overflows at about 28,800 (measured for each kind of
 * nesting alone), and a part of it may be in use: modules load while others run.
 */
const BUDGET = 22_000;

/** Only texts longer than this can cost that much. */
const SHORT_TEXT = 1000;

/** Costs, in units of the stack that one `+` of a long sum needs. */
const BRACKET = 13;
const STATEMENT = 10;
const ASSIGNMENT = 8;
const CONDITION = 5;
const NEW = 4;
const POWER = 3;
const PREFIX = 2;
const TYPE_ARGUMENTS = 15;

/** Words that cost something, and whether an operand follows; others are values. */
const WORDS: Readonly<Record<string, number | undefined>> = {
  if: STATEMENT,
  for: STATEMENT,
  while: STATEMENT,
  with: STATEMENT,
  do: STATEMENT,
  yield: ASSIGNMENT,
  extends: ASSIGNMENT,
  new: NEW,
  typeof: PREFIX,
  void: PREFIX,
  delete: PREFIX,
  await: PREFIX,
  keyof: PREFIX,
  as: 1,
  satisfies: 1,
  instanceof: 1,
  in: 1,
  of: 1,
  return: 0,
  throw: 0,
  case: 0,
  else: 0,
  default: 0,
};

/** Words behind a closing brace or a line that belong to what stands before them. */
const CONTINUES: ReadonlySet<string> = new Set([
  "else",
  "as",
  "satisfies",
  "instanceof",
  "in",
  "of",
  "catch",
  "finally",
  "extends",
]);

/** Words whose bracket is the head of a statement: what follows it is no operator. */
const HEADS: ReadonlySet<string> = new Set(["if", "for", "while", "with"]);

/** One bracket that is open, or the text itself. */
interface Level {
  readonly isTemplate: boolean;
  readonly isHead: boolean;
  cost: number;
  /** How many of an `else if` chain. */
  ifs: number;
  /** `?` without its `:` … */
  conditions: number;
  /** … and for each `<` that is open, the cost before it. */
  angles: readonly number[];
}

/** Why a text is too deep to be parsed; undefined when it is not. */
export function findNesting(text: string, language: Language): string | undefined {
  if (text.length < SHORT_TEXT) return undefined;
  return new Estimate(text, language).run() ? TOO_DEEP : undefined;
}

const TOO_DEEP = "nested too deep to be parsed";

const NO_ANGLES: readonly number[] = [];

const NO_LEVEL: Level = {
  isTemplate: false,
  isHead: false,
  cost: 0,
  ifs: 0,
  conditions: 0,
  angles: NO_ANGLES,
};

class Estimate {
  readonly #text: string;
  readonly #angle: number;
  readonly #isJsx: boolean;
  readonly #levels: Level[] = [];
  #level: Level = { ...NO_LEVEL };
  #total = 0;
  /** Whether a value ended last, so that an operator follows. */
  #isValue = false;
  /** What ended last, if it was a bracket or a semicolon; else 0. */
  #closed = 0;
  #isHead = false;
  #hasLineEnd = false;

  constructor(text: string, language: Language) {
    this.#text = text;
    this.#isJsx = language === "jsx" || language === "tsx";
    this.#angle = language === "js" ? 1 : TYPE_ARGUMENTS;
  }

  /** Whether the budget is exceeded. */
  run(): boolean {
    const text = this.#text;
    let at = text.startsWith("#!") ? lineEnd(text, 0) : 0;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (isWordUnit(unit)) {
        at = this.#word(at, unit);
      } else if (unit <= 32) {
        if (unit === 10) this.#hasLineEnd = true;
        at++;
        continue;
      } else {
        at = this.#mark(at, unit);
      }
      if (this.#total > BUDGET) return true;
    }
    return false;
  }

  #spend(cost: number): void {
    this.#level.cost += cost;
    this.#total += cost;
  }

  /** A statement or an element of a list ends. */
  #reset(): void {
    const level = this.#level;
    this.#total -= level.cost;
    level.cost = 0;
    level.ifs = 0;
    level.conditions = 0;
    level.angles = NO_ANGLES;
  }

  #word(start: number, first: number): number {
    const text = this.#text;
    let end = start + 1;
    while (end < text.length && isWordUnit(text.charCodeAt(end))) end++;
    const isNumber = first >= 48 && first <= 57;
    if (isNumber && text.charCodeAt(end) === 46) end++;
    const length = end - start;
    const mayCost = length < MAX_WORD && MAY_COST[(length << 5) | (first & 31)] === 1;
    if (!mayCost) {
      const isEnd = this.#closed === 125 || this.#closed === 59;
      if (isEnd || (this.#isValue && this.#hasLineEnd)) this.#reset();
      this.#after(true);
      return end;
    }
    const word = text.slice(start, end);
    this.#endStatementBefore(word);
    const cost = isNumber || text.charCodeAt(start - 1) === 46 ? undefined : WORDS[word];
    this.#after(cost === undefined);
    if (cost === undefined) return end;
    this.#isHead = HEADS.has(word);
    if (word === "if") this.#level.ifs++;
    if (word === "else") this.#keepChain();
    this.#spend(cost);
    return end;
  }

  /** Two values in a row: a statement has ended between them, if a line or a block has. */
  #endStatementBefore(word: string): void {
    if (CONTINUES.has(word)) return;
    const isBehindEnd = this.#closed === 125 || this.#closed === 59;
    const isBehindLine = this.#isValue && this.#hasLineEnd;
    if (isBehindEnd || isBehindLine || word === "case" || word === "default") this.#reset();
  }

  /** What stood before an `else` is done; only the chain itself nests. */
  #keepChain(): void {
    const level = this.#level;
    const kept = Math.min(level.cost, level.ifs * STATEMENT);
    this.#total -= level.cost - kept;
    level.cost = kept;
  }

  #after(isValue: boolean, closed = 0): void {
    this.#isValue = isValue;
    this.#closed = closed;
    this.#hasLineEnd = false;
    this.#isHead = false;
  }

  #mark(at: number, unit: number): number {
    const text = this.#text;
    const next = text.charCodeAt(at + 1);
    if (this.#closed === 59) this.#reset();
    switch (unit) {
      case 34: // "
      case 39: // '
        // An apostrophe in the text of JSX.
        if (this.#isJsx && this.#isValue && unit === 39) return at + 1;
        this.#after(true);
        return stringEnd(text, at, unit);
      case 96: // `
        if (this.#isValue) this.#spend(1);
        return this.#template(at + 1);
      case 40: // (
      case 91: // [
      case 123: // {
        if (this.#isValue && unit !== 123) this.#spend(1);
        this.#open(false);
        return at + 1;
      case 41: // )
      case 93: // ]
      case 125: // }
        return this.#close(at, unit);
      case 44: // ,
        this.#reset();
        break;
      case 59: // ;
        // Unless an `else` follows, which goes on with the statement before.
        this.#after(false, unit);
        return at + 1;
      case 43: // +
      case 45: // -
        if (next !== unit) this.#spend(this.#isValue ? 1 : PREFIX);
        else if (this.#isValue) return at + 2;
        else this.#spend(PREFIX);
        return this.#operator(next === unit ? at + 2 : at + 1);
      case 47: // /
        return this.#slash(at, next);
      case 63: // ?
        return this.#question(at, next);
      case 58: // :
        if (this.#level.conditions > 0) this.#level.conditions--;
        else this.#spend(STATEMENT);
        break;
      case 61: // =
        return this.#equals(at, next);
      case 60: // <
      case 62: // >
        this.#angles(unit, next);
        break;
      case 42: // *
        this.#spend(next === 42 ? POWER : 1);
        if (next === 42) return this.#operator(at + 2);
        break;
      default:
        // `!`, `~` and signs before an operand nest as well; `.`, `&` and the like stand between.
        this.#spend(this.#isValue ? 1 : PREFIX);
    }
    return this.#operator(at + 1);
  }

  #operator(end: number): number {
    this.#after(false);
    return end;
  }

  #open(isTemplate: boolean): void {
    this.#levels.push(this.#level);
    this.#level = { ...NO_LEVEL, isTemplate, isHead: this.#isHead, cost: BRACKET };
    this.#total += BRACKET;
    this.#after(false);
  }

  #close(at: number, unit: number): number {
    const outer = this.#levels.pop();
    const { isTemplate, isHead, cost } = this.#level;
    if (outer === undefined) {
      this.#reset();
      return this.#operator(at + 1);
    }
    this.#total -= cost;
    this.#level = outer;
    if (isTemplate && unit === 125) return this.#template(at + 1);
    this.#after(unit !== 125 && !isHead, unit);
    return at + 1;
  }

  /** Skips the text of a template from there on, to its end or to its next `${`. */
  #template(from: number): number {
    const text = this.#text;
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 92) at++;
      else if (unit === 96) {
        this.#after(true);
        return at + 1;
      } else if (unit === 36 && text.charCodeAt(at + 1) === 123) {
        this.#open(true);
        return at + 2;
      }
    }
    return text.length;
  }

  #slash(at: number, next: number): number {
    const text = this.#text;
    if (next === 47) return lineEnd(text, at);
    if (next === 42) {
      const end = text.indexOf("*/", at + 2);
      if (end !== -1 && text.slice(at, end).includes("\n")) this.#hasLineEnd = true;
      return end === -1 ? text.length : end + 2;
    }
    if (this.#isJsx && next === 62) {
      // `/>` closes an element.
      this.#closeAngle();
      return this.#operator(at + 2);
    }
    if (this.#isValue) {
      this.#spend(1);
      return this.#operator(at + 1);
    }
    this.#after(true);
    return regExpEnd(text, at);
  }

  #question(at: number, next: number): number {
    if (next === 46 || next === 63) {
      // `?.` and `??`; the latter is written with conditions by the parser's next step.
      this.#spend(next === 46 ? 1 : CONDITION);
      return this.#operator(at + 2);
    }
    // `a?: T`, `f(a?)`, `a?, b` of TypeScript.
    if (next === 58 || next === 41 || next === 44) return this.#operator(at + 1);
    this.#level.conditions++;
    this.#spend(CONDITION);
    return this.#operator(at + 1);
  }

  #equals(at: number, next: number): number {
    if (next === 61) {
      this.#spend(1);
      return this.#operator(this.#text.charCodeAt(at + 2) === 61 ? at + 3 : at + 2);
    }
    this.#spend(ASSIGNMENT);
    return this.#operator(next === 62 ? at + 2 : at + 1);
  }

  /** `<` of type arguments, comparisons and elements. */
  #angles(unit: number, next: number): void {
    if (this.#angle === 1) {
      this.#spend(1);
    } else if (!this.#isJsx) {
      if (unit === 62) this.#closeAngle();
      else this.#openAngle();
    } else if (unit === 60) {
      // The `>` of a tag does not end its element; `</` does.
      if (next === 47) this.#closeAngle();
      else this.#openAngle();
    }
  }

  #openAngle(): void {
    const level = this.#level;
    level.angles = [...level.angles, level.cost];
    this.#spend(this.#angle);
  }

  /** What stands between the two is done. */
  #closeAngle(): void {
    const level = this.#level;
    const before = level.angles[level.angles.length - 1];
    if (before === undefined) return;
    level.angles = level.angles.slice(0, -1);
    this.#total -= Math.max(0, level.cost - before);
    level.cost = Math.min(level.cost, before);
  }
}

/** Letters, digits, `$`, `_`, `#`, `@` and everything beyond ASCII. */
function isWordUnit(unit: number): boolean {
  return unit > 127 || IS_WORD[unit] === 1;
}

const IS_WORD = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[\w$#@]/.test(String.fromCharCode(unit)) ? 1 : 0,
);

const MAX_WORD = 11;

/** By length and first letter: whether it may be one of the words above. Spares most slices. */
const MAY_COST = new Uint8Array(MAX_WORD << 5);
for (const word of [...Object.keys(WORDS), ...CONTINUES]) {
  MAY_COST[(word.length << 5) | (word.charCodeAt(0) & 31)] = 1;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function stringEnd(text: string, start: number, quote: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 92) at++;
    else if (unit === quote) return at + 1;
    else if (unit === 10) return at;
  }
  return text.length;
}

function regExpEnd(text: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 92) at++;
    else if (unit === 10) return at;
    else if (unit === 91) inClass = true;
    else if (unit === 93) inClass = false;
    else if (unit === 47 && !inClass) return at + 1;
  }
  return text.length;
}
