/**
 * Keeps large object nodes once they are decoded.
 *
 * The table decodes a node anew each time it is asked. Without this, a file in which many small
 * objects point at one of a million items would take hours to show.
 */
import type { Id, ObjectNode } from "@orangebox/format";

/** The nodes of a recording, by id. */
export interface NodeSource {
  readonly size: number;
  get(id: Id): ObjectNode | undefined;
  [Symbol.iterator](): Iterator<ObjectNode>;
}

/** From this many items on, a node is kept; all kept nodes together hold no more than the file. */
const LARGE_ITEM_COUNT = 100;

/** Wraps a table of nodes so that each large node is decoded once. */
export function nodeSource(table: NodeSource): NodeSource {
  const large = new Map<Id, ObjectNode>();
  return {
    size: table.size,
    get(id) {
      const known = large.get(id);
      if (known !== undefined) return known;
      const node = table.get(id);
      if (node !== undefined && node.items.length >= LARGE_ITEM_COUNT) large.set(id, node);
      return node;
    },
    [Symbol.iterator]: () => table[Symbol.iterator](),
  };
}
