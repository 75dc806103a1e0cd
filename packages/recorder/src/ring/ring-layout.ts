/**
 * The layout of a ring file: header, head words, anchors, event words.
 *
 * Only offsets, and reading and writing of the fixed header. Opening, mapping and salvage are in
 * open-ring.ts and read-ring.ts. The byte table is docs/decisions/0004-ring.md.
 */

/** The first eight bytes of every ring file. */
const RING_MAGIC = "OBXRING\n";
/** The newest layout this code writes and the newest it reads. */
export const RING_VERSION = 1;
/** Where the head words begin. They have cache lines of their own. */
export const HEAD_OFFSET = 256;
/** How many 32-bit head words there are. */
export const HEAD_WORDS = 16;
/** Where the anchors begin. */
export const ANCHORS_OFFSET = 4096;
/** How many (index, wall clock) pairs are kept. */
export const ANCHOR_CAPACITY = 512;
/** Where the event words begin. A multiple of the page size. */
export const EVENTS_OFFSET: number = ANCHORS_OFFSET + ANCHOR_CAPACITY * 16;
/** The smallest and the largest number of events a ring holds. */
const MIN_CAPACITY = 16;
export const MAX_CAPACITY: number = 2 ** 24;

/** Meanings of the head words; those not named here belong to the runtime. */
export const HEAD = {
  /** Index of the next event. Wraps at 2^32; only the low bits choose the slot. */
  next: 0,
  /** 0, or 1 while an operation waits for its starting frames. */
  flag: 1,
  /** How many anchors were ever begun; the newest is at (count - 1) mod ANCHOR_CAPACITY. */
  anchorCount: 2,
  /** 0 while the thread runs, 1 after it ended in good order and the ring was kept. */
  closed: 3,
  /** 1 once the program has called `process.abort()`. */
  leaving: 4,
} as const;

/** What the fixed part of a ring file says. */
export interface RingHeader {
  readonly version: number;
  /** Slots for events; a power of two. */
  readonly capacity: number;
  readonly pid: number;
  /** 0 for the main thread. */
  readonly threadId: number;
  /** Start of the process: clock ticks after boot on Linux, else Unix ms; 0 when unknown. */
  readonly processStart: number;
  readonly createdUnixMs: number;
  /** `process.hrtime.bigint()` at `createdUnixMs`. */
  readonly createdMonotonicNs: bigint;
  /** Identity of the pid namespace; 0 when unknown or not Linux. */
  readonly pidNamespace: number;
  /** Empty when unknown. */
  readonly bootId: string;
  /** `process.version`. */
  readonly nodeVersion: string;
  /** `platform/arch`. */
  readonly platform: string;
}

interface Region {
  readonly offset: number;
  readonly count: number;
}

/** Where the parts of a given file are; taken from the file, so that a later layout may move them. */
export interface RingRegions {
  readonly head: Region;
  readonly anchors: Region;
  readonly events: Region;
}

const BOOT_ID = { offset: 80, sizeBytes: 48 };
const NODE_VERSION = { offset: 128, sizeBytes: 32 };
const PLATFORM = { offset: 160, sizeBytes: 32 };

/** Gives the number of slots for a wish: a power of two within the limits. */
export function ringCapacity(wishedEvents: number): number {
  let capacity = MIN_CAPACITY;
  while (capacity < wishedEvents && capacity < MAX_CAPACITY) capacity *= 2;
  return capacity;
}

/** Gives the size of a ring file. */
export function ringSizeBytes(capacity: number): number {
  return EVENTS_OFFSET + capacity * 4;
}

