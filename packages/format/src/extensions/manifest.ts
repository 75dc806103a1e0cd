/**
 * EXT `node.manifest`: which blocks the writer set out to write.
 *
 * Version 1 cannot tell a file that was cut between two blocks from a whole one; this can.
 * Layout: docs/format.md, "node.manifest".
 */

import { BLOCK, blockName } from "../blocks/block-type.ts";

export const MANIFEST_NAMESPACE = "node.manifest";

/** A block that the writer intends to write; `ns` for EXT blocks. */
export interface PlannedBlock {
  readonly type: number;
  readonly ns?: string;
}

/** Makes the data of the block. */
export function manifestData(
  planned: readonly PlannedBlock[],
  data: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const blocks = planned.map(({ type, ns }) => (ns === undefined ? [type] : [type, ns]));
  return { ...data, blocks };
}

/** Reads the plan out of the data of the block; undefined when there is none. */
export function readPlan(data: unknown): PlannedBlock[] | undefined {
  if (typeof data !== "object" || data === null || !("blocks" in data)) return undefined;
  if (!Array.isArray(data.blocks)) return undefined;
  const planned: PlannedBlock[] = [];
  for (const entry of data.blocks) {
    if (!Array.isArray(entry)) continue;
    const type: unknown = entry[0];
    const ns: unknown = entry[1];
    if (typeof type !== "number") continue;
    planned.push(typeof ns === "string" ? { type, ns } : { type });
  }
  return planned;
}

/** A block that was found; `ns` when it is an EXT block whose namespace is known. */
export interface FoundBlock {
  readonly type: number;
  readonly ns?: string | undefined;
}

/** A block that was found; `ns` when it is an EXT block whose namespace is known. */
export interface FoundBlock {
  readonly type: number;
  readonly ns?: string | undefined;
}

/**
 * Lists the planned blocks that were not found, as `SOURCE` or `EXT node.frames`.
 *
 * An EXT block whose namespace is not known counts as any planned one: telling would mean reading it.
 */
export function findMissingBlocks(
  planned: readonly PlannedBlock[],
  found: Iterable<FoundBlock>,
): string[] {
  const left = new Map<string, number>();
  for (const block of found) {
    change(left, keyOf(block), 1);
    change(left, `${block.type} of any kind`, 1);
  }
  const missing: string[] = [];
  // Those that name a namespace come first, or one that does not could take their block.
  const inOrder = planned.toSorted(
    (a, b) => Number(a.ns === undefined) - Number(b.ns === undefined),
  );
  for (const block of inOrder) {
    const any = `${block.type} of any kind`;
    const keys = block.ns === undefined ? [any] : [keyOf(block), keyOf({ type: block.type })];
    const key = keys.find((candidate) => (left.get(candidate) ?? 0) > 0);
    if (key === undefined) {
      missing.push(describe(block));
    } else {
      change(left, key, -1);
      if (key !== any) change(left, any, -1);
    }
  }
  return missing;
}

function keyOf({ type, ns }: FoundBlock): string {
  return ns === undefined ? String(type) : `${type} ${ns}`;
}

function change(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function describe({ type, ns }: FoundBlock): string {
  return type === BLOCK.EXT && ns !== undefined ? `EXT ${ns}` : blockName(type);
}
