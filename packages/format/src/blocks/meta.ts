/**
 * META: what was running, and where. The one block that may grow new keys.
 *
 * Layout: docs/format.md, "META".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { readValue, writeValue } from "../bytes/msgpack.ts";
import { Undecodable } from "../bytes/undecodable.ts";
import { readRecord } from "./record.ts";
import type { ReadPolicy, RecordShape } from "./record.ts";

/** What META says. */
export interface Meta {
  /** Language and version: `node-v22.15.0`, `go1.22`, or bare digits for Python. */
  pythonVersion: string;
  platform: string;
  argv: string[];
  /** Working directory; empty when it could not be known. */
  cwd: string;
  flightVersion: string;
  /** Every further key, as decoded. */
  extra: Record<string, unknown>;
}

const NAMES = ["python_version", "platform", "argv", "cwd", "flight_version"];

const metaShape: RecordShape<Meta> = {
  names: NAMES,
  requiredMask: 0b11111,
  create: () => ({
    pythonVersion: "",
    platform: "",
    argv: [],
    cwd: "",
    flightVersion: "",
    extra: {},
  }),
  readField(cursor, draft, index) {
    switch (index) {
      case 0:
        draft.pythonVersion = cursor.string();
        break;
      case 1:
        draft.platform = cursor.string();
        break;
      case 2:
        draft.argv = readStrings(cursor);
        break;
      case 3:
        draft.cwd = cursor.string();
        break;
      default:
        draft.flightVersion = cursor.string();
    }
  },
};

function readStrings(cursor: MsgpackCursor): string[] {
  const count = cursor.arrayHead();
  const texts: string[] = [];
  for (let i = 0; i < count; i++) texts.push(cursor.string());
  return texts;
}

export function readMeta(cursor: MsgpackCursor, policy: ReadPolicy): Meta {
  const start = cursor.offset;
  const meta = readRecord(cursor, metaShape, policy);
  cursor.offset = start;
  if (cursor.isMap()) meta.extra = readExtra(cursor);
  return meta;
}

/** Reads the further keys of the map at the cursor; one that does not decode hides the rest. */
function readExtra(cursor: MsgpackCursor): Record<string, unknown> {
  const extra: Record<string, unknown> = {};
  try {
    const all = readValue(cursor, { values: 100_000 });
    if (typeof all !== "object" || all === null) return extra;
    for (const [key, value] of Object.entries(all)) {
      if (!NAMES.includes(key) && !isFieldNumber(key)) extra[key] = value;
    }
  } catch (error) {
    // The five fields decoded; the extra ones are a courtesy, and other readers ignore them.
    if (!(error instanceof Undecodable)) throw error;
  }
  return extra;
}

function isFieldNumber(key: string): boolean {
  return key.length === 1 && key >= "0" && key <= "4";
}

export function writeMeta(writer: ByteWriter, meta: Meta): void {
  const extra = Object.entries(meta.extra).filter((entry) => entry[1] !== undefined);
  for (const [key] of extra) {
    if (NAMES.includes(key)) throw new TypeError(`extra must not repeat the field ${key}`);
  }
  writer.mapHead(NAMES.length + extra.length);
  writer.string("python_version");
  writer.string(meta.pythonVersion);
  writer.string("platform");
  writer.string(meta.platform);
  writer.string("argv");
  writer.arrayHead(meta.argv.length);
  for (const argument of meta.argv) writer.string(argument);
  writer.string("cwd");
  writer.string(meta.cwd);
  writer.string("flight_version");
  writer.string(meta.flightVersion);
  for (const [key, value] of extra) {
    writer.string(key);
    writeValue(writer, value);
  }
}
