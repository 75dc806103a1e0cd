/**
 * Compression and digests of Node, for the writer of the format package.
 *
 * Both are loaded when a box is written, never at the start of the recorded program.
 */
import { type Codec, pureCodec, sha256, toHex, zlibCodec } from "@orangebox/format";

/** Level 1: most of the gain of level 3 in half the time, and the program may be dying. */
const ZSTD_LEVEL = 1;
/** "abc", of FIPS 180-4. */
const KNOWN_TEXT = Uint8Array.of(0x61, 0x62, 0x63);
const KNOWN_DIGEST = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/** Gives zstd of `node:zlib` with a checksum in each frame, or stored frames where it is missing. */
export function nodeCodec(): Codec {
  const zlib = process.getBuiltinModule("node:zlib");
  const hasZstd = typeof zlib.zstdCompressSync === "function";
  return hasZstd ? zlibCodec(zlib, { level: ZSTD_LEVEL }) : pureCodec;
}

/**
 * Gives SHA-256 of `node:crypto`, or our own where the program has replaced it: it is tried on a text
 * whose digest is known.
 */
export function nodeDigest(): { sha256(bytes: Uint8Array): Uint8Array } {
  try {
    const { createHash } = process.getBuiltinModule("node:crypto");
    const digest = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();
    if (toHex(digest(KNOWN_TEXT)) === KNOWN_DIGEST) return { sha256: digest };
  } catch {
    // Not the engine's own.
  }
  return { sha256 };
}
