/**
 * Unsigned 64-bit numbers in JavaScript: a `number` where that is exact, else a `bigint`.
 *
 * Every id that this package decodes is in that normal form, so two equal ids are `===`.
 */

/** An unsigned 64-bit integer: a number up to 2^53 - 1, a bigint above. */
export type Id = number | bigint;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Brings an id into normal form, so that it can be compared and used as a key. */
export function normalizeId(id: Id): Id {
  return typeof id === "bigint" && id <= MAX_SAFE && id >= 0n ? Number(id) : id;
}

/** A read-only map keyed by ids; `5` and `5n` are the same key. */
export class IdMap<V> {
  readonly #entries: ReadonlyMap<Id, V>;

  /** Takes a map whose keys are in normal form. */
  constructor(entries: ReadonlyMap<Id, V>) {
    this.#entries = entries;
  }

  /** How many keys there are. */
  get size(): number {
    return this.#entries.size;
  }

  get(id: Id): V | undefined {
    return this.#entries.get(normalizeId(id));
  }

  has(id: Id): boolean {
    return this.#entries.has(normalizeId(id));
  }

  keys(): Iterable<Id> {
    return this.#entries.keys();
  }

  values(): Iterable<V> {
    return this.#entries.values();
  }

  [Symbol.iterator](): Iterator<[Id, V]> {
    return this.#entries[Symbol.iterator]();
  }
}
