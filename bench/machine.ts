/** Facts about the machine and the versions, without which no number can be read. */
import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";

export interface MachineFacts {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  readonly v8: string;
  readonly commit: string;
  /** Work of others on the machine: the load average of the last minute when the run began. */
  readonly loadAtStart: number;
}

export function machineFacts(): MachineFacts {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${process.arch}`,
    node: process.version,
    v8: process.versions.v8,
    commit: currentCommit(),
    loadAtStart: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

/** The short hash, marked when the measured sources differ from it. */
function currentCommit(): string {
  try {
    const hash = git("rev-parse", "--short", "HEAD");
    return git("status", "--porcelain", "--", "packages") === "" ? hash : `${hash}, changed`;
  } catch {
    return "unknown";
  }
}

function git(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}
