/**
 * The fixed tables of zstd's sequences: what each code of a length means, and the default
 * probabilities. From RFC 8878, sections 3.1.1.3.2.1 and 3.1.1.3.2.2.
 */

/** Baseline in the lower bits, number of further bits in the upper byte. */
function codes(
  plain: number,
  first: number,
  groups: readonly (readonly [number, number])[],
): Int32Array {
  const table: number[] = [];
  for (let i = 0; i < plain; i++) table.push(first + i);
  let baseline = first + plain;
  for (const [bits, count] of groups) {
    for (let i = 0; i < count; i++) {
      table.push(baseline | (bits << 24));
      baseline += 1 << bits;
    }
  }
  return Int32Array.from(table);
}

/** Codes 0 to 35. */
export const LITERAL_LENGTHS: Int32Array = codes(16, 0, [
  [1, 4],
  [2, 2],
  [3, 2],
  [4, 1],
  [6, 1],
  [7, 1],
  [8, 1],
  [9, 1],
  [10, 1],
  [11, 1],
  [12, 1],
  [13, 1],
  [14, 1],
  [15, 1],
  [16, 1],
]);

/** Codes 0 to 52. */
export const MATCH_LENGTHS: Int32Array = codes(32, 3, [
  [1, 4],
  [2, 2],
  [3, 2],
  [4, 2],
  [5, 1],
  [7, 1],
  [8, 1],
  [9, 1],
  [10, 1],
  [11, 1],
  [12, 1],
  [13, 1],
  [14, 1],
  [15, 1],
  [16, 1],
]);

export const LITERAL_LENGTH_DEFAULT: readonly number[] = [
  4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
  -1, -1, -1, -1,
];

export const MATCH_LENGTH_DEFAULT: readonly number[] = [
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];

export const OFFSET_DEFAULT: readonly number[] = [
  1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
];
