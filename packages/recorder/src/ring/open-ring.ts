/**
 * Opens the ring that probes store their events in, and the side file that says what they mean.
 *
 * The ring is a mapping of a file, so that the kernel still has every event when the process is
 * killed. Where no file can be mapped it is plain memory; the recorded program never notices.
 * Layout: docs/decisions/0004-ring.md.
 */
import nodeFs from "node:fs";
import { join } from "node:path";
import { loadNativeMemory, type NativeMemory } from "./native-memory.ts";
import { currentProcessIdentity, type ProcessIdentity } from "./process-identity.ts";
import {
  ANCHOR_CAPACITY,
  ANCHORS_OFFSET,
  encodeRingHeader,
  EVENTS_OFFSET,
  HEAD,
  HEAD_OFFSET,
  HEAD_WORDS,
  RING_VERSION,
  ringCapacity,
  ringSizeBytes,
} from "./ring-layout.ts";
import {
  prepareRingFolder,
  pruneRings,
  RING_ENDING,
  ringFolders,
  sitesPathOf,
} from "./ring-folder.ts";
import { appendLines } from "./side-file.ts";

const { closeSync, existsSync, openSync, unlinkSync, writeSync } = nodeFs;

/** What stays of dead processes; unset limits are those of docs/configuration.md. */
export interface RingRetention {
  readonly maxAgeMs: number;
  readonly maxCount: number;
  readonly maxBytes: number;
}

/** How a ring is opened. */
export interface RingOptions {
  /** Wished number of events; rounded up to a power of two between 16 and 2^24. */
  readonly capacity: number;
  /** Folder for the state of the recorder; rings go into its folder `rings`. */
  readonly stateDir: string;
  /** 0 for the main thread, else `threadId` of the worker. */
  readonly threadId: number;
  readonly pid: number;
  /** What a later recovery wants to know about the run (argv, cwd, output folder …). JSON data. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** How long, how many and how many bytes of rings of dead processes stay unrecovered. */
  readonly retention?: RingRetention;
}

/** Where the memory of a ring is. */
type RingMapping =
  | { readonly kind: "mapped"; readonly path: string; readonly sitesPath: string }
  | { readonly kind: "memory"; readonly reason: string };

/** An open ring. Store an event with `events[head[0]++ & mask] = word`. */
export interface Ring {
  /** Event words; the length is a power of two. */
  readonly events: Int32Array;
  /** `head[0]` next index, `head[1]` flag; see `HEAD`. Words from 5 on are free for the runtime. */
  readonly head: Int32Array;
  /** Pairs (index of the next event, Unix ms), written by `writeAnchor`. */
  readonly anchors: Float64Array;
  readonly capacity: number;
  /** `capacity - 1`. */
  readonly mask: number;
  readonly threadId: number;
  /** Becomes memory when a closed ring is opened again. */
  mapping: RingMapping;
  /** What went wrong since it was opened, at most a few lines; for `flight doctor`. */
  readonly problems: string[];
}

/** One module's probes: ids `base + 1` to `base + count`. */
export type SitesRecord = {
  readonly base: number;
  readonly count: number;
  readonly filename: string;
  /** The program ran the text without its byte order mark. */
  readonly isUnmarked?: true;
} & (
  | { readonly sites: unknown; readonly hash?: string }
  /** The table is in the cache of transformed modules; `hash` says which content is meant. */
  | { readonly cacheFile: string; readonly hash: string }
);

const DEFAULT_RETENTION: RingRetention = {
  maxAgeMs: 7 * 24 * 3_600_000,
  maxCount: 100,
  maxBytes: 512 * 2 ** 20,
};
const MAX_PROBLEMS = 8;
const MAX_NAME_ATTEMPTS = 64;
const CHUNK_BYTES = 2 ** 16;
/** At least this far apart in time, or this share of the ring in events, anchors are kept. */
const ANCHOR_GAP_MS = 20;
const ANCHOR_SHARE = 256;

/** Mapped rings of this thread, so that `releaseRing` can let the file go. */
const mappings = new WeakMap<Ring, { native: NativeMemory; address: bigint; sizeBytes: number }>();

/**
 * Opens a ring. Never throws: what cannot be mapped becomes plain memory with a reason.
 *
 * Costs about 3 ms the first time in a process (loading the native part, writing 1 MiB of zeros).
 */
export function openRing(options: RingOptions): Ring {
  const capacity = ringCapacity(options.capacity);
  const reasons: string[] = [];
  try {
    const mapped = openMapped(options, capacity, reasons);
    if (mapped !== undefined) return mapped;
  } catch (error) {
    reasons.push(messageOf(error));
  }
  return createMemoryRing(capacity, options.threadId, reasons.join("; ") || "unknown");
}

/** Makes a ring that ends with the process, for the given reason. */
export function createMemoryRing(capacity: number, threadId: number, reason: string): Ring {
  const events = ringCapacity(capacity);
  const buffer = new ArrayBuffer(ringSizeBytes(events));
  return ringOver(buffer, { capacity: events, threadId }, { kind: "memory", reason });
}

