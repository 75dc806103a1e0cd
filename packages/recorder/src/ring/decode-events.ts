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
  type ResolvedSite,
  UNKNOWN_CODE,
} from "./event-sink.ts";

/** A function that was entered and not left when the words end. */
export interface OpenActivation {
  readonly code: CodeLocation;
  /** The last place known in it; undefined when its probes are not known. */
  readonly site: ResolvedSite | undefined;
}

/** The events of a thread, in the form the format package writes. */
export interface DecodedEvents extends CollectedEvents {
  readonly wrapped: boolean;
  /** Innermost first. */
  readonly open: readonly OpenActivation[];
  /** Waiting at an `await` or `yield`, in the order they began to wait. */
  readonly suspended: readonly OpenActivation[];
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
export const WORD = {
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
  site: ResolvedSite | undefined;
  /** An error is on its way through this activation, and its raising has been told. */
  raised: boolean;
}

/**
 * Decodes the words of one thread, oldest first. Never throws, whatever the words are.
 *
 * Costs about 50 ns a word; resolving is asked for each id only once.
 */
export function decodeEvents(words: Int32Array, options: DecodeOptions): DecodedEvents {
  const decoder = new EventDecoder(words.length, options);
  for (const word of words) decoder.take(word);
  return decoder.finish();
}

class EventDecoder {
  readonly #options: DecodeOptions;
  readonly #sink: EventSink;
  readonly #sites = new Map<number, ResolvedSite | undefined>();
  readonly #stack: Frame[] = [];
  readonly #suspended: Frame[] = [];
  /** Stands for all activations that began before the words do. */
  readonly #below: Frame = { code: UNKNOWN_CODE, site: undefined, raised: false };
  #unresolvedCount = 0;

  constructor(wordCount: number, options: DecodeOptions) {
    this.#options = options;
    this.#sink = new EventSink(wordCount, options.thread, options.firstTstamp ?? 0);
  }

  take(word: number): void {
    const site = this.#resolve(word & ID_MASK);
    const code = site?.code ?? UNKNOWN_CODE;
    switch ((word >>> 28) & 7) {
      case WORD.entry:
        this.#enter(code, site);
        this.#sink.add(V1.start, code, site, code.entryLine);
        break;
      case WORD.exit:
        if (word < 0) this.#unwind(code, site);
        else {
          this.#leave(code);
          this.#sink.add(V1.return, code, site);
        }
        break;
      case WORD.suspend:
        this.#leave(code);
        this.#suspended.push({ code, site, raised: false });
        this.#sink.addFine(site?.kind === "yield" ? "yield" : "await", V1.return, code, site);
        break;
      case WORD.resume:
        this.#resume(code, site, word < 0);
        break;
      case WORD.caught:
        this.#caught(code, site);
        break;
      case WORD.thrown: {
        const frame = this.#frameOf(code);
        frame.raised = true;
        frame.site = site;
        this.#sink.addFine("throw", V1.raise, code, site);
        break;
      }
      case WORD.statement:
        this.#frameOf(code).site = site;
        this.#sink.add(V1.line, code, site);
        break;
      default:
        // A kind of a later version: the place is still worth something.
        this.#sink.add(V1.line, code, site);
    }
  }

  finish(): DecodedEvents {
    const { codes, events, notes } = this.#sink.finish();
    return {
      codes,
      events,
      notes,
      wrapped: this.#options.wrapped,
      open: this.#stack.toReversed().map(({ code, site }) => ({ code, site })),
      suspended: this.#suspended.map(({ code, site }) => ({ code, site })),
      unresolvedCount: this.#unresolvedCount,
    };
  }

  #resolve(id: number): ResolvedSite | undefined {
    const known = this.#sites.get(id);
    if (known !== undefined) return known;
    if (!this.#sites.has(id)) this.#sites.set(id, this.#options.resolve(id));
    const site = this.#sites.get(id);
    if (site === undefined) this.#unresolvedCount++;
    return site;
  }

  #enter(code: CodeLocation, site: ResolvedSite | undefined): Frame {
    // With nothing open, an error that was on its way has left the thread or was handled elsewhere.
    if (this.#stack.length === 0) this.#below.raised = false;
    const frame: Frame = { code, site, raised: false };
    this.#stack.push(frame);
    return frame;
  }

  /** Removes the activation of `code`, and those above it whose end was not recorded. */
  #leave(code: CodeLocation): Frame | undefined {
    const index = this.#indexOf(code);
    if (index < 0) return undefined;
    const frame = this.#stack[index];
    this.#stack.length = index;
    return frame;
  }

  #unwind(code: CodeLocation, site: ResolvedSite | undefined): void {
    const frame = this.#leave(code) ?? this.#wokenByError(code) ?? this.#below;
    if (!frame.raised) this.#sink.addFine("seen", V1.raise, code, site);
    this.#sink.add(V1.unwind, code, site);
    // The error of an async function goes into its promise, that of any other one to the caller.
    if (code.async !== true) (this.#stack.at(-1) ?? this.#below).raised = true;
  }

  #caught(code: CodeLocation, site: ResolvedSite | undefined): void {
    let frame = this.#stack[this.#indexOf(code)];
    if (frame === undefined) {
      frame = this.#wokenByError(code);
      if (frame !== undefined) this.#stack.push(frame);
    }
    frame ??= this.#below;
    if (!frame.raised) this.#sink.addFine("seen", V1.raise, code, site);
    frame.raised = false;
    frame.site = site;
    // v1 has no word for "handled". The line of the handler is about to run, and kind 5 would tell an
    // old reader that the error went on.
    this.#sink.addFine("catch", V1.line, code, site);
  }

  #resume(code: CodeLocation, site: ResolvedSite | undefined, byError: boolean): void {
    this.#takeSuspended(code, site);
    this.#enter(code, site).raised = byError;
    if (byError) this.#sink.addFine("resume-throw", V1.reraise, code, site);
    else this.#sink.addFine("resume", V1.start, code, site);
  }

  /**
   * A function that is not on the stack, but was waiting, goes on with a catch or an unwind: what it
   * waited for was rejected. Probes store nothing at that point, so the event is made here.
   */
  #wokenByError(code: CodeLocation): Frame | undefined {
    const frame = this.#takeSuspended(code, undefined);
    if (frame === undefined) return undefined;
    frame.raised = true;
    this.#sink.addFine("resume-throw", V1.reraise, code, frame.site);
    return frame;
  }

  #takeSuspended(code: CodeLocation, site: ResolvedSite | undefined): Frame | undefined {
    const limit = Math.min(this.#suspended.length, MAX_STACK_SEARCH);
    for (let i = 0; i < limit; i++) {
      const frame = this.#suspended[i];
      if (frame?.code !== code || (site !== undefined && frame.site !== site)) continue;
      this.#suspended.splice(i, 1);
      return frame;
    }
    return undefined;
  }

  #frameOf(code: CodeLocation): Frame {
    return this.#stack[this.#indexOf(code)] ?? this.#below;
  }

  #indexOf(code: CodeLocation): number {
    const lowest = Math.max(0, this.#stack.length - MAX_STACK_SEARCH);
    for (let i = this.#stack.length - 1; i >= lowest; i--) {
      if (this.#stack[i]?.code === code) return i;
    }
    return -1;
  }
}
