/**
 * BLAKE2b (RFC 7693) with digests of any size up to 64 bytes, without a key.
 *
 * A short digest is not the beginning of a long one: the size goes into the hash. Works on halves of
 * 32 bits.
 */

const IV = Int32Array.of(
  0xf3bcc908,
  0x6a09e667,
  0x84caa73b,
  0xbb67ae85,
  0xfe94f82b,
  0x3c6ef372,
  0x5f1d36f1,
  0xa54ff53a,
  0xade682d1,
  0x510e527f,
  0x2b3e6c1f,
  0x9b05688c,
  0xfb41bd6b,
  0x1f83d9ab,
  0x137e2179,
  0x5be0cd19,
);

const SIGMA: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/** Which words each of the eight steps of a round mixes. */
const STEPS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

const BLOCK_BYTES = 128;
const ROUNDS = 12;

/**
 * Returns the BLAKE2b digest of `bytes`.
 *
 * @throws {RangeError} If `digestSizeBytes` is not a whole number from 1 to 64.
 */
export function blake2b(bytes: Uint8Array, digestSizeBytes: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(digestSizeBytes) || digestSizeBytes < 1 || digestSizeBytes > 64) {
    throw new RangeError(`a BLAKE2b digest has 1 to 64 bytes, not ${digestSizeBytes}`);
  }
  const state = Int32Array.from(IV);
  state[0] = (state[0] ?? 0) ^ 0x0101_0000 ^ digestSizeBytes;
  const message = new Int32Array(32);
  // The last block is never empty unless the message is.
  const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK_BYTES));
  for (let i = 0; i < blocks; i++) {
    const end = Math.min((i + 1) * BLOCK_BYTES, bytes.length);
    readMessage(bytes.subarray(i * BLOCK_BYTES, end), message);
    compress(state, message, { doneBytes: end, last: i === blocks - 1 });
  }
  const digest = new Uint8Array(64);
  const view = new DataView(digest.buffer);
  for (let i = 0; i < 16; i++) view.setInt32(i * 4, state[i] ?? 0, true);
  return digest.slice(0, digestSizeBytes);
}

function readMessage(block: Uint8Array, message: Int32Array): void {
  const padded = new Uint8Array(BLOCK_BYTES);
  padded.set(block);
  const view = new DataView(padded.buffer);
  for (let i = 0; i < 32; i++) message[i] = view.getInt32(i * 4, true);
}

function compress(
  state: Int32Array,
  message: Int32Array,
  { doneBytes, last }: { doneBytes: number; last: boolean },
): void {
  const v = new Int32Array(32);
  v.set(state);
  v.set(IV, 16);
  v[24] = (v[24] ?? 0) ^ doneBytes;
  v[25] = (v[25] ?? 0) ^ Math.floor(doneBytes / 0x1_0000_0000);
  if (last) {
    v[28] = ~(v[28] ?? 0);
    v[29] = ~(v[29] ?? 0);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const order = SIGMA[round % 10] ?? [];
    for (const [i, [a, b, c, d]] of STEPS.entries()) {
      addWords(v, a, b, message, order[2 * i] ?? 0);
      rotateXor(v, d, a, 32);
      addWords(v, c, d, undefined, 0);
      rotateXor(v, b, c, 24);
      addWords(v, a, b, message, order[2 * i + 1] ?? 0);
      rotateXor(v, d, a, 16);
      addWords(v, c, d, undefined, 0);
      rotateXor(v, b, c, 63);
    }
  }
  for (let i = 0; i < 16; i++) state[i] = (state[i] ?? 0) ^ (v[i] ?? 0) ^ (v[i + 16] ?? 0);
}

/** Adds word `b`, and word `m` of the message if there is one, to word `a`. */
function addWords(
  v: Int32Array,
  a: number,
  b: number,
  message: Int32Array | undefined,
  m: number,
): void {
  const extraLow = message === undefined ? 0 : (message[2 * m] ?? 0) >>> 0;
  const extraHigh = message === undefined ? 0 : (message[2 * m + 1] ?? 0);
  const low = ((v[2 * a] ?? 0) >>> 0) + ((v[2 * b] ?? 0) >>> 0) + extraLow;
  v[2 * a] = low;
  v[2 * a + 1] =
    (v[2 * a + 1] ?? 0) + (v[2 * b + 1] ?? 0) + extraHigh + Math.floor(low / 0x1_0000_0000);
}

/** Replaces word `a` by `a ^ b`, rotated right. */
function rotateXor(v: Int32Array, a: number, b: number, bits: 16 | 24 | 32 | 63): void {
  const low = (v[2 * a] ?? 0) ^ (v[2 * b] ?? 0);
  const high = (v[2 * a + 1] ?? 0) ^ (v[2 * b + 1] ?? 0);
  if (bits === 32) {
    v[2 * a] = high;
    v[2 * a + 1] = low;
  } else if (bits === 63) {
    v[2 * a] = (low << 1) | (high >>> 31);
    v[2 * a + 1] = (high << 1) | (low >>> 31);
  } else {
    v[2 * a] = (low >>> bits) | (high << (32 - bits));
    v[2 * a + 1] = (high >>> bits) | (low << (32 - bits));
  }
}
