/**
 * Lets exactly one process recover a ring, also when several try at once or one dies in the middle.
 *
 * A claim is a rename, `x.ring` to `x.ring.by-<claimant>`: of several only one succeeds. The name says
 * who claims, so that a claim whose claimant is dead can be claimed anew, by a rename again.
 */
import nodeFs from "node:fs";
import { join } from "node:path";
import { ownerState, type ProcessIdentity } from "../ring/process-identity.ts";
import { RING_ENDING, sitesPathOf } from "../ring/ring-folder.ts";

const { linkSync, lstatSync, readdirSync, renameSync, unlinkSync } = nodeFs;

/** A ring on disk, whoever it belongs to. */
export interface LeftRing {
  /** Where it is now. */
  readonly path: string;
  /** Its name without a claim. */
  readonly ringPath: string;
  /** Who has claimed it. */
  readonly claimant: ProcessIdentity | undefined;
}

/** A ring that this process alone may recover. */
export interface RingClaim {
  readonly path: string;
  readonly ringPath: string;
  readonly sitesPath: string;
}

const CLAIM = /^(.+\.ring)\.by-(\d{1,10})-(\d{1,16})-(\d{1,16})-([0-9a-f]{0,8})$/;
/** Rings of a folder that are looked at. */
const MAX_LISTED = 10_000;

/** Lists the rings of a folder, claimed ones too. Never throws. */
export function listLeftRings(folder: string): LeftRing[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // No folder, no rings.
    return [];
  }
  const found: LeftRing[] = [];
  for (const name of names.toSorted()) {
    if (found.length >= MAX_LISTED) break;
    const path = join(folder, name);
    if (name.endsWith(RING_ENDING)) found.push({ path, ringPath: path, claimant: undefined });
    const [, ring, pid, start, namespace, boot = ""] = CLAIM.exec(name) ?? [];
    if (ring === undefined) continue;
    const claimant = {
      pid: Number(pid),
      processStart: Number(start),
      pidNamespace: Number(namespace),
      bootId: boot,
    };
    found.push({ path, ringPath: join(folder, ring), claimant });
  }
  return found;
}

/** Whether somebody is at work on it, or may be. */
export function isBeingRecovered({ claimant }: LeftRing, viewer: ProcessIdentity): boolean {
  if (claimant === undefined) return false;
  const here = { ...viewer, bootId: shortBoot(viewer) };
  return ownerState(claimant, here) !== "dead";
}

/**
 * Claims a ring.
 *
 * @returns Undefined when another process was faster.
 * @throws The error of the system, when the folder cannot be written.
 */
export function claimRing(ring: LeftRing, viewer: ProcessIdentity): RingClaim | undefined {
  const { pid, processStart, pidNamespace } = viewer;
  const { ringPath } = ring;
  const path = `${ringPath}.by-${pid}-${processStart}-${pidNamespace}-${shortBoot(viewer)}`;
  try {
    renameSync(ring.path, path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  return { path, ringPath, sitesPath: sitesPathOf(ringPath) };
}

/** Gives a ring back that could not be recovered; it stays as it was. Never throws. */
export function releaseClaim({ path, ringPath }: RingClaim): void {
  try {
    // Never over another ring, which a process after a restart may have made under this name.
    linkSync(path, ringPath);
    unlinkSync(path);
  } catch (error) {
    if (["EPERM", "ENOTSUP", "ENOSYS"].includes(codeOf(error) ?? "")) renameBack(path, ringPath);
    // Else it keeps the name of the claim, and is claimed anew when this process is gone.
  }
}

/**
 * Removes a ring that was recovered.
 *
 * @returns Why it is still there; undefined when it is gone. Never throws.
 */
export function removeClaimed({ path, sitesPath }: RingClaim): string | undefined {
  // The ring first: a side file alone is nobody's, a ring without one has no names.
  for (const file of [path, sitesPath]) {
    try {
      unlinkSync(file);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") return messageOf(error);
    }
  }
  return undefined;
}

function renameBack(path: string, ringPath: string): void {
  try {
    if (lstatSync(ringPath, { throwIfNoEntry: false }) === undefined) renameSync(path, ringPath);
  } catch {
    // It keeps the name of the claim.
  }
}

/** Enough of a boot id to tell one start of a machine from the next. */
function shortBoot({ bootId }: ProcessIdentity): string {
  return bootId.replaceAll("-", "").slice(0, 8);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
