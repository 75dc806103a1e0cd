/**
 * Test runners, and programs with loaders of their own, through `flight run`: what they print and
 * return is what they do without it.
 *
 * Jest and vitest evaluate tests in sandboxes of `node:vm`: those files are left alone.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { frameNames, openBox, nodeAt, ROOT } from "../support/recorded-run.ts";
import { installPeers } from "./compilers.ts";

const MAX_RUN_MS = 100_000;
const FLIGHT = join(ROOT, "packages/orangebox/bin/flight.js");

let folder = "";
let out = "";

beforeAll(() => {
  folder = mkdtempSync(join(installPeers(), "runners-"));
  out = mkdtempSync(join(tmpdir(), "orangebox-runners-"));
  cpSync(join(ROOT, "test/samples/runners"), folder, { recursive: true });
  cpSync(join(ROOT, "test/samples/loaders"), join(folder, "loaders"), { recursive: true });
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(out, { recursive: true, force: true });
});

const environment = (): Record<string, string> => ({
  ORANGEBOX_OUT: out,
  ORANGEBOX_QUIET: "1",
  ORANGEBOX_CACHE_DIR: join(tmpdir(), "orangebox-test-cache"),
});

interface Outcome {
  readonly code: unknown;
  readonly text: string;
}

function run(
  node: string,
  parts: readonly string[],
  env: Record<string, string>,
  cwd: string = folder,
): Promise<Outcome> {
  const { NODE_OPTIONS: _options, VITEST: _vitest, FORCE_COLOR: _color, ...rest } = process.env;
  const more = { ...rest, ...env, NO_COLOR: "1", CI: "1" };
  return new Promise((resolve) => {
    const options = { cwd, env: more, timeout: MAX_RUN_MS };
    execFile(node, [...parts], options, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, text: withoutTimes(stdout + stderr) });
    });
  });
}

/**
 * Durations differ, and jest names only slow tests' ones. The column that node:test gives for a test
 * is that of the text with probes; `flight run` itself says where a box is.
 */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/^\[flight\] recorded .*\n/gm, "")
    .replaceAll(/(test at [\w./]+:\d+):\d+/g, "$1")
    .replaceAll(/ ?\(?\d+(?:\.\d+)? ?m?s\)?/g, "")
    .replaceAll(/(?:duration_ms|Start at|Duration|Time:).*/g, "")
    .replaceAll(/ +$/gm, "");
}

const JEST = ["../node_modules/jest/bin/jest.js", "--rootDir", "."];
const MOCHA = "../node_modules/mocha/bin/mocha.js";
const VITEST = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "vitest.spec.js"];

const RUNNERS: readonly { name: string; parts: readonly string[]; says: RegExp }[] = [
  { name: "mocha", parts: [MOCHA, "mocha.spec.js"], says: /1 passing[^]*1 failing/ },
  { name: "jest", parts: [...JEST, "jest.test.js"], says: /1 failed, 1 passed/ },
  { name: "node:test", parts: ["--test", "node.test.js"], says: /pass 1[^]*fail 1/ },
  { name: "vitest", parts: VITEST, says: /1 failed[^]*1 passed/ },
];

/** Flags that bring a loader of the program's own. */
const LOADERS: readonly (readonly [flag: string, loader: string])[] = [
  ["--import", "tsx"],
  ["--require", "ts-node/register"],
  ["--require", "./babel.cjs"],
  ["--require", "esbuild-register"],
  ["--require", "@swc-node/register"],
];

describe.each(runtimes().filter(({ version }) => version.startsWith("24.")))(
  "on Node $version",
  ({ path: node }) => {
    test.each(RUNNERS)(
      "$name",
      async ({ parts, says }) => {
        const plain = await run(node, parts, {});
        expect(plain.text).toMatch(says);
        const recorded = await run(node, [FLIGHT, "run", "--", ...parts], environment());
        expect(recorded).toEqual(plain);
      },
      3 * MAX_RUN_MS,
    );

    test.each(LOADERS)(
      "a program with %s %s",
      async (...loader) => {
        const parts = [...loader, "app.ts"];
        const cwd = join(folder, "loaders");
        const plain = await run(node, parts, {}, cwd);
        expect(plain.text).toContain("app.ts");
        const recorded = await run(node, [FLIGHT, "run", "--", ...parts], environment(), cwd);
        expect(recorded).toEqual(plain);
      },
      3 * MAX_RUN_MS,
    );

    test(
      "mocha reports a crash in a callback, and its box has the frames of the program",
      async () => {
        const parts = [MOCHA, "mocha.spec.js"];
        const before = readdirSync(out);
        const plain = await run(node, parts, { CRASH: "1" });
        const recorded = await run(node, [FLIGHT, "run", "--", ...parts], {
          ...environment(),
          CRASH: "1",
        });
        expect(recorded).toEqual(plain);
        expect(recorded.text).toContain("2 failing");
        const made = readdirSync(out).filter((file) => !before.includes(file));
        const name = made.find((file) => file.endsWith(".flight"));
        const box = openBox(join(out, name ?? ""));
        const names = frameNames(box).filter((frame) => !frame.includes("Array.map"));
        expect(names[0]).toMatch(/^<anonymous:\d+:\d+> \(price\.js:3\)$/);
        expect(names[1]).toBe("total (price.js:3)");
        expect(nodeAt(box, frameNames(box).indexOf(names[1] ?? ""), "rate")?.repr).toBe("1.5");
      },
      3 * MAX_RUN_MS,
    );
  },
);
