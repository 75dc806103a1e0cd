/**
 * NONDET: the tape, what the world answered. The order of the list is the order of the answers.
 *
 * Layout: docs/format.md, "NONDET".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Id } from "../bytes/id.ts";
import type { RecordShape } from "./record.ts";

/** One answer. */
export interface TapeRecord {
  /** Usually the position in the list; appended rows break that, so never use it as an index. */
  seq: Id;
  source: string;
  tag: string;
  payload: string;
}

export const tapeShape: RecordShape<TapeRecord> = {
  names: ["seq", "source", "tag", "payload"],
  requiredMask: 0b1111,
  create: () => ({ seq: 0, source: "", tag: "", payload: "" }),
  readField(cursor, draft, index) {
    switch (index) {
      case 0:
        draft.seq = cursor.id();
        break;
      case 1:
        draft.source = cursor.string();
        break;
      case 2:
        draft.tag = cursor.string();
        break;
      default:
        draft.payload = cursor.string();
    }
  },
};

export function writeTapeRow(writer: ByteWriter, row: TapeRecord): void {
  writer.arrayHead(4);
  writer.id(row.seq);
  writer.string(row.source);
  writer.string(row.tag);
  writer.string(row.payload);
}
