/**
 * Finds the next block behind a damaged one, for salvage.
 *
 * First believes the damaged block's length, if something sensible follows there; else looks for
 * the magic of a frame with a sensible head in front of it.
 */

import { blockName } from "../blocks/block-type.ts";
import { Undecodable } from "../bytes/undecodable.ts";
import { isFrameMagic } from "../zstd/frame-header.ts";
import type { ReadContext } from "./payload-loader.ts";

const STEP_BYTES = 1 << 20;
const PROBE_BYTES = 9;

/**
 * Returns where to go on, or the size of the file.
 *
 * @param damagedAt Where the damaged block begins.
 * @param next Where it ends if its length is right; undefined when that is outside the file.
 */
export function findNextBlock(
  context: ReadContext,
  damagedAt: number,
  next: number | undefined,
): number {
  const size = context.source.sizeBytes;
  try {
    if (next !== undefined && isPlausible(context, next)) return next;
    return search(context, damagedAt + 1);
  } catch (error) {
    // What cannot be read cannot be searched.
    if (error instanceof Undecodable) return size;
    throw error;
  }
}

/** Tells whether the file may go on at `at`: with its end, its trailer, or a block. */
function isPlausible({ source }: ReadContext, at: number): boolean {
  const left = source.sizeBytes - at;
  if (left === 0 || left === 8) return true;
  if (left < PROBE_BYTES) return false;
  const probe = source.read(at, PROBE_BYTES);
  if (!isFrameMagic(probe, 5)) return false;
  return new DataView(probe.buffer, probe.byteOffset, PROBE_BYTES).getUint32(1, true) <= left - 5;
}

function search(context: ReadContext, from: number): number {
  const { source } = context;
  for (let at = from; at < source.sizeBytes; at += STEP_BYTES) {
    const bytes = source.readUpTo(at, STEP_BYTES + PROBE_BYTES);
    for (let i = bytes.indexOf(0x28, 5); i >= 0; i = bytes.indexOf(0x28, i + 1)) {
      if (!isFrameMagic(bytes, i)) continue;
      const start = i - 5;
      const known = blockName(bytes[start] ?? 0) !== "UNKNOWN";
      if (known && isPlausible(context, at + start)) return at + start;
    }
  }
  return source.sizeBytes;
}
