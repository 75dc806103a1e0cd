/**
 * Zstd frames that store their content as it is: what a writer without a compressor emits.
 *
 * Small content goes into a single-segment frame. Decoders refuse windows above 128 MiB, and there
 * the window is the content, so larger content gets a window of its own.
 * Layout: docs/format.md, "Compression".
 */

import { xxh64Low } from "./xxh64.ts";

const MAGIC = 0xfd2f_b528;
const MAX_BLOCK = 65_536;
/** Content of this size and more needs an explicit window. */
const MAX_SINGLE_SEGMENT = 128 * 1024 * 1024;
/** Frame header: content size in 4 bytes; single segment; checksum. */
const FCS_4 = 0x80;
const SINGLE_SEGMENT = 0x20;
const CHECKSUM = 0x04;
/** Window of 128 KiB: exponent 7 above 2^10, mantissa 0. */
const WINDOW_128_KIB = 7 << 3;

/** Wraps `payload` (below 4 GiB) in one frame; with a checksum of the content unless told not to. */
export function storedFrame(
  payload: Uint8Array,
  options: { readonly checksum?: boolean } = {},
): Uint8Array<ArrayBuffer> {
  const checksum = options.checksum ?? true;
  const single = payload.length < MAX_SINGLE_SEGMENT;
  const blocks = Math.max(1, Math.ceil(payload.length / MAX_BLOCK));
  const headSize = single ? 9 : 10;
  const frame = new Uint8Array(headSize + 3 * blocks + payload.length + (checksum ? 4 : 0));
  const view = new DataView(frame.buffer);
  view.setUint32(0, MAGIC, true);
  frame[4] = FCS_4 | (single ? SINGLE_SEGMENT : 0) | (checksum ? CHECKSUM : 0);
  if (!single) frame[5] = WINDOW_128_KIB;
  view.setUint32(headSize - 4, payload.length, true);
  let at = headSize;
  for (let i = 0; i < blocks; i++) {
    const part = payload.subarray(i * MAX_BLOCK, (i + 1) * MAX_BLOCK);
    const head = (part.length << 3) | (i === blocks - 1 ? 1 : 0);
    frame[at] = head & 0xff;
    frame[at + 1] = (head >> 8) & 0xff;
    frame[at + 2] = head >> 16;
    frame.set(part, at + 3);
    at += 3 + part.length;
  }
  if (checksum) view.setUint32(at, xxh64Low(payload), true);
  return frame;
}
