/**
 * `npm run differential -- --programs 1000000 --seed 1 [--jobs 2] [--minutes 60] [--result FILE]`
 *
 * Compares generated programs, plain and at every level, until so many were the same. Programs
 * that differ are made small and printed with their seed. What was done is kept in `.cache`, so
 * that the same command goes on where it was stopped.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { bundleProcess } from "./bundle.ts";
import { Campaign, type State } from "./run-campaign.ts";

const { values } = parseArgs({
  options: {
    programs: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: "2" },
    minutes: { type: "string", default: "600" },
    result: { type: "string" },
    fresh: { type: "boolean", default: false },
  },
});

const folder = ".cache/differential";
const seed = Number(values.seed);
const statePath = `${folder}/state-${seed}.json`;
mkdirSync(folder, { recursive: true });
if (values.fresh) rmSync(statePath, { force: true });
const file = await bundleProcess("./run-seeds.ts");
const campaign = new Campaign({
  file,
  firstSeed: seed,
  programs: Number(values.programs),
  jobs: Number(values.jobs),
  minutes: Number(values.minutes),
  state: readState(),
  save: (state) => {
    writeFileSync(statePath, JSON.stringify(state));
  },
  say: (line) => {
    console.log(line);
  },
});
const summary = await campaign.run();
rmSync(file, { force: true });
console.log(JSON.stringify(summary, undefined, 2));
if (values.result !== undefined) {
  writeFileSync(values.result, `${JSON.stringify(summary, undefined, 2)}\n`);
}
process.exitCode = summary.failures.length > 0 ? 1 : 0;

function readState(): State | undefined {
  try {
    // Written by this file; a state of an older shape starts a new campaign.
    const state = JSON.parse(readFileSync(statePath, "utf8")) as State;
    return Array.isArray(state.chunks) && Array.isArray(state.failures) ? state : undefined;
  } catch {
    return undefined;
  }
}
