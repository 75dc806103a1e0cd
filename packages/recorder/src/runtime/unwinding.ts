/**
 * Remembers what each error passed through: the frames it left, and where it was made.
 *
 * Keyed weakly by the error and held by nothing else, so that what the program drops can be
 * collected at once, also in the job that caught the error; and only for the youngest errors, so
 * that a program which stores its errors does not store our copies as well.
 */
import type { Operation } from "../operations/operation.ts";
import { isReference, objectIs, SafeWeakMap } from "./primordials.ts";

/** One function that an error left, with the values it held. */
export interface UnwoundFrame {
  /** Absolute probe id of the statement that was running. */
  readonly id: number;
  readonly self: unknown;
  /** In the order of the function's `locals`. */
  readonly locals: readonly unknown[];
  /** What the function awaited last; undefined for functions without `await`. */
  readonly awaited: unknown;
}

/** The way of one error, innermost frame first. */
export interface Unwinding {
  frames: UnwoundFrame[];
  /** The operation in whose callback the error first left a function. */
  readonly operation: Operation | undefined;
  /** How many frames in the middle, behind the first 256, were dropped. */
  droppedFrames: number;
  /** Where the frames begin that the error left since it was last met in another job or place. */
  passage: number;
  /** Tells whether this error was the last that left a function. */
  readonly number: number;
}

/** Where an error or a rejected promise was made. */
export interface Birth {
  readonly id: number;
  readonly self: unknown;
  /** Undefined for errors that are not among the youngest: a stored error must not store these. */
  readonly locals: readonly unknown[] | undefined;
  readonly operation: Operation | undefined;
}

/** At least so many of the youngest errors keep what is known of them, and at most twice as many. */
const KEPT_ERRORS = 32;
const MAX_FRAMES = 512;
const KEPT_PRIMITIVES = 8;
const NONE = -1;

/** Does something when the current job has ended, at most once a job. */
class EndOfJob {
  readonly #then: (callback: () => void) => unknown;
  readonly #run: () => void;
  #isScheduled = false;

  constructor(step: () => void) {
    const settled = Promise.resolve();
    this.#then = settled.then.bind(settled);
    this.#run = () => {
      this.#isScheduled = false;
      step();
    };
  }

  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#then(this.#run);
  }
}

/**
 * A weak map that forgets: only the keys that were set last are in it.
 *
 * Two maps, of which the older is dropped whole when the younger is full. A list of the youngest
 * would have to hold them strongly, or by a WeakRef, which the engine holds strongly until all
 * microtasks have run.
 */
class YoungestKeys<Key extends object, Value> {
  #young = new SafeWeakMap<Key, Value>();
  #old = new SafeWeakMap<Key, Value>();
  #count = 0;

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** Makes a key one of the youngest. */
  set(key: Key, value: Value): void {
    if (this.#young.get(key) === undefined && ++this.#count > KEPT_ERRORS) {
      this.#old = this.#young;
      this.#young = new SafeWeakMap();
      this.#count = 1;
    }
    this.#young.set(key, value);
  }
}

/** Where errors and rejected promises of one thread were made; with values for the youngest. */
export class BirthTable {
  readonly #places = new SafeWeakMap<object, Pick<Birth, "id" | "operation">>();
  readonly #values = new YoungestKeys<object, Pick<Birth, "self" | "locals">>();

  get(value: object): Birth | undefined {
    const place = this.#places.get(value);
    if (place === undefined) return undefined;
    const values = this.#values.get(value);
    return { ...place, self: values?.self, locals: values?.locals };
  }

  add(value: object, { id, self, locals, operation }: Birth): void {
    this.#places.set(value, { id, operation });
    this.#values.set(value, { self, locals });
  }
}

/** The unwindings of one thread. */
export class UnwindingTable {
  readonly #byError = new YoungestKeys<object, Unwinding>();
  readonly #primitives: ({ value: unknown; unwinding: Unwinding } | undefined)[] = [];
  #nextPrimitive = 0;
  #nextNumber = 0;
  /** The error that left a function most recently in this job: it leaves the next one as well. */
  #last = NONE;
  readonly #endOfJob = new EndOfJob(() => {
    this.#last = NONE;
  });

  /** Notes that an error left a function. */
  leave(error: unknown, frame: UnwoundFrame, operation: () => Operation | undefined): void {
    let unwinding = this.find(error);
    if (unwinding === undefined || unwinding.number !== this.#last) {
      unwinding = this.#enter(error, unwinding, operation);
      this.#last = unwinding.number;
      this.#endOfJob.schedule();
    }
    const { frames } = unwinding;
    if (frames.length >= MAX_FRAMES) makeRoom(unwinding);
    frames[frames.length] = frame;
  }

  find(error: unknown): Unwinding | undefined {
    if (isReference(error)) return this.#byError.get(error);
    for (let i = 0; i < KEPT_PRIMITIVES; i++) {
      const entry = this.#primitives[i];
      if (entry !== undefined && objectIs(entry.value, error)) return entry.unwinding;
    }
    return undefined;
  }

  #enter(
    error: unknown,
    known: Unwinding | undefined,
    operation: () => Operation | undefined,
  ): Unwinding {
    if (known !== undefined) {
      known.passage = known.frames.length;
      if (isReference(error)) this.#byError.set(error, known);
      return known;
    }
    const unwinding: Unwinding = {
      frames: [],
      operation: operation(),
      droppedFrames: 0,
      passage: 0,
      number: this.#nextNumber++,
    };
    if (isReference(error)) {
      this.#byError.set(error, unwinding);
    } else {
      // A thrown primitive has no identity: the youngest equal one is taken for the same.
      this.#primitives[this.#nextPrimitive] = { value: error, unwinding };
      this.#nextPrimitive = (this.#nextPrimitive + 1) % KEPT_PRIMITIVES;
    }
    return unwinding;
  }
}

/**
 * Makes room for one more frame: an earlier passage of the same error goes first, then frames in
 * the middle. The ones nearest to the crash and the ones nearest to the caller stay.
 */
function makeRoom(unwinding: Unwinding): void {
  const { frames, passage } = unwinding;
  const from = passage > 0 ? 0 : MAX_FRAMES / 2;
  const count = passage > 0 ? passage : 1;
  for (let i = from; i + count < frames.length; i++) {
    const next = frames[i + count];
    if (next !== undefined) frames[i] = next;
  }
  frames.length -= count;
  if (passage > 0) unwinding.passage = 0;
  else unwinding.droppedFrames += count;
}
