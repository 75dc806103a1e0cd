/**
 * `npm run package-suites [-- NAME… --level LEVEL --node PATH --save --verbose]`: runs the published test
 * suites of well-known packages plain and recorded, package, tests, runner and all dependencies with
 * probes, and compares results and output.
 *
 * Each suite runs plain twice, to know what differs by itself, and once at each level. Exits 1 on any
 * difference, 2 when something cannot be had here. `--save` writes results/.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installPinned } from "../../scripts/install-pinned.ts";
import { builtRecorder, type Level, LEVELS, nodeCommand } from "../../scripts/recorded-start.ts";
import { withoutNoise } from "./normalize.ts";
import { type LevelResult, saveResults, type SuiteResult } from "./results.ts";
import { runSuite, type SuitePlaces, type SuiteRun } from "./run-suite.ts";
import { fetchSource, UnavailableSource, versionOf } from "./sources.ts";
import type { Suite } from "./suite.ts";
import { SUITES } from "./suites.ts";

const SHOWN_DIFFERENCES = 3;

const { values, positionals } = parseArgs({
  options: {
    /** Another Node, for instance one of `.runtimes/`. */
    node: { type: "string", default: process.execPath },
    /** Which levels; all of them without this. */
    level: { type: "string", multiple: true, default: [...LEVELS] },
    /** Leaves the recorder out: checks the campaign itself. */
    plain: { type: "boolean", default: false },
    /** Runs level `calls` a second time, with the cache that the first run left. */
    cached: { type: "boolean", default: false },
    /** Writes the results into the repository. */
    save: { type: "boolean", default: false },
    /** Keeps both outputs of a suite that differs in `.cache/package-suites/differences`. */
    keep: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const nodePath = nodeCommand(values.node);

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");

async function main(): Promise<void> {
  if (!existsSync(builtRecorder)) {
    console.error(`${builtRecorder} is missing: npm run build`);
    process.exit(2);
  }
  const folder = installPinned(join(here, "pinned"), join(root, ".cache/package-suites"));
  const node = spawnSync(nodePath, ["--version"], { encoding: "utf8" }).stdout.trim().slice(1);
  let different = 0;
  let unavailable = 0;
  for (const suite of chosenSuites()) {
    try {
      const result = await compare(suite, folder);
      if (Object.values(result.levels).some(({ verdict }) => verdict === "different")) different++;
      if (values.save) saveResults(join(here, "results"), node, [result]);
    } catch (error) {
      if (!(error instanceof UnavailableSource || error instanceof UnusableSuite)) throw error;
      unavailable++;
      print(suite.name, "", `CANNOT RUN: ${error.message}`);
    }
  }
  console.log(`\n${different} with differences, ${unavailable} that cannot run here`);
  if (different > 0) process.exitCode = 1;
  else if (unavailable > 0) process.exitCode = 2;
}

/** A suite that proves nothing: two plain runs differ, or it has no results. */
class UnusableSuite extends Error {}

function chosenSuites(): Suite[] {
  return SUITES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
}

