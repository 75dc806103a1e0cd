/**
 * Decompresses a zstd frame in plain JavaScript.
 *
 * Knows every kind of block, table and literal; checks sizes and the checksum; never believes a
 * declared size, but counts what comes out. Dictionaries are refused: version 1 has none.
 * Layout: RFC 8878.
 */

import { Undecodable } from "../bytes/undecodable.ts";
import {
  readFrameHeader,
  readBlockHead,
  MAX_BLOCK_BYTES,
  BLOCK_COMPRESSED,
  BLOCK_RAW,
  BLOCK_RLE,
} from "./frame-header.ts";
import type { FrameHeader } from "./frame-header.ts";
import { BlockDecoder } from "./block-decoder.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { xxh64Low } from "./xxh64.ts";

/** Limits of {@link decompressFrame}. */
export interface DecompressOptions {
  readonly maxOutputBytes: number;
  /** Largest window to accept; 128 MiB unless given. */
  readonly maxWindowBytes?: number;
}

const MAX_WINDOW = 128 * 1024 * 1024;

/** Decompresses the frame that `bytes` begins with; what follows it is ignored. */
export function decompressFrame(bytes: Uint8Array, options: DecompressOptions): Uint8Array {
  const header = readFrameHeader(bytes);
  const maxWindow = options.maxWindowBytes ?? MAX_WINDOW;
  if (header.windowBytes > maxWindow && header.windowBytes > options.maxOutputBytes) {
    throw new Undecodable("limit", `the frame needs a window of ${header.windowBytes} bytes`);
  }
  if (header.contentBytes !== undefined && header.contentBytes > options.maxOutputBytes) {
    throw tooLarge(options.maxOutputBytes);
  }
  const output = new OutputBuffer(firstCapacity(header, bytes), options.maxOutputBytes);
  const end = decodeBlocks(bytes, header, output);
  const content = output.finish();
  if (header.contentBytes !== undefined && header.contentBytes !== content.length) {
    throw new Undecodable("damaged", "the frame's content has another size than declared");
  }
  if (header.checksum) checkContent(bytes, end, content);
  return content;
}

/** A declared size is only a hint: a few bytes could declare gigabytes. */
function firstCapacity(header: FrameHeader, bytes: Uint8Array): number {
  return Math.min(header.contentBytes ?? bytes.length * 4, bytes.length * 16 + MAX_BLOCK_BYTES);
}

function decodeBlocks(bytes: Uint8Array, header: FrameHeader, output: OutputBuffer): number {
  const maxBlock = Math.min(header.windowBytes, MAX_BLOCK_BYTES);
  let decoder: BlockDecoder | undefined;
  let at = header.headBytes;
  for (;;) {
    if (at + 3 > bytes.length) throw new Undecodable("damaged", "the frame is cut");
    const head = readBlockHead(bytes, at);
    at += 3;
    const end = at + head.storedBytes;
    if (end > bytes.length) throw new Undecodable("damaged", "the frame is cut");
    if (head.size > maxBlock && head.kind !== BLOCK_COMPRESSED) {
      throw new Undecodable("damaged", "a block is larger than the window");
    }
    if (head.kind === BLOCK_RAW) {
      output.append(bytes, at, end);
    } else if (head.kind === BLOCK_RLE) {
      output.fill(bytes[at] ?? 0, head.size);
    } else {
      decoder ??= new BlockDecoder(output, maxBlock);
      decoder.decode(bytes, at, end);
    }
    at = end;
    if (head.last) return at;
  }
}

function checkContent(bytes: Uint8Array, at: number, content: Uint8Array): void {
  if (at + 4 > bytes.length) throw new Undecodable("damaged", "the frame is cut");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(at, true) !== xxh64Low(content)) {
    throw new Undecodable("checksum", "the checksum of the content does not match");
  }
}

function tooLarge(maxOutputBytes: number): Undecodable {
  return new Undecodable("limit", `the content is larger than ${maxOutputBytes} bytes`);
}
