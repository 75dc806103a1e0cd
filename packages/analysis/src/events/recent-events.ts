/**
 * Gives the last events of a recording with the depth of the calls they belong to.
 *
 * Depth is rebuilt per thread from entries and exits; calls that began before the ring's first
 * event are counted as far as their exits are seen. Kinds: docs/format.md, "Event ring".
 */
import type { Recording } from "@orangebox/format";

import { eventDetails } from "../extensions/event-details.ts";

/** What an event means. */
export type EventKind = "call" | "return" | "line" | "raise" | "reraise" | "unwind" | "unknown";

/** One event, oldest first in any list. */
export interface EventView {
  readonly kind: EventKind;
  /** The number in the file, 1 to 6 for the known kinds. */
  readonly code: number;
  /** What the recorder says beyond the kind, such as `await` or `resume`. */
  readonly detail: string | undefined;
  readonly qualname: string;
  readonly file: string;
  /** From 1; 0 means unknown. */
  readonly line: number;
  readonly column: number | undefined;
  readonly thread: number;
  /** Calls open around this event, counted from the outermost call seen. */
  readonly depth: number;
}

const KINDS: readonly EventKind[] = [
  "unknown",
  "call",
  "return",
  "line",
  "raise",
  "reraise",
  "unwind",
];
/** Most events that are read in order to know the depth of the last ones. */
const MAX_EVENTS_WALKED = 200_000;

/** Gives the last `limit` events, oldest first; none when the recording has no ring. */
export function recentEvents(recording: Recording, limit: number): EventView[] {
  const ring = recording.events();
  if (ring === undefined || limit <= 0) return [];
  const details = eventDetails(recording);
  const total = ring.events.length;
  const threads = new Map<number, CallStack>();
  const views: (EventView & { stack: CallStack })[] = [];
  for (let i = Math.max(0, total - Math.max(limit, MAX_EVENTS_WALKED)); i < total; i += 1) {
    const event = ring.events.at(i);
    if (event === undefined) continue;
    const stack = threads.get(event.thread) ?? new CallStack();
    threads.set(event.thread, stack);
    const depth = stack.step(event.kind, String(event.codeId));
    if (i < total - limit) continue;
    const code = ring.codes.get(event.codeId);
    views.push({
      kind: KINDS[event.kind] ?? "unknown",
      code: event.kind,
      detail: details.detail(event.tstamp),
      qualname: code?.qualname ?? "",
      file: code?.file ?? "",
      line: event.line,
      column: details.column(event.tstamp),
      thread: event.thread,
      depth,
      stack,
    });
  }
  return views.map(({ stack, ...view }) => ({ ...view, depth: view.depth - stack.lowest }));
}

/** The calls of one thread that are open, as far as the events tell. */
class CallStack {
  /** The smallest depth seen; below 0 when calls ended that began before the first event. */
  lowest = 0;
  #base = 0;
  readonly #open: string[] = [];

  /** Takes in one event and gives its depth. */
  step(kind: number, code: string): number {
    const open = this.#open;
    if (kind === 1) return this.#base + open.push(code) - 1;
    const at = open.lastIndexOf(code);
    if (kind === 2 || kind === 6) {
      if (at >= 0) open.length = at;
      else if (open.length === 0) this.#base -= 1;
      this.lowest = Math.min(this.lowest, this.#base);
      return this.#base + open.length;
    }
    // A rejection that arrives resumes its function; anything else is inside the innermost call.
    if (kind === 5 && at < 0) open.push(code);
    else if (at >= 0) open.length = at + 1;
    const depth = this.#base + open.length - 1;
    this.lowest = Math.min(this.lowest, depth);
    return depth;
  }
}
