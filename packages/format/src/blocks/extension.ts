/**
 * EXT: everything that version 1 has no block for, under a namespace and a version of its own.
 *
 * No reader may need an EXT block to make sense of a file. What each namespace holds:
 * docs/format.md, "Namespaces of EXT".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { readValue, writeValue } from "../bytes/msgpack.ts";
import type { MsgpackLimits } from "../bytes/msgpack.ts";
import { Undecodable } from "../bytes/undecodable.ts";

/** One EXT block. */
export interface Extension {
  /** Dotted lower case, as `node.frames`; empty when the payload is not one of ours. */
  ns: string;
  /** Version of the namespace, from 1; 0 when the payload is not one of ours. */
  version: number;
  data: unknown;
  /** Names of the blocks it annotates. */
  for?: string[];
  /** The whole payload, when it is not a self-describing map. */
  raw?: Uint8Array;
}

/** Reads the payload at the cursor; whatever is not a self-describing map is kept raw. */
export function readExtension(cursor: MsgpackCursor, limits: MsgpackLimits): Extension {
  const raw = cursor.bytes;
  try {
    if (!cursor.isMap()) return { ns: "", version: 0, data: undefined, raw };
    return describe(readValue(cursor, limits), raw);
  } catch (error) {
    if (error instanceof Undecodable && error.kind !== "limit") {
      return { ns: "", version: 0, data: undefined, raw };
    }
    throw error;
  }
}

function describe(value: unknown, raw: Uint8Array): Extension {
  if (
    typeof value !== "object" ||
    value === null ||
    !("ns" in value) ||
    !("v" in value) ||
    typeof value.ns !== "string" ||
    typeof value.v !== "number"
  ) {
    return { ns: "", version: 0, data: undefined, raw };
  }
  const extension: Extension = {
    ns: value.ns,
    version: value.v,
    data: "data" in value ? value.data : undefined,
  };
  if ("for" in value && Array.isArray(value.for)) {
    extension.for = value.for.filter((name) => typeof name === "string");
  }
  return extension;
}

/** What {@link writeExtension} is given. */
export interface ExtensionInput {
  readonly ns: string;
  readonly version: number;
  readonly data: unknown;
  readonly annotates?: readonly string[] | undefined;
}

export function writeExtension(writer: ByteWriter, extension: ExtensionInput): void {
  const { ns, version, data, annotates } = extension;
  writer.mapHead(annotates === undefined ? 3 : 4);
  writer.string("ns");
  writer.string(ns);
  writer.string("v");
  writer.unsigned(version);
  if (annotates !== undefined) {
    writer.string("for");
    writer.arrayHead(annotates.length);
    for (const name of annotates) writer.string(name);
  }
  writer.string("data");
  writeValue(writer, data, 1);
}
