/**
 * Makes recordings of the rings that dead processes left, each exactly once, and removes the rings.
 *
 * A ring stays whenever its recording is not safely on disk: nothing is lost by trying. Never throws.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isAgeFile, openRecording, type Recording, sha1Hex, zlibCodec } from "@orangebox/format";
import * as zlib from "node:zlib";
import { boxMark } from "../box/box-mark.ts";
import { limitBoxes } from "../box/limit-boxes.ts";
import { type BoxTarget, writeBox } from "../box/write-box.ts";
import {
  currentProcessIdentity,
  ownerState,
  type ProcessIdentity,
} from "../ring/process-identity.ts";
import { type RingContents, readRing, readRingHeader } from "../ring/read-ring.ts";
import { HEAD, type RingHeader } from "../ring/ring-layout.ts";
import { readRunFacts, type RunFacts } from "./about-run.ts";
import { type Death, deathOf, type ProcessEnding } from "./death.ts";
import {
  claimRing,
  isBeingRecovered,
  type LeftRing,
  listLeftRings,
  releaseClaim,
  removeClaimed,
} from "./ring-claims.ts";
import { DEATH_NAMESPACE } from "../crash/waiting-frames.ts";
import { recoveredBox } from "./recovered-box.ts";

/** What to recover. */
export interface RecoveryOptions {
  /** Folders with rings, of which all are meant. */
  readonly folders?: readonly string[];
  /** Single rings. */
  readonly rings?: readonly string[];
  /** How an owner ended, when somebody waited for it. */
  readonly endingOf?: (header: RingHeader) => ProcessEnding | undefined;
  /** Whether a ring is worth a recording; those that are not are removed. Default: all are. */
  readonly isWanted?: (thread: ThreadSummary) => boolean;
  /** Instead of the folder that the program's own boxes go to. */
  readonly outputDir?: string | undefined;
  /** Public keys for recordings of programs that are not known to have had some. */
  readonly encryptTo?: readonly string[];
  /** Says what would be done, and changes nothing. */
  readonly dryRun?: boolean;
  /** How long originals of compiled files may be opened, for each ring. */
  readonly originalsMs?: number;
  /** Default: who this process is. */
  readonly viewer?: ProcessIdentity;
}

/** What is known of a ring before its recording is made. */
export interface ThreadSummary {
  readonly header: RingHeader;
  readonly facts: RunFacts;
  readonly ending: ProcessEnding | undefined;
  /** How many functions were running. */
  readonly openCount: number;
}

/** What became of one ring. */
export interface RingOutcome {
  readonly ring: string;
  readonly kind:
    | "recovered"
    /** Nothing in it was wanted; it is gone. */
    | "discarded"
    /** Its owner runs, or may run. */
    | "alive"
    /** Another process is recovering it. */
    | "busy"
    /** It stays; `problem` says why. */
    | "left"
    /** `dryRun`: it would be recovered. */
    | "recoverable";
  readonly pid?: number;
  readonly threadId?: number;
  readonly argv?: readonly string[];
  readonly death?: Death;
  readonly eventCount?: number;
  /** The recording. */
  readonly path?: string;
  readonly problem?: string;
}

const ORIGINALS_MS = 2000;
/** Younger ones may be in the making. */
const UNBORN_MS = 60_000;
const OWNER_IN_NAME = /^(\d{1,10})-(\d{1,16})-\d{1,10}(?:-\d+)?\.ring$/;
const MAX_RECORDING_BYTES = 2 ** 28;

/** Recovers every ring that is meant and can be. */
export function recoverRings(options: RecoveryOptions): RingOutcome[] {
  const viewer = options.viewer ?? currentProcessIdentity();
  const { folders = [], rings = [] } = options;
  const left = [
    ...folders.flatMap((folder) => listLeftRings(folder)),
    ...rings
      .filter((path) => existsSync(path))
      .map((path) => ({ path, ringPath: path, claimant: undefined })),
  ];
  const mains = new Set(left.filter(isOfMain).map(processOf));
  // The ring of the main thread goes last: as long as it is there, its process is known to have been killed.
  const ordered = [...left.filter((ring) => !isOfMain(ring)), ...left.filter(isOfMain)];
  return ordered.map((ring) => {
    try {
      return recoverOne(ring, viewer, { ...options, hasMain: mains.has(processOf(ring)) });
    } catch (error) {
      // Another process took it between two looks.
      if (isGone(error)) return { ring: ring.ringPath, kind: "busy" };
      return { ring: ring.ringPath, kind: "left", problem: messageOf(error) };
    }
  });
}

