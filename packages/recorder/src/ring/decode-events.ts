/**
 * Turns the event words of one thread into the events of a recording.
 *
 * Follows the stack of the thread while it reads, because a word alone does not say whether an error
 * was seen before or whether a function woke up by a rejection. Kinds: docs/decisions/0004-ring.md.
 */

import {
  type CodeLocation,
  type CollectedEvents,
  EventSink,
  type Probe,
  type ResolvedSite,
} from "./event-sink.ts";

/** A function that was entered and not left when the words end. */
interface OpenActivation {
  readonly code: CodeLocation;
  /** The last place known in it; undefined when its probes are not known. */
  readonly site: ResolvedSite | undefined;
}

/** The events of a thread, in the form the format package writes. */
export interface DecodedEvents extends CollectedEvents {
  readonly wrapped: boolean;
  /** Innermost first. */
  readonly open: readonly OpenActivation[];
  /** Where functions wait, and how many activations wait there. */
  readonly suspended: readonly (OpenActivation & { readonly count: number })[];
  /** Words whose probe id nobody knows; their events have line 0 and a code id without entry. */
  readonly unresolvedCount: number;
}

/** How to decode. */
export interface DecodeOptions {
  /** Says what a probe id stands for; asked once for each id. */
  readonly resolve: (id: number) => ResolvedSite | undefined;
  /** 0 for the main thread. */
  readonly thread: number;
  readonly wrapped: boolean;
  /** Where `tstamp` begins. Default 0. */
  readonly firstTstamp?: number;
}

/** Kinds of a word, bits 28 to 30. */
const WORD = {
  entry: 0,
  exit: 1,
  suspend: 2,
  resume: 3,
  caught: 4,
  thrown: 5,
  statement: 6,
} as const;

const V1 = { start: 1, return: 2, line: 3, raise: 4, reraise: 5, unwind: 6 } as const;

const ID_MASK = 0x0fff_ffff;
/** Broken input must not make every event search a deep stack. */
const MAX_STACK_SEARCH = 256;

interface Frame {
  readonly code: CodeLocation;
  /** The last place known in it. */
  probe: Probe;
  /** An error is on its way through this activation, and its raising has been told. */
  raised: boolean;
}

/**
 * Decodes the words of one thread, oldest first. Never throws, whatever the words are.
 *
 * Costs about 0.1 µs a word; resolving is asked for each id only once.
 */
export function decodeEvents(words: Int32Array, options: DecodeOptions): DecodedEvents {
  const decoder = new EventDecoder(words.length, options);
  for (let i = 0; i < words.length; i++) decoder.take(words[i] ?? 0);
  return decoder.finish();
}

class EventDecoder {
  readonly #options: DecodeOptions;
  readonly #sink: EventSink;
  readonly #probes = new Map<number, Probe>();
  readonly #stack: Frame[] = [];
  /** Those that wait at one place are alike, so they are only counted. */
  readonly #suspended = new Map<CodeLocation, Map<Probe, number>>();
  /** Stands for all activations that began before the words do. */
  readonly #below: Frame;
  #unresolvedCount = 0;

  constructor(wordCount: number, options: DecodeOptions) {
    this.#options = options;
    this.#sink = new EventSink(wordCount, options.thread, options.firstTstamp ?? 0);
    const probe = this.#sink.probe(undefined);
    this.#below = { code: probe.code, probe, raised: false };
  }

  take(word: number): void {
    const probe = this.#probeOf(word & ID_MASK);
    switch ((word >>> 28) & 7) {
      case WORD.entry:
        this.#enter(probe);
        this.#sink.addEntry(V1.start, probe);
        break;
      case WORD.exit:
        if (word < 0) {
          this.#unwind(probe);
        } else {
          this.#leave(probe.code);
          this.#sink.add(V1.return, probe);
        }
        break;
      case WORD.suspend:
        this.#leave(probe.code);
        this.#suspend(probe);
        this.#sink.addFine(probe.site?.kind === "yield" ? "yield" : "await", V1.return, probe);
        break;
      case WORD.resume:
        this.#resume(probe, word < 0);
        break;
      case WORD.caught:
        this.#caught(probe);
        break;
      case WORD.thrown: {
        const frame = this.#frameOf(probe);
        frame.raised = true;
        this.#sink.addFine("throw", V1.raise, probe);
        break;
      }
      default:
        // A statement, or a kind of a later version: the place is still worth something.
        this.#frameOf(probe);
        this.#sink.add(V1.line, probe);
    }
  }

