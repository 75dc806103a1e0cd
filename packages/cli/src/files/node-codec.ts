/** Decompresses blocks with the zstd of Node where it has one, else with our own decoder. */
import { pureCodec, zlibCodec } from "@orangebox/format";
import type { Codec } from "@orangebox/format";
import * as zlib from "node:zlib";

/** The fastest codec that this Node has. */
export function nodeCodec(): Codec {
  // Node 23 has it only from 23.8 on.
  return typeof zlib.zstdDecompressSync === "function" ? zlibCodec(zlib) : pureCodec;
}
