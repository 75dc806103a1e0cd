/**
 * `node bench/transform.ts [--rounds 5]`: how fast probes are written into large files, in megabytes per second.
 *
 * Every number is the first transform of a fresh process ("cold"), the median of the rounds; the files
 * are the largest that the tools of this workspace bring along. Prints a table and JSON.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { instrument, type ModuleFormat } from "../packages/instrument/src/index.ts";

const { values: flags } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, one: { type: "string" } },
});

const MB = 1_000_000;
const MODULES = fileURLToPath(new URL("../node_modules/", import.meta.url));
const FILES: readonly (readonly [file: string, format: ModuleFormat])[] = [
  ["@arethetypeswrong/core/node_modules/typescript/lib/typescript.js", "commonjs"],
  ["@arethetypeswrong/core/node_modules/typescript/lib/tsc.js", "commonjs"],
  ["vite/dist/node/chunks/node.js", "module"],
  ["oxlint/dist/lint.js", "module"],
  ["@babel/parser/lib/index.js", "commonjs"],
  ["acorn/dist/acorn.js", "commonjs"],
];

interface Measured {
  readonly ms: number;
  /** Processor time of this thread, which a busy machine does not change much. */
  readonly cpuMs: number;
  readonly growth: number;
  readonly sites: number;
}

function measure(file: string, format: ModuleFormat): Measured {
  const source = readFileSync(MODULES + file, "utf8");
  const options = {
    filename: file,
    format,
    language: "js",
    level: "calls",
    ringMask: 0xffff,
  } as const;
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const result = instrument(source, options);
  const ms = performance.now() - before;
  const { user, system } = process.cpuUsage(cpuBefore);
  if ("untouched" in result) throw new Error(`${file}: ${result.untouched}`);
  const growth = result.code.length / source.length;
  return { ms, cpuMs: (user + system) / 1000, growth, sites: result.siteCount };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

if (flags.one === undefined) {
  const rows = [];
  for (const [file] of FILES) {
    if (!existsSync(MODULES + file)) continue;
    const runs: Measured[] = [];
    for (let round = 0; round < Number(flags.rounds); round++) {
      const self = fileURLToPath(import.meta.url);
      const args = [...process.execArgv, self, "--one", file];
      const child = spawnSync(process.execPath, args, { encoding: "utf8" });
      if (child.status !== 0) throw new Error(child.stderr);
      runs.push(JSON.parse(child.stdout) as Measured);
    }
    const sizeMb = readFileSync(MODULES + file).length / MB;
    const ms = median(runs.map((run) => run.ms));
    const [first] = runs;
    rows.push({
      file: file.replace(/.*node_modules\//, ""),
      sizeMb: Number(sizeMb.toFixed(2)),
      coldMs: Math.round(ms),
      mbPerSecond: Number(((sizeMb / ms) * 1000).toFixed(1)),
      fastestMbPerSecond: Number(
        ((sizeMb / Math.min(...runs.map((run) => run.ms))) * 1000).toFixed(1),
      ),
      growth: Number((first?.growth ?? 0).toFixed(2)),
      sites: first?.sites ?? 0,
    });
  }
  console.table(rows);
  console.log(JSON.stringify({ node: process.version, rounds: Number(flags.rounds), rows }));
} else {
  const format = FILES.find(([file]) => file === flags.one)?.[1] ?? "commonjs";
  console.log(JSON.stringify(measure(flags.one, format)));
}
