/**
 * Reads a ring file and its side file, whole, torn or foreign, usually after the owner's death.
 *
 * Decodes no events; decode-events.ts does. Never throws: what is wrong is in `problems`.
 */
import nodeFs from "node:fs";
import {
  decodeRingHeader,
  HEAD,
  HEAD_OFFSET,
  MAX_CAPACITY,
  type RingHeader,
  type RingRegions,
  ringSizeBytes,
} from "./ring-layout.ts";
import type { Ring, SitesRecord } from "./open-ring.ts";
import { sitesPathOf } from "./ring-folder.ts";
import { readLines } from "./side-file.ts";

const { closeSync, fstatSync, openSync, readSync } = nodeFs;

/** What a ring file holds. */
export interface RingContents {
  /** Undefined when the file is no ring, or no readable one. */
  readonly header: RingHeader | undefined;
  /** Event words, oldest first. */
  readonly events: Int32Array;
  /** Index of `events[0]` counted from the start of the thread, as in `anchors`. */
  readonly firstIndex: number;
  /** Whether older events were overwritten. */
  readonly wrapped: boolean;
  /** Whether the thread ended in good order and the ring was kept on purpose. */
  readonly closed: boolean;
  /** Ascending by index. An event at or behind `index` happened at or after `atMs` (Unix ms). */
  readonly anchors: readonly { readonly index: number; readonly atMs: number }[];
  /** All 32-bit head words, also those of the runtime. */
  readonly head: Int32Array;
  readonly sites: readonly SitesRecord[];
  /** What the recorder said about the run; empty when it did not. */
  readonly about: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

const NOTHING: RingContents = {
  header: undefined,
  events: new Int32Array(0),
  firstIndex: 0,
  wrapped: false,
  closed: false,
  anchors: [],
  head: new Int32Array(0),
  sites: [],
  about: {},
  problems: [],
};

/** Reads a ring and the side file beside it. A ring that is still written gives one moment of it. */
export function readRing(path: string): RingContents {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = readWhole(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown error";
    return { ...NOTHING, problems: [`the ring cannot be read: ${reason}`] };
  }
  const contents = decodeRing(bytes);
  return contents.header === undefined ? contents : withSites(contents, sitesPathOf(path));
}

/**
 * Reads the fixed header alone.
 *
 * @throws The error of the system, when the file cannot be read.
 */
export function readRingHeader(
  path: string,
): { readonly header: RingHeader } | { readonly problem: string; readonly isUnborn: boolean } {
  const bytes = new Uint8Array(HEAD_OFFSET);
  const descriptor = openSync(path, "r");
  let sizeBytes = 0;
  try {
    sizeBytes = readSync(descriptor, bytes, 0, HEAD_OFFSET, 0);
  } finally {
    closeSync(descriptor);
  }
  const decoded = decodeRingHeader(bytes.subarray(0, sizeBytes));
  // Its owner ended while it was made: the header is written first, and whole.
  return "problem" in decoded ? { ...decoded, isUnborn: sizeBytes < HEAD_OFFSET } : decoded;
}

/** Copies the events of a ring of this process, oldest first. */
export function snapshotEvents(ring: Pick<Ring, "events" | "head">): {
  events: Int32Array;
  wrapped: boolean;
} {
  const { events, wrapped } = orderEvents(ring.events, (ring.head[HEAD.next] ?? 0) >>> 0);
  return { events, wrapped };
}

/** Reads the bytes of a ring file, without a side file. */
export function decodeRing(bytes: Uint8Array): RingContents {
  const decoded = decodeRingHeader(bytes);
  if ("problem" in decoded) return { ...NOTHING, problems: [decoded.problem] };
  const { header, regions } = decoded;
  const problems: string[] = [];
  const missing = regions.events.offset + regions.events.count * 4 - bytes.length;
  if (missing > 0) problems.push(`the ring is cut short: its last ${missing} bytes are missing`);
  const head = readWords(bytes, regions.head);
  const anchors = readAnchors(bytes, regions, head[HEAD.anchorCount] ?? 0);
  const slots = readWords(bytes, regions.events);
  const next = (head[HEAD.next] ?? 0) >>> 0;
  const ordered = orderEvents(slots, next);
  const nextIndex = extendIndex(anchors.at(-1)?.index ?? 0, next);
  if (ordered.holes > 0 && missing <= 0) {
    problems.push(`${ordered.holes} slots hold no event: the process died while storing one`);
  }
  return {
    ...NOTHING,
    header,
    events: ordered.events,
    firstIndex: Math.max(0, nextIndex - ordered.events.length - ordered.holes),
    wrapped: ordered.wrapped,
    closed: head[HEAD.closed] === 1,
    anchors,
    head,
    problems,
  };
}

/**
 * Puts the words in the order they were stored.
 *
 * The counter wraps at 2^32, so it cannot say whether the ring did. The slot that is next to be
 * written can: no word is 0, and only a slot that was never used holds 0.
 */
function orderEvents(
  slots: Int32Array,
  next: number,
): { events: Int32Array; wrapped: boolean; holes: number } {
  const start = next & (slots.length - 1);
  const wrapped = slots[start] !== 0;
  const events = new Int32Array(wrapped ? slots.length : start);
  let count = 0;
  for (let i = 0; i < events.length; i++) {
    const word = slots[wrapped ? (start + i) & (slots.length - 1) : i] ?? 0;
    if (word !== 0) events[count++] = word;
  }
  return { events: events.subarray(0, count), wrapped, holes: events.length - count };
}

function extendIndex(known: number, next: number): number {
  return known + ((next - known) >>> 0);
}

function readAnchors(
  bytes: Uint8Array,
  { anchors }: RingRegions,
  countEver: number,
): { index: number; atMs: number }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: { index: number; atMs: number }[] = [];
  const count = Math.min(Math.max(countEver, 0), anchors.count);
  for (let slot = 0; slot < count; slot++) {
    const offset = anchors.offset + slot * 16;
    if (offset + 16 > bytes.length) break;
    const index = view.getFloat64(offset, true);
    const atMs = view.getFloat64(offset + 8, true);
    if (Number.isSafeInteger(index) && index >= 0 && Number.isFinite(atMs)) {
      found.push({ index, atMs });
    }
  }
  return found.toSorted((a, b) => a.index - b.index);
}

