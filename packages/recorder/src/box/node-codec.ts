/**
 * Compression and digests of Node, for the writer of the format package.
 *
 * Both are loaded when a box is written, never at the start of the recorded program.
 */
import { type Codec, pureCodec, zlibCodec } from "@orangebox/format";

/** Level 1: most of the gain of level 3 in half the time, and the program may be dying. */
const ZSTD_LEVEL = 1;

/** Gives zstd of `node:zlib` with a checksum in each frame, or stored frames where it is missing. */
export function nodeCodec(): Codec {
  const zlib = process.getBuiltinModule("node:zlib");
  const hasZstd = typeof zlib.zstdCompressSync === "function";
  return hasZstd ? zlibCodec(zlib, { level: ZSTD_LEVEL }) : pureCodec;
}

/** Gives SHA-256 of `node:crypto`. */
export function nodeDigest(): { sha256(bytes: Uint8Array): Uint8Array } {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return { sha256: (bytes) => createHash("sha256").update(bytes).digest() };
}
