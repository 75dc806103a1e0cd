/**
 * Writes what is known of a recording as the JSON of `flight inspect --json`.
 *
 * The contract is docs/inspect-json.md, with a schema beside it: fields are only ever added, and
 * `version` changes when one changes its meaning. Texts are as recorded, not made safe to show.
 */
import type { Id, ObjectNode } from "@orangebox/format";

import { recentEvents } from "../events/recent-events.ts";
import { fingerprint } from "../fingerprint.ts";
import { hasCrash } from "../summary.ts";
import { previewValue } from "../values/value-printer.ts";
import type { PrintableObjects } from "../values/value-printer.ts";
import { findAliases } from "./aliases.ts";
import type { Alias } from "./aliases.ts";
import type { AsyncBoundary, FrameView, Place } from "../extensions/frame-details.ts";
import type { ExceptionView } from "./exception-views.ts";
import type { Inspection } from "./inspection.ts";

/** Version of the contract. */
export const INSPECT_JSON_VERSION = 1;

/** An id as JSON has it: a number when that is exact, else decimal text. */
export type JsonId = number | string;

/** How much is written. */
export interface JsonLimits {
  readonly maxObjects: number;
  readonly maxItems: number;
  readonly maxFrames: number;
  readonly maxEvents: number;
  readonly maxAliases: number;
}

const DEFAULT_LIMITS: JsonLimits = {
  maxObjects: 20_000,
  maxItems: 1000,
  maxFrames: 1000,
  maxEvents: 200,
  maxAliases: 1000,
};

/** One object of the program. */
export interface JsonObject {
  readonly kind: string;
  readonly repr: string | null;
  readonly type: string | null;
  readonly length: JsonId | null;
  readonly truncated: boolean;
  /** The value in the spelling of its language, short. */
  readonly preview: string;
  readonly items: readonly {
    readonly key: string | null;
    readonly id: JsonId;
    readonly keyId?: JsonId;
  }[];
}

interface JsonPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
  readonly qualname: string | null;
}

interface JsonFrame {
  readonly index: number;
  readonly qualname: string;
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
  readonly firstLine: number;
  readonly async: boolean;
  readonly kind: string;
  readonly boundary: { readonly label: string; readonly promise: JsonPlace | null } | null;
  readonly notes: readonly string[];
  readonly locals: Readonly<Record<string, JsonId>>;
}

/** The whole document; docs/inspect-json.md says what each field means. */
export interface InspectJson {
  readonly version: typeof INSPECT_JSON_VERSION;
  readonly status: string;
  readonly reason: string | null;
  readonly recordedAt: string | null;
  readonly flightVersion: string;
  readonly fingerprint: string | null;
  readonly runtime: {
    readonly name: string;
    readonly version: string;
    readonly platform: string;
    readonly argv: readonly string[];
    readonly cwd: string;
    readonly pid: number | null;
    readonly threadId: number | null;
  } | null;
  /** How the program was leaving when nothing was thrown. */
  readonly exit: {
    readonly code: string | null;
    readonly pendingStdoutBytes: number;
    readonly pendingStderrBytes: number;
  } | null;
  /** How the program ended, when it could not write the recording itself. */
  readonly death: {
    readonly how: string;
    readonly signal: string | null;
    readonly code: number | null;
    readonly cause: string;
    readonly text: string;
    readonly isStackWhole: boolean;
    readonly waitingCount: number | null;
  } | null;
  readonly blocks: readonly string[];
  readonly exceptions: readonly {
    readonly type: string;
    readonly message: string;
    readonly relation: string;
    readonly code: string | null;
    readonly stack: string | null;
    readonly objectId: JsonId | null;
    readonly thrownAt: JsonPlace | null;
  }[];
  readonly frames: readonly JsonFrame[];
  readonly objects: Readonly<Record<string, JsonObject>>;
  readonly aliases: readonly {
    readonly id: JsonId;
    readonly names: readonly { readonly frame: number; readonly path: string }[];
  }[];
  readonly eventCount: number;
  readonly eventsWrapped: boolean;
  readonly events: readonly {
    readonly kind: string;
    readonly detail: string | null;
    readonly qualname: string;
    readonly file: string;
    readonly line: number;
    readonly column: number | null;
    readonly thread: number;
    readonly depth: number;
  }[];
  readonly sources: readonly {
    readonly file: string;
    readonly sha1: string;
    readonly lineCount: number;
  }[];
  readonly cuts: readonly {
    readonly limit: string;
    readonly count: number | null;
    readonly where: string | null;
  }[];
  readonly redactions: readonly {
    readonly where: string;
    readonly name: string | null;
    readonly detector: string | null;
    readonly count: number;
  }[];
  /** Remarks of the recorder about this recording. */
  readonly notes: readonly string[];
  readonly problems: readonly {
    readonly kind: string;
    readonly message: string;
    readonly block: string | null;
    readonly offset: number | null;
  }[];
  /** What this document leaves out of the recording, as counts; all 0 when nothing. */
  readonly omitted: {
    readonly frames: number;
    readonly objects: number;
    readonly events: number;
    readonly aliases: number;
  };
}

