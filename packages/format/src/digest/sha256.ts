/** SHA-256 (FIPS 180-4) in plain JavaScript, for places without a crypto library. */

import { padMessage } from "./padding.ts";

const K: Int32Array = primeRoots(64, 1 / 3);
const START: Int32Array = primeRoots(8, 1 / 2);

/** The first 32 bits of the fractions of roots of the first primes, which the standard prescribes. */
function primeRoots(count: number, power: number): Int32Array {
  const roots = new Int32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate++) {
    let divisor = 2;
    while (divisor * divisor <= candidate && candidate % divisor !== 0) divisor++;
    if (divisor * divisor <= candidate) continue;
    roots[found++] = ((candidate ** power % 1) * 0x1_0000_0000) | 0;
  }
  return roots;
}

/** Returns the 32 bytes of the SHA-256 of `bytes`. */
export function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const state = Int32Array.from(START);
  const schedule = new Int32Array(64);
  const whole = bytes.length - (bytes.length % 64);
  compressAll(state, schedule, bytes.subarray(0, whole));
  compressAll(state, schedule, padMessage(bytes.subarray(whole), bytes.length));
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) view.setInt32(i * 4, state[i] ?? 0);
  return digest;
}

function compressAll(state: Int32Array, w: Int32Array, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + i * 4);
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15] ?? 0;
      const y = w[i - 2] ?? 0;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = ((w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1) | 0;
    }
    compress(state, w);
  }
}

function compress(state: Int32Array, w: Int32Array): void {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] ?? 0) + (w[i] ?? 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0] ?? 0) + a;
  state[1] = (state[1] ?? 0) + b;
  state[2] = (state[2] ?? 0) + c;
  state[3] = (state[3] ?? 0) + d;
  state[4] = (state[4] ?? 0) + e;
  state[5] = (state[5] ?? 0) + f;
  state[6] = (state[6] ?? 0) + g;
  state[7] = (state[7] ?? 0) + h;
}
