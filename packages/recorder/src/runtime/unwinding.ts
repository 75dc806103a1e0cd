/**
 * Remembers what each error passed through: the frames it left, and where it was made.
 *
 * Keyed weakly by the error, so that nothing outlives it; and at most 32 errors at a time keep
 * their frames, so that a program which stores its errors does not store our copies as well. While
 * a job runs the youngest are held strongly: a handled throw must cost no more than a function
 * call a frame, and a WeakRef costs more than that. The engine keeps what a WeakRef is made for
 * until all microtasks have run, which in a program that only awaits settled promises is never; so
 * only so many are made before the event loop goes round, and after that the youngest stay strong.
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
/** How many WeakRefs one table makes between two rounds of the event loop. */
const MAX_WEAK_REFS = 256;

/** Before the program, or the recorder, can replace it. */
const { setImmediate } = globalThis;

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
 * The youngest entries of a kind: strong within the job that made them, weak from then on, and
 * emptied when 32 younger ones have come.
 */
class YoungestEntries<Entry extends object> {
  readonly #entries: (Entry | WeakRef<Entry> | undefined)[] = Array.from({ length: KEPT_ERRORS });
  readonly #empty: (entry: Entry) => void;
  readonly #endOfJob: EndOfJob;
  #next = 0;
  /** How many of the newest are strong. */
  #strong = 0;
  /** How many WeakRefs were made since the event loop last went round. */
  #weakRefs = 0;
  #isWaiting = false;

  constructor(empty: (entry: Entry) => void, onEndOfJob: () => void) {
    this.#empty = empty;
    this.#endOfJob = new EndOfJob(() => {
      onEndOfJob();
      if (this.#weakRefs + this.#strong <= MAX_WEAK_REFS) this.#weaken();
      else this.#weakenLater();
    });
  }

  #weaken(): void {
    for (let back = 1; back <= this.#strong; back++) {
      const index = (this.#next - back + KEPT_ERRORS) % KEPT_ERRORS;
      const entry = this.#entries[index];
      if (entry !== undefined && !(entry instanceof WeakRef)) {
        this.#entries[index] = new WeakRef(entry);
        this.#weakRefs++;
      }
    }
    this.#strong = 0;
  }

  #weakenLater(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => {
      this.#isWaiting = false;
      this.#weakRefs = 0;
      this.#weaken();
    }).unref();
  }

  add(entry: Entry): void {
    const oldest = this.#entries[this.#next];
    if (oldest !== undefined) {
      const known = oldest instanceof WeakRef ? oldest.deref() : oldest;
      if (known !== undefined) this.#empty(known);
    }
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % KEPT_ERRORS;
    if (this.#strong < KEPT_ERRORS) this.#strong++;
    this.#endOfJob.schedule();
  }
}

/** Where the youngest errors and rejected promises of one thread were made. */
export class BirthTable {
  readonly #byValue = new SafeWeakMap<object, Birth>();
  readonly #youngest = new YoungestEntries<Birth>(
    (birth) => {
      birth.self = undefined;
      birth.locals = undefined;
    },
    () => undefined,
  );

  get(value: object): Birth | undefined {
    return this.#byValue.get(value);
  }

  add(value: object, birth: Birth): void {
    this.#byValue.set(value, birth);
    this.#youngest.add(birth);
  }
}

/** The unwindings of one thread. */
export class UnwindingTable {
  readonly #byError = new SafeWeakMap<object, Unwinding>();
  readonly #youngest = new YoungestEntries<Unwinding>(
    (unwinding) => {
      unwinding.frames = [];
    },
    () => {
      this.#lastError = undefined;
      this.#last = undefined;
    },
  );
  readonly #primitives: ({ value: unknown; unwinding: Unwinding } | undefined)[] = [];
  #nextPrimitive = 0;
  /** The error that left a function most recently in this job: it leaves the next one as well. */
  #lastError: unknown;
  #last: Unwinding | undefined;

  /** Notes that an error left a function. */
  leave(error: unknown, frame: UnwoundFrame, operation: () => Operation | undefined): void {
    let unwinding = this.#last;
    if (unwinding === undefined || error !== this.#lastError) {
      unwinding = this.#enter(error, operation);
      this.#lastError = error;
      this.#last = unwinding;
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

  #enter(error: unknown, operation: () => Operation | undefined): Unwinding {
    const known = this.find(error);
    if (known !== undefined) {
      known.passage = known.frames.length;
      return known;
    }
    const unwinding: Unwinding = {
      frames: [],
      operation: operation(),
      droppedFrames: 0,
      passage: 0,
    };
    if (isReference(error)) {
      this.#byError.set(error, unwinding);
    } else {
      // A thrown primitive has no identity: the youngest equal one is taken for the same.
      this.#primitives[this.#nextPrimitive] = { value: error, unwinding };
      this.#nextPrimitive = (this.#nextPrimitive + 1) % KEPT_PRIMITIVES;
    }
    this.#youngest.add(unwinding);
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
