/**
 * Finds a text in what a recording says: errors, frames, names, values, types, files.
 *
 * Compares without case. Values are searched from the frames outwards, so that near ones come
 * first and each hit has a path; those that no frame leads to come last.
 */
import type { Id, ObjectNode } from "@orangebox/format";

import type { Inspection } from "../inspect/inspection.ts";
import { memberPath } from "../paths/member-path.ts";
import { clipText } from "../values/visible-text.ts";

/** One place where the text was found. */
export interface SearchHit {
  readonly kind: "exception" | "frame" | "name" | "value" | "type" | "file";
  /** Where: a path that `resolvePath` reads, or the name of a frame, error or file. */
  readonly where: string;
  /** The text around the match, not yet made safe to show. */
  readonly text: string;
  readonly objectId: Id | undefined;
}

/** What a search found, and whether it looked everywhere. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** False when a limit ended the search. */
  readonly complete: boolean;
}

/** Most nodes that are looked at. */
const MAX_NODES = 2_000_000;
/** Longest value text that is searched, in UTF-16 units. */
const MAX_TEXT = 1_000_000;
/** Longest path that is written down, in UTF-16 units. */
const MAX_PATH = 500;

/** Searches a recording and gives at most `limit` hits. An empty text finds nothing. */
export function searchRecording(inspection: Inspection, text: string, limit: number): SearchResult {
  const wanted = text.toLowerCase();
  if (wanted === "") return { hits: [], complete: true };
  const hits: SearchHit[] = [];
  for (const found of allHits(inspection, wanted)) {
    if (found === "limit") return { hits, complete: false };
    if (hits.length >= limit) return { hits, complete: false };
    hits.push(found);
  }
  return { hits, complete: true };
}

function* allHits(inspection: Inspection, wanted: string): Generator<SearchHit | "limit"> {
  for (const [index, { type, message }] of inspection.exceptions.entries()) {
    const text = `${type}: ${message}`;
    if (has(text, wanted)) yield hit("exception", `exceptions[${index}]`, text);
  }
  for (const { index, qualname, file, line } of inspection.frames) {
    const text = `${qualname} (${file}:${line})`;
    if (has(text, wanted)) yield hit("frame", `frames[${index}]`, text);
  }
  yield* nodeHits(inspection, wanted);
  for (const { filename } of inspection.recording.sources()) {
    if (has(filename, wanted)) yield hit("file", filename, filename);
  }
}

interface Reached {
  readonly id: Id;
  readonly path: string;
  readonly name: string;
}

/**
 * Walks the objects breadth first from the locals of all frames, then the ones left over.
 *
 * @yields Each hit, and `limit` as the last when there are too many objects.
 */
function* nodeHits(inspection: Inspection, wanted: string): Generator<SearchHit | "limit"> {
  const { objects } = inspection.values();
  const seen = new Set<Id>();
  let level: Reached[] = inspection.frames.flatMap((frame) =>
    frame.locals.map(({ name, id }) => ({ id, name, path: `frames[${frame.index}].${name}` })),
  );
  while (level.length > 0) {
    const next: Reached[] = [];
    for (const { id, path, name } of level) {
      if (has(name, wanted)) yield hit("name", path, name, id);
      if (seen.has(id)) continue;
      seen.add(id);
      if (seen.size > MAX_NODES) {
        yield "limit";
        return;
      }
      const node = objects.get(id);
      if (node === undefined) continue;
      yield* hitsOfNode(node, path, wanted);
      if (path.length > MAX_PATH) continue;
      for (const [index, item] of node.items.entries())
        next.push({ id: item.id, path: memberPath(path, node, index), name: item.key ?? "" });
    }
    level = next;
  }
  for (const node of objects) {
    if (seen.has(node.id)) continue;
    yield* hitsOfNode(node, `objects[${node.id}]`, wanted);
  }
}

function* hitsOfNode(node: ObjectNode, path: string, wanted: string): Generator<SearchHit> {
  const text = node.repr === null ? "" : node.repr.slice(0, MAX_TEXT);
  if (has(text, wanted)) yield hit("value", path, around(text, wanted), node.id);
  else if (node.typeName !== null && has(node.typeName, wanted))
    yield hit("type", path, node.typeName, node.id);
}

function has(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted);
}

/** Gives the part of a long text where the match is. */
function around(text: string, wanted: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(wanted));
  const start = at > 40 ? at - 30 : 0;
  return clipText(`${start > 0 ? "…" : ""}${text.slice(start, at + wanted.length + 80)}`, 200);
}

function hit(kind: SearchHit["kind"], where: string, text: string, objectId?: Id): SearchHit {
  return { kind, where, text, objectId };
}
