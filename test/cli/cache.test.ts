/** `flight cache`, and processes that fill, shrink and clear one cache at the same time. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { flight, folderWith, plainEnvironment } from "./flight.ts";

const MODULES = 60;

/** A program of many modules that prints a number which depends on all of them. */
function program(): string {
  const files: Record<string, string> = {};
  for (let i = 0; i < MODULES; i++) {
    const padding = `// ${"x".repeat(20_000)}\n`;
    files[`m${i}.mjs`] = `${padding}export function f(n) { return n * ${i} + 1; }\n`;
  }
  const names = Array.from({ length: MODULES }, (_, i) => i);
  files["main.mjs"] = `${names.map((i) => `import { f as f${i} } from "./m${i}.mjs";`).join("\n")}
console.log([${names.map((i) => `f${i}`).join()}].reduce((sum, f) => sum + f(2), 0));\n`;
  return folderWith(files);
}

const EXPECTED = `${Array.from({ length: MODULES }, (_, i) => 2 * i + 1).reduce((a, b) => a + b, 0)}\n`;

interface Report {
  readonly folder: string;
  readonly entries: number;
  readonly bytes: number;
  readonly limitBytes: number;
  readonly versions: readonly { name: string; entries: number; isCurrent: boolean }[];
}

test("counts what a run left, says whose it is, and deletes it", async () => {
  const cwd = program();
  const cacheDir = folderWith({});
  const env = plainEnvironment({ ORANGEBOX_CACHE_DIR: cacheDir });
  const show = async (): Promise<Report> =>
    JSON.parse((await flight(["cache", "--json"], { cwd, env })).stdout) as Report;

  expect(await show()).toMatchObject({ folder: cacheDir, entries: 0, bytes: 0, versions: [] });
  expect((await flight(["run", "main.mjs"], { cwd, env })).stdout).toBe(EXPECTED);
  const report = await show();
  expect(report).toMatchObject({ entries: MODULES + 1, limitBytes: 512 * 2 ** 20 });
  expect(report.bytes).toBeGreaterThan(MODULES * 20_000);
  expect(report.versions).toEqual([expect.objectContaining({ entries: MODULES + 1 })]);

  const { stdout, code } = await flight(["cache"], { cwd, env });
  expect(code).toBe(0);
  expect(
    stdout
      .replaceAll(/[\d.]+ MiB/g, "N MiB")
      .split("\n")
      .slice(0, 2),
  ).toEqual([cacheDir, `${MODULES + 1} modules, N MiB of N MiB (0 %)`]);
  const cleared = await flight(["cache", "clear"], { cwd, env });
  expect(cleared.stdout).toMatch(/^deleted 61 modules \([\d.]+ MiB\) from /);
  expect(await show()).toMatchObject({ entries: 0, bytes: 0 });
});

test("refuses an action that does not exist", async () => {
  const { code, stderr } = await flight(["cache", "burn"]);
  expect(code).toBe(2);
  expect(stderr).toContain("show, clear");
});

test("programs that share a cache run right while it overflows and is cleared", async () => {
  const cwd = program();
  const cacheDir = folderWith({});
  const env = plainEnvironment({
    ORANGEBOX_CACHE_DIR: cacheDir,
    ORANGEBOX_CACHE_MAX_BYTES: String(2 ** 20),
  });
  const runs = Array.from({ length: 6 }, () => flight(["run", "main.mjs"], { cwd, env }));
  const clears = Array.from({ length: 4 }, () => flight(["cache", "clear"], { cwd, env }));
  for (const { stdout, stderr, code } of await Promise.all(runs)) {
    expect({ stdout, stderr, code }).toEqual({ stdout: EXPECTED, stderr: "", code: 0 });
  }
  for (const { code } of await Promise.all(clears)) expect(code).toBe(0);
  const left = readdirSync(cacheDir, { recursive: true }).map(String);
  expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(left.map((name) => join(cacheDir, name)).length).toBeLessThan(4 * MODULES);
});
