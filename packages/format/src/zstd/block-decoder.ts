/**
 * Decodes compressed blocks: the literals, the sequences, and how both make the content.
 *
 * One decoder serves one frame, since tables and offsets carry over from block to block.
 * Layout: RFC 8878, section 3.1.1.3.
 */

import { Undecodable } from "../bytes/undecodable.ts";
import { BackwardBits } from "./bit-reader.ts";
import { buildFseTable, readFseTable, singleSymbolTable } from "./fse.ts";
import type { FseTable } from "./fse.ts";
import { decodeHuffman, readHuffmanTable } from "./huffman.ts";
import type { HuffmanTable } from "./huffman.ts";
import { copyMatch } from "./output-buffer.ts";
import type { OutputBuffer } from "./output-buffer.ts";
import {
  LITERAL_LENGTHS,
  LITERAL_LENGTH_DEFAULT,
  MATCH_LENGTHS,
  MATCH_LENGTH_DEFAULT,
  OFFSET_DEFAULT,
} from "./sequence-codes.ts";

/** Free bytes around a copied block, for the bit readers. */
const MARGIN = 16;
const MAX_OFFSET_CODE = 31;

/** One of the three codes that sequences are made of. */
interface SequenceCode {
  readonly maxLog: number;
  readonly maxSymbol: number;
  readonly predefined: () => FseTable;
}

