/**
 * Reads and writes the mappings of a source map, and moves them to where text was inserted.
 */

/** A source map, version 3, as bundlers give it. */
export interface SourceMapJson {
  readonly version: number;
  readonly file?: string | undefined;
  readonly sourceRoot?: string | undefined;
  readonly sources: readonly (string | null)[];
  readonly sourcesContent?: readonly (string | null | undefined)[] | undefined;
  readonly names?: readonly string[] | undefined;
  readonly mappings: string;
}

/** Reads the JSON of a map; undefined when it is no map, or one in sections. */
export function parseSourceMap(json: string): SourceMapJson | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isSourceMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isSourceMap(value: unknown): value is SourceMapJson {
  return (
    typeof value === "object" &&
    value !== null &&
    "mappings" in value &&
    typeof value.mappings === "string" &&
    "sources" in value &&
    Array.isArray(value.sources)
  );
}

/** Mappings in columns; lines and columns count from 0. */
export interface Mappings {
  /** Where the segments of each line begin; one element more than lines. */
  readonly lines: readonly number[];
  readonly columns: readonly number[];
  /** Index into `sources`, or -1. */
  readonly sources: readonly number[];
  readonly originalLines: readonly number[];
  readonly originalColumns: readonly number[];
  /** Index into `names`, or -1. */
  readonly names: readonly number[];
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Int8Array(128).fill(-1);
for (let digit = 0; digit < 64; digit++) VALUES[DIGITS.charCodeAt(digit)] = digit;

const SEMICOLON = 0x3b;
const COMMA = 0x2c;

/** Decodes the field `mappings`. @throws {RangeError} if it holds anything else. */
export function decodeMappings(text: string): Mappings {
  const lines: number[] = [0];
  const columns: number[] = [];
  const sources: number[] = [];
  const originalLines: number[] = [];
  const originalColumns: number[] = [];
  const names: number[] = [];
  let column = 0;
  let source = 0;
  let originalLine = 0;
  let originalColumn = 0;
  let name = 0;
  let at = 0;
  const isEnd = (): boolean => {
    const unit = at < text.length ? text.charCodeAt(at) : COMMA;
    return unit === COMMA || unit === SEMICOLON;
  };
  const read = (): number => {
    let value = 0;
    let shift = 0;
    for (;;) {
      const digit = VALUES[text.charCodeAt(at++)] ?? -1;
      if (digit < 0) throw new RangeError("the source map is damaged");
      value += (digit & 31) * 2 ** shift;
      if ((digit & 32) === 0) break;
      shift += 5;
    }
    return value % 2 === 1 ? -(value - 1) / 2 : value / 2;
  };
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === SEMICOLON) {
      lines.push(columns.length);
      column = 0;
      at++;
    } else if (unit === COMMA) {
      at++;
    } else {
      column += read();
      const hasSource = !isEnd();
      if (hasSource) {
        source += read();
        originalLine += read();
        originalColumn += read();
      }
      const hasName = !isEnd();
      if (hasName) name += read();
      columns.push(column);
      sources.push(hasSource ? source : -1);
      originalLines.push(hasSource ? originalLine : 0);
      originalColumns.push(hasSource ? originalColumn : 0);
      names.push(hasName ? name : -1);
    }
  }
  lines.push(columns.length);
  return { lines, columns, sources, originalLines, originalColumns, names };
}

/** Encodes mappings. */
export function encodeMappings(mappings: Mappings): string {
  const { lines, columns, sources, originalLines, originalColumns, names } = mappings;
  const parts: string[] = [];
  let source = 0;
  let originalLine = 0;
  let originalColumn = 0;
  let name = 0;
  for (let line = 0; line + 1 < lines.length; line++) {
    if (line > 0) parts.push(";");
    let column = 0;
    for (let index = lines[line] ?? 0; index < (lines[line + 1] ?? 0); index++) {
      if (index > (lines[line] ?? 0)) parts.push(",");
      const here = columns[index] ?? 0;
      parts.push(digits(here - column));
      column = here;
      const from = sources[index] ?? -1;
      if (from < 0) continue;
      parts.push(digits(from - source));
      source = from;
      parts.push(digits((originalLines[index] ?? 0) - originalLine));
      originalLine = originalLines[index] ?? 0;
      parts.push(digits((originalColumns[index] ?? 0) - originalColumn));
      originalColumn = originalColumns[index] ?? 0;
      const called = names[index] ?? -1;
      if (called < 0) continue;
      parts.push(digits(called - name));
      name = called;
    }
  }
  return parts.join("");
}

/** A number in base 64, the sign in the lowest bit. */
export function digits(value: number): string {
  return unsignedDigits(value < 0 ? -value * 2 + 1 : value * 2);
}

/** A number that is not negative in base 64: five bits a digit, the sixth says that more follow. */
export function unsignedDigits(value: number): string {
  let rest = value;
  let text = "";
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += DIGITS[rest > 0 ? digit + 32 : digit];
  } while (rest > 0);
  return text;
}

/** Where text was inserted into a text; all its lines stay lines. */
export interface Insertions {
  /** Ascending starts of runs in the longer text … */
  readonly generated: Uint32Array;
  /** … and in the shorter one. */
  readonly original: Uint32Array;
  /** Lines as source maps count them. */
  readonly generatedLineStarts: readonly number[];
  readonly originalLineStarts: readonly number[];
}

/** The same map for the text with insertions. */
export function moveMappings(mappings: Mappings, insertions: Insertions): Mappings {
  const { generated, original, generatedLineStarts, originalLineStarts } = insertions;
  const columns: number[] = [];
  let run = 0;
  for (let line = 0; line + 1 < mappings.lines.length; line++) {
    const lineStart = originalLineStarts[line];
    const newStart = generatedLineStarts[line];
    for (let index = mappings.lines[line] ?? 0; index < (mappings.lines[line + 1] ?? 0); index++) {
      const column = mappings.columns[index] ?? 0;
      if (lineStart === undefined || newStart === undefined) {
        // A map may speak of lines that the text does not have.
        columns.push(column);
        continue;
      }
      const offset = lineStart + column;
      while (run > 0 && (original[run] ?? 0) > offset) run--;
      while (run + 1 < original.length && (original[run + 1] ?? 0) <= offset) run++;
      const moved = (generated[run] ?? 0) + offset - (original[run] ?? 0);
      columns.push(Math.max(0, moved - newStart));
    }
  }
  return { ...mappings, columns };
}
