/**
 * Finds where blocks begin and end, in a file that may be cut short or altered.
 *
 * Trusts the index when everything it says can be confirmed, else walks from block to block.
 * Looks at payloads only to check that they decompress; the files in blocks/ read what is inside.
 * Layout: docs/format.md, "Reading".
 */

import { BLOCK, blockName } from "../blocks/block-type.ts";
import { Undecodable } from "../bytes/undecodable.ts";
import { isFrameMagic } from "../zstd/frame-header.ts";
import { readFooter } from "./footer.ts";
import type { Footer } from "./footer.ts";
import type { PayloadLoader, ReadContext } from "./payload-loader.ts";
import { findNextBlock } from "./resynchronize.ts";

/** Where a block is. */
export interface BlockInfo {
  readonly type: number;
  /** `UNKNOWN` for types that version 1 does not name. */
  readonly name: string;
  /** Of the type byte, from the beginning of the file. */
  readonly offset: number;
  /** Size of the payload as it stands in the file. */
  readonly compressedBytes: number;
}

/** What was found. */
export interface FoundBlocks {
  readonly blocks: readonly BlockInfo[];
  readonly usedIndex: boolean;
  /** Something does not belong to a whole, decompressible block. */
  readonly partial: boolean;
  /** Blocks were kept although they stand behind damage. */
  readonly salvaged: boolean;
}

/** How many bytes tell whether a block may begin: its head, and the magic of a frame. */
const PROBE_BYTES = 9;

/** Finds the blocks of a file. */
export function findBlocks(context: ReadContext, loader: PayloadLoader): FoundBlocks {
  const checker = new BlockChecker(context, loader);
  const footer = readFooter(context, loader);
  if (footer.kind === "usable") {
    const found = followIndex(context, checker, footer);
    if (found !== undefined) return found;
  } else {
    context.problems.add("no-footer", footer.reason);
  }
  return scan(context, checker);
}

/** Decides whether a block is whole; decompresses small files, and only looks at large ones. */
class BlockChecker {
  readonly #loader: PayloadLoader;
  readonly #context: ReadContext;
  /** How many bytes may still be decompressed for the sake of checking. */
  #left: number;

  constructor(context: ReadContext, loader: PayloadLoader) {
    this.#context = context;
    this.#loader = loader;
    const { source, limits } = context;
    const small = source.sizeBytes <= limits.verifyOnOpenBytes;
    this.#left = small ? limits.verifyOnOpenBytes * 16 : 0;
  }