/** Writes the fixed header into the first bytes of `bytes`. The head words stay as they are. */
export function encodeRingHeader(bytes: Uint8Array, header: RingHeader): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD_OFFSET);
  writeText(bytes, { offset: 0, sizeBytes: 8 }, RING_MAGIC);
  view.setUint32(8, header.version, true);
  view.setUint32(12, EVENTS_OFFSET, true);
  view.setUint32(16, header.capacity, true);
  view.setUint32(20, ANCHOR_CAPACITY, true);
  view.setUint32(24, ANCHORS_OFFSET, true);
  view.setUint32(28, HEAD_OFFSET, true);
  view.setUint32(32, header.pid, true);
  view.setUint32(36, header.threadId, true);
  view.setFloat64(40, header.processStart, true);
  view.setFloat64(48, header.createdUnixMs, true);
  view.setBigUint64(56, header.createdMonotonicNs, true);
  view.setFloat64(64, header.pidNamespace, true);
  writeText(bytes, BOOT_ID, header.bootId);
  writeText(bytes, NODE_VERSION, header.nodeVersion);
  writeText(bytes, PLATFORM, header.platform);
}

/**
 * Reads the fixed header, or says why these bytes are no ring that this code understands.
 *
 * Regions are checked against the limits, not against the size of the file: a torn file still
 * has a header.
 */
export function decodeRingHeader(
  bytes: Uint8Array,
): { header: RingHeader; regions: RingRegions } | { problem: string } {
  if (bytes.length < HEAD_OFFSET) return { problem: "the file is shorter than a ring header" };
  if (readText(bytes, { offset: 0, sizeBytes: 8 }) !== RING_MAGIC) {
    return { problem: "the file is not a ring: its first bytes are others" };
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD_OFFSET);
  const version = view.getUint32(8, true);
  if (version !== RING_VERSION) {
    return { problem: `the ring has layout version ${version}; this code knows ${RING_VERSION}` };
  }
  const regions: RingRegions = {
    head: { offset: view.getUint32(28, true), count: HEAD_WORDS },
    anchors: { offset: view.getUint32(24, true), count: view.getUint32(20, true) },
    events: { offset: view.getUint32(12, true), count: view.getUint32(16, true) },
  };
  const problem = regionProblem(regions);
  if (problem !== undefined) return { problem };
  const header: RingHeader = {
    version,
    capacity: regions.events.count,
    pid: view.getUint32(32, true),
    threadId: view.getUint32(36, true),
    processStart: view.getFloat64(40, true),
    createdUnixMs: view.getFloat64(48, true),
    createdMonotonicNs: view.getBigUint64(56, true),
    pidNamespace: view.getFloat64(64, true),
    bootId: readText(bytes, BOOT_ID),
    nodeVersion: readText(bytes, NODE_VERSION),
    platform: readText(bytes, PLATFORM),
  };
  return { header, regions };
}

function regionProblem({ head, anchors, events }: RingRegions): string | undefined {
  const { count } = events;
  if (count < MIN_CAPACITY || count > MAX_CAPACITY || (count & (count - 1)) !== 0) {
    return `the ring says it holds ${count} events, which is no power of two within the limits`;
  }
  const aligned = head.offset % 4 === 0 && anchors.offset % 8 === 0 && events.offset % 4 === 0;
  const limit = 2 ** 20;
  const inside = head.offset < limit && anchors.offset < limit && events.offset < limit;
  if (!aligned || !inside || anchors.count > 2 ** 16) {
    return "the ring says its parts are where they cannot be";
  }
  return undefined;
}

interface Field {
  readonly offset: number;
  readonly sizeBytes: number;
}

function writeText(bytes: Uint8Array, { offset, sizeBytes }: Field, text: string): void {
  for (let i = 0; i < sizeBytes; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : 0;
    bytes[offset + i] = unit < 0x80 ? unit : 0x3f;
  }
}

function readText(bytes: Uint8Array, { offset, sizeBytes }: Field): string {
  let text = "";
  for (let i = offset; i < offset + sizeBytes; i++) {
    const unit = bytes[i] ?? 0;
    if (unit === 0) break;
    text += String.fromCharCode(unit);
  }
  return text;
}
