/**
 * The case `transparency` prints the same bytes at every level and through every way by which a
 * program comes to its probes, on every Node that we support.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { finished, type Finished, plainEnvironment } from "../cli/flight.ts";
import { REGISTER, ROOT } from "../support/recorded-run.ts";
import { compileProgram, installPeers } from "./compilers.ts";

/** Arguments and environment of one run; `recorder` is what loads the recorder, or nothing. */
interface Run {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

type Way = (recorder: readonly string[]) => Run;

let folder = "";
let compiled = "";
const MAIN = "main.mjs";

/** Each way without and with the recorder; the program is in the working folder. */
const WAYS: Readonly<Record<string, Way>> = {
  "--require": (recorder) => ({ args: [...recorder, MAIN] }),
  "--import": (recorder) => ({
    args: recorder.length === 0 ? [MAIN] : ["--import", pathToFileURL(REGISTER).href, MAIN],
  }),
  NODE_OPTIONS: (recorder) => ({
    args: [MAIN],
    env: recorder.length === 0 ? {} : { NODE_OPTIONS: `--require "${REGISTER}"` },
  }),
  "flight run": (recorder) => ({
    args:
      recorder.length === 0
        ? [MAIN]
        : [join(ROOT, "packages/orangebox/bin/flight.js"), "run", MAIN],
  }),
  "child process": (recorder) => ({ args: [...recorder, "child.cjs"] }),
  worker: (recorder) => ({ args: [...recorder, "worker.cjs"] }),
  "--enable-source-maps": (recorder) => ({ args: [...recorder, "--enable-source-maps", MAIN] }),
  coverage: (recorder) => ({
    args: [...recorder, MAIN],
    env: { NODE_V8_COVERAGE: join(folder, "counts") },
  }),
  "tsx behind": (recorder) => ({ args: [...recorder, "--import", "tsx", "main.mts"] }),
  "tsx before": (recorder) => ({ args: ["--import", "tsx", ...recorder, "main.mts"] }),
  "a hook of the program's": (recorder) => ({
    args: [...recorder, "--import", "./hook.mjs", MAIN],
  }),
  "compiled by tsc": (recorder) => ({ args: [...recorder, compiled] }),
};

const EVERY_LEVEL = ["calls", "lines", "writes"] as const;

const FILES: Readonly<Record<string, string>> = {
  "child.cjs": `const { spawnSync } = require("node:child_process");
process.stdout.write(spawnSync(process.execPath, ["main.mjs"], { encoding: "utf8" }).stdout);\n`,
  "worker.cjs": `new (require("node:worker_threads").Worker)("./main.mjs");\n`,
  "hook.mjs": `import { registerHooks } from "node:module";
registerHooks({ load: (url, context, next) => {
  const loaded = next(url, context);
  return url.endsWith("main.mjs") ? { ...loaded, source: String(loaded.source) + "\\n// behind" } : loaded;
} });\n`,
};

beforeAll(async () => {
  folder = mkdtempSync(join(installPeers(), "transparency-"));
  const source = join(ROOT, "test/cases/transparency/main.mjs");
  cpSync(source, join(folder, MAIN));
  cpSync(source, join(folder, "main.mts"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const sources = join(folder, "sources");
  mkdirSync(sources);
  cpSync(source, join(sources, "main.ts"));
  writeFileSync(join(sources, "package.json"), '{ "type": "module" }');
  const made = await compileProgram("tsc", {
    sources,
    folder: join(folder, "made"),
    map: "external",
  });
  compiled = made.entry;
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(node: string, { args, env }: Run, level: string): Promise<Finished> {
  const settings = { ORANGEBOX_LEVEL: level, NODE_COMPILE_CACHE: "", ...env };
  return finished(
    spawn(node, args, {
      cwd: folder,
      env: plainEnvironment(settings),
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
}

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test.each(Object.keys(WAYS))(
    "through %s",
    async (name) => {
      const way = WAYS[name];
      if (way === undefined) throw new TypeError(`no way is called ${name}`);
      const plain = await run(node, way([]), "calls");
      expect(plain.stdout).toContain("tdz");
      expect(plain.code).toBe(0);
      for (const level of EVERY_LEVEL) {
        const recorded = await run(node, way(["--require", REGISTER]), level);
        expect({ level, ...recorded }).toEqual({ level, ...plain });
      }
    },
    90_000,
  );
});
