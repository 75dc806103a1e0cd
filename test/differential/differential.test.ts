/**
 * A law: whatever the program, probes change neither what it shows nor how it fails.
 *
 * A share of the campaign (`npm run differential`), in the processes that it uses.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Runtime, runtimes } from "../../scripts/runtimes.ts";
import { bundleProcess } from "./bundle.ts";
import { combinations } from "./combinations.ts";
import { compareFiles } from "./compare-files.ts";
import { FOUND } from "./found-programs.ts";
import type { Program } from "./generate-program.ts";
import { Campaign, describeFailure } from "./run-campaign.ts";
import type { Report } from "./run-seeds.ts";

const TIMEOUT_MS = 400_000;
const PROGRAMS = Number(process.env["DIFFERENTIAL_PROGRAMS"] ?? 20_000);
const FILES = 150;

let seeds = "";
let files = "";

beforeAll(async () => {
  seeds = await bundleProcess("./run-seeds.ts");
  files = await bundleProcess("./run-files.ts");
});

afterAll(() => {
  for (const path of [seeds, files]) rmSync(path, { force: true });
});

test(
  "generated programs do the same with probes at every level",
  async () => {
    const summary = await new Campaign({
      file: seeds,
      firstSeed: 1,
      programs: PROGRAMS,
      jobs: Math.min(2, availableParallelism()),
      minutes: 60,
      state: undefined,
      chunk: 2500,
      save: () => undefined,
      say: () => undefined,
    }).run();
    expect(summary.failures.map((failure) => describeFailure(failure, ""))).toEqual([]);
    expect(summary.compared).toBeGreaterThanOrEqual(PROGRAMS);
    expect(summary.untouched).toBeLessThan(PROGRAMS / 30);
  },
  TIMEOUT_MS,
);

/** Runs listed programs on one Node; gives what differs, and how many were compared. */
function compareListed(
  { path, version }: Runtime,
  programs: readonly Program[],
): { failures: string[]; compared: number } {
  const folder = mkdtempSync(join(tmpdir(), "found-"));
  try {
    const list = join(folder, "programs.json");
    writeFileSync(list, JSON.stringify(programs));
    const flags = ["--no-warnings", "--experimental-vm-modules"];
    const output = execFileSync(path, [...flags, seeds, list], {
      encoding: "utf8",
      env: { ...process.env, DIFFERENTIAL_EXACT_PLACES: "yes" },
      maxBuffer: 2 ** 28,
    });
    const failures: string[] = [];
    let compared = 0;
    for (const line of output.trim().split("\n")) {
      // The process prints what run-seeds.ts says.
      const report = JSON.parse(line) as Report;
      if (report.kind === "different") failures.push(describeFailure(report.failure, version));
      else ({ same: compared } = report.counts);
    }
    return { failures, compared };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(runtimes())("programs that once differed, on Node $version", (runtime) => {
  const { failures, compared } = compareListed(runtime, FOUND);
  expect(failures).toEqual([]);
  // Node 22 does not know `using`.
  const known = runtime.version.startsWith("22.")
    ? FOUND.filter(({ source }) => !source.includes("using "))
    : FOUND;
  expect(compared).toBe(known.length);
});

test(
  "corners of the language in every position",
  () => {
    const runtime = runtimes().find(({ version }) => version.startsWith("24."));
    if (runtime === undefined) throw new Error("the repository's own Node is missing");
    const { failures, compared } = compareListed(runtime, combinations());
    expect(failures).toEqual([]);
    expect(compared).toBeGreaterThan(20_000);
  },
  TIMEOUT_MS,
);

test.each(runtimes())(
  "generated files do the same with the recorder, on Node $version",
  async ({ path, version }) => {
    const firstSeed = 500_000 + FILES * Number(version.split(".")[0]);
    const { compared, differences } = await compareFiles({
      node: path,
      version,
      bundle: files,
      firstSeed,
      count: FILES,
    });
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(FILES / 2);
  },
  TIMEOUT_MS,
);
