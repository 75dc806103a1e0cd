/**
 * Which locals are the same object: ids that occur more than once over all frames.
 */

import type { FrameRecord } from "../blocks/frame.ts";
import { SCALAR_KINDS } from "../blocks/object.ts";
import type { ObjectTable } from "../blocks/object.ts";
import type { Id } from "../bytes/id.ts";
import { IdMap } from "../bytes/id.ts";

/** A local that stands for an object. */
export interface AliasPlace {
  /** Index of the frame; 0 failed. */
  readonly frame: number;
  readonly name: string;
}

/** Finds the objects that more than one local stands for. Scalars are left out: they may share ids. */
export function findAliases(
  frames: readonly FrameRecord[],
  objects: ObjectTable,
): IdMap<readonly AliasPlace[]> {
  const places = new Map<Id, AliasPlace[]>();
  for (const [frame, { locals }] of frames.entries()) {
    for (const { name, id } of locals) {
      const known = places.get(id);
      if (known === undefined) places.set(id, [{ frame, name }]);
      else known.push({ frame, name });
    }
  }
  const aliases = new Map<Id, readonly AliasPlace[]>();
  for (const [id, list] of places) {
    if (list.length > 1 && !SCALAR_KINDS.has(objects.get(id)?.kind ?? "")) aliases.set(id, list);
  }
  return new IdMap(aliases);
}
