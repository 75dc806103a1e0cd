/**
 * Runs the test suite of one package once, plain or recorded, and tells what could be seen from outside.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import {
  type Level,
  plainEnvironment,
  recordedEnvironment,
  registerFile,
} from "../../scripts/recorded-start.ts";
import { type Counts, countResults, inAnyOrder, withoutNoise } from "./normalize.ts";
import { freshCopy } from "./sources.ts";
import type { Suite } from "./suite.ts";

const TIMEOUT_MS = 400_000;
/** Linux counts in hundredths of a second. */
const MS_PER_TICK = 10;
const MAX_OUTPUT_CHARS = 64 * 2 ** 20;

export interface SuiteRun {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, without noise: what is compared. */
  readonly compared: string;
  readonly counts: Counts | undefined;
  /** Of the run and every process it waited for; undefined where the system does not tell. */
  readonly cpuMs: number | undefined;
  readonly modules: ModuleCounts | undefined;
}

/** Modules that loaded in a recorded run, from the cache that it left. */
export interface ModuleCounts {
  readonly recorded: number;
  /** How many stayed as they were, by reason. */
  readonly untouched: Readonly<Record<string, number>>;
}

export interface SuitePlaces {
  readonly node: string;
  /** Where `pinned/` is installed. */
  readonly folder: string;
  /** The tree as published. */
  readonly tree: string;
  /** For recordings and the cache of transformed modules. */
  readonly temporary: string;
}

/** Runs the suite in a fresh copy of its tree. */
export async function runSuite(
  suite: Suite,
  places: SuitePlaces,
  level: Level | undefined,
): Promise<SuiteRun> {
  const work = workFolder(suite, places);
  freshCopy(places.tree, work);
  for (const [target, from] of Object.entries(suite.overlay ?? {})) {
    cpSync(join(places.folder, "node_modules", from), join(work, target), { recursive: true });
  }
  const out = join(places.temporary, "out");
  const cache = join(places.temporary, `cache-${level}`);
  for (const place of [out, cache]) mkdirSync(place, { recursive: true });
  const run = await execute(suite, places, suite.command, level && { out, cache, level });
  return { ...run, modules: level === undefined ? undefined : countModules(cache) };
}

function workFolder({ name }: Suite, { folder }: SuitePlaces): string {
  return join(folder, "work", name.replaceAll("/", "-"));
}

interface Recording {
  readonly out: string;
  readonly cache: string;
  readonly level: Level;
}

function execute(
  suite: Suite,
  places: SuitePlaces,
  command: readonly string[],
  recording: Recording | undefined,
): Promise<Omit<SuiteRun, "modules">> {
  const { node, folder } = places;
  const cwd = join(workFolder(suite, places), suite.folder ?? "");
  const cpuBeforeMs = childCpuMs();
  const child = spawn(
    node,
    command.map((word) => withBin(word, join(folder, "node_modules"))),
    {
      cwd,
      env: {
        ...plainEnvironment(),
        // Programs that a test starts by `#!/usr/bin/env node` run on the same Node.
        PATH: `${dirname(node)}${delimiter}${process.env["PATH"]}`,
        ...suite.env,
        ...recordingEnvironment(recording),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (stdout.length < MAX_OUTPUT_CHARS) stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (stderr.length < MAX_OUTPUT_CHARS) stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      clearTimeout(timer);
      const cpuAfterMs = childCpuMs();
      const cpuMs =
        cpuBeforeMs === undefined || cpuAfterMs === undefined
          ? undefined
          : cpuAfterMs - cpuBeforeMs;
      const noise = [...(suite.noise ?? []), ...(suite.exempt ?? [])];
      const texts = [stdout, stderr].map((text) => withoutNoise(text, noise));
      const sorted = suite.anyOrder === true ? texts.map(inAnyOrder) : texts;
      const counts = countResults(stdout) ?? countResults(stderr);
      const compared = sorted.join("\n--- stderr\n");
      resolve({ exitCode, signal, stdout, stderr, compared, counts, cpuMs });
    });
  });
}

/** Through NODE_OPTIONS, so that the processes and workers that a runner starts are recorded as well. */
function recordingEnvironment(recording: Recording | undefined): Record<string, string> {
  if (recording === undefined) return {};
  return {
    ...recordedEnvironment(recording),
    // What the recorder has to say is not the program's.
    ORANGEBOX_REPORT: join(recording.out, "report"),
    NODE_OPTIONS: `--require ${registerFile}`,
  };
}

/** Processor time of all processes that this one has waited for; other work on the machine does not count. */
function childCpuMs(): number | undefined {
  if (process.platform !== "linux") return undefined;
  // Behind the name, which may hold spaces: the fields from the third on.
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const ticks = Number(fields[13]) + Number(fields[14]);
  return Number.isFinite(ticks) ? ticks * MS_PER_TICK : undefined;
}

function withBin(word: string, modules: string): string {
  return word.startsWith("bin:") ? realpathSync(join(modules, word.slice("bin:".length))) : word;
}

/** What the cache holds: a module with probes has tables, one that stayed as it was has a reason. */
function countModules(cache: string): ModuleCounts {
  let recorded = 0;
  const untouched: Record<string, number> = {};
  const files = existsSync(cache) ? readdirSync(cache, { recursive: true, encoding: "utf8" }) : [];
  const tables = new Set(files.filter((name) => name.endsWith(".sites")));
  for (const name of files) {
    if (!name.endsWith(".text")) continue;
    if (tables.has(name.replace(/\.text$/, ".sites"))) recorded++;
    else {
      const reason = refusalReason(readFileSync(join(cache, name), "utf8"));
      untouched[reason] = (untouched[reason] ?? 0) + 1;
    }
  }
  return { recorded, untouched };
}

function refusalReason(text: string): string {
  return /"reason":("(?:[^"\\]|\\.)*")/.exec(text)?.[1] ?? "for a reason that is not in the cache";
}
