/**
 * `npm run real-programs [-- text…]`: runs well-known command-line programs plain and recorded, every
 * module of theirs included, and compares what can be seen from outside byte for byte: stdout,
 * stderr (without our one line), the exit code and the files they write.
 *
 * Each run is made twice both ways, so that a program that does not even agree with itself is told
 * from one that we changed, and so that the second recorded run finds its cache. Exits 1 on any
 * difference. Words after `--` choose the runs whose names contain one of them.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installPinned } from "../../scripts/install-pinned.ts";
import {
  builtRecorder,
  LEVELS,
  nodeCommand,
  plainEnvironment,
  recordedEnvironment,
  registerFile,
} from "../../scripts/recorded-start.ts";
import { REAL_RUNS, type RealRun } from "./programs.ts";

const TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;
const OUR_LINE = /^\[flight\] recorded .*\n/gm;

const { values, positionals } = parseArgs({
  options: {
    /** Another Node, for instance one of `.runtimes/`. */
    node: { type: "string", default: process.execPath },
    /** How many probes. */
    level: { type: "string", default: "calls" },
    /** Leaves the recorder out: checks the campaign itself. */
    plain: { type: "boolean", default: false },
    /** Shows both outputs of a run that differs. */
    verbose: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const node = nodeCommand(values.node);

const level = LEVELS.find((name) => name === values.level);
if (level === undefined) throw new TypeError(`--level is one of ${LEVELS.join(", ")}`);

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");

interface Seen {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Contents of the files in the work folder afterwards, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly wallMs: number;
}

interface Places {
  readonly folder: string;
  readonly work: string;
  readonly out: string;
  readonly cache: string;
}

interface Row {
  readonly name: string;
  readonly verdict: string;
  readonly plainMs: number;
  readonly coldMs: number;
  readonly cachedMs: number;
}

function main(): void {
  if (!values.plain && !existsSync(builtRecorder)) {
    console.error(`${builtRecorder} is missing: npm run build`);
    process.exit(2);
  }
  const folder = installPinned(join(here, "pinned"), join(root, ".cache/real-programs"));
  const temporary = mkdtempSync(join(tmpdir(), "orangebox-real-"));
  // The programs find their plugins from the folder they work in.
  const work = join(folder, `work-${process.pid}`);
  const rows: Row[] = [];
  try {
    for (const [index, one] of chosenRuns().entries()) {
      const places = {
        folder,
        work,
        out: join(temporary, `out-${index}`),
        cache: join(temporary, `cache-${index}`),
      };
      const row = compare(one, places);
      rows.push(row);
      console.log(toLine(row));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(temporary, { recursive: true, force: true });
  }
  summarize(rows);
}

function chosenRuns(): RealRun[] {
  return REAL_RUNS.filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  );
}

function compare(one: RealRun, places: Places): Row {
  const plain = execute(one, places, false);
  const cold = execute(one, places, true);
  const plainAgain = execute(one, places, false);
  const cached = execute(one, places, true);
  let verdict = "same";
  const unstable = differences(plain, plainAgain);
  if (unstable.length > 0) {
    verdict = `UNSTABLE: two plain runs differ in ${unstable.join(", ")}`;
  } else if (plain.exitCode !== one.exitCode) {
    verdict = `UNEXPECTED: the plain program ends with ${plain.exitCode}, not ${one.exitCode}`;
    if (values.verbose) console.log(plain.stdout, plain.stderr);
  } else {
    for (const [kind, recorded] of Object.entries({ cold, cached })) {
      const found = differences(plain, recorded);
      if (found.length === 0) continue;
      verdict = `DIFFERENT (${kind}): ${found.join(", ")}`;
      if (values.verbose) showBoth(plain, recorded);
      break;
    }
  }
  return {
    name: one.name,
    verdict,
    plainMs: Math.min(plain.wallMs, plainAgain.wallMs),
    coldMs: cold.wallMs,
    cachedMs: cached.wallMs,
  };
}

function execute(one: RealRun, { folder, work, out, cache }: Places, record: boolean): Seen {
  const recorded = record && !values.plain;
  rmSync(work, { recursive: true, force: true });
  cpSync(join(here, "inputs", one.inputs), work, { recursive: true, preserveTimestamps: true });
  for (const place of [out, cache]) mkdirSync(place, { recursive: true });
  const isInput = one.entry.startsWith("./");
  const entry = isInput ? join(work, one.entry) : join(folder, "node_modules", one.entry);
  const args = recorded ? ["--require", registerFile, entry] : [entry];
  const beganMs = performance.now();
  const { status, signal, stdout, stderr } = spawnSync(node, [...args, ...one.args], {
    cwd: work,
    env: { ...plainEnvironment(), ...(recorded ? recordedEnvironment({ out, cache, level }) : {}) },
    input: one.stdin === undefined ? "" : readFileSync(join(work, one.stdin)),
    encoding: "latin1",
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return {
    exitCode: status,
    signal,
    stdout,
    stderr: recorded ? stderr.replaceAll(OUR_LINE, "") : stderr,
    files: filesBelow(work),
    wallMs: performance.now() - beganMs,
  };
}

function filesBelow(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path), readFileSync(path, "latin1"));
  }
  return files;
}

function differences(expected: Seen, actual: Seen): string[] {
  const found: string[] = [];
  if (expected.exitCode !== actual.exitCode || expected.signal !== actual.signal) {
    found.push(
      `exit ${expected.signal ?? expected.exitCode} → ${actual.signal ?? actual.exitCode}`,
    );
  }
  for (const stream of ["stdout", "stderr"] as const) {
    if (expected[stream] !== actual[stream]) {
      found.push(`${stream} ${firstDifference(expected[stream], actual[stream])}`);
    }
  }
  for (const path of new Set([...expected.files.keys(), ...actual.files.keys()])) {
    if (expected.files.get(path) !== actual.files.get(path)) found.push(`file ${path}`);
  }
  return found;
}

function firstDifference(expected: string, actual: string): string {
  const before = expected.split("\n");
  const after = actual.split("\n");
  const line = before.findIndex((text, index) => text !== after[index]);
  const at = line < 0 ? before.length : line;
  return `line ${at + 1}: ${quote(before[at])} → ${quote(after[at])}`;
}

function quote(text: string | undefined): string {
  return text === undefined ? "(no such line)" : JSON.stringify(text.slice(0, 160));
}

function showBoth(plain: Seen, recorded: Seen): void {
  console.log(
    "--- plain\n",
    plain.stdout,
    plain.stderr,
    "\n--- recorded\n",
    recorded.stdout,
    recorded.stderr,
  );
}

function toLine({ name, verdict, plainMs, coldMs, cachedMs }: Row): string {
  const ratios = `${(coldMs / plainMs).toFixed(2)}x cold ${(cachedMs / plainMs).toFixed(2)}x cached`;
  return `${name.padEnd(36)} ${plainMs.toFixed(0).padStart(6)} ms  ${ratios.padStart(24)}  ${verdict}`;
}

function summarize(rows: readonly Row[]): void {
  const same = rows.filter(({ verdict }) => verdict === "same").length;
  const total = (key: "plainMs" | "coldMs" | "cachedMs"): number =>
    rows.reduce((sum, row) => sum + row[key], 0);
  console.log(
    `\n${same} of ${rows.length} runs are the same; all together ${(total("coldMs") / total("plainMs")).toFixed(2)}x cold, ${(total("cachedMs") / total("plainMs")).toFixed(2)}x cached`,
  );
  if (same < rows.length || rows.length === 0) process.exitCode = 1;
}

main();