/** Takes the memory that built files store their events in since before the recorder was there. */
export function ringOfStub(
  { events, head }: { events: Int32Array; head: Int32Array },
  threadId: number,
): Ring {
  return {
    events,
    head,
    anchors: new Float64Array(ANCHOR_CAPACITY * 2),
    capacity: events.length,
    mask: events.length - 1,
    threadId,
    mapping: { kind: "memory", reason: "the program was running when recording began" },
    problems: [],
  };
}

/**
 * Appends the tables of modules that were loaded, before their first event is stored.
 *
 * Costs about 20 µs for a batch plus the text. A failure is noted in `ring.problems` once and
 * otherwise ignored: the events stay, only without names. Never throws.
 */
export function appendSites(ring: Ring, records: readonly SitesRecord[]): void {
  if (ring.mapping.kind === "memory" || records.length === 0) return;
  try {
    appendLines(ring.mapping.sitesPath, records);
  } catch (error) {
    noteProblem(ring, `the side file cannot be written: ${messageOf(error)}`);
  }
}

/** Notes what has changed of what was said about the run when the ring was opened. Never throws. */
export function appendAbout(ring: Ring, about: Readonly<Record<string, unknown>>): void {
  if (ring.mapping.kind === "memory") return;
  try {
    appendLines(ring.mapping.sitesPath, [{ orangebox: "sites", version: 1, about }]);
  } catch (error) {
    noteProblem(ring, `the side file cannot be written: ${messageOf(error)}`);
  }
}

/**
 * Notes that the next event happens at or after `atMs`, for dating events and merging threads.
 *
 * Cheap enough for every turn of the event loop: no allocation, no system call. Anchors that are
 * close to the one before it (in time and in events) replace the newest instead of adding one, so
 * that the kept ones span the whole ring.
 */
export function writeAnchor(ring: Ring, atMs: number): void {
  const { head, anchors } = ring;
  const count = head[HEAD.anchorCount] ?? 0;
  const next = head[HEAD.next] ?? 0;
  if (count === 0) {
    storeAnchor(anchors, 0, next >>> 0, atMs);
    head[HEAD.anchorCount] = 1;
    return;
  }
  const newest = (count - 1) % ANCHOR_CAPACITY;
  const lastIndex = anchors[newest * 2] ?? 0;
  const index = lastIndex + ((next - lastIndex) >>> 0);
  if (index === lastIndex) return;
  const before = (count - 2) % ANCHOR_CAPACITY;
  const replaces =
    count > 1 &&
    index - (anchors[before * 2] ?? 0) < ring.capacity / ANCHOR_SHARE &&
    atMs - (anchors[before * 2 + 1] ?? 0) < ANCHOR_GAP_MS;
  if (replaces) {
    storeAnchor(anchors, newest, index, atMs);
    return;
  }
  storeAnchor(anchors, count % ANCHOR_CAPACITY, index, atMs);
  head[HEAD.anchorCount] = count + 1;
}

/**
 * Ends a ring in good order: marks it closed and keeps it, or removes both files.
 *
 * The memory stays valid, since probes may still run. Never throws.
 */
export function closeRing(ring: Ring, { keep }: { readonly keep: boolean }): void {
  ring.head[HEAD.closed] = 1;
  if (ring.mapping.kind === "memory" || keep) return;
  for (const path of [ring.mapping.path, ring.mapping.sitesPath]) {
    try {
      unlinkSync(path);
    } catch (error) {
      // Somebody removed the folder: then there is nothing left to remove.
      if (codeOf(error) !== "ENOENT") noteProblem(ring, messageOf(error));
    }
  }
}

/** Goes on with a ring that `closeRing` has ended; its file is gone, so it is plain memory now. */
export function reopenRing(ring: Ring): void {
  ring.head[HEAD.closed] = 0;
  if (ring.mapping.kind === "memory") return;
  ring.mapping = { kind: "memory", reason: "recording was ended and begun again" };
}

/**
 * Lets the file of a ring go, for a worker that ends while the process lives on.
 *
 * The views stay valid: a probe that still runs writes into empty memory that nobody reads. Does
 * nothing for a ring in plain memory, and nothing the second time. Never throws.
 */
export function releaseRing(ring: Ring): void {
  const mapping = mappings.get(ring);
  if (mapping === undefined) return;
  mappings.delete(ring);
  try {
    mapping.native.release(mapping.address, mapping.sizeBytes);
  } catch (error) {
    noteProblem(ring, messageOf(error));
  }
}

function openMapped(options: RingOptions, capacity: number, reasons: string[]): Ring | undefined {
  const native = loadNativeMemory();
  if ("reason" in native) {
    reasons.push(native.reason);
    return undefined;
  }
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1) {
    reasons.push("rings are little-endian and this machine is not");
    return undefined;
  }
  const owner = { ...currentProcessIdentity(), pid: options.pid };
  for (const folder of ringFolders(options.stateDir)) {
    const problem = prepareRingFolder(folder);
    if (problem !== undefined) {
      reasons.push(problem);
      continue;
    }
    const made = mapNewFile(native, folder, { options, capacity, owner });
    if (typeof made === "string") {
      reasons.push(made);
      continue;
    }
    made.problems.push(...reasons);
    if (options.threadId === 0) clearOldRings(options, owner);
    return made;
  }
  return undefined;
}

