/**
 * The whole-path share of the proof: generated programs as files, run by Node alone and with the
 * recorder as users have it, in child processes.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../support/recorded-run.ts";
import { generateProgram, type Program } from "./generate-program.ts";
import { isSameLine } from "./known-limits.ts";

export interface FileDifference {
  readonly seed: number;
  readonly level: string;
  readonly source: string;
  readonly plain: string;
  readonly recorded: string;
}

const LEVELS = ["calls", "lines", "writes"];
const LIMIT_MS = 240_000;

/** Runs the programs of `count` seeds; returns how many were compared, and what differs. */
export async function compareFiles(options: {
  node: string;
  version: string;
  bundle: string;
  firstSeed: number;
  count: number;
}): Promise<{ compared: number; differences: FileDifference[] }> {
  const folder = mkdtempSync(join(tmpdir(), "differential-"));
  try {
    const programs = Array.from({ length: options.count }, (_, index) =>
      generateProgram(options.firstSeed + index),
    ).filter((program) => isForFiles(program, options.version));
    writeFileSync(
      join(folder, "programs.json"),
      JSON.stringify(programs.map((program) => writeProgram(folder, program))),
    );
    const plain = await run(options, folder, undefined);
    const differences: FileDifference[] = [];
    for (const level of LEVELS) {
      const recorded = await run(options, folder, level);
      for (const [index, { seed, source }] of programs.entries()) {
        const shown = firstDifference(plain[index] ?? [], recorded[index] ?? []);
        if (shown !== undefined) differences.push({ seed, level, source, ...shown });
      }
    }
    return { compared: programs.length, differences };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Programs that this Node runs: it knows no attribute of an import, and Node 22 no `using`. */
function isForFiles({ kind, source, other }: Program, version: string): boolean {
  const text = source + (other ?? "");
  if (kind.isTyped || /with\s*\{\s*type/.test(text)) return false;
  return !version.startsWith("22.") || !/\busing\b/.test(text);
}

function writeProgram(folder: string, program: Program): string {
  const place = join(folder, String(program.seed), "p");
  mkdirSync(place, { recursive: true });
  const path = join(place, program.kind.format === "module" ? "main.mjs" : "main.cjs");
  writeFileSync(path, program.source);
  if (program.other !== undefined) writeFileSync(join(place, "other.mjs"), program.other);
  return path;
}

async function run(
  { node, bundle }: { node: string; bundle: string },
  folder: string,
  level: string | undefined,
): Promise<string[][]> {
  const result = `result-${level ?? "plain"}.json`;
  const register = join(ROOT, "packages/recorder/register.cjs");
  const flags = level === undefined ? [] : ["--require", register];
  await promisify(execFile)(node, ["--no-warnings", ...flags, bundle, folder, result], {
    timeout: LIMIT_MS,
    env: {
      ...process.env,
      ORANGEBOX_LEVEL: level ?? "calls",
      ORANGEBOX_EXCLUDE: bundle,
      ORANGEBOX_DUMP_ON_CRASH: "0",
      ORANGEBOX_OUT: folder,
      ORANGEBOX_REPORT: join(folder, "report"),
      ORANGEBOX_STATE_DIR: join(folder, "state"),
      ORANGEBOX_CACHE_DIR: join(folder, "cache"),
    },
  });
  // Written by run-files.ts.
  return JSON.parse(readFileSync(join(folder, result), "utf8")) as string[][];
}

function firstDifference(
  plain: readonly string[],
  recorded: readonly string[],
): { plain: string; recorded: string } | undefined {
  for (let index = 0; index < Math.max(plain.length, recorded.length); index++) {
    const [one, two] = [plain[index] ?? "(nothing)", recorded[index] ?? "(nothing)"];
    if (!isSameLine(one, two)) return { plain: one, recorded: two };
  }
  return undefined;
}
