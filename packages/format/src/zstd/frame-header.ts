/**
 * The head of a zstd frame, and where the frame ends, without decompressing anything.
 *
 * Layout: RFC 8878, section 3.1.1; what version 1 allows of it: docs/format.md, "Compression".
 */

import { Undecodable } from "../bytes/undecodable.ts";

/** What the first bytes of a frame say. */
export interface FrameHeader {
  /** Size of the head, magic included. */
  readonly headBytes: number;
  readonly windowBytes: number;
  /** Undefined when the frame does not say. Never to be trusted for an allocation. */
  readonly contentBytes: number | undefined;
  readonly checksum: boolean;
}

/** Largest block that zstd knows, before and after compression. */
export const MAX_BLOCK_BYTES: number = 128 * 1024;

const MAGIC = 0xfd2f_b528;

/** Tells whether a frame may begin here. */
export function isFrameMagic(bytes: Uint8Array, at: number = 0): boolean {
  return (
    bytes[at] === 0x28 && bytes[at + 1] === 0xb5 && bytes[at + 2] === 0x2f && bytes[at + 3] === 0xfd
  );
}

/** Reads the head of the frame that `bytes` begins with. */
export function readFrameHeader(bytes: Uint8Array): FrameHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 6) throw damaged("the frame is shorter than its head");
  const magic = view.getUint32(0, true);
  if (magic !== MAGIC) {
    const skippable = magic >>> 4 === 0x0184_d2a5;
    throw damaged(skippable ? "a skippable frame comes first" : "there is no zstd frame");
  }
  const descriptor = view.getUint8(4);
  if ((descriptor & 0x08) !== 0) throw damaged("a reserved bit of the frame is set");
  const single = (descriptor & 0x20) !== 0;
  const dictionarySize = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentSize = single && descriptor >> 6 === 0 ? 1 : ([0, 2, 4, 8][descriptor >> 6] ?? 0);
  let at = 5;
  const headBytes = at + (single ? 0 : 1) + dictionarySize + contentSize;
  if (headBytes > bytes.length) throw damaged("the frame is shorter than its head");
  let windowBytes = single ? 0 : readWindow(view.getUint8(at++));
  for (let i = 0; i < dictionarySize; i++) {
    if (view.getUint8(at++) !== 0) throw damaged("the frame needs a dictionary");
  }
  const contentBytes = readContentSize(view, at, contentSize);
  if (single) windowBytes = contentBytes ?? 0;
  return { headBytes, windowBytes, contentBytes, checksum: (descriptor & 0x04) !== 0 };
}

function readWindow(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function readContentSize(view: DataView, at: number, size: number): number | undefined {
  switch (size) {
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    case 8:
      return view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;
    default:
      return undefined;
  }
}

/** What {@link measureFrame} finds out. */
export interface FrameMeasure extends FrameHeader {
  /** Size of the whole frame; what follows it does not belong to it. */
  readonly frameBytes: number;
  /** The content cannot be larger than this, whatever the head says. */
  readonly maxContentBytes: number;
}

/** Walks from block head to block head to the end of the frame that `bytes` begins with. */
export function measureFrame(bytes: Uint8Array): FrameMeasure {
  const header = readFrameHeader(bytes);
  let at = header.headBytes;
  let maxContentBytes = 0;
  for (;;) {
    if (at + 3 > bytes.length) throw damaged("the frame is cut");
    const head = readBlockHead(bytes, at);
    at += 3 + head.storedBytes;
    if (at > bytes.length) throw damaged("the frame is cut");
    maxContentBytes += head.kind === BLOCK_COMPRESSED ? MAX_BLOCK_BYTES : head.size;
    if (head.last) break;
  }
  if (header.checksum) at += 4;
  if (at > bytes.length) throw damaged("the frame is cut");
  return { ...header, frameBytes: at, maxContentBytes };
}

export const BLOCK_RAW = 0;
export const BLOCK_RLE = 1;
export const BLOCK_COMPRESSED = 2;

/** The head of a block inside a frame. */
export interface FrameBlockHead {
  readonly last: boolean;
  readonly kind: number;
  /** As written: the content's size for raw and RLE blocks, the stored size for compressed ones. */
  readonly size: number;
  readonly storedBytes: number;
}

/** Reads the three bytes at `at`, which must be there. */
export function readBlockHead(bytes: Uint8Array, at: number): FrameBlockHead {
  const head = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
  const kind = (head >> 1) & 3;
  const size = head >> 3;
  if (kind === 3) throw damaged("a block has the reserved kind");
  if (size > MAX_BLOCK_BYTES) throw damaged(`a block of ${size} bytes is larger than 128 KiB`);
  return { last: (head & 1) === 1, kind, size, storedBytes: kind === BLOCK_RLE ? 1 : size };
}

function damaged(message: string): Undecodable {
  return new Undecodable("damaged", message);
}
