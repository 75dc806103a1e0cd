/**
 * How payloads are compressed: in plain JavaScript anywhere, or by a zlib that is handed in.
 */

import { decompressFrame } from "./zstd/decoder.ts";
import { storedFrame } from "./zstd/stored-frame.ts";

/** Makes and reads zstd frames. */
export interface Codec {
  /**
   * Decompresses one whole frame.
   *
   * @throws If the frame is damaged, or its content is larger than `maxOutputBytes`.
   */
  decompress(frame: Uint8Array, maxOutputBytes: number): Uint8Array;
  /** Compresses `payload` to one frame, with a checksum. Left out: payloads are stored. */
  compress?(payload: Uint8Array): Uint8Array;
}

/** Works everywhere: decodes all of zstd, and stores instead of compressing. */
export const pureCodec: Codec = {
  decompress: (frame, maxOutputBytes) => decompressFrame(frame, { maxOutputBytes }),
  compress: (payload) => storedFrame(payload),
};

/** The part of `node:zlib` that {@link zlibCodec} uses. */
export interface ZlibLike {
  zstdCompressSync(
    payload: Uint8Array,
    options: { params: Record<number, number>; pledgedSrcSize?: number },
  ): Uint8Array;
  zstdDecompressSync(frame: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
  readonly constants: {
    readonly ZSTD_c_compressionLevel: number;
    readonly ZSTD_c_checksumFlag: number;
  };
}

/** Above this size speed matters more than the last tenth of the ratio. */
const LARGE_PAYLOAD = 1 << 20;

/**
 * Makes a codec of `node:zlib` (22.15 and later): ten times faster than {@link pureCodec}.
 *
 * @param zlib The module `node:zlib` itself.
 * @param options `level`: zstd level; unless given, 3 for small payloads and 1 above 1 MiB.
 */
export function zlibCodec(zlib: ZlibLike, options: { readonly level?: number } = {}): Codec {
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zlib.constants;
  return {
    decompress: (frame, maxOutputBytes) =>
      zlib.zstdDecompressSync(frame, { maxOutputLength: Math.max(1, maxOutputBytes) }),
    compress: (payload) =>
      zlib.zstdCompressSync(payload, {
        params: {
          [ZSTD_c_compressionLevel]: options.level ?? (payload.length > LARGE_PAYLOAD ? 1 : 3),
          [ZSTD_c_checksumFlag]: 1,
        },
      }),
  };
}
