/** What a benchmark is: cases, each measured for every variant, and what their numbers mean. */
import type { Variant } from "./variants.ts";

/** Numbers of one run by name; `NaN` is not allowed, leave out what was not measured. */
export type Sample = Record<string, number>;

/** What a number is compared with; the ratio is that to the plain run. */
export type Goal =
  | { readonly kind: "ratio" | "value"; readonly atMost: number }
  | { readonly kind: "value"; readonly atLeast: number };

export interface Metric {
  readonly key: string;
  readonly title: string;
  readonly unit: "ns" | "us" | "ms" | "kB" | "MB/s" | "times";
  /** The goal for the recorded variant, from the table of budgets. */
  readonly goal?: Goal;
  /** Goals for other levels, by the name of the variant. */
  readonly goals?: Readonly<Record<string, Goal>>;
  /** Left out of the tables for variants that have none (the plain program writes no file). */
  readonly optional?: boolean;
}

export interface MeasureContext {
  /** An empty folder of this run; removed afterwards. */
  readonly folder: string;
  /** A folder that all runs of this benchmark share; made by `prepare`. */
  readonly shared: string;
}

export interface Case {
  readonly name: string;
  measure(variant: Variant, context: MeasureContext): Promise<Sample>;
}

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly rounds: number;
  /** Names of the variants that make sense here, beside `plain` and `recorded`. */
  readonly peers: readonly string[];
  readonly metrics: readonly Metric[];
  readonly cases: readonly Case[];
  prepare?(shared: string): Promise<void>;
  /** Adds metrics that need the plain run's medians, such as nanoseconds per event. */
  derive?(medians: Sample, plain: Sample): Sample;
}
