/**
 * Reads as much of a text of JavaScript as it takes to see which way a value goes in a function.
 *
 * A parser would have to be loaded at the crash, and reads whole files; this reads the function
 * around a place, knows brackets, blocks and statements, and no more.
 */

/** One word, literal or operator. */
interface Token {
  readonly text: string;
  readonly start: number;
}

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;
const WORD = /[\w$#\u0080-\uffff]+/y;
const STRING = /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y;
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const OPERATOR = /=>|[=!]==?|(?:[-+%&|^]|\*\*?|&&|\|\||\?\?|<<|>>>?|\/)=|[<>]=|\+\+|--|\?\.|[^]/y;
/** Words behind which a slash begins a regular expression. */
const BEFORE_OPERAND = /^(?:return|typeof|case|throw|in|of|do|else|void|delete|await|yield|new)$/;
const CONTROL = /^(?:if|for|while|switch|catch|with|await)$/;
/** Words right before a block that is no body of a function. */
const BLOCK_WORD = /^(?:try|else|do|finally|catch|static)$/;
const NAME = /^[\w$#\u0080-\uffff]+$/;

/** Texts beyond this are not read: what is thrown there stays where it is. */
const MAX_LENGTH = 120_000;
const MAX_STEPS = 3;

/** What a statement does with a value. */
export type Use =
  | { readonly kind: "thrown"; readonly offset: number }
  | { readonly kind: "returned" }
  /** In a variable or a property from which nothing in the function takes it. */
  | { readonly kind: "kept"; readonly key: readonly string[] }
  | { readonly kind: "unknown" };

const UNKNOWN: Use = { kind: "unknown" };

/** The tokens of a text around one place. */
export interface CodeText {
  /** The word, or operator, at an offset. */
  wordAt(offset: number): string | undefined;
  /** Whether the expression there is a call of something that the name stands for. */
  isCallAt(offset: number): boolean;
  /**
   * Whether `new` at an offset makes an error; else it is a constructor of native code that threw.
   *
   * @param byName Whether the classes of errors have names that say so.
   */
  makesErrorAt(offset: number, byName: boolean): boolean;
  /** What the function does with the value of the expression at an offset. */
  useAt(offset: number): Use;
  /** What becomes of an error that is thrown at an offset: where it goes on, if it is caught. */
  afterThrowAt(offset: number): Use | undefined;
  /** The `throw` of a value with such a key that follows an offset in its function. */
  throwOfKey(key: readonly string[], offset: number): number | undefined;
  /** The `throw` of what is made from the value of the expression at an offset. */
  throwOfMadeFrom(offset: number): number | undefined;
  /** The last `throw` in the body of a function of this name, but for those of `new ERR_…`. */
  throwIn(functionName: string): number | undefined;
}

/**
 * Reads the tokens of a text.
 *
 * @returns Undefined for a text that is too long, or whose brackets do not match.
 */
export function readCode(text: string): CodeText | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const tokens = tokensOf(text);
  const match = matchBrackets(tokens);
  if (match === undefined) return undefined;
  const at = (index: number): string => tokens[index]?.text ?? "";
  const partner = (index: number): number => match[index] ?? -1;

  const indexAt = (offset: number): number => {
    let low = 0;
    let high = tokens.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((tokens[middle]?.start ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  /** A `{` with the body of a function, other than a control statement's or an object. */
  const isBody = (index: number): boolean => {
    const before = at(index - 1);
    if (before === "=>") return true;
    if (before !== ")") return false;
    return !CONTROL.test(at(partner(index - 1) - 1));
  };
  const isControlBlock = (index: number): boolean =>
    BLOCK_WORD.test(at(index - 1)) || (at(index - 1) === ")" && !isBody(index));
  /** The `{` of the function around a token; -1 at the top level. */
  const bodyAround = (index: number): number => {
    for (let i = index - 1; i >= 0; i--) {
      if (/^[)\]}]$/.test(at(i))) i = partner(i);
      else if (at(i) === "{" && isBody(i)) return i;
    }
    return -1;
  };
  const endOfBody = (body: number): number => (body < 0 ? tokens.length : partner(body));
  /** The variable or property before an index: `a`, `a.b`, `a[b]`. */
  const targetBefore = (end: number): { key: string[]; start: number } | undefined => {
    let i = end - 1;
    for (;;) {
      if (at(i) === "]") i = partner(i) - 1;
      else if (NAME.test(at(i))) {
        if (at(i - 1) !== "." && at(i - 1) !== "?.") break;
        i -= 2;
      } else return undefined;
    }
    const key = tokens.slice(i, end).map(({ text: word }) => word);
    return key.length === 0 ? undefined : { key, start: i };
  };
  const isKeyAt = (key: readonly string[], index: number): boolean =>
    key.every((word, i) => at(index + i) === word) &&
    !/^(?:\.|\?\.|\[|\()$/.test(at(index + key.length));

  /** Places in a function, nested ones left out, at which a word is. */
  const find = (word: string, from: number, to: number): number[] => {
    const found: number[] = [];
    for (let i = from; i < to; i++) {
      if (at(i) === word) found.push(i);
      else if (at(i) === "{" && isBody(i)) i = Math.max(i, partner(i));
    }
    return found;
  };
  const thrown = (index: number): Use => ({ kind: "thrown", offset: tokens[index]?.start ?? 0 });

  /** What happens between two tokens with a value that is in a variable or property. */
  const useOfKey = (key: readonly string[], from: number, to: number, steps = 0): Use => {
    const throws = find("throw", from, to).find((i) => isKeyAt(key, i + 1));
    if (throws !== undefined) return thrown(throws);
    const returns = find("return", from, to);
    if (returns.some((i) => isKeyAt(key, i + 1))) return { kind: "returned" };
    const isPassedOn = (i: number): boolean => {
      let end = i + 1;
      while (NAME.test(at(end)) || at(end) === ".") end++;
      return at(end) === "(" && isKeyAt(key, end + 1);
    };
    if (returns.some(isPassedOn)) return { kind: "returned" };
    if (steps < MAX_STEPS) {
      for (const i of find("=", from, to)) {
        const target = isKeyAt(key, i + 1) ? targetBefore(i) : undefined;
        if (target === undefined) continue;
        return useOfKey(target.key, i + 1, to, steps + 1);
      }
    }
    return { kind: "kept", key };
  };

  const useOf = (index: number): Use => {
    for (let i = index - 1; i >= 0; i--) {
      const word = at(i);
      if (word === ")" || word === "]") i = partner(i);
      else if (word === "}") {
        const open = partner(i);
        if (isControlBlock(open) || NAME.test(at(i + 1))) return UNKNOWN;
        i = open;
      } else if (word === "throw") return thrown(i);
      else if (word === "return" || word === "=>") return { kind: "returned" };
      else if (word === ";" || (word === "{" && (isBody(i) || isControlBlock(i)))) return UNKNOWN;
      else if (word === "=") {
        const target = targetBefore(i);
        if (target === undefined) return UNKNOWN;
        if (at(target.start - 1) === "throw") return thrown(target.start - 1);
        if (at(target.start - 1) === "return") return { kind: "returned" };
        return useOfKey(target.key, index, endOfBody(bodyAround(index)));
      }
    }
    return UNKNOWN;
  };

  const afterThrow = (index: number): Use | undefined => {
    const body = bodyAround(index);
    for (let i = index - 1; i > body; i--) {
      if (/^[)\]}]$/.test(at(i))) i = partner(i);
      else if (at(i) === "{" && at(i - 1) === "try") {
        const end = partner(i);
        if (at(end + 1) !== "catch" || at(end + 2) !== "(" || at(end + 4) !== ")") continue;
        const name = at(end + 3);
        const block = end + 5;
        const use = useOfKey([name], block + 1, partner(block));
        if (use.kind === "kept" && use.key[0] !== name) {
          return useOfKey(use.key, partner(block), endOfBody(body));
        }
        return use.kind === "kept" ? undefined : use;
      }
    }
    return undefined;
  };

  return {
    wordAt: (offset) => tokens[indexAt(offset)]?.text,
    isCallAt: (offset) => at(indexAt(offset) + 1) === "(",
    makesErrorAt(offset, byName) {
      const name = at(indexAt(offset) + 1);
      return !byName || /error|exception|^ERR_/i.test(name);
    },
    useAt: (offset) => useOf(indexAt(offset)),
    afterThrowAt(offset) {
      const first = afterThrow(indexAt(offset));
      if (first?.kind !== "thrown") return first;
      return afterThrow(indexAt(first.offset)) ?? first;
    },
    throwOfKey(key, offset) {
      const index = indexAt(offset);
      const last = key.at(-1) === "]" ? key.slice(key.lastIndexOf("[")) : key.slice(-1);
      const isProperty = key.length > 1;
      const to = endOfBody(bodyAround(index));
      for (const i of find("throw", index, to)) {
        let end = i + 1;
        while (end < to && at(end) !== ";" && at(end) !== "}") end++;
        const value = tokens.slice(i + 1, end).map(({ text: word }) => word);
        const isSame = last.every((word, k) => value[value.length - last.length + k] === word);
        if (isSame && value[0] !== "new" && isProperty === value.length > 1) {
          return tokens[i]?.start;
        }
      }
      return undefined;
    },
    throwOfMadeFrom(offset) {
      const index = indexAt(offset);
      const to = endOfBody(bodyAround(index));
      let equals = index;
      while (equals > 0 && !/^[=;{}]$/.test(at(equals))) equals--;
      const held = at(equals) === "=" ? targetBefore(equals) : undefined;
      if (held?.key.length !== 1) return undefined;
      for (const i of find("=", index, to)) {
        if (
          at(i + 2) !== "(" ||
          !tokens.slice(i + 3, partner(i + 2)).some((t) => t.text === held.key[0])
        ) {
          continue;
        }
        const target = targetBefore(i);
        const use = target === undefined ? UNKNOWN : useOfKey(target.key, i, to);
        if (use.kind === "thrown") return use.offset;
      }
      return undefined;
    },
    throwIn(functionName) {
      for (let i = 0; i < tokens.length; i++) {
        if (at(i) !== functionName || at(i - 1) !== "function" || at(i + 1) !== "(") continue;
        const body = partner(i + 1) + 1;
        for (let end = partner(body) - 1; end > body; end--) {
          if (at(end) === "throw" && !at(end + 2).startsWith("ERR_")) return tokens[end]?.start;
        }
        return undefined;
      }
      return undefined;
    },
  };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  readTokens(text, 0, tokens, false);
  return tokens;
}

