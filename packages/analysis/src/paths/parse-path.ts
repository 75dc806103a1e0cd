/**
 * Reads path expressions: `frames[0].order.lines[1]`, `sets.evening`, `account.#pin`,
 * `cache["a key"]`, `it[Symbol.iterator]`, `list[-1]`, `proxy[[Target]]`.
 */
import { FlightError } from "@orangebox/format";

import { clipText, visibleText } from "../values/visible-text.ts";

/** One step of a path. */
export type PathStep =
  | { readonly kind: "member"; readonly name: string }
  /** A position; negative ones count from the end. Of an object or Map, the key of that text. */
  | { readonly kind: "index"; readonly index: number }
  /** Something that is no property, such as `Target` of a Proxy or `Keys` of a Map. */
  | { readonly kind: "slot"; readonly name: string };

/** Longest expression that is read, in UTF-16 units. */
const MAX_LENGTH = 10_000;
/** Names, private names included; hyphens are no part of a name. */
const NAME = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const INDEX = /\[\s*(-?\d{1,15})\s*\]/y;
const SLOT = /\[\[(\w+)\]\]/y;
const SYMBOL = /\[(Symbol(?:\.\w+|\([^()[\]]*\)))\]/y;
const QUOTED = /\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/sy;

/**
 * Reads a path expression into its steps; the first step is the name (or slot) it starts from.
 *
 * @throws {FlightError} `FLIGHT_USAGE` if the text is no path; the message says where.
 */
export function parsePath(text: string): PathStep[] {
  const source = text.trim();
  if (source === "") throw notAPath(text, 0, "it is empty");
  if (source.length > MAX_LENGTH) throw notAPath(text, MAX_LENGTH, "it is too long");
  const steps: PathStep[] = [];
  let at = 0;
  while (at < source.length) {
    const step = readStep(source, at, steps.length === 0);
    if (step === undefined) throw notAPath(source, at, 'expected .name, [index] or ["key"]');
    steps.push(step.step);
    at = step.end;
  }
  return steps;
}

function readStep(
  source: string,
  at: number,
  first: boolean,
): { step: PathStep; end: number } | undefined {
  const dotted = source.startsWith("?.", at) ? 2 : source[at] === "." ? 1 : 0;
  const name = first || dotted > 0 ? matchAt(NAME, source, first ? at : at + dotted) : undefined;
  if (name !== undefined) {
    const end = (first ? at : at + dotted) + name[0].length;
    return { step: { kind: "member", name: name[0] }, end };
  }
  const start = dotted === 2 ? at + 2 : at;
  const slot = matchAt(SLOT, source, start);
  if (slot !== undefined)
    return { step: { kind: "slot", name: slot[1] ?? "" }, end: start + slot[0].length };
  const index = matchAt(INDEX, source, start);
  if (index !== undefined)
    return { step: { kind: "index", index: Number(index[1]) }, end: start + index[0].length };
  const key = matchAt(SYMBOL, source, start) ?? matchAt(QUOTED, source, start);
  if (key === undefined) return undefined;
  const raw = key[1] ?? "";
  const text = raw.startsWith("Symbol") ? raw : unquote(raw);
  return text === undefined
    ? undefined
    : { step: { kind: "member", name: text }, end: start + key[0].length };
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source) ?? undefined;
}

/** Reads a JavaScript string literal in either kind of quotes. */
function unquote(literal: string): string | undefined {
  let broken = false;
  const text = literal
    .slice(1, -1)
    .replace(
      /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|([^]))/giu,
      (_, long?: string, short?: string, byte?: string, letter?: string) => {
        const hex = long ?? short ?? byte;
        if (hex === undefined) return LETTER_ESCAPES.get(letter ?? "") ?? letter ?? "";
        const code = Number.parseInt(hex, 16);
        if (code <= 0x10ffff) return String.fromCodePoint(code);
        broken = true;
        return "";
      },
    );
  return broken ? undefined : text;
}

const LETTER_ESCAPES = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["0", "\0"],
]);

function notAPath(text: string, at: number, why: string): FlightError {
  const shown = visibleText(clipText(text, 100));
  return new FlightError(
    "FLIGHT_USAGE",
    `"${shown}" is no path: ${why}, at character ${at + 1}`,
    'Write it like frames[0].order.lines[1], sets.evening, account.#pin or cache["a key"].',
  );
}
