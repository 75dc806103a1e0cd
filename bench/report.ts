/** Writes the results of a benchmark as a table, for the terminal and for `bench/results/`. */
import type { Benchmark, Goal, Metric } from "./benchmark.ts";
import type { MachineFacts } from "./machine.ts";
import type { CaseResult, VariantResult } from "./rounds.ts";

export interface Report {
  readonly benchmark: string;
  readonly title: string;
  readonly about: string;
  readonly command: string;
  readonly date: string;
  readonly rounds: number;
  readonly machine: MachineFacts;
  readonly cases: readonly CaseResult[];
}

export function toMarkdown(benchmark: Benchmark, report: Report): string {
  const { machine } = report;
  return [
    `# ${report.title}`,
    "",
    report.about,
    "",
    `\`${report.command}\`, ${report.date}, ${report.rounds} rounds, medians; ratios are medians of the ratios within a round.`,
    "",
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.system}, Node ${machine.node} (V8 ${machine.v8}), commit ${machine.commit}, load average at the start ${machine.loadAtStart}.`,
    "",
    toTable(benchmark, report.cases),
    "",
    ...versionLines(report.cases),
    "",
  ].join("\n");
}

export function toTable(benchmark: Benchmark, cases: readonly CaseResult[]): string {
  const { metrics } = benchmark;
  const rows = [
    ["case", "variant", ...metrics.flatMap(({ title, unit }) => [`${title}, ${unit}`, "ratio"])],
  ];
  for (const { name, results } of cases) {
    for (const result of results) rows.push([name, result.variant, ...cells(metrics, result)]);
  }
  const withoutEmpty = dropEmptyColumns(rows);
  const widths = withoutEmpty[0]?.map((_, column) =>
    Math.max(...withoutEmpty.map((row) => row[column]?.length ?? 0)),
  );
  const isText = (column: number): boolean =>
    ["case", "variant"].includes(withoutEmpty[0]?.[column] ?? "");
  const lines = withoutEmpty.map(
    (row) =>
      `| ${row.map((cell, column) => pad(cell, widths?.[column] ?? 0, isText(column))).join(" | ")} |`,
  );
  const rule = `| ${(widths ?? []).map((width, column) => (isText(column) ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  const problems = cases.flatMap(({ name, results }) =>
    results.flatMap(({ variant, problem }) =>
      problem === undefined ? [] : [`- ${variant} ${name && `(${name}) `}did not run: ${problem}`],
    ),
  );
  const goals = goalLines(metrics, cases);
  return [lines[0], rule, ...lines.slice(1), ...blankBefore(problems), ...blankBefore(goals)].join(
    "\n",
  );
}

function blankBefore(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}

function pad(text: string, width: number, left: boolean): string {
  return left ? text.padEnd(width) : text.padStart(width);
}

function cells(metrics: readonly Metric[], { medians, ratios, problem }: VariantResult): string[] {
  return metrics.flatMap(({ key }) => {
    const value = medians[key];
    const ratio = ratios[key];
    if (value === undefined) return [problem === undefined ? "–" : "failed", ""];
    return [round(value), ratio === undefined ? "" : `${ratio.toFixed(2)}x`];
  });
}

/** A column of ratios that nobody has (of derived numbers) says nothing. */
function dropEmptyColumns(rows: string[][]): string[][] {
  const keep = (rows[0] ?? []).map((_, column) =>
    column === 0
      ? rows.slice(1).some((row) => row[0] !== "")
      : rows.slice(1).some((row) => row[column] !== ""),
  );
  return rows.map((row) => row.filter((_, column) => keep[column]));
}

function round(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Each goal beside what was measured; a goal that was missed says so. */
function goalLines(metrics: readonly Metric[], cases: readonly CaseResult[]): string[] {
  const lines: string[] = [];
  for (const metric of metrics) {
    const goals: Record<string, Goal> = { ...metric.goals };
    if (metric.goal !== undefined) goals["recorded"] = metric.goal;
    for (const { name, results } of cases) {
      for (const result of results) {
        const goal = goals[result.variant];
        const line = goal === undefined ? undefined : goalLine(metric, goal, result, name);
        if (line !== undefined) lines.push(line);
      }
    }
  }
  return lines;
}

function goalLine(
  { key, title, unit }: Metric,
  goal: Goal,
  { variant, ratios, medians }: VariantResult,
  caseName: string,
): string | undefined {
  const value = (goal.kind === "ratio" ? ratios : medians)[key];
  if (value === undefined) return undefined;
  const text = (number: number): string =>
    goal.kind === "ratio" ? `${Number(number.toFixed(2))}x` : `${round(number)} ${unit}`;
  const [isMet, limit] =
    "atMost" in goal
      ? [value <= goal.atMost, `at most ${text(goal.atMost)}`]
      : [value >= goal.atLeast, `at least ${text(goal.atLeast)}`];
  const of = [caseName, variant === "recorded" ? "" : variant].filter((part) => part !== "");
  const place = of.length === 0 ? "" : ` (${of.join(", ")})`;
  return `- goal ${isMet ? "met" : "MISSED"}: ${title}${place} is ${text(value)}, ${limit}`;
}

function versionLines(cases: readonly CaseResult[]): string[] {
  const versions = new Map(
    cases.flatMap(({ results }) => results.map(({ variant, version }) => [variant, version])),
  );
  return [...versions]
    .filter(([, version]) => version)
    .map(([name, version]) => `- ${name}: ${version}`);
}
