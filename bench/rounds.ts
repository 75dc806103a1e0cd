/**
 * Runs the variants of a case in turn, round after round, so that whatever else the machine does
 * falls on all of them; the order changes with the round. Ratios are taken within a round and then
 * their median, never between numbers of different times.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, Case, Sample } from "./benchmark.ts";
import { root, type Variant } from "./variants.ts";

export interface VariantResult {
  readonly variant: string;
  readonly version: string;
  readonly medians: Sample;
  /** Medians of the ratios to the plain run of the same round. */
  readonly ratios: Sample;
  /** Why there are no numbers, when there are none. */
  readonly problem?: string;
  readonly samples: readonly Sample[];
}

export interface CaseResult {
  readonly name: string;
  readonly results: readonly VariantResult[];
}

export interface Contender {
  readonly name: string;
  /** The variant, or why it cannot run. */
  readonly variant: Variant | string;
}

export async function runBenchmark(
  benchmark: Benchmark,
  contenders: readonly Contender[],
  rounds: number,
): Promise<CaseResult[]> {
  const shared = mkdtempSync(join(tmpdir(), `orangebox-bench-${benchmark.name}-`));
  try {
    cpSync(join(root, "bench/programs"), join(shared, "programs"), { recursive: true });
    await benchmark.prepare?.(shared);
    const results: CaseResult[] = [];
    for (const one of benchmark.cases) {
      results.push(await runCase({ benchmark, one, contenders, rounds, shared }));
    }
    return results;
  } finally {
    rmSync(shared, { recursive: true, force: true });
  }
}

interface CaseRun {
  readonly benchmark: Benchmark;
  readonly one: Case;
  readonly contenders: readonly Contender[];
  readonly rounds: number;
  readonly shared: string;
}

async function runCase({
  benchmark,
  one,
  contenders,
  rounds,
  shared,
}: CaseRun): Promise<CaseResult> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
  const problems = new Map<string, string>();
  const running = new Map<string, Variant>();
  for (const { name, variant } of contenders) {
    if (typeof variant === "string") problems.set(name, variant);
    else running.set(name, variant);
  }
  // Round -1 fills caches, of ours and of the system, and counts for nothing.
  for (let round = -1; round < rounds; round++) {
    for (const [name, variant] of rotate([...running], round)) {
      showProgress(`${benchmark.name} ${one.name} · round ${round + 1} of ${rounds} · ${name}`);
      try {
        const sample = await measureOnce(one, variant, shared);
        if (round >= 0) samples.get(name)?.push(sample);
      } catch (error) {
        problems.set(name, error instanceof Error ? error.message : String(error));
        running.delete(name);
      }
    }
  }
  showProgress("");
  return { name: one.name, results: summarize({ benchmark, contenders, samples, problems }) };
}

/** One line that is written over; nothing where there is no terminal to write over. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

async function measureOnce(one: Case, variant: Variant, shared: string): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-run-"));
  try {
    return await one.measure(variant, { folder, shared });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    for (const place of ["programs", "app"]) {
      rmSync(join(shared, place, "tmp"), { recursive: true, force: true });
    }
  }
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const shift = items.length === 0 ? 0 : (by + items.length) % items.length;
  return [...items.slice(shift), ...items.slice(0, shift)];
}

interface Collected {
  readonly benchmark: Benchmark;
  readonly contenders: readonly Contender[];
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
  readonly problems: ReadonlyMap<string, string>;
}

function summarize({ benchmark, contenders, samples, problems }: Collected): VariantResult[] {
  const plainSamples = samples.get("plain") ?? [];
  const plainMedians = mediansOf(plainSamples);
  return contenders.map(({ name, variant }) => {
    const own = samples.get(name) ?? [];
    const medians = mediansOf(own);
    const derived =
      name === "plain" || own.length === 0 ? {} : (benchmark.derive?.(medians, plainMedians) ?? {});
    const problem = problems.get(name);
    return {
      variant: name,
      version: typeof variant === "string" ? "" : variant.version,
      medians: { ...medians, ...derived },
      ratios: mediansOf(own.map((sample, round) => ratiosOf(sample, plainSamples[round] ?? {}))),
      ...(problem === undefined ? {} : { problem }),
      samples: own,
    };
  });
}

function ratiosOf(sample: Sample, plain: Sample): Sample {
  const ratios: Sample = {};
  for (const [key, value] of Object.entries(sample)) {
    const base = plain[key];
    if (base !== undefined && base > 0) ratios[key] = value / base;
  }
  return ratios;
}

function mediansOf(samples: readonly Sample[]): Sample {
  const medians: Sample = {};
  for (const key of new Set(samples.flatMap((sample) => Object.keys(sample)))) {
    const values = samples.flatMap((sample) => sample[key] ?? []).toSorted((a, b) => a - b);
    const middle = values.length >> 1;
    const upper = values[middle] ?? 0;
    medians[key] = values.length % 2 === 1 ? upper : ((values[middle - 1] ?? 0) + upper) / 2;
  }
  return medians;
}
