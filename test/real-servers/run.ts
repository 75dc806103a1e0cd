/**
 * `npm run real-servers [-- NAME… --level calls --level writes --node PATH --requests N]`: web servers
 * under load and database drivers, plain and recorded with all of their packages.
 *
 * A server gets the same mixed list of requests, many at a time; every answer must be the same: status,
 * headers in their order, body, and what the server printed. A driver works on a real server of its own
 * (PostgreSQL of this machine, started and stopped here) and prints every result and every error.
 * Two plain runs come first, to know what is not stable by itself. Exits 1 on any difference.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installPinned } from "../../scripts/install-pinned.ts";
import {
  builtRecorder,
  type Level,
  LEVELS,
  nodeCommand,
  plainEnvironment,
  recordedEnvironment,
  registerFile,
} from "../../scripts/recorded-start.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { type Answer, sendAll } from "./requests.ts";

const TIMEOUT_MS = 180_000;
const SERVERS = ["http", "express", "fastify", "hono", "koa"] as const;
const DRIVERS = ["pg", "postgres", "mysql2"] as const;

const { values, positionals } = parseArgs({
  options: {
    /** Another Node, for instance one of `.runtimes/`. */
    node: { type: "string", default: process.execPath },
    /** Which levels; all of them without this. */
    level: { type: "string", multiple: true, default: [...LEVELS] },
    /** How many requests each server gets in each run. */
    requests: { type: "string", default: "4200" },
    verbose: { type: "boolean", default: false },
    /** Writes the table into results/. */
    save: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const nodePath = nodeCommand(values.node);

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const requestCount = Number(values.requests);

/** What a run showed to the outside. */
interface Seen {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly answers: readonly Answer[];
  /** From the first request to the last answer, or of the whole driver program. */
  readonly workMs: number;
}

interface Started {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly closed: Promise<number | null>;
}

async function main(): Promise<void> {
  if (!existsSync(builtRecorder)) {
    console.error(`${builtRecorder} is missing: npm run build`);
    process.exit(2);
  }
  const folder = installPinned(join(here, "pinned"), join(root, ".cache/real-servers"));
  const work = join(folder, `work-${process.pid}`);
  const temporary = mkdtempSync(join(tmpdir(), "orangebox-servers-"));
  cpSync(join(here, "apps"), work, { recursive: true });
  let postgres: PostgresServer | undefined;
  let failures = 0;
  try {
    for (const name of [...SERVERS, ...DRIVERS]) {
      if (positionals.length > 0 && !positionals.includes(name)) continue;
      if (needsPostgres(name) && postgres === undefined) {
        postgres = await startPostgres();
        console.log(`${postgres.version} on a port of loopback`);
      }
      const same = await compare(name, { work, temporary, postgres });
      if (!same) failures++;
    }
  } finally {
    postgres?.stop();
    rmSync(work, { recursive: true, force: true });
    rmSync(temporary, { recursive: true, force: true });
  }
  if (values.save) save(postgres?.version);
  console.log(failures === 0 ? "\nall the same" : `\n${failures} with differences`);
  if (failures > 0) process.exitCode = 1;
}

