/**
 * Coverage of a recorded program, as Node and c8 give it: that of the plain run, in the original
 * text, also of child processes, workers and counts that the program takes itself.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { finished, type Finished, plainEnvironment } from "../cli/flight.ts";
import { REGISTER, ROOT } from "../support/recorded-run.ts";
import { installPeers } from "./compilers.ts";

const SAMPLES = join(ROOT, "test/samples/counted");

let peers = "";
beforeAll(() => {
  peers = installPeers();
}, 300_000);

function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-coverage-"));
  return use(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  // Code from the cache of the engine is counted less exactly.
  const options = { cwd: SAMPLES, env: plainEnvironment({ NODE_COMPILE_CACHE: "", ...env }) };
  return finished(spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] }));
}

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly isBlockCoverage: boolean;
    readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
  }[];
}

/** What Node counted in the samples, in a form that can be compared. */
function countsIn(folder: string): Record<string, string[]> {
  const counts: Record<string, string[]> = {};
  const files = readdirSync(folder).toSorted();
  const base = pathToFileURL(SAMPLES).href;
  for (const name of files) {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as { result: Script[] };
    for (const { url, functions } of result) {
      if (!url.startsWith(base)) continue;
      const lines = functions.map(({ functionName, isBlockCoverage, ranges }) => {
        const texts = ranges.map((r) => `${r.startOffset}-${r.endOffset}:${r.count}`);
        return `${functionName} ${isBlockCoverage} ${texts.join(" ")}`;
      });
      (counts[url.slice(base.length)] ??= []).push(lines.toSorted().join("\n"));
    }
  }
  for (const list of Object.values(counts)) list.sort();
  return counts;
}

function listsOf(counted: { counts: Record<string, string[]> } | undefined): number {
  return Object.values(counted?.counts ?? {}).flat().length;
}

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  const files = ["main.cjs", "shapes.mjs", ...(version.startsWith("22.15") ? [] : ["typed.ts"])];

  test.each(
    files.flatMap((file) => ["calls", "lines", "writes"].map((level) => ({ file, level }))),
  )(
    "Node's own counts of $file at level $level",
    async ({ file, level }) => {
      const program = join(SAMPLES, file);
      const both = () =>
        Promise.all(
          [[program], ["--require", REGISTER, program]].map((args, index) =>
            inFolder(async (folder) => {
              const done = await run(node, args, {
                NODE_V8_COVERAGE: folder,
                ...(index === 0 ? {} : { ORANGEBOX_LEVEL: level }),
              });
              return { done, counts: countsIn(folder) };
            }),
          ),
        );
      // Node gives a thread's file the name of another's, once in 25 runs, when both end in one millisecond.
      let [plain, recorded] = await both();
      for (let again = 0; again < 4 && listsOf(plain) !== listsOf(recorded); again++) {
        [plain, recorded] = await both();
      }
      expect(recorded).toEqual(plain);
      expect(Object.keys(plain?.counts ?? {})).toContain(`/${file}`);
    },
    60_000,
  );

  test("the report of c8", async () => {
    const c8 = join(peers, "node_modules/c8/bin/c8.js");
    const [plain, recorded] = await Promise.all(
      [[], ["--require", REGISTER]].map((flags) =>
        inFolder(async (folder) => {
          const target = [node, ...flags, join(SAMPLES, "main.cjs")];
          const places = ["--temp-directory", join(folder, "raw"), "--reports-dir", folder];
          const done = await run(node, [c8, "--reporter=json", ...places, ...target]);
          expect(done.code).toBe(0);
          return JSON.parse(readFileSync(join(folder, "coverage-final.json"), "utf8")) as object;
        }),
      ),
    );
    expect(Object.keys(plain ?? {}).length).toBe(4);
    expect(recorded).toEqual(plain);
  }, 60_000);
});