  finish(): DecodedEvents {
    const { codes, events, notes } = this.#sink.finish();
    return {
      codes,
      events,
      notes,
      wrapped: this.#options.wrapped,
      open: this.#stack.toReversed().map(({ code, probe }) => ({ code, site: probe.site })),
      suspended: [...this.#suspended].flatMap(([code, places]) =>
        [...places].map(([{ site }, count]) => ({ code, site, count })),
      ),
      unresolvedCount: this.#unresolvedCount,
    };
  }

  #probeOf(id: number): Probe {
    let probe = this.#probes.get(id);
    if (probe === undefined) {
      probe = this.#sink.probe(this.#options.resolve(id));
      this.#probes.set(id, probe);
    }
    if (probe.codeId === 0) this.#unresolvedCount++;
    return probe;
  }

  #enter(probe: Probe): Frame {
    // With nothing open, an error that was on its way has left the thread or was handled elsewhere.
    if (this.#stack.length === 0) this.#below.raised = false;
    const frame: Frame = { code: probe.code, probe, raised: false };
    this.#stack.push(frame);
    return frame;
  }

  /** Removes the activation of `code`, and those above it whose end was not recorded. */
  #leave(code: CodeLocation): Frame | undefined {
    const top = this.#stack.at(-1);
    if (top?.code === code) return this.#stack.pop();
    const index = this.#indexOf(code);
    if (index < 0) return undefined;
    const frame = this.#stack[index];
    this.#stack.length = index;
    return frame;
  }

  #unwind(probe: Probe): void {
    const { code } = probe;
    const frame = this.#leave(code) ?? this.#wokenByError(code) ?? this.#below;
    if (!frame.raised) this.#sink.addFine("seen", V1.raise, probe);
    this.#sink.add(V1.unwind, probe);
    // The error of an async function goes into its promise, that of any other one to the caller.
    if (code.async !== true) (this.#stack.at(-1) ?? this.#below).raised = true;
  }

  #caught(probe: Probe): void {
    let frame = this.#stack[this.#indexOf(probe.code)];
    if (frame === undefined) {
      frame = this.#wokenByError(probe.code);
      if (frame !== undefined) this.#stack.push(frame);
    }
    frame ??= this.#below;
    if (!frame.raised) this.#sink.addFine("seen", V1.raise, probe);
    frame.raised = false;
    frame.probe = probe;
    // v1 has no word for "handled". The line of the handler is about to run, and kind 5 would tell an
    // old reader that the error went on.
    this.#sink.addFine("catch", V1.line, probe);
  }

  #suspend(probe: Probe): void {
    let places = this.#suspended.get(probe.code);
    if (places === undefined) {
      places = new Map();
      this.#suspended.set(probe.code, places);
    }
    places.set(probe, (places.get(probe) ?? 0) + 1);
  }

  #resume(probe: Probe, byError: boolean): void {
    this.#wake(probe);
    this.#enter(probe).raised = byError;
    if (byError) this.#sink.addFine("resume-throw", V1.reraise, probe);
    else this.#sink.addFine("resume", V1.start, probe);
  }

  #wake(probe: Probe): void {
    const places = this.#suspended.get(probe.code);
    const count = places?.get(probe) ?? 0;
    if (count > 1) places?.set(probe, count - 1);
    else places?.delete(probe);
  }

  /**
   * A function that is not on the stack, but was waiting, goes on with a catch or an unwind: what it
   * waited for was rejected. Probes store nothing at that point, so the event is made here. With
   * several places where it waits, the one that was waited at first is told.
   */
  #wokenByError(code: CodeLocation): Frame | undefined {
    const [probe] = this.#suspended.get(code)?.keys() ?? [];
    if (probe === undefined) return undefined;
    this.#wake(probe);
    this.#sink.addFine("resume-throw", V1.reraise, probe);
    return { code, probe, raised: true };
  }

  /** The activation a probe is in; notes that it was here last. */
  #frameOf(probe: Probe): Frame {
    const frame = this.#stack[this.#indexOf(probe.code)] ?? this.#below;
    frame.probe = probe;
    return frame;
  }

  #indexOf(code: CodeLocation): number {
    const lowest = Math.max(0, this.#stack.length - MAX_STACK_SEARCH);
    for (let i = this.#stack.length - 1; i >= lowest; i--) {
      if (this.#stack[i]?.code === code) return i;
    }
    return -1;
  }
}