function clearOldRings(options: RingOptions, viewer: ProcessIdentity): void {
  const retention = options.retention ?? DEFAULT_RETENTION;
  for (const folder of ringFolders(options.stateDir)) {
    pruneRings(folder, { ...retention, viewer, nowMs: Date.now() });
  }
}

interface NewRing {
  readonly options: RingOptions;
  readonly capacity: number;
  readonly owner: ProcessIdentity;
}

/** Makes, fills and maps a file. Gives the reason, and leaves nothing behind, when it cannot. */
function mapNewFile(native: NativeMemory, folder: string, ring: NewRing): Ring | string {
  const { options, capacity, owner } = ring;
  const sizeBytes = ringSizeBytes(capacity);
  const created: string[] = [];
  let descriptor: number | undefined;
  try {
    const path = createRingFile(folder, ring);
    created.push(path.file);
    descriptor = path.descriptor;
    writeFirstContent(descriptor, sizeBytes, ring);
    const sitesPath = sitesPathOf(path.file);
    created.push(sitesPath);
    appendLines(
      sitesPath,
      [{ orangebox: "sites", version: 1, about: options.about ?? {} }],
      "create",
    );
    const mapped = native.map(descriptor, sizeBytes);
    if (typeof mapped === "number") throw new Error(`mmap of ${path.file} failed: errno ${mapped}`);
    const opened = ringOver(
      mapped.buffer,
      { ...options, capacity },
      {
        kind: "mapped",
        path: path.file,
        sitesPath,
      },
    );
    mappings.set(opened, { native, address: mapped.address, sizeBytes });
    return opened;
  } catch (error) {
    for (const path of created) removeQuietly(path);
    return `${messageOf(error)} (${owner.pid} in ${folder})`;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function createRingFile(
  folder: string,
  { options, owner }: NewRing,
): { file: string; descriptor: number } {
  const stem = `${owner.pid}-${owner.processStart}-${options.threadId}`;
  for (let attempt = 0; ; attempt++) {
    const name = attempt === 0 ? stem : `${stem}-${attempt}`;
    const file = join(folder, name + RING_ENDING);
    // A ring of this name may be renamed at the moment, by a recovery; its side file is not.
    if (attempt < MAX_NAME_ATTEMPTS && existsSync(sitesPathOf(file))) continue;
    try {
      return { file, descriptor: openSync(file, "wx+", 0o600) };
    } catch (error) {
      if (codeOf(error) !== "EEXIST" || attempt >= MAX_NAME_ATTEMPTS) throw error;
    }
  }
}

/**
 * Writes the header and zeros for all the rest.
 *
 * A hole instead of zeros would get its block at the first store into it; on a full disk that store
 * is a SIGBUS, which kills the recorded program.
 */
function writeFirstContent(descriptor: number, sizeBytes: number, ring: NewRing): void {
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, sizeBytes));
  encodeRingHeader(chunk, {
    version: RING_VERSION,
    capacity: ring.capacity,
    threadId: ring.options.threadId,
    ...ring.owner,
    createdUnixMs: Date.now(),
    createdMonotonicNs: process.hrtime.bigint(),
    nodeVersion: process.version,
    platform: `${process.platform}/${process.arch}`,
  });
  for (let offset = 0; offset < sizeBytes;) {
    const length = Math.min(chunk.length, sizeBytes - offset);
    let written = 0;
    while (written < length) {
      const count = writeSync(descriptor, chunk, written, length - written, offset + written);
      if (count <= 0) throw new Error("the disk takes no more");
      written += count;
    }
    if (offset === 0) chunk.fill(0, 0, HEAD_OFFSET);
    offset += length;
  }
}

function ringOver(
  buffer: ArrayBuffer,
  { capacity, threadId }: Pick<RingOptions, "capacity" | "threadId">,
  mapping: RingMapping,
): Ring {
  return {
    events: new Int32Array(buffer, EVENTS_OFFSET, capacity),
    head: new Int32Array(buffer, HEAD_OFFSET, HEAD_WORDS),
    anchors: new Float64Array(buffer, ANCHORS_OFFSET, ANCHOR_CAPACITY * 2),
    capacity,
    mask: capacity - 1,
    threadId,
    mapping,
    problems: [],
  };
}

function storeAnchor(anchors: Float64Array, slot: number, index: number, atMs: number): void {
  anchors[slot * 2] = index;
  anchors[slot * 2 + 1] = atMs;
}

function noteProblem(ring: Ring, problem: string): void {
  if (ring.problems.length < MAX_PROBLEMS && !ring.problems.includes(problem)) {
    ring.problems.push(problem);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made, or is gone.
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
