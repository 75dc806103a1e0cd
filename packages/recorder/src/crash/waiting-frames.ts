/**
 * Says of functions that wait where they do: from events alone, so without variables.
 *
 * For the box of a program that ended although its top level still waited.
 */
import type { DecodedEvents } from "../ring/decode-events.ts";
import type { CollectedFrame } from "./collect-frames.ts";

/** The namespace that says how a program ended. */
export const DEATH_NAMESPACE = "orangebox.death";

const MAX_FRAMES = 100;

/** Gives a frame for each place where functions wait, the youngest first. */
export function waitingFrames({ suspended }: DecodedEvents): CollectedFrame[] {
  return suspended
    .toReversed()
    .slice(0, MAX_FRAMES)
    .map(({ code, site, count }) => ({
      file: code.file,
      qualname: code.async === true ? `async ${code.qualname}` : code.qualname,
      line: site?.line ?? 0,
      column: site?.column ?? 0,
      firstLine: code.firstLine,
      kind: "async" as const,
      isAsync: code.async === true,
      boundary: boundaryOf(site?.kind),
      note: noteOf(count),
      locals: [],
    }));
}

/** Whether nothing runs, and the body of a module waits. */
export function isTopLevelWaiting(events: DecodedEvents | undefined): boolean {
  if (events === undefined || events.open.length > 0) return false;
  return events.suspended.some(({ code }) => code.qualname === "<module>");
}

/** What stands between a function that waits and the frame before it. */
export function boundaryOf(siteKind: string | undefined): string {
  return siteKind === "yield" ? "a generator that stands still" : "another task, waiting";
}

/** How many wait at one place. */
export function noteOf(count: number): string {
  return count === 1 ? "waits here" : `waits here ${count} times`;
}

/** Data of EXT `orangebox.death` for an end with code 13. Layout: docs/format.md. */
export function unsettledDeath(waitingCount: number): Readonly<Record<string, unknown>> {
  return {
    how: "exit",
    code: 13,
    cause: "nothing-left-to-do",
    text: "ended with code 13: nothing kept the event loop alive while the top level waited",
    recovered: false,
    openCount: 0,
    waitingCount,
  };
}