async function compare(suite: Suite, folder: string): Promise<SuiteResult> {
  const tree = fetchSource(suite, folder);
  const temporary = mkdtempSync(join(tmpdir(), "orangebox-suites-"));
  const places: SuitePlaces = { node: nodePath, folder, tree, temporary };
  try {
    const plain = await runSuite(suite, places, undefined);
    const again = await runSuite(suite, places, undefined);
    const { counts } = plain;
    const unstable = differences(plain, again);
    if (unstable.length > 0) keep(suite, plain, again, "plain");
    if (unstable.length > 0)
      throw new UnusableSuite(`two plain runs differ: ${unstable.join("; ")}`);
    if (counts === undefined || counts.passed === 0) {
      throw new UnusableSuite(`no results: ${(plain.stderr || plain.stdout).slice(-1500)}`);
    }
    const plainMs = Math.min(plain.cpuMs ?? Number.NaN, again.cpuMs ?? Number.NaN);
    const { passed, failed, skipped } = counts;
    print(
      suite.name,
      `${Math.round(plainMs)} ms`,
      `exit ${plain.exitCode}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    );
    const levels: Partial<Record<Level, LevelResult>> = {};
    for (const level of values.plain ? [] : LEVELS.filter((one) => values.level.includes(one))) {
      levels[level] = await compareAt(suite, places, level, { plain, plainMs });
    }
    return {
      name: suite.name,
      version: versionOf(suite, tree),
      source: suite.source.kind,
      runner: suite.runner,
      exitCode: plain.exitCode,
      counts,
      plainCpuMs: Math.round(plainMs),
      normalized: normalizedWords(suite, plain),
      commit: currentCommit(),
      levels,
    };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** One level; `calls`, which is always on, also with the cache of the first run when that is asked for. */
async function compareAt(
  suite: Suite,
  places: SuitePlaces,
  level: Level,
  { plain, plainMs }: { plain: SuiteRun; plainMs: number },
): Promise<LevelResult> {
  const cold = await runSuite(suite, places, level);
  const found = differences(plain, cold);
  const { modules } = cold;
  if (modules === undefined || modules.recorded === 0) found.push("nothing was recorded");
  if (found.length > 0) keep(suite, plain, cold, level);
  const ratio = rounded((cold.cpuMs ?? Number.NaN) / plainMs);
  let cachedRatio: number | undefined;
  if (level === "calls" && values.cached) {
    const cached = await runSuite(suite, places, level);
    cachedRatio = rounded((cached.cpuMs ?? Number.NaN) / plainMs);
    found.push(...differences(plain, cached).map((text) => `cached: ${text}`));
  }
  const verdict = found.length === 0 ? "same" : `DIFFERENT: ${found.join("; ")}`;
  const ratios = cachedRatio === undefined ? `${ratio}x` : `${ratio}x, ${cachedRatio}x`;
  print("", `${level} ${ratios}`, `${modules?.recorded} modules, ${verdict}`);
  return {
    verdict: found.length === 0 ? "same" : "different",
    differences: found,
    ...(Number.isFinite(ratio) ? { ratio } : {}),
    ...(cachedRatio === undefined ? {} : { cachedRatio }),
    recordedModules: modules?.recorded ?? 0,
    untouchedModules: modules?.untouched ?? {},
  };
}

function rounded(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}

function differences(expected: SuiteRun, actual: SuiteRun): string[] {
  const found: string[] = [];
  if (expected.exitCode !== actual.exitCode || expected.signal !== actual.signal) {
    found.push(
      `exit ${expected.signal ?? expected.exitCode} → ${actual.signal ?? actual.exitCode}`,
    );
  }
  const [before, after] = [expected.counts, actual.counts].map((counts) => JSON.stringify(counts));
  if (before !== after) found.push(`${before} → ${after}`);
  if (expected.compared !== actual.compared) {
    const lines = expected.compared.split("\n");
    const others = actual.compared.split("\n");
    const places = Array.from(
      { length: Math.max(lines.length, others.length) },
      (_, index) => index,
    ).filter((index) => lines[index] !== others[index]);
    found.push(
      ...places
        .slice(0, SHOWN_DIFFERENCES)
        .map((at) => `line ${at + 1}: ${quote(lines[at])} → ${quote(others[at])}`),
    );
  }
  return found;
}

function quote(text: string | undefined): string {
  return text === undefined
    ? "(no such line)"
    : JSON.stringify(text.replaceAll(root, "").slice(0, 160));
}

/** What was taken out of the output before comparing. */
function normalizedWords(suite: Suite, run: SuiteRun): string[] {
  const words = (suite.noise ?? []).map(({ what }) => what);
  const exempt = (suite.exempt ?? []).map(({ what }) => `not compared: ${what}`);
  const text = run.stdout + run.stderr;
  if (withoutNoise(text, []) !== text) words.unshift("durations");
  if (suite.anyOrder === true) words.push("order of the lines");
  return [...words, ...exempt];
}

function keep(suite: Suite, expected: SuiteRun, actual: SuiteRun, variant: string): void {
  if (!values.keep) return;
  const folder = join(root, ".cache/package-suites/differences");
  mkdirSync(folder, { recursive: true });
  const name = suite.name.replaceAll("/", "-");
  writeFileSync(join(folder, `${name}.plain.txt`), expected.compared);
  writeFileSync(join(folder, `${name}.${variant}-2.txt`), actual.compared);
}

function currentCommit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      cwd: root,
      encoding: "utf8",
    }).trim();
  } catch {
    return "unknown";
  }
}

function print(name: string, time: string, verdict: string): void {
  console.log(`${name.padEnd(18)} ${time.padStart(14)}  ${verdict}`);
}

await main();