/** Reads words that are inside the file; those behind its end are 0. */
function readWords(
  bytes: Uint8Array,
  { offset, count }: { offset: number; count: number },
): Int32Array {
  const words = new Int32Array(count);
  const target = new Uint8Array(words.buffer);
  target.set(bytes.subarray(offset, Math.max(offset, Math.min(offset + count * 4, bytes.length))));
  return words;
}

function withSites(contents: RingContents, sitesPath: string): RingContents {
  const problems = [...contents.problems];
  const lines = readLines(sitesPath);
  if (lines === undefined) {
    problems.push("the side file cannot be read: events have no names");
    return { ...contents, problems };
  }
  // Later lines say what has changed.
  const about: Record<string, unknown> = {};
  for (const row of lines.rows) {
    if (row["orangebox"] === "sites") Object.assign(about, row["about"]);
  }
  const rows = lines.rows.filter((row) => row["orangebox"] === undefined);
  const sites = rows.filter((row) => isSitesRecord(row));
  const spoiled = lines.tornCount + rows.length - sites.length;
  if (spoiled > 0) problems.push(`${spoiled} lines of the side file are torn`);
  return {
    ...contents,
    sites,
    about,
    problems,
  };
}

function isSitesRecord(row: Record<string, unknown>): row is Record<string, unknown> & SitesRecord {
  const { base, count, filename, cacheFile, hash } = row;
  const named = typeof filename === "string" && isIndex(base) && isIndex(count);
  const table = "sites" in row || (typeof cacheFile === "string" && typeof hash === "string");
  return named && table;
}

function isIndex(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function readWhole(path: string): Uint8Array<ArrayBuffer> {
  const descriptor = openSync(path, "r");
  try {
    const sizeBytes = Math.min(fstatSync(descriptor).size, ringSizeBytes(MAX_CAPACITY));
    const bytes = new Uint8Array(sizeBytes);
    let offset = 0;
    while (offset < sizeBytes) {
      const count = readSync(descriptor, bytes, offset, sizeBytes - offset, offset);
      if (count <= 0) break;
      offset += count;
    }
    return bytes.subarray(0, offset);
  } finally {
    closeSync(descriptor);
  }
}
