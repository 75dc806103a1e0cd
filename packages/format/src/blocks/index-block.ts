/**
 * INDEX: where each block begins; the last block of a closed file, followed by the trailer.
 *
 * Layout: docs/format.md, "INDEX and trailer".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Id } from "../bytes/id.ts";
import type { RecordShape } from "./record.ts";

/** One entry of the index. */
export interface IndexEntry {
  type: number;
  /** Of the block's type byte, from the beginning of the file. */
  offset: Id;
  /** As written; the block's own header decides. */
  payloadBytes: number;
}

export const indexShape: RecordShape<IndexEntry> = {
  names: ["block_type", "offset", "payload_len"],
  requiredMask: 0b111,
  create: () => ({ type: 0, offset: 0, payloadBytes: 0 }),
  readField(cursor, draft, index) {
    if (index === 0) draft.type = cursor.unsigned(0xff);
    else if (index === 1) draft.offset = cursor.id();
    else draft.payloadBytes = cursor.unsigned(0xffff_ffff);
  },
};

export function writeIndexEntry(writer: ByteWriter, entry: IndexEntry): void {
  writer.arrayHead(3);
  writer.unsigned(entry.type);
  writer.id(entry.offset);
  writer.unsigned(entry.payloadBytes);
}
