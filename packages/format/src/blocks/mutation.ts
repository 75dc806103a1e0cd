/**
 * MUTATION: every recorded write to a variable, element or property, in order.
 *
 * Layout: docs/format.md, "MUTATION".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Id } from "../bytes/id.ts";
import { readRecord } from "./record.ts";
import type { RecordShape } from "./record.ts";

/** A shallow picture of a value at the moment of a write. */
export interface MutationValue {
  kind: string;
  repr: string | null;
  typeName: string | null;
  length: Id | null;
}

/** One write. */
export interface MutationRecord {
  seq: Id;
  /** `local`, `item` or `attr`. */
  kind: string;
  /** The variable, or the label of the owner. */
  name: string;
  /** The element or property; null for `local`. */
  key: string | null;
  value: MutationValue;
  file: string;
  qualname: string;
  line: number;
  /** Tells activations of one function apart. */
  frame: Id;
}

const valueShape: RecordShape<MutationValue> = {
  names: ["kind", "repr", "type_name", "length"],
  requiredMask: 0b0001,
  create: () => ({ kind: "", repr: null, typeName: null, length: null }),
  readField(cursor, draft, index) {
    switch (index) {
      case 0:
        draft.kind = cursor.string();
        break;
      case 1:
        draft.repr = cursor.nullableString();
        break;
      case 2:
        draft.typeName = cursor.nullableString();
        break;
      default:
        draft.length = cursor.tryNil() ? null : cursor.id();
    }
  },
};

export const mutationShape: RecordShape<MutationRecord> = {
  names: ["seq", "kind", "name", "key", "value", "file", "qualname", "line", "frame"],
  requiredMask: 0b111110111,
  create: () => ({
    seq: 0,
    kind: "",
    name: "",
    key: null,
    value: valueShape.create(),
    file: "",
    qualname: "",
    line: 0,
    frame: 0,
  }),
  readField(cursor, draft, index, policy) {
    switch (index) {
      case 0:
        draft.seq = cursor.id();
        break;
      case 1:
        draft.kind = cursor.string();
        break;
      case 2:
        draft.name = cursor.string();
        break;
      case 3:
        draft.key = cursor.nullableString();
        break;
      case 4:
        draft.value = readRecord(cursor, valueShape, policy);
        break;
      case 5:
        draft.file = cursor.string();
        break;
      case 6:
        draft.qualname = cursor.string();
        break;
      case 7:
        draft.line = cursor.unsigned(0xffff_ffff);
        break;
      default:
        draft.frame = cursor.id();
    }
  },
};

export function writeMutation(writer: ByteWriter, mutation: MutationRecord): void {
  writer.arrayHead(9);
  writer.id(mutation.seq);
  writer.string(mutation.kind);
  writer.string(mutation.name);
  writer.nullableString(mutation.key);
  writer.arrayHead(4);
  writer.string(mutation.value.kind);
  writer.nullableString(mutation.value.repr);
  writer.nullableString(mutation.value.typeName);
  if (mutation.value.length === null) writer.nil();
  else writer.id(mutation.value.length);
  writer.string(mutation.file);
  writer.string(mutation.qualname);
  writer.unsigned(mutation.line);
  writer.id(mutation.frame);
}
