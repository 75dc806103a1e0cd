/** SHA-1 (FIPS 180-4) in plain JavaScript: version 1 names sources by it. Not for security. */

import { encodeUtf8 } from "../bytes/text.ts";
import { toHex } from "./hex.ts";
import { padMessage } from "./padding.ts";

/** Returns the lowercase hex SHA-1 of `text` as UTF-8; lone surrogates count as U+FFFD. */
export function sha1Hex(text: string): string {
  const bytes = encodeUtf8(text);
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const schedule = new Int32Array(80);
  const whole = bytes.length - (bytes.length % 64);
  compressAll(state, schedule, bytes.subarray(0, whole));
  compressAll(state, schedule, padMessage(bytes.subarray(whole), bytes.length));
  const digest = new Uint8Array(20);
  const view = new DataView(digest.buffer);
  for (let i = 0; i < 5; i++) view.setInt32(i * 4, state[i] ?? 0);
  return toHex(digest);
}

function compressAll(state: Int32Array, w: Int32Array, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + i * 4);
    for (let i = 16; i < 80; i++) {
      const x = (w[i - 3] ?? 0) ^ (w[i - 8] ?? 0) ^ (w[i - 14] ?? 0) ^ (w[i - 16] ?? 0);
      w[i] = (x << 1) | (x >>> 31);
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
  for (let i = 0; i < 80; i++) {
    const next = (((a << 5) | (a >>> 27)) + mix(i, b, c, d) + e + (w[i] ?? 0)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0] = (state[0] ?? 0) + a;
  state[1] = (state[1] ?? 0) + b;
  state[2] = (state[2] ?? 0) + c;
  state[3] = (state[3] ?? 0) + d;
  state[4] = (state[4] ?? 0) + e;
}

function mix(i: number, b: number, c: number, d: number): number {
  if (i < 20) return ((b & c) | (~b & d)) + 0x5a82_7999;
  if (i < 40) return (b ^ c ^ d) + 0x6ed9_eba1;
  if (i < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1b_bcdc;
  return (b ^ c ^ d) + 0xca62_c1d6;
}
