/**
 * Random choices that a seed repeats: the same seed makes the same program on every machine.
 */

/** A stream of choices. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not make similar programs.
    let mixed = (seed ^ 0x9e3779b9) >>> 0;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    this.#state = (mixed ^ (mixed >>> 16)) >>> 0;
  }

  /** An integer from 0 up to, but without, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<Item>(list: readonly Item[]): Item {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new RangeError("nothing to choose from");
    return item;
  }
}
