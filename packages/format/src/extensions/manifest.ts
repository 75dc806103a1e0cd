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

/**
 * Lists the planned blocks that were not found, as `SOURCE` or `EXT node.frames`.
 *
 * EXT blocks are compared by type only: telling their namespaces apart would mean reading them.
 */
export function findMissingBlocks(
  planned: readonly PlannedBlock[],
  foundTypes: Iterable<number>,
): string[] {
  const found = new Map<number, number>();
  for (const type of foundTypes) found.set(type, (found.get(type) ?? 0) + 1);
  const missing: string[] = [];
  for (const { type, ns } of planned) {
    const left = found.get(type) ?? 0;
    if (left > 0) found.set(type, left - 1);
    else missing.push(type === BLOCK.EXT && ns !== undefined ? `EXT ${ns}` : blockName(type));
  }
  return missing;
}
