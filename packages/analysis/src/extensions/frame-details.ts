/**
 * Joins FRAME records with what the EXT namespaces node.frames and node.async say about them.
 *
 * Every part of an EXT block is optional: a frame without details is a synchronous one.
 */
import type { FrameRecord, Id, Recording } from "@orangebox/format";

import { countOf, fieldOf, listOf, textOf } from "./loose-fields.ts";
import { extensionList } from "./extension-list.ts";

/** How a frame hangs together with the frame before it in the list. */
export type FrameKind = "sync" | "async" | "started-by";

/** A place in the program. Line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number | undefined;
  readonly qualname: string | undefined;
}

/** The step from one frame to the next one across which no call stack exists. */
export interface AsyncBoundary {
  /** What was waited for, such as `await`, `timer` or `fs.readFile`. */
  readonly label: string;
  /** Where the promise that was waited for was made. */
  readonly promise: Place | undefined;
}

/** A frame of the recorded stack; index 0 raised the error. */
export interface FrameView {
  readonly index: number;
  readonly qualname: string;
  readonly file: string;
  /** Line being executed, from 1; 0 means unknown. */
  readonly line: number;
  /** Line where the function begins, from 1; 0 means unknown. */
  readonly firstLine: number;
  readonly column: number | undefined;
  readonly kind: FrameKind;
  /**
   * What lies between the frame before and this one; undefined for a plain call, also one among
   * the frames that started a callback: only the innermost of them has a boundary.
   */
  readonly boundary: AsyncBoundary | undefined;
  readonly notes: readonly string[];
  readonly locals: readonly { readonly name: string; readonly id: Id }[];
}

/** Gives all frames of a recording, crash first. */
export function frameViews(recording: Recording): FrameView[] {
  const details = byFrame(extensionList(recording, "node.frames"), "frame");
  const segments = byFrame(extensionList(recording, "node.async"), "from");
  return recording
    .frames()
    .map((frame, index) => frameView(frame, index, details.get(index), segments.get(index)));
}

function frameView(
  frame: FrameRecord,
  index: number,
  details: unknown,
  segment: unknown,
): FrameView {
  const kind = kindOf(frame, details, segment);
  const column = countOf(fieldOf(details, "column"));
  const note = textOf(fieldOf(details, "note"));
  return {
    index,
    qualname: frame.qualname,
    file: frame.file,
    line: frame.line,
    firstLine: frame.firstLine,
    column: column === 0 ? undefined : column,
    kind,
    boundary: boundaryOf(kind, details, segment),
    notes: note === undefined ? [] : [note],
    locals: frame.locals,
  };
}

function kindOf(frame: FrameRecord, details: unknown, segment: unknown): FrameKind {
  const kind = fieldOf(details, "kind");
  if (kind === "async" || kind === "started-by" || kind === "sync") return kind;
  return segment !== undefined || frame.qualname.startsWith("async ") ? "async" : "sync";
}

function boundaryOf(
  kind: FrameKind,
  details: unknown,
  segment: unknown,
): AsyncBoundary | undefined {
  const label =
    textOf(fieldOf(details, "boundary")) ??
    textOf(fieldOf(segment, "label")) ??
    textOf(fieldOf(segment, "kind")) ??
    (kind === "async" ? "await" : undefined);
  if (label === undefined) return undefined;
  return { label, promise: placeOf(fieldOf(segment, "promise")) };
}

/** Reads a place out of an EXT value; undefined unless it names at least a file and a line. */
export function placeOf(value: unknown): Place | undefined {
  const file = textOf(fieldOf(value, "file"));
  const line = countOf(fieldOf(value, "line"));
  if (file === undefined || line === undefined) return undefined;
  return {
    file,
    line,
    column: countOf(fieldOf(value, "column")),
    qualname: textOf(fieldOf(value, "qualname")),
  };
}

/** Indexes entries by a field that holds a frame index; the first entry of a frame counts. */
function byFrame(entries: readonly unknown[], field: string): Map<number, unknown> {
  const found = new Map<number, unknown>();
  for (const entry of listOf(entries)) {
    const index = countOf(fieldOf(entry, field));
    if (index !== undefined && !found.has(index)) found.set(index, entry);
  }
  return found;
}
