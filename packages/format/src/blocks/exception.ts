/**
 * EXCEPTION: what was thrown, and what had caused it; the head first.
 *
 * Layout: docs/format.md, "EXCEPTION".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { RecordShape } from "./record.ts";

/** One link of the chain of exceptions. */
export interface ExceptionRecord {
  type: string;
  message: string;
  /** `head`, `cause`, `context`, `aggregate`, `suppressed`, or any other label. */
  relation: string;
}

export const exceptionShape: RecordShape<ExceptionRecord> = {
  names: ["exc_type", "message", "relation"],
  requiredMask: 0b111,
  create: () => ({ type: "", message: "", relation: "" }),
  readField(cursor, draft, index) {
    if (index === 0) draft.type = cursor.string();
    else if (index === 1) draft.message = cursor.string();
    else draft.relation = cursor.string();
  },
};

export function writeException(writer: ByteWriter, exception: ExceptionRecord): void {
  writer.arrayHead(3);
  writer.string(exception.type);
  writer.string(exception.message);
  writer.string(exception.relation);
}
