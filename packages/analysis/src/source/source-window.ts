/**
 * Cuts the lines around a place out of a recorded source, with the values of the variables that
 * the lines mention.
 *
 * Values are those at the crash; they stand only beside lines that may have run: from the line
 * where the function begins to the line that was being executed. Properties and names inside
 * strings and comments get none.
 */
import type { Id, Recording, SourceRecord } from "@orangebox/format";

import type { FrameView } from "../extensions/frame-details.ts";
import { isUninitialized } from "../values/node-kinds.ts";
import type { PrintableObjects } from "../values/value-printer.ts";
import { identifiers } from "./tokenize.ts";

/** A variable that a line mentions. */
export interface InlineValue {
  readonly name: string;
  readonly id: Id;
}

/** One line of a source. */
export interface SourceLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Whether this line was being executed. */
  readonly isCurrent: boolean;
  readonly values: readonly InlineValue[];
}

/** How many lines are shown around the line that was being executed. */
export interface WindowSize {
  readonly before: number;
  readonly after: number;
}

/** Longest line that is kept, in UTF-16 units. */
const MAX_LINE_LENGTH = 2000;

/** Finds the source of a file: by its exact name, else by the last part of the name. */
export function findSource(recording: Recording, file: string): SourceRecord | undefined {
  const sources = recording.sources();
  // A later record of the same name replaces an earlier one.
  const exact = sources.findLast((source) => source.filename === file);
  return exact ?? sources.findLast((source) => lastPart(source.filename) === lastPart(file));
}

/** Gives the lines around the current line of a frame; none when its source was not recorded. */
export function sourceWindow(
  recording: Recording,
  frame: FrameView,
  options: { readonly size: WindowSize; readonly values?: PrintableObjects },
): SourceLine[] {
  const text = findSource(recording, frame.file)?.text;
  if (text === undefined || frame.line === 0) return [];
  const starts = lineStarts(text, frame.line + options.size.after);
  if (frame.line > starts.length) return [];
  const first = Math.max(1, frame.line - options.size.before);
  const last = Math.min(starts.length, frame.line + options.size.after);
  const inline =
    options.values === undefined
      ? new Map<number, InlineValue[]>()
      : inlineValues(text, frame, { starts, first, values: options.values });
  const lines: SourceLine[] = [];
  for (let number = first; number <= last; number += 1) {
    lines.push({
      number,
      text: lineText(text, starts, number),
      isCurrent: number === frame.line,
      values: inline.get(number) ?? [],
    });
  }
  return lines;
}

/** Gives the values of each line that may have run, every name once per line. */
function inlineValues(
  text: string,
  frame: FrameView,
  at: {
    readonly starts: readonly number[];
    readonly first: number;
    readonly values: PrintableObjects;
  },
): Map<number, InlineValue[]> {
  const from = Math.max(at.first, frame.firstLine);
  const begin = at.starts[from - 1] ?? text.length;
  const end = at.starts[frame.line] ?? text.length;
  const locals = shownLocals(frame, at.values);
  const found = new Map<number, InlineValue[]>();
  let line = from;
  for (const token of identifiers(text)) {
    if (token.start >= end) break;
    const id = locals.get(token.name);
    if (token.start < begin || token.isProperty || id === undefined) continue;
    while ((at.starts[line] ?? text.length) <= token.start) line += 1;
    const ofLine = found.get(line) ?? [];
    if (!ofLine.some((value) => value.name === token.name)) ofLine.push({ name: token.name, id });
    found.set(line, ofLine);
  }
  return found;
}

function shownLocals(frame: FrameView, values: PrintableObjects): Map<string, Id> {
  const locals = new Map<string, Id>();
  for (const { name, id } of frame.locals) {
    const node = values.objects.get(id);
    if (locals.has(name) || (node !== undefined && isUninitialized(node))) continue;
    // The text of a function beside its own name tells nothing.
    if (node?.repr?.startsWith("[function ") === true || node?.repr?.startsWith("[class ") === true)
      continue;
    locals.set(name, id);
  }
  return locals;
}

/** Gives the offsets where lines begin, up to line `wanted` and the one behind it. */
function lineStarts(text: string, wanted: number): number[] {
  const starts = [0];
  const breaks = /\r\n|[\n\r\u2028\u2029]/g;
  while (starts.length <= wanted && breaks.exec(text) !== null) starts.push(breaks.lastIndex);
  // What follows the last line break is a line only if there is something.
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  return starts;
}

function lineText(text: string, starts: readonly number[], number: number): string {
  const start = starts[number - 1] ?? text.length;
  const end = starts[number] ?? text.length;
  return text
    .slice(start, Math.min(end, start + MAX_LINE_LENGTH))
    .replace(/[\r\n\u2028\u2029]+$/u, "");
}

function lastPart(file: string): string {
  return file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
}
