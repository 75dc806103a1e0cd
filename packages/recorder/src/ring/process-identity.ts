/**
 * Tells one process from another that later got the same pid, and whether the owner still lives.
 *
 * When in doubt a process counts as alive, so that nobody removes the ring of a running program.
 */
import nodeFs from "node:fs";

// The recorded program may replace these later.
const { readFileSync, readlinkSync } = nodeFs;
const kill = process.kill.bind(process);

/** What names a process beyond doubt, as far as the system tells. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks after boot on Linux, else Unix ms; 0 when unknown. */
  readonly processStart: number;
  /** Empty when unknown. */
  readonly bootId: string;
  /** 0 when unknown. */
  readonly pidNamespace: number;
}

/** Reads who this process is; about 0.1 ms. Unknown parts are 0 or empty. Never throws. */
export function currentProcessIdentity(): ProcessIdentity {
  const linux = process.platform === "linux";
  return {
    pid: process.pid,
    processStart: linux
      ? (readProcessStat("self")?.startTicks ?? 0)
      : Math.round(globalThis.performance.timeOrigin),
    bootId: linux ? (readText("/proc/sys/kernel/random/boot_id") ?? "") : "",
    pidNamespace: linux ? pidNamespace() : 0,
  };
}

/**
 * Says whether the owner of a ring runs.
 *
 * `unknown` means that this process cannot see it (another container on the same machine) or that
 * the system gives no start time: treat it as alive.
 */
export function ownerState(
  owner: ProcessIdentity,
  viewer: ProcessIdentity,
): "alive" | "dead" | "unknown" {
  if (owner.bootId !== "" && viewer.bootId !== "" && owner.bootId !== viewer.bootId) return "dead";
  if (owner.pidNamespace !== viewer.pidNamespace) return "unknown";
  if (owner.pid === 0) return "unknown";
  if (!pidExists(owner.pid)) return "dead";
  if (process.platform !== "linux" || owner.processStart === 0) return "unknown";
  const stat = readProcessStat(String(owner.pid));
  if (stat === undefined) return "unknown";
  // A zombie runs nothing any more; only its parent has not looked yet.
  if (stat.state === "Z" || stat.state === "X") return "dead";
  return stat.startTicks === owner.processStart ? "alive" : "dead";
}

function pidExists(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there but belongs to somebody else.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function readProcessStat(pid: string): { state: string; startTicks: number } | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the name in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startTicks = Number(fields[19]);
  return Number.isSafeInteger(startTicks) ? { state: fields[0] ?? "", startTicks } : undefined;
}

function pidNamespace(): number {
  try {
    const digits = /\d+/.exec(readlinkSync("/proc/self/ns/pid"));
    return digits === null ? 0 : Number(digits[0]);
  } catch {
    // No /proc, or no right to look: unknown is a legal answer.
    return 0;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    // The process is gone, or the system has no /proc: unknown is a legal answer.
    return undefined;
  }
}