const literalLengthCode: SequenceCode = {
  maxLog: 9,
  maxSymbol: 35,
  predefined: once(() => buildFseTable(LITERAL_LENGTH_DEFAULT, 6)),
};
const offsetCode: SequenceCode = {
  maxLog: 8,
  maxSymbol: MAX_OFFSET_CODE,
  predefined: once(() => buildFseTable(OFFSET_DEFAULT, 5)),
};
const matchLengthCode: SequenceCode = {
  maxLog: 9,
  maxSymbol: 52,
  predefined: once(() => buildFseTable(MATCH_LENGTH_DEFAULT, 6)),
};

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export class BlockDecoder {
  readonly #output: OutputBuffer;
  readonly #maxBlock: number;
  /** The block at hand, with a margin on both sides. */
  #input: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #literalBuffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #literals: Uint8Array = this.#literalBuffer;
  #literalCount = 0;
  #huffman: HuffmanTable | undefined;
  #literalLengths: FseTable | undefined;
  #offsets: FseTable | undefined;
  #matchLengths: FseTable | undefined;
  readonly #repeats = [1, 4, 8];
  #at = 0;

  constructor(output: OutputBuffer, maxBlock: number) {
    this.#output = output;
    this.#maxBlock = maxBlock;
  }

  /** Decodes the block in `bytes[from, to)` and appends its content to the output. */
  decode(bytes: Uint8Array, from: number, to: number): void {
    const end = MARGIN + to - from;
    this.#input = roomFor(this.#input, end + MARGIN);
    this.#input.set(bytes.subarray(from, to), MARGIN);
    this.#input.fill(0, end, end + MARGIN);
    this.#at = MARGIN;
    this.#readLiterals(end);
    this.#readSequences(end);
  }

  #byte(end: number): number {
    if (this.#at >= end) throw damaged("a block is cut");
    return this.#input[this.#at++] ?? 0;
  }

  #readLiterals(end: number): void {
    const first = this.#byte(end);
    const kind = first & 3;
    const format = (first >> 2) & 3;
    if (kind >= 2) {
      this.#readCompressedLiterals(first, kind === 3, end);
      return;
    }
    let count = first >> 3;
    if (format === 1) count = (first >> 4) | (this.#byte(end) << 4);
    if (format === 3) {
      count = (first >> 4) | (this.#byte(end) << 4) | (this.#byte(end) << 12);
    }
    if (count > this.#maxBlock) throw damaged("there are too many literals");
    this.#literalCount = count;
    if (kind === 0) {
      if (this.#at + count > end) throw damaged("the literals are cut");
      this.#literals = this.#input.subarray(this.#at, this.#at + count);
      this.#at += count;
    } else {
      this.#literalBuffer = roomFor(this.#literalBuffer, count);
      this.#literals = this.#literalBuffer;
      this.#literalBuffer.fill(this.#byte(end), 0, count);
    }
  }

  #readCompressedLiterals(first: number, treeless: boolean, end: number): void {
    const format = (first >> 2) & 3;
    // Sizes have 10, 10, 14 or 18 bits each, after the four bits of kind and format.
    const width = format < 2 ? 10 : format * 4 + 6;
    const second = this.#byte(end) | (this.#byte(end) << 8);
    const low = (first >> 4) | (second << 4);
    let regenerated: number;
    let compressed: number;
    if (width === 10) {
      regenerated = low & 0x3ff;
      compressed = low >> 10;
    } else if (width === 14) {
      const bits = low | (this.#byte(end) << 20);
      regenerated = bits & 0x3fff;
      compressed = (bits >>> 14) & 0x3fff;
    } else {
      const fourth = this.#byte(end);
      const fifth = this.#byte(end);
      regenerated = (low | (fourth << 20)) & 0x3ffff;
      compressed = (low >> 18) | ((fourth | (fifth << 8)) << 2);
    }
    if (regenerated > this.#maxBlock) throw damaged("there are too many literals");
    const streamsEnd = this.#at + compressed;
    if (streamsEnd > end) throw damaged("the literals are cut");
    if (!treeless) {
      const read = readHuffmanTable(this.#input, this.#at, streamsEnd);
      this.#huffman = read.table;
      this.#at = read.end;
    }
    if (this.#huffman === undefined) throw damaged("the literals have no code");
    this.#literalBuffer = roomFor(this.#literalBuffer, regenerated);
    this.#literals = this.#literalBuffer;
    this.#literalCount = regenerated;
    if (format === 0) this.#decodeStream(this.#huffman, [this.#at, streamsEnd], [0, regenerated]);
    else this.#decodeFourStreams(this.#huffman, streamsEnd);
    this.#at = streamsEnd;
  }

  #decodeFourStreams(table: HuffmanTable, end: number): void {
    const input = this.#input;
    if (this.#at + 6 > end) throw damaged("the literals are cut");
    const total = this.#literalCount;
    const part = (total + 3) >> 2;
    let from = this.#at + 6;
    for (let i = 0; i < 4; i++) {
      const head = this.#at + i * 2;
      const to = i === 3 ? end : from + ((input[head] ?? 0) | ((input[head + 1] ?? 0) << 8));
      if (to > end) throw damaged("the literals are cut");
      const start = Math.min(i * part, total);
      this.#decodeStream(
        table,
        [from, to],
        [start, i === 3 ? total : Math.min(start + part, total)],
      );
      from = to;
    }
  }

  #decodeStream(
    table: HuffmanTable,
    [from, to]: readonly [number, number],
    [start, end]: readonly [number, number],
  ): void {
    const target = this.#literalBuffer;
    decodeHuffman(table, { bytes: this.#input, from, to }, { target, start, end });
  }

  #readSequences(end: number): void {
    const first = this.#byte(end);
    let count = first;
    if (first === 255) count = (this.#byte(end) | (this.#byte(end) << 8)) + 0x7f00;
    else if (first >= 128) count = ((first - 128) << 8) | this.#byte(end);
    if (count === 0) {
      if (this.#at !== end) throw damaged("bytes follow the literals of a block");
      this.#appendLiterals(0);
      return;
    }
    const modes = this.#byte(end);
    if ((modes & 3) !== 0) throw damaged("a reserved bit of a block is set");
    const literalLengths = this.#readTable(
      modes >> 6,
      literalLengthCode,
      this.#literalLengths,
      end,
    );
    this.#literalLengths = literalLengths;
    const offsets = this.#readTable((modes >> 4) & 3, offsetCode, this.#offsets, end);
    this.#offsets = offsets;
    const lengths = this.#readTable((modes >> 2) & 3, matchLengthCode, this.#matchLengths, end);
    this.#matchLengths = lengths;
    this.#execute(count, { literalLengths, offsets, matchLengths: lengths }, end);
  }

  #readTable(
    mode: number,
    code: SequenceCode,
    previous: FseTable | undefined,
    end: number,
  ): FseTable {
    if (mode === 0) return code.predefined();
    if (mode === 1) {
      const symbol = this.#byte(end);
      if (symbol > code.maxSymbol) throw damaged("a sequence has an unknown code");
      return singleSymbolTable(symbol);
    }
    if (mode === 2) {
      const read = readFseTable(this.#input, { from: this.#at, to: end }, code);
      this.#at = read.end;
      return read.table;
    }
    if (previous === undefined) throw damaged("a block repeats a table that was never there");
    return previous;
  }

  #execute(
    count: number,
    tables: {
      readonly literalLengths: FseTable;
      readonly offsets: FseTable;
      readonly matchLengths: FseTable;
    },
    end: number,
  ): void {
    const { literalLengths, offsets, matchLengths } = tables;
    const output = this.#output;
    output.reserve(0);
    const bits = new BackwardBits(this.#input, this.#at, end);
    const repeats = this.#repeats;
    const literals = this.#literals;
    const literalCount = this.#literalCount;
    const blockStart = output.length;
    let literalAt = 0;
    let at = blockStart;
    let literalState = bits.read(literalLengths.accuracyLog);
    let offsetState = bits.read(offsets.accuracyLog);
    let matchState = bits.read(matchLengths.accuracyLog);
    for (let i = 0; i < count; i++) {
      const offsetBits = offsets.symbols[offsetState] ?? 0;
      const offsetValue = 2 ** offsetBits + bits.readLong(offsetBits);
      const matchSymbol = matchLengths.symbols[matchState] ?? 0;
      const matchCode = MATCH_LENGTHS[matchSymbol] ?? 0;
      const matchLength = (matchCode & 0x1ffff) + bits.read(matchCode >>> 24);
      const literalSymbol = literalLengths.symbols[literalState] ?? 0;
      const literalCode = LITERAL_LENGTHS[literalSymbol] ?? 0;
      const literalLength = (literalCode & 0x1ffff) + bits.read(literalCode >>> 24);
      if (i + 1 < count) {
        literalState =
          (literalLengths.baselines[literalState] ?? 0) +
          bits.read(literalLengths.bitCounts[literalState] ?? 0);
        matchState =
          (matchLengths.baselines[matchState] ?? 0) +
          bits.read(matchLengths.bitCounts[matchState] ?? 0);
        offsetState =
          (offsets.baselines[offsetState] ?? 0) + bits.read(offsets.bitCounts[offsetState] ?? 0);
      }
      const offset = takeOffset(repeats, offsetValue, literalLength);
      const matchAt = at + literalLength;
      const next = matchAt + matchLength;
      if (bits.left < 0 || literalAt + literalLength > literalCount) {
        throw damaged("the sequences of a block are cut");
      }
      if (next - blockStart > this.#maxBlock) throw damaged("a block is larger than allowed");
      if (offset > matchAt || offset <= 0) throw damaged("an offset points before the beginning");
      if (next > output.bytes.length) {
        output.advanceTo(at);
        output.reserve(next - at);
      }
      const bytes = output.bytes;
      if (literalLength < 32) {
        for (let k = 0; k < literalLength; k++) bytes[at + k] = literals[literalAt + k] ?? 0;
      } else {
        bytes.set(literals.subarray(literalAt, literalAt + literalLength), at);
      }
      copyMatch(bytes, matchAt - offset, matchAt, matchLength);
      literalAt += literalLength;
      at = next;
    }
    if (bits.left !== 0) throw damaged("the sequences of a block have bits left");
    output.advanceTo(at);
    if (at - blockStart + literalCount - literalAt > this.#maxBlock) {
      throw damaged("a block is larger than allowed");
    }
    this.#appendLiterals(literalAt);
  }

  #appendLiterals(from: number): void {
    this.#output.append(this.#literals, from, this.#literalCount);
  }
}

/** Returns `buffer`, or a larger one: most blocks are much smaller than they may be. */
function roomFor(buffer: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  return buffer.length >= size ? buffer : new Uint8Array(Math.max(size, buffer.length * 2));
}

/** Turns a coded offset into a distance, and keeps the last three distances. */
function takeOffset(repeats: number[], value: number, literalLength: number): number {
  const [first = 1, second = 4, third = 8] = repeats;
  if (value > 3) {
    repeats[2] = second;
    repeats[1] = first;
    repeats[0] = value - 3;
    return value - 3;
  }
  // Without literals, repeating the last offset would make no sense, so the numbers shift by one.
  const choice = literalLength === 0 ? value : value - 1;
  if (choice === 0) return first;
  if (choice === 1) {
    repeats[0] = second;
    repeats[1] = first;
    return second;
  }
  const offset = choice === 2 ? third : first - 1;
  repeats[0] = offset;
  repeats[1] = first;
  repeats[2] = second;
  return offset;
}

function damaged(message: string): Undecodable {
  return new Undecodable("damaged", message);
}
