/**
 * The process that runs a range of seeds: one JSON line for every failure and every few programs.
 *
 * `node run-seeds.js FIRST COUNT`, or `node run-seeds.js FILE` with a JSON list of programs.
 */
import { readFileSync } from "node:fs";
import { compareLevels, type Verdict } from "./execute.ts";
import { generateProgram, type Program } from "./generate-program.ts";
import { isSameLine } from "./known-limits.ts";
import { minimizeText } from "../../packages/instrument/test/support/minimize-text.ts";

/** What a process reports: how far it is, or a program that differs. */
export type Report =
  | { readonly kind: "progress"; readonly next: number; readonly counts: Counts }
  | { readonly kind: "different"; readonly failure: Failure };

/** How many programs ended in which way. */
export interface Counts {
  readonly same: number;
  readonly invalid: number;
  readonly untouched: number;
  readonly different: number;
}

/** A program that differs, and what it was made of. */
export interface Failure {
  readonly seed: number;
  readonly level: string;
  readonly program: Program;
  readonly plain: string;
  readonly recorded: string;
}

const REPORT_EVERY = 200;
const MINIMIZE_MS = 6000;

/** Finds the first line in which two runs differ. */
export function firstDifference(verdict: Extract<Verdict, { kind: "different" }>): {
  plain: string;
  recorded: string;
} {
  const { plain, recorded } = verdict;
  const most = Math.max(plain.length, recorded.length);
  for (let index = 0; index < most; index++) {
    if (!isSameLine(plain[index] ?? "", recorded[index] ?? "")) {
      return { plain: plain[index] ?? "(nothing)", recorded: recorded[index] ?? "(nothing)" };
    }
  }
  return { plain: "", recorded: "" };
}

/** Runs a program, and makes it small if it differs. */
export async function examine(
  program: Program,
  found: (failure: Failure) => void = () => undefined,
): Promise<{ verdict: Verdict; failure?: Failure }> {
  const verdict = await compareLevels(program);
  if (verdict.kind !== "different") return { verdict };
  // Once more: a program that differs from itself would say nothing about probes.
  const again = await compareLevels(program);
  if (again.kind !== "different") return { verdict: again };
  // Told at once: a smaller text may not end.
  found({ seed: program.seed, level: verdict.level, program, ...firstDifference(verdict) });
  const small = await minimize(program, async (candidate) => {
    if (!endsForSure(candidate.source) || !endsForSure(candidate.other ?? "")) return false;
    const { kind } = await compareLevels(candidate, [verdict.level]);
    return kind === "different";
  });
  const last = await compareLevels(small, [verdict.level]);
  const shown = firstDifference(last.kind === "different" ? last : verdict);
  return {
    verdict,
    failure: { seed: program.seed, level: verdict.level, program: small, ...shown },
  };
}

/** Whether every loop still asks whether it may go on; without that a smaller text may not end. */
function endsForSure(text: string): boolean {
  const loops = text.match(/\b(?:for|while)\b/g)?.length ?? 0;
  const guards = text.match(/\b(?:for|while)\b[^]*?\bok\(\)/g)?.length ?? 0;
  const asked = text.match(/&&|\bok\(\)/g)?.length ?? 0;
  return loops <= guards && loops <= asked;
}

async function minimize(
  program: Program,
  fails: (candidate: Program) => Promise<boolean>,
): Promise<Program> {
  const endAtMs = performance.now() + MINIMIZE_MS;
  const { kind } = program;
  const options = { lang: kind.isTyped ? "ts" : "js", sourceType: kind.format } as const;
  const { other: _other, ...alone } = program;
  let best: Program = alone;
  if (program.other !== undefined && !(await fails(best))) {
    best = program;
    const other = await minimizeText(
      program.other,
      options,
      (candidate) => fails({ ...program, other: candidate }),
      endAtMs,
    );
    best = { ...program, other };
  }
  const source = await minimizeText(
    best.source,
    options,
    (candidate) => fails({ ...best, source: candidate }),
    endAtMs,
  );
  return { ...best, source };
}

function write(report: Report): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

async function runAll(programs: Iterable<Program>): Promise<void> {
  const counts = { same: 0, invalid: 0, untouched: 0, different: 0 };
  let done = 0;
  let next = 0;
  for (const program of programs) {
    const { verdict, failure } = await examine(program, (whole) => {
      write({ kind: "different", failure: whole });
    });
    counts[verdict.kind]++;
    next = program.seed + 1;
    if (failure !== undefined) write({ kind: "different", failure });
    if (++done % REPORT_EVERY === 0) write({ kind: "progress", next, counts });
  }
  write({ kind: "progress", next, counts });
}

function* programsOf(first: number, count: number): Generator<Program> {
  for (let seed = first; seed < first + count; seed++) yield generateProgram(seed);
}

const [, , first, count] = process.argv;
if (first !== undefined) {
  await runAll(
    count === undefined
      ? // Written by the test that starts this process.
        (JSON.parse(readFileSync(first, "utf8")) as Program[])
      : programsOf(Number(first), Number(count)),
  );
}