function recoverOne(left: LeftRing, viewer: ProcessIdentity, options: OneRing): RingOutcome {
  const ring = left.ringPath;
  const decoded = readRingHeader(left.path);
  if ("problem" in decoded) return withoutHeader(left, viewer, { ...options, ...decoded });
  const { header } = decoded;
  const about = { ring, pid: header.pid, threadId: header.threadId };
  if (ownerState(header, viewer) !== "dead") return { ...about, kind: "alive" };
  if (isBeingRecovered(left, viewer)) return { ...about, kind: "busy" };
  if (options.dryRun === true)
    return { ...about, ...preview(left, header, viewer), kind: "recoverable" };
  const claim = claimRing(left, viewer);
  // Another process was faster, and has it by now.
  if (claim === undefined) return { ...about, kind: "busy" };
  let outcome: RingOutcome | undefined;
  try {
    outcome = { ...about, ...writeRecording({ path: claim.path, ring, header }, viewer, options) };
  } finally {
    if (outcome === undefined || outcome.kind === "left") releaseClaim(claim);
  }
  if (outcome.kind === "left") return outcome;
  const problem = removeClaimed(claim);
  return problem === undefined
    ? outcome
    : { ...outcome, problem: `the ring cannot be removed: ${problem}` };
}

/** The process and its start, from the name of a ring: `<pid>-<start>-<thread>[-<n>].ring`. */
function processOf({ ringPath }: LeftRing): string {
  return basename(ringPath).split("-", 2).join("-");
}

function isOfMain({ ringPath }: LeftRing): boolean {
  return /^\d+-\d+-0(?:-\d+)?\.ring$/.test(basename(ringPath));
}

/** The options, and whether the ring of the main thread was left as well. */
type OneRing = RecoveryOptions & { readonly hasMain: boolean };

interface Claimed {
  readonly path: string;
  readonly ring: string;
  readonly header: RingHeader;
}

function writeRecording(
  { path, ring, header }: Claimed,
  viewer: ProcessIdentity,
  options: OneRing,
): Omit<RingOutcome, "ring"> {
  const contents = readRing(path);
  // It ended in good order; only removing it had failed.
  if (contents.closed) return { kind: "discarded" };
  const facts = readRunFacts(contents.about);
  const ending = options.endingOf?.(header);
  const death = deathIn(contents, { header, ending, viewer });
  const ringName = basename(ring);
  const summary = { argv: facts.argv, death, eventCount: contents.events.length };
  const { contents: box, openCount } = recoveredBox({
    ring: contents,
    header,
    facts,
    death,
    ringName,
    endedAtMs: ending === undefined ? undefined : Date.now(),
    isFromHere: header.bootId !== "" && header.bootId === viewer.bootId,
    originalsMs: options.originalsMs ?? ORIGINALS_MS,
  });
  const isEmpty = contents.events.length === 0 && header.threadId !== 0;
  // A process that ended in good order, and with it a worker that did nothing.
  const isStopped = ending === undefined && !options.hasMain && openCount === 0;
  if (isEmpty || isStopped || options.isWanted?.({ header, facts, ending, openCount }) === false) {
    return { ...summary, kind: "discarded" };
  }
  const dir = options.outputDir ?? facts.outputDir ?? join(tmpdir(), "orangebox");
  const isFile = options.outputDir === undefined && facts.outputFile !== undefined;
  const target = {
    path: isFile ? facts.outputFile : undefined,
    dir,
    pid: header.pid,
    prefix: "flight-killed",
    encryptTo: recipientsOf(facts, options),
    token: tokenOf(ringName, header),
    isWholeOnly: true,
    // The same at each attempt, so that an earlier one is found.
    nameUnixMs: Math.trunc(header.createdUnixMs),
  };
  const known = isFile ? undefined : findEarlier(target, { ringName, header });
  if (known !== undefined) return { ...summary, kind: "recovered", path: known };
  const result = writeBox(box, target);
  if (result.path === undefined) return { ...summary, kind: "left", problem: result.problem };
  const { maxBoxes, maxBoxBytes: maxBytes } = facts;
  if (!isFile && maxBoxes !== undefined && maxBytes !== undefined) {
    limitBoxes(dirname(result.path), { maxBoxes, maxBytes, keep: result.path, nowMs: Date.now() });
  }
  return {
    ...summary,
    kind: "recovered",
    path: result.path,
    ...(result.problem === undefined ? {} : { problem: result.problem }),
  };
}

