/**
 * The header: magic, version, and a small uncompressed map.
 *
 * Layout: docs/format.md, "Header".
 */

import { ByteWriter } from "../bytes/byte-writer.ts";

const VERSION = 1;
const TOOL = "flight";

/** Encodes the header of a recording. */
export function encodeHeader(fields: {
  readonly flightVersion: string;
  readonly createdUnixMs: number;
}): Uint8Array<ArrayBuffer> {
  const meta = new ByteWriter(128);
  meta.mapHead(3);
  meta.string("tool");
  meta.string(TOOL);
  meta.string("flight_version");
  meta.string(fields.flightVersion);
  meta.string("created_unix_ms");
  meta.unsigned(fields.createdUnixMs);
  const out = new ByteWriter(10 + meta.length);
  out.raw(Uint8Array.of(0x46, 0x4c, 0x47, 0x54));
  out.uint16LE(VERSION);
  out.uint32LE(meta.length);
  out.raw(meta.written());
  return out.written();
}
