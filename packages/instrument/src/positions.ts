/**
 * Maps places in the generated text to the original.
 *
 * A segment is a run of units copied from the original. A place inside inserted text maps to the
 * point of insertion. Two binary searches answer a question; nothing is expanded.
 */

import type { Position, PositionData } from "./instrumented.ts";
import { lastAtMost, positionOf } from "./site-table.ts";

/** Maps a generated line and column (both count from 1) to the original. */
export function originalPosition(positions: PositionData, line: number, column: number): Position {
  const lineStart = positions.generatedLineStarts[line - 1];
  if (lineStart === undefined) return { line, column };
  const inCompiled = translate(positions.generated, positions.original, lineStart + column - 1);
  const { map } = positions;
  const offset = map === undefined ? inCompiled : translate(map.compiled, map.original, inCompiled);
  return positionOf(positions.originalLineStarts, offset);
}

/** Maps a place in the original, of a text that was not compiled, to the generated text. */
export function generatedPosition(positions: PositionData, line: number, column: number): Position {
  const { generated, original, generatedLineStarts, originalLineStarts } = positions;
  const lineStart = originalLineStarts[line - 1];
  const generatedStart = generatedLineStarts[line - 1];
  if (lineStart === undefined || generatedStart === undefined) return { line, column };
  const offset = lineStart + column - 1;
  let run = 0;
  for (let index = 0; index < original.length; index++) {
    const start = original[index] ?? 0;
    if (start > offset) break;
    // Inserted text that is shown at a place of its own goes back.
    if (start >= (original[run] ?? 0)) run = index;
  }
  const place = (generated[run] ?? 0) + offset - (original[run] ?? 0);
  return { line, column: place - generatedStart + 1 };
}

/** Translates an offset through ascending runs; what was inserted maps to where it stands. */
export function translate(from: Uint32Array, to: Uint32Array, offset: number): number {
  const run = lastAtMost(from, offset);
  const translated = (to[run] ?? 0) + Math.max(0, offset - (from[run] ?? 0));
  const next = to[run + 1];
  // Runs of a compiled text need not ascend in the original; then nothing bounds the run.
  return next !== undefined && next >= (to[run] ?? 0) ? Math.min(translated, next) : translated;
}

/** Offsets of the first unit of every line, by the line terminators that the engine counts. */
export function findLineStarts(text: string): number[] {
  const starts = [0];
  // Searching for one terminator at a time is native code; most texts only have "\n".
  if (!/[\r\u2028\u2029]/.test(text)) {
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      starts.push(at + 1);
    }
    return starts;
  }
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 0x2028 || unit === 0x2029) starts.push(at + 1);
    else if (unit === 13 && text.charCodeAt(at + 1) !== 10) starts.push(at + 1);
  }
  return starts;
}
