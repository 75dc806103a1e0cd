/**
 * Tables of finite state entropy, the code that zstd uses for lengths, offsets and tree weights.
 *
 * Construction: RFC 8878, section 4.1.
 */

import { Undecodable } from "../bytes/undecodable.ts";

/** A decoding table: what each state stands for, and how the next state follows. */
export interface FseTable {
  readonly accuracyLog: number;
  readonly symbols: Uint8Array;
  readonly bitCounts: Uint8Array;
  readonly baselines: Uint16Array;
}

/** Makes a table from probabilities; -1 means "less than one". */
export function buildFseTable(probabilities: ArrayLike<number>, accuracyLog: number): FseTable {
  const size = 1 << accuracyLog;
  const symbols = new Uint8Array(size);
  const bitCounts = new Uint8Array(size);
  const baselines = new Uint16Array(size);
  const next = new Uint16Array(probabilities.length);
  let high = size;
  for (let s = 0; s < probabilities.length; s++) {
    const probability = probabilities[s] ?? 0;
    if (probability === -1) symbols[--high] = s;
    next[s] = probability === -1 ? 1 : probability;
  }
  spread(symbols, probabilities, high);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] ?? 0;
    const x = next[symbol] ?? 0;
    next[symbol] = x + 1;
    const bits = accuracyLog - (31 - Math.clz32(x));
    bitCounts[state] = bits;
    baselines[state] = (x << bits) - size;
  }
  return { accuracyLog, symbols, bitCounts, baselines };
}

function spread(symbols: Uint8Array, probabilities: ArrayLike<number>, high: number): void {
  const size = symbols.length;
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  for (let s = 0; s < probabilities.length; s++) {
    const probability = probabilities[s] ?? 0;
    for (let i = 0; i < probability; i++) {
      symbols[at] = s;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  }
  if (at !== 0) throw new Undecodable("damaged", "the probabilities of a table do not add up");
}

/** Makes the table with a single symbol, which takes no bits. */
export function singleSymbolTable(symbol: number): FseTable {
  return {
    accuracyLog: 0,
    symbols: Uint8Array.of(symbol),
    bitCounts: new Uint8Array(1),
    baselines: new Uint16Array(1),
  };
}

/** Reads a table's description from `bytes[from, to)` and returns the table and where it ends. */
export function readFseTable(
  bytes: Uint8Array,
  range: { readonly from: number; readonly to: number },
  limits: { readonly maxLog: number; readonly maxSymbol: number },
): { table: FseTable; end: number } {
  let bit = range.from * 8;
  const lastBit = range.to * 8;
  const peek = (count: number): number => {
    const at = bit >> 3;
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return (word >>> (bit & 7)) & ((1 << count) - 1);
  };
  const accuracyLog = peek(4) + 5;
  bit += 4;
  if (accuracyLog > limits.maxLog) {
    throw new Undecodable("damaged", `a table has accuracy ${accuracyLog}`);
  }
  const probabilities: number[] = [];
  let remaining = (1 << accuracyLog) + 1;
  while (remaining > 1 && probabilities.length <= limits.maxSymbol) {
    const width = 32 - Math.clz32(remaining);
    const small = (1 << width) - 1 - remaining;
    let value = peek(width);
    const low = value & ((1 << (width - 1)) - 1);
    if (low < small) {
      value = low;
      bit += width - 1;
    } else {
      if (value >= 1 << (width - 1)) value -= small;
      bit += width;
    }
    const probability = value - 1;
    remaining -= Math.abs(probability);
    probabilities.push(probability);
    // A zero is followed by how many more zeros there are, in twos of bits; three means: go on.
    let repeat = probability === 0 ? 3 : 0;
    while (repeat === 3 && bit <= lastBit) {
      repeat = peek(2);
      bit += 2;
      for (let i = 0; i < repeat; i++) probabilities.push(0);
    }
    if (bit > lastBit) break;
  }
  if (remaining !== 1 || bit > lastBit || probabilities.length > limits.maxSymbol + 1) {
    throw new Undecodable("damaged", "a table's description makes no sense");
  }
  return { table: buildFseTable(probabilities, accuracyLog), end: (bit + 7) >> 3 };
}
