/**
 * Finds names that mean one and the same object: locals of several frames, and members of what
 * the locals hold. Scalars never count, since equal numbers and texts share ids by design.
 */
import type { Id } from "@orangebox/format";

import { isScalarKind } from "../values/node-kinds.ts";
import type { PrintableObjects } from "../values/value-printer.ts";
import type { FrameView } from "../extensions/frame-details.ts";
import { memberPath } from "../paths/member-path.ts";

/** One name of an object. */
export interface AliasName {
  readonly frame: number;
  /** The local, or a path from it such as `sets.evening`. */
  readonly path: string;
  /** How many members deep below the local; 0 for the local itself. */
  readonly depth: number;
}

/** An object that has several names. */
export interface Alias {
  readonly id: Id;
  readonly names: readonly AliasName[];
}

/** Most edges that are followed; beyond, members further away are not looked at. */
const MAX_EDGES = 50_000;
/** How far below a local a member still counts as a name. */
const MAX_DEPTH = 3;
/** Most names kept of one object. */
const MAX_NAMES = 50;

/**
 * Gives the objects that at least one local of a frame means and that have another name too,
 * keyed by the id as decimal text. Names come nearest first, then by frame.
 */
export function findAliases(
  frames: readonly FrameView[],
  values: PrintableObjects,
): Map<string, Alias> {
  const names = new Map<string, { id: Id; names: AliasName[] }>();
  for (const frame of frames) {
    for (const { name, id } of frame.locals) {
      const node = values.objects.get(id);
      if (node === undefined || isScalarKind(node.kind)) continue;
      const entry = names.get(String(id)) ?? { id, names: [] };
      if (entry.names.length < MAX_NAMES)
        entry.names.push({ frame: frame.index, path: name, depth: 0 });
      names.set(String(id), entry);
    }
  }
  addMemberNames(frames, values, names);
  return new Map([...names].filter(([, alias]) => alias.names.length > 1));
}

/** Walks from each frame's locals, nearest first, and notes every way to an object in `names`. */
function addMemberNames(
  frames: readonly FrameView[],
  values: PrintableObjects,
  names: ReadonlyMap<string, { names: AliasName[] }>,
): void {
  let edges = 0;
  const walked = new Set<string>();
  let level = frames.flatMap((frame) =>
    frame.locals.map(({ name, id }) => ({ frame: frame.index, path: name, id, root: id })),
  );
  for (let depth = 1; depth <= MAX_DEPTH && edges < MAX_EDGES; depth += 1) {
    const next: typeof level = [];
    for (const owner of level) {
      // An owner with several names is walked once, under its first name.
      if (walked.has(String(owner.id))) continue;
      walked.add(String(owner.id));
      const node = values.objects.get(owner.id);
      if (node === undefined) continue;
      for (const [index, item] of node.items.entries()) {
        edges += 1;
        if (edges > MAX_EDGES) return;
        const path = memberPath(owner.path, node, index);
        const entry = names.get(String(item.id));
        // That a cycle leads back to where it began is no other name.
        const isCycle = String(item.id) === String(owner.root);
        if (entry !== undefined && !isCycle && entry.names.length < MAX_NAMES)
          entry.names.push({ frame: owner.frame, path, depth });
        next.push({ frame: owner.frame, path, id: item.id, root: owner.root });
      }
    }
    level = next;
  }
}
