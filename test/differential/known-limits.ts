/**
 * What two runs may say differently, and why: kept short, each rule as narrow as it can be.
 *
 * Everything else that differs is a fault. docs/decisions/0002-probe-form.md tells the same. Five
 * things are not generated, because the engine's message or place depends on what it noted last:
 * `yield*` of what is not iterable, `catch ([a])` of an error, and `++a.b` or `a.b += c` of what
 * cannot be read. Nor is a class declaration that extends something without a place which fails, and
 * on Node 22 such an argument of `import()`.
 */

interface Limit {
  /** Why probes cannot keep this as it was. */
  readonly reason: string;
  readonly apply: (line: string) => string;
}

/** Errors that the engine throws at no place of its own. */
const PLACELESS =
  "ReferenceError|SuppressedError|TypeError: Class extends value|TypeError \\[ERR_VM_DYNAMIC_IMPORT|TypeError: Cannot mix BigInt|TypeError: Assignment to constant|TypeError: Cannot convert undefined or null to object|TypeError: RegExp.prototype|TypeError: Chaining cycle|TypeError: [\\w ]+ is not iterable \\(cannot read|TypeError: undefined is not iterable|TypeError: The iterator does not provide|SyntaxError";

export const KNOWN_LIMITS: readonly Limit[] = [
  {
    reason:
      "Reading a name that does not exist, extending a value that is no constructor, `import()`, `eval` of no program, mixing numbers in `a += 1n`, assigning a constant, deleting from nothing, opening by an array pattern what is not iterable and disposing have no place of their own in the engine's tables: it shows the last one that was noted before, which may be a probe's.",
    apply: (line) => line.replaceAll(PLACELESS_FRAME, "$1$2"),
  },
  {
    reason:
      "Nor have `++a` and `a *= b` of what is no number: at level `writes` a note stands in front, which is the last place where they are not done first in a statement.",
    apply: (line) => (HAS_EXACT_PLACES ? line : line.replaceAll(NOT_CONVERTED, "$1$2")),
  },
  {
    reason:
      "Nor have the calls that initialise static members and dispose: the frame around shows what was noted last.",
    apply: (line) => line.replaceAll(CALLED_AT_NO_PLACE, ""),
  },
  {
    reason:
      "A message about what a function expression gave, `(() => 5)()()`, has one `(intermediate value)` for each value that the engine finds in its text.",
    apply: (line) => line.replaceAll(/(?:\(intermediate value\))+/g, "(intermediate value)"),
  },
  {
    reason:
      "Where exactly a recursion without an end overflows depends on the size of a frame, and that on how many variables a function has.",
    apply: (line) => line.replaceAll(OVERFLOW, "$1"),
  },
  {
    reason:
      "The engine keeps the code of an `eval` for the whole process, with the place of the first call: an earlier run of this harness.",
    apply: (line) => line.replaceAll(/\(eval at .*?, <anonymous>:/g, "(eval, <anonymous>:"),
  },
];

const PLACELESS_FRAME = new RegExp(
  `((?:${PLACELESS})[^|]* \\| "(?:[^"\\\\]|\\\\.)*"[^|]*\\|)([^|\\]]*?):\\d+:\\d+`,
  "g",
);

const NOT_CONVERTED =
  /(TypeError: Cannot convert (?:object to primitive value|a (?:Symbol|BigInt) value to a number)[^|]* \| "[^"]*"[^|]*\|)([^|\]]*?):\d+:\d+/g;

/** The corners in every position (combinations.ts) hold conversions whose place is the same. */
const HAS_EXACT_PLACES = process.env["DIFFERENTIAL_EXACT_PLACES"] !== undefined;

/** A stack overflow and the frame at its top. */
const OVERFLOW = /(RangeError: Maximum call stack size exceeded[^|]*\| "[^"]*"[^|]*\|)[^|\]]*/g;

const CALLED_AT_NO_PLACE =
  /(?<=(?:<static_initializer>|\[Symbol\.\w*[dD]ispose\])[^|]*\|(?: \[[^|\]]*\])?[^|\]]*?):\d+:\d+/g;

const MAY_BE_LIMITED = /Error|eval|value|static|Symbol/;

/** Whether two lines say the same, apart from what is known to differ. */
export function isSameLine(plain: string, recorded: string): boolean {
  if (plain === recorded) return true;
  if (!MAY_BE_LIMITED.test(plain)) return false;
  if (withoutLimits(plain) === withoutLimits(recorded)) return true;
  if (recorded.includes(NAMELESS)) {
    return isSameLine(
      plain.replaceAll(/new \S+ \(/g, "new ("),
      recorded.replaceAll(/new \S+ \(/g, "new ("),
    );
  }
  return quotesFunction(plain, recorded);
}

/** The engine guesses names of nameless classes from what is assigned around them. */
const NAMELESS = "new <anonymous> (";

/** A line without what is known to differ. */
function withoutLimits(line: string): string {
  return KNOWN_LIMITS.reduce((text, { apply }) => apply(text), line);
}

/**
 * Some messages hold the text of a function, `Cannot read properties of null (reading '() => 0')`:
 * the engine takes it from what runs and asks no `toString`. They are the same up to the first
 * probe; the frames behind them are the same.
 */
function quotesFunction(plain: string, recorded: string): boolean {
  let at = 0;
  while (at < plain.length && plain[at] === recorded[at]) at++;
  const rest = recorded.slice(at, recorded.lastIndexOf('" | '));
  const isProbe = BEGINS_PROBE.test(rest) && HOLDS_PROBE.test(rest);
  // Of a long text the engine keeps a beginning and two units of the end.
  if (!isProbe && !/\.\.\.<omitted>\.\.\..{0,2}$/s.test(recorded.slice(0, at))) return false;
  return framesOf(plain) === framesOf(recorded);
}

/** `(a = b -= 1) => {}`: a write in a parameter is noted behind it, `(a = (b -= 1,$oW(…)))`. */
const BEGINS_PROBE = /^(?:\(|[{,;]?\s*(?:\/\*__ob|\$o\w|__ob)|.{0,8}\.\.\.<omitted>)/s;
const HOLDS_PROBE = /\/\*__ob|\(?\$o\w|__ob|\.\.\.<omitted>/;

/** The frames of the last error of a line. */
function framesOf(line: string): string {
  const frames = line
    .slice(line.lastIndexOf('" | '))
    .split(" | ")
    // The rest of a message of several lines may look like a frame.
    .filter((frame) => /:\d+\)?\]?$/.test(frame))
    .join(" | ");
  // Such a message stands in the way of the rule for errors without a place.
  return NO_PLACE.test(line) ? frames.replaceAll(/:\d+:\d+/g, "") : withoutLimits(frames);
}

const NO_PLACE = new RegExp(PLACELESS);