/** Writes a recording as JSON-able data. Decodes everything but mutations and the tape. */
export function inspectJson(
  inspection: Inspection,
  options: Partial<JsonLimits> = {},
): InspectJson {
  const limits = { ...DEFAULT_LIMITS, ...options };
  const { recording } = inspection;
  const frames = inspection.frames.slice(0, limits.maxFrames);
  const values = inspection.values();
  const reached = jsonObjects(values, rootIds(inspection, frames), limits);
  const aliases = [...findAliases(frames, values).values()];
  const ring = recording.events();
  const events = recentEvents(recording, limits.maxEvents);
  const createdMs = Number(recording.header.createdUnixMs);
  return {
    version: INSPECT_JSON_VERSION,
    status: recording.status,
    reason: inspection.reason ?? null,
    recordedAt: createdMs > 0 && createdMs < 8.64e15 ? new Date(createdMs).toISOString() : null,
    flightVersion: recording.header.flightVersion,
    fingerprint: hasCrash(recording) ? fingerprint(recording) : null,
    runtime: runtimeJson(inspection),
    exit: exitJson(inspection),
    death: deathJson(inspection),
    blocks: recording.blocks.map((block) => block.name),
    exceptions: inspection.exceptions.map(exceptionJson),
    frames: frames.map(frameJson),
    objects: reached.objects,
    aliases: aliases.slice(0, limits.maxAliases).map(aliasJson),
    eventCount: ring?.events.length ?? 0,
    eventsWrapped: ring?.wrapped ?? false,
    events: events.map(({ kind, detail, qualname, file, line, column, thread, depth }) => ({
      kind,
      detail: detail ?? null,
      qualname,
      file,
      line,
      column: column ?? null,
      thread,
      depth,
    })),
    sources: recording.sources().map(({ filename, sha1, text }) => ({
      file: filename,
      sha1,
      lineCount: countLines(text),
    })),
    cuts: inspection.cuts.map(({ limit, count, where }) => ({
      limit,
      count: count ?? null,
      where: where ?? null,
    })),
    redactions: inspection.redactions.map(({ where, name, detector, count }) => ({
      where,
      name: name ?? null,
      detector: detector ?? null,
      count,
    })),
    notes: inspection.notes,
    // Last, because decoding the parts above may have added to them.
    problems: recording.problems.map(({ kind, message, blockType, offset }) => ({
      kind,
      message,
      block: blockType ?? null,
      offset: offset ?? null,
    })),
    omitted: {
      frames: inspection.frames.length - frames.length,
      objects: reached.omitted,
      events: (ring?.events.length ?? 0) - events.length,
      aliases: Math.max(0, aliases.length - limits.maxAliases),
    },
  };
}

/** Writes an id as JSON: exact either way. */
export function jsonId(id: Id): JsonId {
  return typeof id === "bigint" && id > BigInt(Number.MAX_SAFE_INTEGER) ? String(id) : Number(id);
}

/**
 * Writes the objects that can be reached from `roots`, nearest first, keyed by their id.
 * `omitted` counts those that are reached but not written.
 */
