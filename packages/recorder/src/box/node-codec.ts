/**
 * Compression and digests of Node, for the writer of the format package.
 *
 * Both are loaded when a box is written, never at the start of the recorded program.
 */
import { type Codec, pureCodec } from "@orangebox/format";

/** Level 1: four fifths of the gain of level 3 at half the time, and the program is dying. */
const ZSTD_LEVEL = 1;

/**
 * Gives zstd of `node:zlib` with a checksum in each frame, or stored frames where it is missing.
 */
export function nodeCodec(): Codec {
  const zlib = process.getBuiltinModule("node:zlib");
  if (typeof zlib.zstdCompressSync !== "function") return pureCodec;
  const { ZSTD_c_checksumFlag, ZSTD_c_compressionLevel } = zlib.constants;
  const params = { [ZSTD_c_compressionLevel]: ZSTD_LEVEL, [ZSTD_c_checksumFlag]: 1 };
  return {
    compress: (payload) => zlib.zstdCompressSync(payload, { params }),
    decompress: (frame, maxOutputBytes) =>
      zlib.zstdDecompressSync(frame, { maxOutputLength: maxOutputBytes }),
  };
}

/** Gives SHA-256 of `node:crypto`. */
export function nodeDigest(): { sha256(bytes: Uint8Array): Uint8Array } {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return { sha256: (bytes) => createHash("sha256").update(bytes).digest() };
}
