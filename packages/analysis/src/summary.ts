/** Sums a recording up in a few numbers, for lists of recordings and for other tools. */
import type { Recording } from "@orangebox/format";

import { deathView } from "./extensions/death-details.ts";
import { recentEvents } from "./events/recent-events.ts";
import type { EventView } from "./events/recent-events.ts";

/** What a recording holds. Counts are of decoded records. */
export interface Summary {
  readonly formatVersion: number;
  readonly flightVersion: string;
  readonly createdUnixMs: number;
  readonly status: Recording["status"];
  readonly partial: boolean;
  readonly usedIndex: boolean;
  /** Names of the blocks in file order. */
  readonly blocks: readonly string[];
  readonly hasCrash: boolean;
  readonly exceptionCount: number;
  readonly frameCount: number;
  readonly objectCount: number;
  readonly mutationCount: number;
  readonly tapeCount: number;
  readonly eventCount: number;
  readonly codeCount: number;
  /** Whether the oldest events are gone. */
  readonly wrapped: boolean;
  /** The last 10 events, newest first. */
  readonly recentEvents: readonly EventView[];
}

const RECENT_EVENT_COUNT = 10;

/** Sums up a recording. Decodes all of it: for a large file, ask for single parts instead. */
export function summarize(recording: Recording): Summary {
  const ring = recording.events();
  return {
    formatVersion: recording.header.version,
    flightVersion: recording.header.flightVersion,
    createdUnixMs: Number(recording.header.createdUnixMs),
    status: recording.status,
    partial: recording.partial,
    usedIndex: recording.usedIndex,
    blocks: recording.blocks.map((block) => block.name),
    hasCrash: hasCrash(recording),
    exceptionCount: recording.exceptions().length,
    frameCount: recording.frames().length,
    objectCount: recording.objects().size,
    mutationCount: recording.mutations().length,
    tapeCount: recording.tape().length,
    eventCount: ring?.events.length ?? 0,
    codeCount: ring?.codes.size ?? 0,
    wrapped: ring?.wrapped ?? false,
    recentEvents: recentEvents(recording, RECENT_EVENT_COUNT).toReversed(),
  };
}

/** Tells whether a recording holds an error, a stack, or the end of a program that was killed. */
export function hasCrash(recording: Recording): boolean {
  const hasStack = recording.exceptions().length > 0 || recording.frames().length > 0;
  return hasStack || deathView(recording) !== undefined;
}
