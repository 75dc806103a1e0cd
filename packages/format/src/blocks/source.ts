/**
 * SOURCE: the text of one file, as it was written by its author.
 *
 * Layout: docs/format.md, "SOURCE".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { RecordShape } from "./record.ts";

/** The text of one source file. */
export interface SourceRecord {
  /** Equal to the `file` of the frames and mutations that mean it. */
  filename: string;
  /** Lowercase hex SHA-1 of the text as UTF-8. */
  sha1: string;
  text: string;
}

export const sourceShape: RecordShape<SourceRecord> = {
  names: ["filename", "sha1", "text"],
  requiredMask: 0b111,
  create: () => ({ filename: "", sha1: "", text: "" }),
  readField(cursor, draft, index) {
    if (index === 0) draft.filename = cursor.string();
    else if (index === 1) draft.sha1 = cursor.string();
    else draft.text = cursor.string();
  },
};

export function writeSource(writer: ByteWriter, source: SourceRecord): void {
  writer.arrayHead(3);
  writer.string(source.filename);
  writer.string(source.sha1);
  writer.string(source.text);
}
