/** The writes of a recording as plain JSON: docs/timeline-json.md. */
import { jsonId, type JsonId } from "../inspect/inspect-json.ts";
import type { WriteHistory, WriteView } from "./write-history.ts";

/** Version of the contract; a field changes its meaning only with a new one. */
export const TIMELINE_JSON_VERSION = 1;

/** One write. */
export interface JsonWrite {
  readonly seq: number;
  readonly kind: string;
  readonly name: string;
  readonly key: string | null;
  readonly operator: string | null;
  readonly value: {
    readonly kind: string;
    readonly repr: string | null;
    readonly type: string | null;
    readonly length: JsonId | null;
  };
  readonly before: number | null;
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
  readonly function: string;
  readonly frame: JsonId;
  readonly frameFunction: string;
  readonly owner: { readonly number: number; readonly id: number | null } | null;
  readonly object: { readonly number: number; readonly id: number | null } | null;
}

/** The document of `flight timeline --json`. */
export interface TimelineJson {
  readonly version: typeof TIMELINE_JSON_VERSION;
  /** Writes of the file. */
  readonly writeCount: number;
  readonly dropped: {
    readonly count: number;
    readonly log: number;
    readonly limit: number;
    readonly deadline: number;
  };
  readonly writes: readonly JsonWrite[];
  /** Writes that match and are not listed. */
  readonly omitted: number;
}

/** Puts writes into the document. */
export function timelineJson(
  history: WriteHistory,
  views: readonly WriteView[],
  omitted: number,
): TimelineJson {
  return {
    version: TIMELINE_JSON_VERSION,
    writeCount: history.count,
    dropped: { ...history.dropped },
    writes: views.map(jsonWrite),
    omitted,
  };
}

function jsonWrite(view: WriteView): JsonWrite {
  const { seq, kind, name, key, operator, value, before, file, line, range, qualname } = view;
  return {
    seq,
    kind,
    name,
    key,
    operator: operator ?? null,
    value: {
      kind: value.kind,
      repr: value.repr,
      type: value.typeName,
      length: value.length === null ? null : jsonId(value.length),
    },
    before: before ?? null,
    file,
    line,
    column: range?.column ?? null,
    endLine: range?.endLine ?? null,
    endColumn: range?.endColumn ?? null,
    function: qualname,
    frame: jsonId(view.frame),
    frameFunction: view.frameFunction,
    owner: reference(view.owner),
    object: reference(view.object),
  };
}

function reference(found: WriteView["owner"]): JsonWrite["owner"] {
  return found === undefined ? null : { number: found.number, id: found.id ?? null };
}
