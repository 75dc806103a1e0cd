/**
 * Reads the index through the trailer at the end of a closed file.
 *
 * Layout: docs/format.md, "INDEX and trailer".
 */

import { BLOCK, blockName } from "../blocks/block-type.ts";
import { indexShape } from "../blocks/index-block.ts";
import type { IndexEntry } from "../blocks/index-block.ts";
import { readRecords } from "../blocks/record.ts";
import { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { Undecodable } from "../bytes/undecodable.ts";
import type { PayloadLoader, ReadContext } from "./payload-loader.ts";

/** An entry whose place in the file makes sense. */
export interface PlacedEntry {
  readonly type: number;
  readonly offset: number;
  /** As the index says; the block itself decides. */
  readonly payloadBytes: number;
  /** The block must end here at the latest. */
  readonly end: number;
}

/** The footer, or why there is none. */
export type Footer =
  | { kind: "usable"; entries: readonly PlacedEntry[]; indexStart: number }
  | { kind: "unusable"; reason: string };

const TRAILER_BYTES = 8;
const BLOCK_HEAD_BYTES = 5;

/** Reads the footer; any doubt makes it unusable. */
export function readFooter(context: ReadContext, loader: PayloadLoader): Footer {
  try {
    return readParts(context, loader);
  } catch (error) {
    if (error instanceof Undecodable) return unusable(`the index cannot be read: ${error.message}`);
    throw error;
  }
}

function readParts(context: ReadContext, loader: PayloadLoader): Footer {
  const { source, bodyStart } = context;
  const size = source.sizeBytes;
  if (size - bodyStart < TRAILER_BYTES) return unusable("the file has no trailer");
  const trailer = source.read(size - TRAILER_BYTES, TRAILER_BYTES);
  const view = new DataView(trailer.buffer, trailer.byteOffset, TRAILER_BYTES);
  if (view.getUint32(4) !== 0x544c_4746) return unusable("the file has no trailer");
  const indexStart = size - TRAILER_BYTES - view.getUint32(0, true);
  if (indexStart < bodyStart || indexStart > size - TRAILER_BYTES - BLOCK_HEAD_BYTES) {
    return unusable("the trailer points outside the file");
  }
  const head = source.read(indexStart, BLOCK_HEAD_BYTES);
  if (head[0] !== BLOCK.INDEX) return unusable("the trailer does not point to an index");
  const headView = new DataView(head.buffer, head.byteOffset, BLOCK_HEAD_BYTES);
  const payload = loader.load({
    type: BLOCK.INDEX,
    name: blockName(BLOCK.INDEX),
    offset: indexStart,
    compressedBytes: headView.getUint32(1, true),
  });
  return placeEntries(context, readEntries(context, payload), indexStart);
}

function readEntries({ limits }: ReadContext, payload: Uint8Array): IndexEntry[] {
  const cursor = new MsgpackCursor(payload, limits.recordDepth);
  return readRecords(cursor, indexShape, {
    lenient: false,
    recordsLeft: limits.blocks,
    skipped: 0,
  });
}

/** Checks that entries ascend without overlap between the header and the index. */
function placeEntries(
  { bodyStart }: ReadContext,
  entries: readonly IndexEntry[],
  indexStart: number,
): Footer {
  const placed: PlacedEntry[] = [];
  let earliest = bodyStart;
  for (const [i, { type, offset, payloadBytes }] of entries.entries()) {
    const next = entries[i + 1]?.offset ?? indexStart;
    const end = Number(next);
    if (typeof offset === "bigint" || offset < earliest) {
      return unusable(`the index has an entry out of order, for byte ${offset}`);
    }
    if (end > indexStart || offset + BLOCK_HEAD_BYTES > end) {
      return unusable(`the index has an entry for byte ${offset} that does not fit`);
    }
    placed.push({ type, offset, payloadBytes, end });
    earliest = offset + BLOCK_HEAD_BYTES;
  }
  return { kind: "usable", entries: placed, indexStart };
}

function unusable(reason: string): Footer {
  return { kind: "unusable", reason };
}