function deathIn(
  { head }: RingContents,
  {
    header,
    ending,
    viewer,
  }: { header: RingHeader; ending: ProcessEnding | undefined; viewer: ProcessIdentity },
): Death {
  const isKnown = header.bootId !== "" && viewer.bootId !== "";
  return deathOf({
    ending,
    abortCalled: head[HEAD.leaving] === 1,
    restarted: isKnown ? header.bootId !== viewer.bootId : undefined,
  });
}

function preview(
  { path }: LeftRing,
  header: RingHeader,
  viewer: ProcessIdentity,
): Pick<RingOutcome, "argv" | "death" | "eventCount"> {
  const contents = readRing(path);
  return {
    argv: readRunFacts(contents.about).argv,
    death: deathIn(contents, { header, ending: undefined, viewer }),
    eventCount: contents.events.length,
  };
}

/** A file that cannot be told whose it is: only one that was never finished goes. */
function withoutHeader(
  left: LeftRing,
  viewer: ProcessIdentity,
  { problem, isUnborn, dryRun }: RecoveryOptions & { problem: string; isUnborn: boolean },
): RingOutcome {
  const ring = left.ringPath;
  const [, pid, start] = OWNER_IN_NAME.exec(basename(ring)) ?? [];
  if (!isUnborn || pid === undefined) return { ring, kind: "left", problem };
  const owner = { ...viewer, pid: Number(pid), processStart: Number(start) };
  const isOld = Date.now() - statSync(left.path).mtimeMs > UNBORN_MS;
  if (!isOld || ownerState(owner, viewer) !== "dead") return { ring, kind: "alive" };
  if (dryRun === true) return { ring, kind: "recoverable", eventCount: 0 };
  const claim = claimRing(left, viewer);
  if (claim === undefined) return { ring, kind: "busy" };
  removeClaimed(claim);
  return { ring, kind: "discarded" };
}

/**
 * The public keys that the program was configured with. Where its own word is lost, those that this
 * recovery is configured with: what may have been meant to be encrypted is not written in the clear.
 */
function recipientsOf({ encryptTo }: RunFacts, options: RecoveryOptions): readonly string[] {
  const given = encryptTo ?? [];
  return given.length > 0 ? given : (options.encryptTo ?? []);
}

/** Names the ring in the header of an encrypted recording, which tells nothing else. */
function tokenOf(ringName: string, { bootId }: RingHeader): string {
  return sha1Hex(`${bootId} ${ringName}`);
}

/**
 * The recording that an earlier recovery of the same ring wrote before it died itself.
 *
 * Its name is the one that would be taken now: process number and when the ring was made.
 */
function findEarlier(
  { dir, encryptTo, token }: Pick<BoxTarget, "dir" | "encryptTo" | "token">,
  { ringName, header }: { ringName: string; header: RingHeader },
): string | undefined {
  const name = `flight-killed-${header.pid}-${Math.trunc(header.createdUnixMs)}.flight`;
  const path = join(dir, encryptTo?.length === 0 ? name : `${name}.age`);
  try {
    if (statSync(path).size > MAX_RECORDING_BYTES) return undefined;
    const bytes = readFileSync(path);
    // It has its name, so it is whole; whose it is stands in its header.
    if (isAgeFile(bytes)) return boxMark(bytes)?.includes(token ?? "") === true ? path : undefined;
    const recording = openRecording(bytes, { codec: zlibCodec(zlib), name: path });
    return recording.status === "sealed" && isOf(recording, ringName, header) ? path : undefined;
  } catch {
    // There is none, or it is something else: the new one gets a number.
    return undefined;
  }
}

function isOf(recording: Recording, ringName: string, { bootId }: RingHeader): boolean {
  return recording.extensions(DEATH_NAMESPACE).some(({ data }) => {
    if (typeof data !== "object" || data === null) return false;
    const isRing = "ring" in data && data.ring === ringName;
    return isRing && ("bootId" in data ? data.bootId : "") === bootId;
  });
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
