/** Starts one measured program under one variant, and takes its numbers from its output. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { MeasureContext, Sample } from "./benchmark.ts";
import type { Variant } from "./variants.ts";

/**
 * A program of `bench/programs`, in the copy that the benchmark's folder has of them: some peers
 * write beside what they record.
 */
export function programPath(context: MeasureContext, name: string): string {
  return join(context.shared, "programs", name);
}

/** A run that takes longer is stopped, and its variant reported as too slow. */
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_CHARACTERS = 4_000_000;

export interface ProgramRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From just before the start to the exit. */
  readonly wallMs: number;
  /** Wall clock at the exit, in the program's own terms: `performance.timeOrigin` + now. */
  readonly exitedAtMs: number;
}

export interface ProgramOptions {
  readonly program: string;
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
  readonly context: MeasureContext;
  /** Caches of earlier runs may be used; a fresh folder otherwise. */
  readonly cached?: boolean;
  /** The program's folder when it is not where the file is. */
  readonly root?: string;
}

export function outFolder(context: MeasureContext): string {
  const out = join(context.folder, "out");
  mkdirSync(out, { recursive: true });
  return out;
}

/** The arguments and environment of a program under a variant. */
export function startOf(
  variant: Variant,
  { program, args = [], nodeArgs = [], context, cached = true, root: programRoot }: ProgramOptions,
): { args: string[]; env: NodeJS.ProcessEnv; cwd: string } {
  const cache = join(cached ? context.shared : context.folder, "cache");
  mkdirSync(cache, { recursive: true });
  const start = { root: programRoot ?? dirname(program), out: outFolder(context), cache };
  const env = { ...process.env, ...variant.env(start) };
  delete env["NODE_OPTIONS"];
  return {
    args: [...nodeArgs, ...variant.nodeArgs(start), program, ...args],
    env,
    // Peers that write into the current folder do it where it is removed.
    cwd: context.folder,
  };
}

/** @throws {Error} when the program does not end in time. */
export function runProgram(variant: Variant, options: ProgramOptions): Promise<ProgramRun> {
  const { args, env, cwd } = startOf(variant, options);
  return new Promise((resolve, reject) => {
    const beganMs = performance.now();
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (stdout.length < MAX_OUTPUT_CHARACTERS) stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < MAX_OUTPUT_CHARACTERS) stderr += text;
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    let exit = { wallMs: 0, exitedAtMs: 0 };
    child.on("exit", () => {
      const nowMs = performance.now();
      exit = { wallMs: nowMs - beganMs, exitedAtMs: performance.timeOrigin + nowMs };
    });
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      clearTimeout(timer);
      if (signal === "SIGKILL") {
        reject(new Error(`stopped after ${TIMEOUT_MS / 1000} s`));
        return;
      }
      resolve({ exitCode, stdout, stderr, ...exit });
    });
  });
}

/** Runs a program that reports its own numbers on a line `BENCH {…}`. */
export async function reportedSample(variant: Variant, options: ProgramOptions): Promise<Sample> {
  const run = await runProgram(variant, options);
  const line = run.stdout.split("\n").find((text) => text.startsWith("BENCH "));
  if (run.exitCode !== 0 || line === undefined) {
    const words = run.stderr.trim().split("\n").slice(0, 6).join(" ").slice(0, 300);
    throw new Error(`ended with ${run.exitCode}: ${words || "no numbers"}`);
  }
  return { ...(JSON.parse(line.slice(6)) as Sample), wallMs: run.wallMs };
}

/** Bytes of the files that a run left in its output folder; reports and rings do not count. */
export function outputBytes(context: MeasureContext): number {
  const out = outFolder(context);
  let bytes = 0;
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:flight|json)$/.test(entry.name)) continue;
    bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}
