/**
 * `npm run long-run [-- NAME… --requests N --level LEVEL --node PATH --save]`: a million requests to hono,
 * express and fastify inside one process, plain and recorded, and the memory in use on the way.
 *
 * The answers must have the same length altogether, and what the recorded run keeps more than the plain
 * one must not grow: between the second tenth and the last by at most 1 MiB. Exits 1 otherwise.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

const KINDS = ["hono", "express", "fastify"] as const;
const MIB = 2 ** 20;
const MAX_GROWTH_BYTES = MIB;
const TIMEOUT_MS = 1_800_000;

const { values, positionals } = parseArgs({
  options: {
    node: { type: "string", default: process.execPath },
    level: { type: "string", multiple: true, default: ["calls"] },
    requests: { type: "string", default: "1000000" },
    /** Writes the table into results/. */
    save: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const node = nodeCommand(values.node);

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");

interface Memory {
  readonly asked: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
}

interface LongRun {
  readonly memory: readonly Memory[];
  readonly bytes: string;
  readonly wallMs: number;
}

function main(): void {
  if (!existsSync(builtRecorder)) {
    console.error(`${builtRecorder} is missing: npm run build`);
    process.exit(2);
  }
  const folder = installPinned(join(here, "pinned"), join(root, ".cache/real-servers"));
  const work = join(folder, `work-${process.pid}`);
  const temporary = mkdtempSync(join(tmpdir(), "orangebox-long-"));
  cpSync(join(here, "apps"), work, { recursive: true });
  const lines: string[] = [];
  let failures = 0;
  try {
    for (const kind of KINDS) {
      if (positionals.length > 0 && !positionals.includes(kind)) continue;
      const plain = run(kind, { work, temporary }, undefined);
      lines.push(toLine(kind, "plain", plain, plain));
      for (const level of LEVELS.filter((one) => values.level.includes(one))) {
        const recorded = run(kind, { work, temporary }, level);
        const isSame = recorded.bytes === plain.bytes && growth(recorded) <= MAX_GROWTH_BYTES;
        if (!isSame) failures++;
        lines.push(`${toLine(kind, level, recorded, plain)}${isSame ? "" : "  DIFFERENT"}`);
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(temporary, { recursive: true, force: true });
  }
  if (values.save) save(lines);
  if (failures > 0) process.exitCode = 1;
}

function run(
  kind: string,
  places: { work: string; temporary: string },
  level: Level | undefined,
): LongRun {
  const { work, temporary } = places;
  const out = join(temporary, "out");
  const cache = join(temporary, "cache");
  for (const place of [out, cache]) mkdirSync(place, { recursive: true });
  const recording = level === undefined ? {} : recordedEnvironment({ out, cache, level });
  const before = level === undefined ? [] : ["--require", registerFile];
  const beganMs = performance.now();
  const { status, stdout, stderr } = spawnSync(
    node,
    [...before, "--expose-gc", join(work, "long-run.mjs"), kind, values.requests],
    {
      cwd: work,
      env: { ...plainEnvironment(), ...recording },
      encoding: "utf8",
      timeout: TIMEOUT_MS,
    },
  );
  if (status !== 0) throw new Error(`${kind} ended with ${status}: ${stderr.slice(-1000)}`);
  const memory = [...stdout.matchAll(/^MEMORY (.*)$/gm)].map(
    ([, text = "{}"]) => JSON.parse(text) as Memory,
  );
  const bytes = /^BYTES (\d+)$/m.exec(stdout)?.[1] ?? "none";
  return { memory, bytes, wallMs: performance.now() - beganMs };
}

/** From the second tenth, when everything is warm, to the last. */
function growth({ memory }: LongRun): number {
  const [first, last] = [memory[1], memory.at(-1)];
  if (first === undefined || last === undefined)
    throw new Error("the program said nothing about memory");
  return last.heapUsed + last.external - first.heapUsed - first.external;
}

function toLine(kind: string, variant: string, seen: LongRun, plain: LongRun): string {
  const heap = seen.memory.map(({ heapUsed }) => (heapUsed / MIB).toFixed(1)).join(" ");
  const ratio = (seen.wallMs / plain.wallMs).toFixed(2);
  const grown = (growth(seen) / MIB).toFixed(2);
  const rss = ((seen.memory.at(-1)?.rss ?? 0) / MIB).toFixed(0);
  const line = `${kind.padEnd(8)} ${variant.padEnd(6)} ${ratio}x  growth ${grown} MiB  rss ${rss} MiB  heap ${heap}`;
  console.log(line);
  return line;
}

function save(lines: readonly string[]): void {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  const version = stdout.trim().slice(1);
  const text = [
    `# ${values.requests} requests inside one process, Node ${version}`,
    "",
    "Written by `npm run long-run -- --save`. Heap in MiB after each tenth of the requests and a collection; growth is of heap and",
    "external memory from the second tenth to the last.",
    "",
    "```",
    ...lines,
    "```",
    "",
  ].join("\n");
  mkdirSync(join(here, "results"), { recursive: true });
  writeFileSync(join(here, "results", `long-run-node-${version.split(".")[0]}.md`), text);
}

main();
