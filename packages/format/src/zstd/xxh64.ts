/**
 * XXH64, of which zstd keeps the lower 32 bits as the checksum of a frame's content.
 *
 * Works on halves of 32 bits: bigints would be ten times slower.
 */

/** A 64-bit accumulator in two halves, and the arithmetic that the hash needs. */
class Lane {
  high = 0;
  low = 0;

  set(high: number, low: number): this {
    this.high = high | 0;
    this.low = low | 0;
    return this;
  }

  copy(other: Lane): this {
    return this.set(other.high, other.low);
  }

  add(high: number, low: number): this {
    const sum = (this.low >>> 0) + (low >>> 0);
    this.low = sum | 0;
    this.high = (this.high + high + (sum > 0xffff_ffff ? 1 : 0)) | 0;
    return this;
  }

  xor(high: number, low: number): this {
    this.high ^= high;
    this.low ^= low;
    return this;
  }

  rotate(bits: number): this {
    const { high, low } = this;
    if (bits < 32) {
      this.high = (high << bits) | (low >>> (32 - bits));
      this.low = (low << bits) | (high >>> (32 - bits));
    } else {
      const rest = bits - 32;
      this.high = rest === 0 ? low : (low << rest) | (high >>> (32 - rest));
      this.low = rest === 0 ? high : (high << rest) | (low >>> (32 - rest));
    }
    return this;
  }

  /** Combines with itself shifted right by `bits`. */
  foldRight(bits: number): this {
    if (bits < 32) {
      const low = (this.low >>> bits) | (this.high << (32 - bits));
      return this.xor(this.high >>> bits, low);
    }
    return this.xor(0, this.high >>> (bits - 32));
  }

  multiply(high: number, low: number): this {
    const aLow = this.low;
    const a0 = aLow & 0xffff;
    const a1 = aLow >>> 16;
    const b0 = low & 0xffff;
    const b1 = low >>> 16;
    const p00 = Math.imul(a0, b0) >>> 0;
    const p01 = Math.imul(a0, b1) >>> 0;
    const p10 = Math.imul(a1, b0) >>> 0;
    const middle = p10 + (p00 >>> 16);
    const carry = (middle & 0xffff) + (p01 & 0xffff);
    const upper = Math.imul(a1, b1) + Math.floor(middle / 0x1_0000) + (p01 >>> 16) + (carry >>> 16);
    this.high = (upper + Math.imul(this.high, low) + Math.imul(aLow, high)) | 0;
    this.low = Math.imul(aLow, low);
    return this;
  }
}

const P1H = 0x9e37_79b1;
const P1L = 0x85eb_ca87;
const P2H = 0xc2b2_ae3d;
const P2L = 0x27d4_eb4f;
const P3H = 0x1656_67b1;
const P3L = 0x9e37_79f9;
const P4H = 0x85eb_ca77;
const P4L = 0xc2b2_ae63;
const P5H = 0x27d4_eb2f;
const P5L = 0x1656_67c5;

/** Returns the lower 32 bits of XXH64 (seed 0) as an unsigned number. */
export function xxh64Low(bytes: Uint8Array): number {
  const hash = xxh64(bytes);
  return hash.low >>> 0;
}

/** Returns XXH64 (seed 0) as 16 hex digits. */
export function xxh64Hex(bytes: Uint8Array): string {
  const hash = xxh64(bytes);
  return hexHalf(hash.high) + hexHalf(hash.low);
}

function hexHalf(half: number): string {
  return (half >>> 0).toString(16).padStart(8, "0");
}

function xxh64(bytes: Uint8Array): Lane {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length;
  const hash = new Lane();
  let at = 0;
  if (length >= 32) at = hashStripes(view, hash);
  else hash.set(P5H, P5L);
  hash.add(Math.floor(length / 0x1_0000_0000), length);
  return finish(view, at, hash);
}

function hashStripes(view: DataView, hash: Lane): number {
  const v1 = new Lane().set(P1H, P1L).add(P2H, P2L);
  const v2 = new Lane().set(P2H, P2L);
  const v3 = new Lane();
  // 0 - P1, the two's complement.
  const v4 = new Lane().set(~P1H, ~P1L).add(0, 1);
  const end = view.byteLength - 32;
  let at = 0;
  for (; at <= end; at += 32) {
    round(v1, view.getUint32(at + 4, true), view.getUint32(at, true));
    round(v2, view.getUint32(at + 12, true), view.getUint32(at + 8, true));
    round(v3, view.getUint32(at + 20, true), view.getUint32(at + 16, true));
    round(v4, view.getUint32(at + 28, true), view.getUint32(at + 24, true));
  }
  const part = new Lane();
  hash.set(0, 0);
  part.copy(v1).rotate(1);
  hash.add(part.high, part.low);
  part.copy(v2).rotate(7);
  hash.add(part.high, part.low);
  part.copy(v3).rotate(12);
  hash.add(part.high, part.low);
  part.copy(v4).rotate(18);
  hash.add(part.high, part.low);
  for (const lane of [v1, v2, v3, v4]) {
    part.set(0, 0);
    round(part, lane.high, lane.low);
    hash.xor(part.high, part.low).multiply(P1H, P1L).add(P4H, P4L);
  }
  return at;
}

function round(lane: Lane, high: number, low: number): void {
  scratch.set(high, low).multiply(P2H, P2L);
  lane.add(scratch.high, scratch.low).rotate(31).multiply(P1H, P1L);
}

const scratch = new Lane();

function finish(view: DataView, from: number, hash: Lane): Lane {
  const length = view.byteLength;
  const part = new Lane();
  let at = from;
  for (; at + 8 <= length; at += 8) {
    part.set(0, 0);
    round(part, view.getUint32(at + 4, true), view.getUint32(at, true));
    hash.xor(part.high, part.low).rotate(27).multiply(P1H, P1L).add(P4H, P4L);
  }
  if (at + 4 <= length) {
    part.set(0, view.getUint32(at, true)).multiply(P1H, P1L);
    hash.xor(part.high, part.low).rotate(23).multiply(P2H, P2L).add(P3H, P3L);
    at += 4;
  }
  for (; at < length; at++) {
    part.set(0, view.getUint8(at)).multiply(P5H, P5L);
    hash.xor(part.high, part.low).rotate(11).multiply(P1H, P1L);
  }
  return hash.foldRight(33).multiply(P2H, P2L).foldRight(29).multiply(P3H, P3L).foldRight(32);
}
