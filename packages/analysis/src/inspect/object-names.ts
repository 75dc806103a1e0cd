/**
 * Finds the names of one object: every way from a local or an error to it, nearest first.
 *
 * Other than aliases, these are the names of any object, one of no other name included.
 */
import type { Id } from "@orangebox/format";

import { memberPath } from "../paths/member-path.ts";
import { isMapNode } from "../values/node-kinds.ts";
import type { Inspection } from "./inspection.ts";

/** One name of an object. */
export interface ObjectName {
  /** Undefined for a name that begins with an error. */
  readonly frame: number | undefined;
  /** The local, or a path from it such as `sets.evening`. */
  readonly path: string;
}

/** The names of an object. */
export interface ObjectNames {
  readonly names: readonly ObjectName[];
  /** Whether there are no others. */
  readonly complete: boolean;
}

/** Most edges that are followed. */
const MAX_EDGES = 500_000;
const MAX_FRAMES = 1000;
/** Longest path that is followed, in UTF-16 units. */
const MAX_PATH = 1000;

/** Gives at most `limit` names of the object `id`. */
export function findNames(inspection: Inspection, id: Id, limit: number): ObjectNames {
  const values = inspection.values();
  const wanted = String(id);
  const names: ObjectName[] = [];
  // A list is walked in order, also over what is added on the way.
  const ways: (ObjectName & { readonly id: Id })[] = startsOf(inspection);
  const walked = new Set<string>();
  let edges = 0;
  for (const { id: at, frame, path } of ways) {
    const key = String(at);
    if (key === wanted) {
      if (names.length >= limit) return { names, complete: false };
      names.push({ frame, path });
    }
    // An owner with several names is walked once, under its nearest name. The object itself is not:
    // what it holds leads back to it at best.
    const node = values.objects.get(at);
    if (node === undefined || key === wanted || walked.has(key)) continue;
    walked.add(key);
    if (path.length > MAX_PATH) continue;
    const keys = isMapNode(node) ? (values.mapKeys(at) ?? []) : [];
    for (const [index, item] of node.items.entries()) {
      edges += 1;
      if (edges > MAX_EDGES) return { names, complete: false };
      ways.push({ id: item.id, frame, path: memberPath(path, node, index) });
      const keyId = keys[index];
      if (keyId !== undefined) ways.push({ id: keyId, frame, path: `${path}[[Key${index}]]` });
    }
  }
  return { names, complete: inspection.frames.length <= MAX_FRAMES };
}

function startsOf({ frames, exceptions }: Inspection): (ObjectName & { readonly id: Id })[] {
  const locals = frames
    .slice(0, MAX_FRAMES)
    .flatMap((frame) =>
      frame.locals.map(({ name, id }) => ({ id, frame: frame.index, path: name })),
    );
  const errors = exceptions.flatMap(({ objectId }, index) =>
    objectId === undefined
      ? []
      : [{ id: objectId, frame: undefined, path: `exceptions[${index}]` }],
  );
  return [...locals, ...errors];
}
