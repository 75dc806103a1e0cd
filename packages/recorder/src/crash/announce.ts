/**
 * Says once where the box is, or why there is none.
 *
 * Under `flight run` the parent process says it after the program's own last words; the program
 * leaves a line for it in the report file.
 */
import { appendFileSync } from "node:fs";
import { threadId } from "node:worker_threads";
import type { Config } from "../config/resolve-config.ts";
import type { Ring } from "../ring/open-ring.ts";
import { writeToStderr } from "../stack/fatal-report.ts";
import type { CaptureOutcome } from "./capture-box.ts";

/** Tells the parent where the ring is, so that it can be recovered at once. Never throws. */
export function tellRing({ report }: Config, mapping: Ring["mapping"]): void {
  if (report === undefined) return;
  try {
    const told = mapping.kind === "mapped" ? { ring: mapping.path } : { noRing: mapping.reason };
    appendFileSync(report, `${JSON.stringify({ ...told, pid: process.pid, threadId })}\n`);
  } catch {
    // `flight recover` finds it all the same.
  }
}

/** Tells the parent, or the user, about one capture. */
export function announce(config: Config, outcome: CaptureOutcome, reason: string): void {
  const { path, problem } = outcome;
  const lines: string[] = [];
  if (config.report !== undefined) {
    try {
      const line = { path, problem, reason, pid: process.pid, threadId };
      appendFileSync(config.report, `${JSON.stringify(line)}\n`);
      return;
    } catch {
      // Then we say it ourselves.
    }
  }
  if (path !== undefined && !config.quiet) lines.push(`[flight] recorded ${path}`);
  if (problem !== undefined) lines.push(`[flight] ${problem}`);
  if (lines.length > 0) writeToStderr(`${lines.join("\n")}\n`);
}