export function jsonObjects(
  values: PrintableObjects,
  roots: readonly Id[],
  options: Partial<JsonLimits> = {},
): { objects: Record<string, JsonObject>; omitted: number } {
  const limits = { ...DEFAULT_LIMITS, ...options };
  const ids = new Set(roots);
  // A set is walked in order, also over what is added on the way.
  const objects = new Map<string, JsonObject>();
  for (const id of ids) {
    if (objects.size >= limits.maxObjects) break;
    const node = values.objects.get(id);
    if (node === undefined) continue;
    objects.set(String(id), objectJson(values, node, limits.maxItems));
    for (const item of node.items.slice(0, limits.maxItems)) ids.add(item.id);
    for (const keyId of values.mapKeys(id) ?? []) ids.add(keyId);
  }
  let present = 0;
  for (const id of ids) if (values.objects.get(id) !== undefined) present += 1;
  return { objects: Object.fromEntries(objects), omitted: present - objects.size };
}

function rootIds(inspection: Inspection, frames: readonly FrameView[]): Id[] {
  const locals = frames.flatMap((frame) => frame.locals.map((local) => local.id));
  return [...locals, ...inspection.exceptions.flatMap((exception) => exception.objectId ?? [])];
}

function objectJson(values: PrintableObjects, node: ObjectNode, maxItems: number): JsonObject {
  const keys = values.mapKeys(node.id);
  return {
    kind: node.kind,
    repr: node.repr,
    type: node.typeName,
    length: node.length === null ? null : jsonId(node.length),
    truncated: node.truncated,
    preview: previewValue(values, node.id, { maxLength: 120, maxItems: 10, maxDepth: 2 }),
    items: node.items.slice(0, maxItems).map(({ key, id }, index) => {
      const keyId = keys?.[index];
      return keyId === undefined
        ? { key, id: jsonId(id) }
        : { key, id: jsonId(id), keyId: jsonId(keyId) };
    }),
  };
}

function runtimeJson({ runtime }: Inspection): InspectJson["runtime"] {
  if (runtime === undefined) return null;
  return { ...runtime, pid: runtime.pid ?? null, threadId: runtime.threadId ?? null };
}

function countLines(text: string): number {
  const breaks = /\r\n|[\n\r\u2028\u2029]/g;
  let count = 1;
  while (breaks.exec(text) !== null) count += 1;
  return count;
}

function exitJson({ exit }: Inspection): InspectJson["exit"] {
  return exit === undefined ? null : { ...exit, code: exit.code ?? null };
}

function deathJson({ death }: Inspection): InspectJson["death"] {
  if (death === undefined) return null;
  const { signal, code, waitingCount, ...rest } = death;
  return {
    ...rest,
    signal: signal ?? null,
    code: code ?? null,
    waitingCount: waitingCount ?? null,
  };
}

function exceptionJson(exception: ExceptionView): InspectJson["exceptions"][number] {
  const { type, message, relation, code, stack, objectId, place } = exception;
  return {
    type,
    message,
    relation,
    code: code ?? null,
    stack: stack ?? null,
    objectId: objectId === undefined ? null : jsonId(objectId),
    thrownAt: placeJson(place),
  };
}

function frameJson(frame: FrameView): JsonFrame {
  // The first of several equal names is the innermost one; it wins.
  const locals = new Map<string, JsonId>();
  for (const { name, id } of frame.locals) if (!locals.has(name)) locals.set(name, jsonId(id));
  return {
    index: frame.index,
    qualname: frame.qualname,
    file: frame.file,
    line: frame.line,
    column: frame.column ?? null,
    firstLine: frame.firstLine,
    async: frame.boundary !== undefined,
    kind: frame.kind,
    boundary: boundaryJson(frame.boundary),
    notes: frame.notes,
    locals: Object.fromEntries(locals),
  };
}

function boundaryJson(boundary: AsyncBoundary | undefined): JsonFrame["boundary"] {
  return boundary === undefined
    ? null
    : { label: boundary.label, promise: placeJson(boundary.promise) };
}

function placeJson(place: Place | undefined): JsonPlace | null {
  if (place === undefined) return null;
  const { file, line, column, qualname } = place;
  return { file, line, column: column ?? null, qualname: qualname ?? null };
}

function aliasJson(alias: Alias): InspectJson["aliases"][number] {
  return {
    id: jsonId(alias.id),
    names: alias.names.map(({ frame, path }) => ({ frame, path })),
  };
}
