/**
 * Keeps what the campaign found: a JSON file for each Node version, and one table for people.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Level } from "../../scripts/recorded-start.ts";
import type { Counts } from "./normalize.ts";

export interface LevelResult {
  readonly verdict: "same" | "different";
  /** What differs, the first places only. */
  readonly differences: readonly string[];
  /** Processor time of the recorded run over the lesser of two plain runs. */
  readonly ratio?: number;
  /** The same with the cache that the first run left; only for the level that is always on. */
  readonly cachedRatio?: number;
  readonly recordedModules: number;
  readonly untouchedModules: Readonly<Record<string, number>>;
}

export interface SuiteResult {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly runner: string;
  readonly exitCode: number | null;
  readonly counts: Counts;
  readonly plainCpuMs?: number;
  /** Words that were replaced because two plain runs differ in them, and exemptions with the reason. */
  readonly normalized: readonly string[];
  readonly commit: string;
  readonly levels: Readonly<Partial<Record<Level, LevelResult>>>;
}

interface ResultFile {
  readonly node: string;
  readonly suites: readonly SuiteResult[];
}

/** Puts results beside those of earlier runs on the same Node; levels that were not run keep theirs. */
export function saveResults(folder: string, node: string, results: readonly SuiteResult[]): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `node-${node.split(".")[0]}.json`);
  const before = existsSync(path) ? readResults(path).suites : [];
  const byName = new Map(before.map((suite) => [suite.name, suite]));
  for (const suite of results) {
    const old = byName.get(suite.name);
    const levels =
      old?.version === suite.version ? { ...old.levels, ...suite.levels } : suite.levels;
    byName.set(suite.name, { ...suite, levels });
  }
  const suites = [...byName.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  const file: ResultFile = { node, suites };
  writeFileSync(path, `${JSON.stringify(file, undefined, 2)}\n`);
  writeFileSync(join(folder, "README.md"), toMarkdown(folder));
}

function readResults(path: string): ResultFile {
  return JSON.parse(readFileSync(path, "utf8")) as ResultFile;
}

function toMarkdown(folder: string): string {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => readResults(join(folder, name)));
  return [
    "# Suites of other packages, plain and recorded",
    "",
    "Written by `npm run package-suites -- --save`; how it works: [the campaign](../README.md). A cell says whether the results and",
    "the output are the same, and the processor time of the recorded run over the lesser of two plain runs. Nothing is in the cache:",
    "every module is transformed in that run, which is most of the cost; behind a stroke, with the cache.",
    "",
    ...files.flatMap(toTable),
    "## What was left alone or normalised",
    "",
    ...toNotes(files),
    "",
  ].join("\n");
}

function toTable({ node, suites }: ResultFile): string[] {
  const rows = suites.map((suite) => {
    const { passed, failed, skipped } = suite.counts;
    const cells = (["calls", "lines", "writes"] as const).map((level) =>
      toCell(suite.levels[level]),
    );
    const modules = suite.levels.calls?.recordedModules ?? "";
    return `| ${suite.name} ${suite.version} | ${suite.source} | ${suite.runner} | ${passed} / ${failed} / ${skipped} | ${modules} | ${cells.join(" | ")} |`;
  });
  const tests = suites.reduce((sum, { counts }) => sum + counts.passed + counts.failed, 0);
  const same = suites.filter(({ levels }) =>
    Object.values(levels).every(({ verdict }) => verdict === "same"),
  ).length;
  return [
    `## Node ${node}`,
    "",
    `${same} of ${suites.length} suites are the same at every level that was run; ${tests} results.`,
    "",
    "| package | from | runner | passed / failed / skipped | modules recorded | calls | lines | writes |",
    "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
    "",
  ];
}

function toCell(result: LevelResult | undefined): string {
  if (result === undefined) return "–";
  const { ratio, cachedRatio } = result;
  const cached = cachedRatio === undefined ? "" : ` / ${cachedRatio.toFixed(2)}x`;
  const verdict = result.verdict === "same" ? "same" : `**different**: ${result.differences[0]}`;
  return ratio === undefined ? verdict : `${verdict}, ${ratio.toFixed(2)}x${cached}`;
}

function toNotes(files: readonly ResultFile[]): string[] {
  const notes = new Set<string>();
  for (const { suites } of files) {
    for (const suite of suites) {
      for (const note of suite.normalized) notes.add(`- ${suite.name}: ${note}`);
      for (const result of Object.values(suite.levels)) {
        for (const [reason, count] of Object.entries(result.untouchedModules)) {
          notes.add(`- ${suite.name}: ${count} modules left alone (${reason})`);
        }
      }
    }
  }
  return [...notes].toSorted();
}
