/**
 * Keeps the last writes of a thread as plain numbers and characters: nothing stays alive through it.
 *
 * Columns in typed arrays, used in a circle. Primitives are kept by value, objects as the identity
 * that identity-table.ts gave them. Where the log is full, it goes on at its start, or hands all of
 * it to `onFull` first, for those who want every write. Filled by note-writes.ts.
 */

/** What a value was; the meaning of `values` and `sizes` depends on it. */
export const VALUE = {
  unknown: 0,
  undefined: 1,
  null: 2,
  false: 3,
  true: 4,
  /** `values`: the number. */
  number: 5,
  /** `values`: where its text begins in `texts`; `sizes`: its whole length. */
  string: 6,
  /** Too long to be looked at; only `sizes`. */
  unreadString: 7,
  /** Its digits, as a string. */
  bigint: 8,
  /** Its description, as a string. */
  symbol: 9,
  /** `values`: the identity of the object; `sizes`: its entries, or -1. */
  object: 10,
  deleted: 11,
} as const;

/** How a value log is made. */
export interface ValueLogOptions {
  /** Writes kept at least; rounded up to a power of two between 16 and 2^24. */
  readonly capacity: number;
  /** Called when the log is full, before it begins anew. Without it the oldest are overwritten. */
  readonly onFull?: (log: ValueLog) => void;
}

/** Units kept of a text. */
export const MAX_TEXT_UNITS = 120;
/** Room for texts, in units for each write. */
const TEXT_UNITS_PER_WRITE = 16;
const MIN_CAPACITY = 16;
const MAX_CAPACITY = 2 ** 24;

/** The log of one thread: 47 bytes a write, and 32 for its texts. */
export class ValueLog {
  readonly capacity: number;
  /** The next slot, up to `capacity`; then how often the log was full before. */
  readonly cursor: Int32Array = new Int32Array(2);
  readonly sites: Int32Array;
  /** Numbers of activations. */
  readonly frames: Float64Array;
  /** Index of the next event in the ring when the write was noted. */
  readonly ticks: Int32Array;
  readonly kinds: Uint8Array;
  readonly values: Float64Array;
  readonly sizes: Int32Array;
  /** Of properties and elements: the identity of the owner, or 0. */
  readonly owners: Float64Array;
  readonly keyKinds: Uint8Array;
  readonly keys: Float64Array;
  readonly keySizes: Int32Array;
  /** UTF-16 units, in a circle of their own. */
  readonly texts: Uint16Array;
  /** [units ever written into `texts`] */
  readonly textEnd: Float64Array = new Float64Array(1);
  readonly #onFull: ((log: ValueLog) => void) | undefined;

  constructor({ capacity, onFull }: ValueLogOptions) {
    let size = MIN_CAPACITY;
    while (size < capacity && size < MAX_CAPACITY) size *= 2;
    this.capacity = size;
    this.sites = new Int32Array(size);
    this.frames = new Float64Array(size);
    this.ticks = new Int32Array(size);
    this.kinds = new Uint8Array(size);
    this.values = new Float64Array(size);
    this.sizes = new Int32Array(size);
    this.owners = new Float64Array(size);
    this.keyKinds = new Uint8Array(size);
    this.keys = new Float64Array(size);
    this.keySizes = new Int32Array(size);
    this.texts = new Uint16Array(size * TEXT_UNITS_PER_WRITE);
    this.#onFull = onFull;
  }

  /** Writes noted so far, those that are gone included. */
  get total(): number {
    return (this.cursor[1] ?? 0) * this.capacity + (this.cursor[0] ?? 0);
  }

  /** The number, counted from 0 since the start, of the oldest write that is still there. */
  get oldest(): number {
    return (this.cursor[1] ?? 0) > 0 ? this.total - this.capacity : 0;
  }

  /** Begins anew; the caller takes slot 0. */
  turn(): void {
    this.#onFull?.(this);
    this.cursor[0] = 0;
    this.cursor[1] = (this.cursor[1] ?? 0) + 1;
  }

  /** A text of the log; undefined when it was overwritten. */
  text(start: number, length: number): string | undefined {
    const { texts } = this;
    if (start < (this.textEnd[0] ?? 0) - texts.length) return undefined;
    const count = Math.min(length, MAX_TEXT_UNITS);
    let text = "";
    for (let at = 0; at < count; at++) {
      text += String.fromCharCode(texts[(start + at) % texts.length] ?? 0);
    }
    return text;
  }
}
