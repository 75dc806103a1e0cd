/**
 * Reads what a built file says of its own places, for when its table is lost: where text was inserted
 * into each line. Written by the build plugin (plain-places.ts), read by its stub as well.
 */
import type { FilePlaces } from "../runtime/module-registry.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** @param note What the file gave to `__obF.t`. @returns Undefined when it says nothing of places. */
export function readPlaces(note: string): FilePlaces | undefined {
  const [, head, lines] = note.split("\n");
  if (head === undefined || lines === undefined) return undefined;
  const [headLine = 0, headColumn = 0, growth = 0] = head.split(" ").map(Number);
  let texts: readonly string[] | undefined;
  const runsOf = (line: number): number[] => {
    texts ??= lines.split(";");
    return numbers(texts[line - 1] ?? "");
  };
  const isBehindHead = (line: number, column: number): boolean =>
    line - 1 === headLine && column - 1 > headColumn;
  return {
    plain(line, column) {
      const at = isBehindHead(line, column)
        ? Math.max(headColumn, column - 1 - growth)
        : column - 1;
      return { line, column: ownColumn(runsOf(line), at) + 1 };
    },
    inFile(line, column) {
      const at = fileColumn(runsOf(line), column - 1) + 1;
      return { line, column: isBehindHead(line, at) ? at + growth : at };
    },
  };
}

/** Numbers take turns: units that are the file's own, units that were inserted. */
function ownColumn(runs: readonly number[], column: number): number {
  let from = 0;
  let own = 0;
  for (let index = 0; index < runs.length; index += 2) {
    const copied = runs[index] ?? 0;
    if (column <= from + copied) break;
    from += copied;
    own += copied;
    const inserted = runs[index + 1] ?? 0;
    if (column <= from + inserted) return own;
    from += inserted;
  }
  return own + column - from;
}

function fileColumn(runs: readonly number[], column: number): number {
  let from = 0;
  let own = 0;
  for (let index = 0; index < runs.length; index += 2) {
    const copied = runs[index] ?? 0;
    if (column < own + copied) break;
    from += copied + (runs[index + 1] ?? 0);
    own += copied;
  }
  return from + column - own;
}

function numbers(text: string): number[] {
  const found: number[] = [];
  let value = 0;
  let scale = 1;
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    value += (digit & 31) * scale;
    if (digit > 31) scale *= 32;
    else {
      found.push(value);
      value = 0;
      scale = 1;
    }
  }
  return found;
}
