/**
 * Collects the frames around a boundary call while they return.
 *
 * The head's flag word is up while an operation waits for its frames; instrumented functions look
 * at it when they return or suspend. A function belongs to the operation only if it was already
 * running when the operation began: exits and suspensions must outnumber entries and resumptions
 * in the ring since then. A microtask takes the flag down again.
 */
import {
  holdWeakly,
  MAX_STARTING_FRAMES,
  type Operation,
  releaseFrame,
  type WeakValue,
} from "./operation.ts";

/** Kinds of an event word, bits 28–30. */
const ENTRY = 0;
const EXIT = 1;
const SUSPEND = 2;
const RESUME = 3;

/**
 * How many events may follow a call before we stop looking for the frames around it.
 *
 * While the flag is up every return costs a call: a long computation behind a `setTimeout` must
 * not pay for it until its end.
 */
const MAX_SCANNED_EVENTS = 512;

/**
 * How many operations of one job get their frames.
 *
 * A WeakRef keeps its object alive until the job ends: a loop that sets ten thousand timers must
 * not keep the values of ten thousand calls.
 */
const MAX_PER_JOB = 24;

/** How many operations hold small objects strongly. */
const HELD_OPERATIONS = 16;

interface Waiting {
  readonly operation: Operation;
  /** Index of the first event behind the call. */
  readonly start: number;
  /** Index of the next event to look at. */
  position: number;
  /** Entries minus exits since the operation began. */
  depth: number;
  lowest: number;
}

/** The operations of one thread that wait for their starting frames. */
export class StartingFrames {
  readonly #events: Int32Array;
  readonly #head: Int32Array;
  #waiting: Waiting[] = [];
  readonly #held: (Operation | undefined)[] = Array.from({ length: HELD_OPERATIONS });
  #nextHeld = 0;
  #countInJob = 0;
  #scheduled = false;
  /** Up while the recorder itself works: its own calls have no frames to wait for. */
  isPaused = false;
  readonly #clear = (): void => {
    this.#scheduled = false;
    this.#countInJob = 0;
    this.#waiting = [];
    this.#head[1] = 0;
  };
  readonly #schedule: (callback: () => void) => void;

  constructor(events: Int32Array, head: Int32Array) {
    this.#events = events;
    this.#head = head;
    const settled = Promise.resolve();
    const then = settled.then.bind(settled);
    this.#schedule = (callback) => void then(callback);
  }

  /** Asks the frames that are running now to leave their values in the operation. */
  await(operation: Operation): void {
    if (this.isPaused || this.#countInJob >= MAX_PER_JOB) return;
    this.#countInJob++;
    const start = this.#head[0] ?? 0;
    const waiting: Waiting = { operation, start, position: start, depth: 0, lowest: 0 };
    this.#waiting[this.#waiting.length] = waiting;
    const oldest = this.#held[this.#nextHeld]?.frames ?? [];
    for (let i = 0; i < oldest.length; i++) {
      const frame = oldest[i];
      if (frame !== undefined) releaseFrame(frame);
    }
    this.#held[this.#nextHeld] = operation;
    this.#nextHeld = (this.#nextHeld + 1) % HELD_OPERATIONS;
    this.#head[1] = 1;
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.#schedule(this.#clear);
    }
  }

  /** Called by a function that returns or suspends while the flag is up. */
  leave(id: number, self: unknown, locals: readonly unknown[]): void {
    const end = this.#head[0] ?? 0;
    for (let i = this.#waiting.length - 1; i >= 0; i--) {
      const waiting = this.#waiting[i];
      if (waiting === undefined) continue;
      if (!this.#scan(waiting, end)) {
        this.#drop(i);
        continue;
      }
      if (waiting.depth >= waiting.lowest) continue;
      waiting.lowest = waiting.depth;
      const { frames } = waiting.operation;
      frames[frames.length] = { id, self: holdWeakly(self), locals: holdAll(locals) };
      if (frames.length >= MAX_STARTING_FRAMES) this.#drop(i);
    }
    if (this.#waiting.length === 0) this.#head[1] = 0;
  }

  /** Takes one out; the last takes its place. */
  #drop(index: number): void {
    const last = this.#waiting[this.#waiting.length - 1];
    if (last !== undefined) this.#waiting[index] = last;
    this.#waiting.length--;
  }

  #scan(waiting: Waiting, end: number): boolean {
    if (((end - waiting.start) | 0) > MAX_SCANNED_EVENTS) return false;
    const mask = this.#events.length - 1;
    for (let i = waiting.position; i !== end; i = (i + 1) | 0) {
      const word = this.#events[i & mask] ?? 0;
      switch ((word >>> 28) & 7) {
        case ENTRY:
        case RESUME:
          waiting.depth++;
          break;
        case EXIT:
        case SUSPEND:
          waiting.depth--;
          break;
        default:
      }
    }
    waiting.position = end;
    return true;
  }
}

/** As `map`, which the program may have replaced. */
function holdAll(values: readonly unknown[]): WeakValue[] {
  const held: WeakValue[] = [];
  for (let i = 0; i < values.length; i++) held[i] = holdWeakly(values[i]);
  return held;
}
