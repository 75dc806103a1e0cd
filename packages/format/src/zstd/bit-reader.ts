/**
 * Reads a zstd bit stream, which is written forwards and read from its last bit to its first.
 *
 * The bytes must have 16 bytes of any content around the stream, so that a look a little too far
 * needs no check; whoever reads must check {@link BackwardBits.position} instead.
 */

import { Undecodable } from "../bytes/undecodable.ts";

export class BackwardBits {
  readonly #bytes: Uint8Array;
  readonly #firstBit: number;
  /** Number of the bit above the next one, counted from the beginning of the bytes. */
  #bit: number;

  /** Takes the stream in `bytes[from, to)`. Its last byte marks the end by its highest set bit. */
  constructor(bytes: Uint8Array, from: number, to: number) {
    const last = to > from ? (bytes[to - 1] ?? 0) : 0;
    if (last === 0) throw new Undecodable("damaged", "a bit stream has no end mark");
    this.#bytes = bytes;
    this.#firstBit = from * 8;
    this.#bit = to * 8 - 8 + (31 - Math.clz32(last));
  }

  /** How many bits are left; negative after reading too many. */
  get left(): number {
    return this.#bit - this.#firstBit;
  }

  /** Reads `count` bits, 25 at most. */
  read(count: number): number {
    const bit = (this.#bit -= count);
    const bytes = this.#bytes;
    const at = bit >> 3;
    const word =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24);
    return (word >>> (bit & 7)) & ((1 << count) - 1);
  }

  /** Reads up to 32 bits. */
  readLong(count: number): number {
    if (count <= 25) return this.read(count);
    const high = this.read(count - 16);
    return high * 0x1_0000 + this.read(16);
  }

  /** Reads like {@link read}, but bits before the beginning are zeros, whatever stands there. */
  readPadded(count: number): number {
    const left = this.left;
    if (left >= count) return this.read(count);
    if (left <= 0) {
      this.#bit -= count;
      return 0;
    }
    const value = this.read(left) << (count - left);
    this.#bit -= count - left;
    return value;
  }
}
