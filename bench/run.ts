/**
 * `npm run bench [-- name…]`: measures what recording costs and writes `bench/results/`.
 *
 * `--rounds N` instead of the benchmark's own; `--only plain,recorded` leaves the peers out;
 * `--name levels` writes beside earlier results of the day; `--dry` writes no files. Exits 1 when the recorded variant has no numbers, never for a missed goal:
 * a goal is a matter for people, on a quiet machine.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Benchmark } from "./benchmark.ts";
import { awaits } from "./benchmarks/awaits.ts";
import { big } from "./benchmarks/big.ts";
import { bounds } from "./benchmarks/bounds.ts";
import { crash } from "./benchmarks/crash.ts";
import { events } from "./benchmarks/events.ts";
import { heap } from "./benchmarks/heap.ts";
import { handler } from "./benchmarks/handler.ts";
import { http } from "./benchmarks/http.ts";
import { startup } from "./benchmarks/startup.ts";
import { throws } from "./benchmarks/throws.ts";
import { transform } from "./benchmarks/transform.ts";
import { machineFacts } from "./machine.ts";
import { type Report, toMarkdown, toTable } from "./report.ts";
import { type Contender, runBenchmark } from "./rounds.ts";
import { findVariant, root } from "./variants.ts";

const BENCHMARKS: readonly Benchmark[] = [
  events,
  handler,
  http,
  awaits,
  throws,
  startup,
  crash,
  big,
  heap,
  transform,
  bounds,
];

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: "string" },
    only: { type: "string" },
    dry: { type: "boolean", default: false },
    name: { type: "string" },
  },
  allowPositionals: true,
});

const unknown = positionals.filter((name) => !BENCHMARKS.some((one) => one.name === name));
if (unknown.length > 0) {
  const names = BENCHMARKS.map(({ name }) => name).join(", ");
  console.error(`no benchmark is called ${unknown.join(", ")}; there are: ${names}`);
  process.exit(2);
}

for (const benchmark of BENCHMARKS) {
  if (positionals.length === 0 || positionals.includes(benchmark.name)) await measure(benchmark);
}

async function measure(benchmark: Benchmark): Promise<void> {
  const rounds = Number(values.rounds ?? benchmark.rounds);
  const contenders = contendersOf(benchmark);
  const machine = machineFacts();
  const cases = await runBenchmark(benchmark, contenders, rounds);
  const report: Report = {
    benchmark: benchmark.name,
    title: benchmark.title,
    about: benchmark.about,
    command: ["npm run bench --", ...process.argv.slice(2)].join(" "),
    date: new Date().toISOString().slice(0, 10),
    rounds,
    machine,
    cases,
  };
  console.log(`\n${benchmark.title} (npm run bench -- ${benchmark.name})\n`);
  console.log(toTable(benchmark, cases));
  if (!values.dry) save(benchmark, report);
  for (const { name, results } of cases) {
    const recorded = results.find(({ variant }) => variant === "recorded");
    if (recorded?.problem === undefined) continue;
    console.error(`the recorded program did not run: ${name} ${recorded.problem}`);
    process.exitCode = 1;
  }
}

function contendersOf(benchmark: Benchmark): Contender[] {
  const names = ["plain", "recorded", ...benchmark.peers];
  const only = values.only?.split(",");
  return names
    .filter((name) => only === undefined || name === "plain" || only.includes(name))
    .map((name) => {
      try {
        return { name, variant: findVariant(name) };
      } catch (error) {
        return { name, variant: error instanceof Error ? error.message : String(error) };
      }
    });
}

function save(benchmark: Benchmark, report: Report): void {
  const folder = join(root, "bench/results");
  mkdirSync(folder, { recursive: true });
  const suffix = values.name === undefined ? "" : `-${values.name}`;
  const base = join(folder, `${report.date}-${benchmark.name}${suffix}`);
  writeFileSync(`${base}.json`, `${JSON.stringify(report, null, 1)}\n`);
  writeFileSync(`${base}.md`, toMarkdown(benchmark, report));
}