  /** Returns why the block is not whole, or undefined. */
  findDamage(block: BlockInfo, probe: Uint8Array): Undecodable | undefined {
    if (!isFrameMagic(probe, 5)) return new Undecodable("damaged", "there is no zstd frame");
    if (this.#left <= 0) return undefined;
    try {
      // Once a block is too large to be checked the rest is left for later, too.
      this.#left -= this.#loader.check(block, this.#left) ?? Infinity;
      return undefined;
    } catch (error) {
      if (error instanceof Undecodable) return error;
      throw error;
    }
  }

  noteDamage(block: BlockInfo, damage: Undecodable): void {
    this.#context.problems.addFailure(damage, block);
  }
}

/** Confirms every entry of the index; undefined means that the file must be scanned. */
function followIndex(
  context: ReadContext,
  checker: BlockChecker,
  footer: Footer & { kind: "usable" },
): FoundBlocks | undefined {
  const { problems, salvage, bodyStart } = context;
  const blocks: BlockInfo[] = [];
  let end = bodyStart;
  let damaged = false;
  for (const entry of footer.entries) {
    const { block, damage } = examineEntry(context, checker, entry);
    if (damage !== undefined) {
      const message = `the entry of the index for byte ${entry.offset} fails: ${damage.message}`;
      problems.add("index-disagrees", message, entry);
      if (!salvage) return undefined;
      damaged = true;
      continue;
    }
    const { offset } = block;
    if (offset > end) {
      problems.add("index-gap", `the index leaves out ${offset - end} bytes`, { offset: end });
    }
    if (entry.payloadBytes !== block.compressedBytes) {
      const message = `the index says ${entry.payloadBytes} bytes, the block ${block.compressedBytes}`;
      problems.add("index-disagrees", message, block);
    }
    blocks.push(block);
    end = offset + 5 + block.compressedBytes;
  }
  if (end < footer.indexStart) {
    const message = `the index leaves out ${footer.indexStart - end} bytes`;
    problems.add("index-gap", message, { offset: end });
  }
  return { blocks, usedIndex: true, partial: damaged, salvaged: damaged };
}

function examineEntry(
  context: ReadContext,
  checker: BlockChecker,
  entry: { type: number; offset: number; end: number },
): { block: BlockInfo; damage: Undecodable | undefined } {
  const probe = readProbe(context, entry.offset);
  const block = blockAt(probe, entry.offset);
  const { offset, compressedBytes, type } = block;
  if (type !== entry.type) {
    const message = `type ${type} is there instead of ${entry.type}`;
    return { block, damage: new Undecodable("malformed", message) };
  }
  if (offset + 5 + compressedBytes > entry.end) {
    const message = `the block's ${compressedBytes} bytes reach into the next one`;
    return { block, damage: new Undecodable("malformed", message) };
  }
  return { block, damage: checker.findDamage(block, probe) };
}

/** Reads the first bytes of a block; an unreadable place reads as nothing. */
function readProbe({ source }: ReadContext, offset: number): Uint8Array {
  try {
    return source.readUpTo(offset, PROBE_BYTES);
  } catch (error) {
    // The caller finds no block in no bytes, and reports that with the place.
    if (error instanceof Undecodable) return new Uint8Array(0);
    throw error;
  }
}

function blockAt(probe: Uint8Array, offset: number): BlockInfo {
  const view = new DataView(probe.buffer, probe.byteOffset, probe.byteLength);
  const type = probe.length > 0 ? view.getUint8(0) : 0;
  const compressedBytes = probe.length >= 5 ? view.getUint32(1, true) : 0;
  return { type, name: blockName(type), offset, compressedBytes };
}

function scan(context: ReadContext, checker: BlockChecker): FoundBlocks {
  const { source, problems, limits, salvage } = context;
  const size = source.sizeBytes;
  const blocks: BlockInfo[] = [];
  let at = context.bodyStart;
  let partial = false;
  let salvaged = false;
  while (at < size) {
    const probe = readProbe(context, at);
    if (size - at === 8 && isTrailer(probe)) break;
    const block = blockAt(probe, at);
    const next = at + 5 + block.compressedBytes;
    const whole = probe.length >= 5 && next <= size;
    const damage = whole ? checker.findDamage(block, probe) : cutAt(probe, block, size);
    if (damage === undefined) {
      if (blocks.length >= limits.blocks) {
        problems.add("limit", `the file has more than ${limits.blocks} blocks`, block);
        partial = true;
        break;
      }
      if (block.type !== BLOCK.INDEX) {
        blocks.push(block);
        salvaged = partial;
      }
      at = next;
      continue;
    }
    partial = true;
    if (whole) checker.noteDamage(block, damage);
    else problems.add("cut", damage.message, { offset: at });
    if (!salvage) break;
    at = findNextBlock(context, at, whole ? next : undefined);
  }
  return { blocks, usedIndex: false, partial, salvaged };
}

function cutAt(probe: Uint8Array, block: BlockInfo, size: number): Undecodable {
  const left = size - block.offset;
  const message =
    probe.length < 5
      ? `${left} bytes at the end are not a block`
      : `the file ends inside a block: ${left - 5} of ${block.compressedBytes} bytes are there`;
  return new Undecodable("damaged", message);
}

function isTrailer(bytes: Uint8Array): boolean {
  return bytes[4] === 0x54 && bytes[5] === 0x4c && bytes[6] === 0x47 && bytes[7] === 0x46;
}
