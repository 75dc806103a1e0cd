/**
 * The block ids of version 1 and their names. Ids are permanent.
 *
 * Layout: docs/format.md, "Blocks".
 */

/** Ids of the blocks that version 1 names. */
export const BLOCK = {
  META: 0x01,
  SOURCE: 0x02,
  EXCEPTION: 0x03,
  FRAME: 0x04,
  OBJECT: 0x05,
  EVENT_RING: 0x06,
  MUTATION: 0x07,
  TIMELINE: 0x08,
  NONDET: 0x09,
  INDEX: 0x70,
  EXT: 0x7f,
} as const;

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(BLOCK).map(([name, type]) => [type, name]),
);

/** Returns the name of a block id, `UNKNOWN` for ids that version 1 does not name. */
export function blockName(type: number): string {
  return NAMES.get(type) ?? "UNKNOWN";
}
