/**
 * Remembers what each error passed through: the frames it left, and where it was made.
 *
 * Keyed weakly by the error, so that nothing outlives it; and at most 32 errors at a time keep
 * their frames, so that a program which stores its errors does not store our copies as well.
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
  operation: Operation | undefined;
  /** How many older frames were dropped because the error travelled too far. */
  droppedFrames: number;
}

/** Where an error or a rejected promise was made. */
export interface Birth {
  readonly id: number;
  self: unknown;
  /** Taken away when 32 younger errors were made: a stored error must not store these. */
  locals: readonly unknown[] | undefined;
  readonly operation: Operation | undefined;
}

const KEPT_ERRORS = 32;
const MAX_FRAMES = 512;
const KEPT_PRIMITIVES = 8;

/** Where the youngest errors and rejected promises of one thread were made. */
export class BirthTable {
  readonly #byValue = new SafeWeakMap<object, Birth>();
  readonly #recent: (WeakRef<Birth> | undefined)[] = Array.from({ length: KEPT_ERRORS });
  #next = 0;

  get(value: object): Birth | undefined {
    return this.#byValue.get(value);
  }

  add(value: object, birth: Birth): void {
    this.#byValue.set(value, birth);
    const oldest = this.#recent[this.#next]?.deref();
    if (oldest !== undefined) {
      oldest.self = undefined;
      oldest.locals = undefined;
    }
    this.#recent[this.#next] = new WeakRef(birth);
    this.#next = (this.#next + 1) % KEPT_ERRORS;
  }
}

/** The unwindings of one thread. */
export class UnwindingTable {
  readonly #byError = new SafeWeakMap<object, Unwinding>();
  /** Weak, so that the list itself keeps no error's frames alive. */
  readonly #recent: (WeakRef<Unwinding> | undefined)[] = Array.from({ length: KEPT_ERRORS });
  #next = 0;
  readonly #primitives: ({ value: unknown; unwinding: Unwinding } | undefined)[] = [];
  #nextPrimitive = 0;

  /** The record of this error, made on first use. */
  enter(error: unknown, operation: () => Operation | undefined): Unwinding {
    if (!isReference(error)) return this.#enterPrimitive(error, operation);
    const known = this.#byError.get(error);
    if (known !== undefined) return known;
    const unwinding: Unwinding = { frames: [], operation: operation(), droppedFrames: 0 };
    this.#byError.set(error, unwinding);
    const oldest = this.#recent[this.#next]?.deref();
    if (oldest !== undefined) oldest.frames = [];
    this.#recent[this.#next] = new WeakRef(unwinding);
    this.#next = (this.#next + 1) % KEPT_ERRORS;
    return unwinding;
  }

  find(error: unknown): Unwinding | undefined {
    if (isReference(error)) return this.#byError.get(error);
    for (let i = 0; i < KEPT_PRIMITIVES; i++) {
      const entry = this.#primitives[i];
      if (entry !== undefined && objectIs(entry.value, error)) return entry.unwinding;
    }
    return undefined;
  }

  push(unwinding: Unwinding, frame: UnwoundFrame): void {
    const { frames } = unwinding;
    if (frames.length >= MAX_FRAMES) {
      // The frames nearest to the crash are the last ones: the oldest half goes.
      for (let i = 0; i < MAX_FRAMES / 2; i++) {
        const younger = frames[i + MAX_FRAMES / 2];
        if (younger !== undefined) frames[i] = younger;
      }
      frames.length = MAX_FRAMES / 2;
      unwinding.droppedFrames += MAX_FRAMES / 2;
    }
    frames[frames.length] = frame;
  }

  /** A thrown primitive has no identity: the youngest equal one is taken for the same. */
  #enterPrimitive(value: unknown, operation: () => Operation | undefined): Unwinding {
    for (let i = 0; i < KEPT_PRIMITIVES; i++) {
      const entry = this.#primitives[i];
      if (entry !== undefined && objectIs(entry.value, value)) return entry.unwinding;
    }
    const unwinding: Unwinding = { frames: [], operation: operation(), droppedFrames: 0 };
    this.#primitives[this.#nextPrimitive] = { value, unwinding };
    this.#nextPrimitive = (this.#nextPrimitive + 1) % KEPT_PRIMITIVES;
    return unwinding;
  }
}