/**
 * Reads tokens from an offset on.
 *
 * @param isSubstitution Whether to end at the `}` of a substitution in a template.
 * @returns Behind the last one.
 */
function readTokens(text: string, start: number, tokens: Token[], isSubstitution: boolean): number {
  let offset = start;
  let depth = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = offset;
    const found = pattern.exec(text);
    if (found === null) return false;
    tokens.push({ text: found[0], start: offset });
    offset = pattern.lastIndex;
    return true;
  };
  while (offset < text.length) {
    BLANK.lastIndex = offset;
    if (BLANK.test(text)) offset = BLANK.lastIndex;
    const first = text[offset];
    if (first === undefined) break;
    if (first === "{") depth++;
    else if (first === "}" && --depth < 0 && isSubstitution) return offset + 1;
    if (first === "`") {
      tokens.push({ text: "`", start: offset });
      offset = endOfTemplate(text, offset);
    } else if ((first === '"' || first === "'") && take(STRING)) continue;
    else if (first === "/" && isOperandNext(tokens.at(-1)?.text) && take(REGEXP)) continue;
    else if (!take(WORD)) take(OPERATOR);
  }
  return offset;
}

function isOperandNext(before: string | undefined): boolean {
  if (before === undefined) return true;
  return NAME.test(before) ? BEFORE_OPERAND.test(before) : !/^(?:[)\]}`]|["'].*)$/s.test(before);
}

/** Behind the closing mark. What is substituted is read, to know its end, and left out. */
function endOfTemplate(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length) {
    const char = text[i];
    if (char === "`") return i + 1;
    if (char === "$" && text[i + 1] === "{") i = readTokens(text, i + 2, [], true);
    else i += char === "\\" ? 2 : 1;
  }
  return text.length;
}

/** For each bracket the index of the other one. */
function matchBrackets(tokens: readonly Token[]): Int32Array | undefined {
  const match = new Int32Array(tokens.length).fill(-1);
  const open: number[] = [];
  for (const [i, { text }] of tokens.entries()) {
    if (text === "(" || text === "[" || text === "{") open.push(i);
    else if (text === ")" || text === "]" || text === "}") {
      const other = open.pop();
      if (other === undefined) return undefined;
      match[other] = i;
      match[i] = other;
    }
  }
  return open.length === 0 ? match : undefined;
}
