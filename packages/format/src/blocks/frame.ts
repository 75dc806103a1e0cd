/**
 * FRAME: the stack, the frame that failed first, with the names and ids of its locals.
 *
 * Layout: docs/format.md, "FRAME".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Id } from "../bytes/id.ts";
import type { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { readTupleHead, takeRecord } from "./record.ts";
import type { ReadPolicy, RecordShape } from "./record.ts";

/** A name in a frame and the object it stood for. */
export interface FrameLocal {
  name: string;
  id: Id;
}

/** One frame of the stack. */
export interface FrameRecord {
  file: string;
  qualname: string;
  /** The line being executed, from 1; 0 is unknown. */
  line: number;
  /** The line where the function begins, from 1; 0 is unknown. */
  firstLine: number;
  locals: FrameLocal[];
}

const MAX_U32 = 0xffff_ffff;

export const frameShape: RecordShape<FrameRecord> = {
  names: ["file", "qualname", "lineno", "first_lineno", "locals"],
  requiredMask: 0b11111,
  create: () => ({ file: "", qualname: "", line: 0, firstLine: 0, locals: [] }),
  readField(cursor, draft, index, policy) {
    switch (index) {
      case 0:
        draft.file = cursor.string();
        break;
      case 1:
        draft.qualname = cursor.string();
        break;
      case 2:
        draft.line = cursor.unsigned(MAX_U32);
        break;
      case 3:
        draft.firstLine = cursor.unsigned(MAX_U32);
        break;
      default:
        draft.locals = readLocals(cursor, policy);
    }
  },
};

function readLocals(cursor: MsgpackCursor, policy: ReadPolicy): FrameLocal[] {
  const count = cursor.arrayHead();
  const locals: FrameLocal[] = [];
  for (let i = 0; i < count; i++) {
    takeRecord(policy);
    readTupleHead(cursor, 2);
    locals.push({ name: cursor.string(), id: cursor.id() });
  }
  return locals;
}

export function writeFrame(writer: ByteWriter, frame: FrameRecord): void {
  writer.arrayHead(5);
  writer.string(frame.file);
  writer.string(frame.qualname);
  writer.unsigned(frame.line);
  writer.unsigned(frame.firstLine);
  writer.arrayHead(frame.locals.length);
  for (const local of frame.locals) {
    writer.arrayHead(2);
    writer.string(local.name);
    writer.id(local.id);
  }
}
