/**
 * Huffman codes of zstd's literals.
 *
 * Construction: RFC 8878, section 4.2.
 */

import { Undecodable } from "../bytes/undecodable.ts";
import { BackwardBits } from "./bit-reader.ts";
import { readFseTable } from "./fse.ts";

/** For each value of the next `maxBits` bits: the symbol, and in the upper byte its length. */
export interface HuffmanTable {
  readonly maxBits: number;
  readonly entries: Uint16Array;
}

const MAX_BITS = 11;
const MAX_WEIGHTS = 255;

/** Reads the description of a code from `bytes[from, to)`; returns it and where it ends. */
export function readHuffmanTable(
  bytes: Uint8Array,
  from: number,
  to: number,
): { table: HuffmanTable; end: number } {
  if (from >= to) throw damaged();
  const head = bytes[from] ?? 0;
  const start = from + 1;
  const end = start + (head < 128 ? head : (head - 127 + 1) >> 1);
  if (end > to) throw damaged();
  const weights =
    head < 128
      ? readCompressedWeights(bytes, start, end)
      : readDirectWeights(bytes, start, head - 127);
  return { table: buildTable(weights), end };
}

function readDirectWeights(bytes: Uint8Array, start: number, count: number): number[] {
  const weights: number[] = [];
  for (let i = 0; i < count; i++) {
    const pair = bytes[start + (i >> 1)] ?? 0;
    weights.push((i & 1) === 0 ? pair >> 4 : pair & 15);
  }
  return weights;
}

function readCompressedWeights(bytes: Uint8Array, start: number, end: number): number[] {
  const range = { from: start, to: end };
  const { table, end: at } = readFseTable(bytes, range, { maxLog: 6, maxSymbol: MAX_BITS + 1 });
  const bits = new BackwardBits(bytes, at, end);
  const states = [bits.readPadded(table.accuracyLog), bits.readPadded(table.accuracyLog)];
  if (bits.left < 0) throw damaged();
  const weights: number[] = [];
  // Two states take turns; when the bits run out, the other one still holds a symbol.
  for (let turn = 0; weights.length <= MAX_WEIGHTS; turn ^= 1) {
    const state = states[turn] ?? 0;
    weights.push(table.symbols[state] ?? 0);
    const width = table.bitCounts[state] ?? 0;
    states[turn] = (table.baselines[state] ?? 0) + bits.readPadded(width);
    if (bits.left < 0) {
      weights.push(table.symbols[states[turn ^ 1] ?? 0] ?? 0);
      return weights;
    }
  }
  throw damaged();
}

function buildTable(weights: number[]): HuffmanTable {
  let sum = 0;
  for (const weight of weights) {
    if (weight > MAX_BITS) throw damaged();
    if (weight > 0) sum += 1 << (weight - 1);
  }
  if (sum === 0 || weights.length > MAX_WEIGHTS) throw damaged();
  const maxBits = 32 - Math.clz32(sum);
  if (maxBits > MAX_BITS) throw damaged();
  // The last weight is not written: it is what is missing to a power of two.
  const rest = (1 << maxBits) - sum;
  if ((rest & (rest - 1)) !== 0) throw damaged();
  weights.push(32 - Math.clz32(rest));
  const entries = new Uint16Array(1 << maxBits);
  let at = 0;
  for (let weight = 1; weight <= maxBits; weight++) {
    for (let symbol = 0; symbol < weights.length; symbol++) {
      if (weights[symbol] !== weight) continue;
      const end = at + (1 << (weight - 1));
      entries.fill(symbol | ((maxBits + 1 - weight) << 8), at, end);
      at = end;
    }
  }
  return { maxBits, entries };
}

/** Decodes the stream in `bytes[from, to)` to fill `target[start, end)` exactly. */
export function decodeHuffman(
  table: HuffmanTable,
  stream: { readonly bytes: Uint8Array; readonly from: number; readonly to: number },
  output: { readonly target: Uint8Array; readonly start: number; readonly end: number },
): void {
  const { bytes, from, to } = stream;
  const { target, end } = output;
  const { entries, maxBits } = table;
  const last = to > from ? (bytes[to - 1] ?? 0) : 0;
  if (last === 0) throw damaged();
  const firstBit = from * 8;
  const mask = (1 << maxBits) - 1;
  let bit = to * 8 - 8 + (31 - Math.clz32(last)) - maxBits;
  let at = output.start;
  // A look at the last codes reaches before the stream; those bits do not change what is found,
  // since a code is decided by its own bits. Whether it was all there is checked at the end.
  const lowest = firstBit - maxBits;
  while (at < end && bit >= lowest) {
    const byte = bit >> 3;
    const word =
      (bytes[byte] ?? 0) | ((bytes[byte + 1] ?? 0) << 8) | ((bytes[byte + 2] ?? 0) << 16);
    const entry = entries[(word >>> (bit & 7)) & mask] ?? 0;
    target[at++] = entry;
    bit -= entry >> 8;
  }
  if (at !== end || bit !== lowest) throw damaged();
}

function damaged(): Undecodable {
  return new Undecodable("damaged", "a Huffman code makes no sense");
}
