/**
 * Runs programs under the built `flight run`, kills them from outside, and opens what was recovered.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Recording } from "@orangebox/format";
import { openBox, ROOT } from "../support/recorded-run.ts";

const FLIGHT = join(ROOT, "packages/orangebox/bin/flight.js");
const MAX_WAIT_MS = 20_000;

/** A folder for one test: boxes, rings, and the place programs are in. */
export interface Place {
  readonly folder: string;
  readonly boxes: string;
  readonly rings: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function makePlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-recovery-"));
  const state = join(folder, "state");
  const { NODE_OPTIONS: _options, VITEST: _vitest, FORCE_COLOR: _color, ...rest } = process.env;
  return {
    folder,
    boxes: join(folder, "boxes"),
    rings: join(state, "rings"),
    env: {
      ...rest,
      ORANGEBOX_STATE_DIR: state,
      ORANGEBOX_OUT: join(folder, "boxes"),
      ORANGEBOX_CACHE_DIR: join(tmpdir(), "orangebox-test-cache"),
    },
  };
}

export function removePlace({ folder }: Place): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts `flight` with this Node. */
export function startFlight(node: string, args: readonly string[], place: Place): ChildProcess {
  return spawn(node, [FLIGHT, ...args], {
    cwd: place.folder,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Waits for the end. */
export function ended(child: ChildProcess): Promise<Ended> {
  const timer = setTimeout(() => child.kill("SIGKILL"), MAX_WAIT_MS);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** Runs `flight` to its end. */
export function flight(node: string, args: readonly string[], place: Place): Promise<Ended> {
  return ended(startFlight(node, args, place));
}

/** The process that `flight run` started; waits until there is one. */
export async function programOf({ pid }: ChildProcess, script: string): Promise<number> {
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += 20) {
    const child = childrenOf(pid ?? 0).find((id) => commandOf(id).includes(script));
    if (child !== undefined) return child;
    await sleep(20);
  }
  throw new Error("flight run started no program");
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** The recordings of a place, oldest first, and when each was on disk. */
export function boxesOf({ boxes }: Place): { path: string; box: Recording; atMs: number }[] {
  return filesIn(boxes)
    .filter((name) => name.endsWith(".flight"))
    .map((name) => join(boxes, name))
    .map((path) => ({ path, box: openBox(path), atMs: statSync(path).ctimeMs }))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** Names of the files in a folder; none when there is no folder. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Data of EXT `orangebox.death`. */
export function deathOf(box: Recording): Readonly<Record<string, unknown>> {
  const [extension] = box.extensions("orangebox.death");
  return extension?.data as Readonly<Record<string, unknown>>;
}