/** One file for each Node; a run of some programs only replaces the whole table, so save full runs. */
function save(postgresVersion: string | undefined): void {
  const node = spawnSync(nodePath, ["--version"], { encoding: "utf8" }).stdout.trim();
  const { dependencies } = JSON.parse(readFileSync(join(here, "pinned/package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const folder = join(here, "results");
  mkdirSync(folder, { recursive: true });
  const lines = [
    `# Servers and database drivers on Node ${node.slice(1)}`,
    "",
    `Written by \`npm run real-servers -- --save\`: ${requestCount} requests to each server in each run, ${postgresVersion ?? "no PostgreSQL"}.`,
    "Times are ratios to the faster of two plain runs, on a machine with other work: an order of magnitude, no benchmark.",
    "",
    "| program | run | time | result |",
    "| --- | --- | ---: | --- |",
    ...rows.map(({ name, variant, time, verdict }) => {
      const version = dependencies[name] ?? node;
      return `| ${name} ${version} | ${variant} | ${time} | ${verdict.trim()} |`;
    }),
    "",
  ];
  writeFileSync(join(folder, `node-${node.slice(1).split(".")[0]}.md`), lines.join("\n"));
}

function needsPostgres(name: string): boolean {
  return name === "pg" || name === "postgres";
}

interface Places {
  readonly work: string;
  readonly temporary: string;
  readonly postgres: PostgresServer | undefined;
}

/** One program plain, plain again, and at each level; prints a line for each. */
async function compare(name: string, places: Places): Promise<boolean> {
  const plain = await execute(name, places, undefined);
  const again = await execute(name, places, undefined);
  const plainMs = Math.min(plain.workMs, again.workMs);
  const unstable = differences(plain, again);
  const failed = plain.answers.filter(({ failure }) => failure !== undefined).length;
  const statuses = countBy(plain.answers.map(({ status }) => String(status)));
  print(name, "plain", `${Math.round(plainMs)} ms`, `exit ${plain.exitCode} ${statuses}`);
  if (plain.exitCode !== 0 || failed > 0) {
    console.log(plain.stdout.slice(-2000), plain.stderr.slice(-2000));
    return false;
  }
  if (unstable.length > 0) {
    print(name, "plain", "", `UNSTABLE: ${unstable.join("; ")}`);
    return false;
  }
  let same = true;
  for (const level of LEVELS.filter((one) => values.level.includes(one))) {
    const recorded = await execute(name, places, level);
    const found = differences(plain, recorded);
    const ratio = `${(recorded.workMs / plainMs).toFixed(2)}x`;
    print(name, level, ratio, found.length === 0 ? "same" : `DIFFERENT: ${found.join("; ")}`);
    same &&= found.length === 0;
  }
  return same;
}

async function execute(name: string, places: Places, level: Level | undefined): Promise<Seen> {
  const started = start(name, places, level);
  const timer = setTimeout(() => started.child.kill("SIGKILL"), TIMEOUT_MS);
  const isServer = SERVERS.some((server) => server === name);
  const beganMs = performance.now();
  let workMs = 0;
  let answers: Answer[] = [];
  if (isServer) {
    const port = await readyPort(started);
    const sentMs = performance.now();
    answers = port === undefined ? [] : await sendAll(port, requestCount);
    workMs = performance.now() - sentMs;
  }
  started.child.stdin?.end();
  const exitCode = await started.closed;
  clearTimeout(timer);
  return {
    exitCode,
    stdout: started.output.stdout.replace(/^READY \d+$/m, "READY"),
    // Under load the lines of failed requests come in the order in which they fail.
    stderr: started.output.stderr.split("\n").toSorted().join("\n"),
    answers,
    workMs: isServer ? workMs : performance.now() - beganMs,
  };
}

function start(name: string, places: Places, level: Level | undefined): Started {
  const { work, temporary, postgres } = places;
  const out = join(temporary, "out");
  const cache = join(temporary, "cache");
  for (const place of [out, cache]) mkdirSync(place, { recursive: true });
  const recording =
    level === undefined
      ? {}
      : { ...recordedEnvironment({ out, cache, level }), ORANGEBOX_REPORT: join(out, "report") };
  const database =
    postgres === undefined ? {} : { PGHOST: postgres.host, PGPORT: String(postgres.port) };
  const entry = join(work, `${name}.mjs`);
  const args = level === undefined ? [entry] : ["--require", registerFile, entry];
  const child = spawn(nodePath, args, {
    cwd: work,
    env: { ...plainEnvironment(), ...database, ...recording },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { child, output, closed };
}

/** The port that the server says, or undefined when it ends before. */
function readyPort({ child, output, closed }: Started): Promise<number | undefined> {
  const said = new Promise<number>((resolve) => {
    const look = (): void => {
      const port = /^READY (\d+)$/m.exec(output.stdout)?.[1];
      if (port !== undefined) resolve(Number(port));
    };
    child.stdout?.on("data", look);
    look();
  });
  return Promise.race([said, closed.then(() => undefined)]);
}

function differences(expected: Seen, actual: Seen): string[] {
  const found: string[] = [];
  if (expected.exitCode !== actual.exitCode) {
    found.push(`exit ${expected.exitCode} → ${actual.exitCode}`);
  }
  for (const stream of ["stdout", "stderr"] as const) {
    if (expected[stream] === actual[stream]) continue;
    const at = firstDifference(expected[stream], actual[stream]);
    found.push(`${stream} ${quote(expected[stream], at)} → ${quote(actual[stream], at)}`);
  }
  const wrong = expected.answers.flatMap((answer, index) => {
    const before = JSON.stringify(answer);
    const after = JSON.stringify(actual.answers[index]);
    const at = firstDifference(before, after ?? "");
    return before === after
      ? []
      : [`answer ${index}: ${quote(before, at)} → ${quote(after ?? "", at)}`];
  });
  if (wrong.length > 0) found.push(`${wrong.length} answers, ${wrong.slice(0, 3).join("; ")}`);
  return found;
}

function firstDifference(expected: string, actual: string): number {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  return at;
}

function quote(text: string, at: number): string {
  const length = values.verbose ? 1200 : 160;
  return JSON.stringify(text.slice(Math.max(0, at - 40), at + length));
}

function countBy(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
  return sorted.map(([word, count]) => `${word}:${count}`).join(" ");
}

interface Row {
  readonly name: string;
  readonly variant: string;
  readonly time: string;
  readonly verdict: string;
}

const rows: Row[] = [];

function print(name: string, variant: string, time: string, verdict: string): void {
  rows.push({ name, variant, time, verdict });
  console.log(`${name.padEnd(10)} ${variant.padEnd(7)} ${time.padStart(9)}  ${verdict}`);
}

await main();
