/**
 * Probes keep nothing alive: what a program drops can be collected as soon as in a plain run.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { ROOT } from "../support/recorded-run.ts";

const TIMEOUT_MS = 120_000;
/** At level `writes` a log of fixed size stands beside the program. */
const VALUE_LOG_MIB = 24;
/** What one round allocates. */
const ROUND_MIB = 8;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "memory-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(node: string, file: string, options: { level?: string; argument?: string }): string {
  const path = fileURLToPath(new URL(`programs/${file}`, import.meta.url));
  const { level, argument } = options;
  const flags =
    level === undefined ? [] : ["--require", join(ROOT, "packages/recorder/register.cjs")];
  return execFileSync(node, ["--expose-gc", ...flags, path, argument ?? ""], {
    encoding: "utf8",
    env: {
      ...process.env,
      ORANGEBOX_LEVEL: level ?? "calls",
      ORANGEBOX_OUT: folder,
      ORANGEBOX_REPORT: join(folder, "report"),
      ORANGEBOX_STATE_DIR: join(folder, "state"),
      ORANGEBOX_CACHE_DIR: join(folder, "cache"),
    },
  });
}

interface Growth {
  readonly most: number;
  readonly last: number;
}

function growth(node: string, kind: string, level?: string): Growth {
  const options = level === undefined ? { argument: kind } : { argument: kind, level };
  // The program prints what its name promises.
  return JSON.parse(run(node, "growth.cjs", options)) as Growth;
}

test.each(runtimes())(
  "large values are collected as soon as in a plain run, on Node $version",
  ({ path }) => {
    const plain = run(path, "collect.cjs", {});
    expect(plain).toContain("holder has returned");
    for (const level of ["calls", "lines", "writes"]) {
      const recorded = run(path, "collect.cjs", { level });
      // An error keeps the values of the frames it left for as long as it lives itself, and a
      // function that runs on may still hold the error that it caught.
      expect(
        recorded.replace("behind an unwound frame unwound\n", "behind an unwound frame \n"),
      ).toBe(plain.replace("behind an unwound frame unwound\n", "behind an unwound frame \n"));
    }
  },
  TIMEOUT_MS,
);

test.each(["loop", "awaits", "generators", "closures"])(
  "%s: the most and the last memory are those of the plain run",
  (kind) => {
    const plain = growth(process.execPath, kind);
    for (const level of ["calls", "lines"]) {
      const { most, last } = growth(process.execPath, kind, level);
      expect(most).toBeLessThanOrEqual(plain.most * 1.05);
      expect(last).toBeLessThanOrEqual(plain.last * 1.05);
    }
    const writes = growth(process.execPath, kind, "writes");
    expect(writes.most).toBeLessThanOrEqual(plain.most * 1.05 + VALUE_LOG_MIB);
    expect(writes.last).toBeLessThanOrEqual(plain.last * 1.05 + VALUE_LOG_MIB);
  },
  TIMEOUT_MS,
);

test.each(["errors", "storm"])(
  "%s: what errors left is collected with them, within a job and between jobs",
  (kind) => {
    const plain = growth(process.execPath, kind);
    const recorded = growth(process.execPath, kind, "calls");
    // A stale place on the stack may hold the last error for a while, in a plain run as well.
    expect(recorded.most).toBeLessThanOrEqual(plain.most + ROUND_MIB);
    expect(recorded.last).toBeLessThanOrEqual(plain.last * 1.05);
  },
  TIMEOUT_MS,
);
