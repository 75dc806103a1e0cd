/**
 * Programs built with the plugin at every level print, alone and with the recorder, the bytes that
 * the build without the plugin prints, on every Node that we support: the case `transparency`, and
 * a program that prints stacks and functions.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { finished, type Finished, plainEnvironment } from "../cli/flight.ts";
import { REGISTER, ROOT } from "../support/recorded-run.ts";
import { bundle, BUNDLERS, prepareSources } from "./bundlers.ts";
import { installPeers } from "./compilers.ts";

const LEVELS = ["calls", "lines", "writes"] as const;
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(installPeers(), "built-transparency-"));
  const sources = join(folder, "sources");
  mkdirSync(sources);
  const text = readFileSync(join(ROOT, "test/cases/transparency/main.mjs"), "utf8");
  writeFileSync(join(sources, "main.ts"), text);
  // Some bundlers refuse what assigns to a constant, and take a text without any export for a script.
  const allowed = text.replace("const c = 1; c = 2;", 'new Function("const c = 1; c = 2;")();');
  writeFileSync(join(sources, "allowed.ts"), `${allowed}\nexport {};\n`);
  writeFileSync(join(sources, "package.json"), '{ "type": "module" }');
  prepareSources(sources, join(folder, "transparency"));
  prepareSources(join(ROOT, "test/samples/places"), join(folder, "places"));
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Case {
  readonly program: "transparency" | "places";
  readonly bundler: string;
  readonly format: "module" | "commonjs";
  readonly minify: boolean;
}

const STRICT = new Set(["esbuild", "rolldown", "vite"]);

const CASES: readonly Case[] = Object.keys(BUNDLERS).flatMap((bundler) => [
  // It awaits at its top level, which CommonJS has not.
  { program: "transparency", bundler, format: "module", minify: false },
  { program: "places", bundler, format: "module", minify: true },
  { program: "places", bundler, format: "commonjs", minify: false },
]);

async function build(
  { program, bundler, format, minify }: Case,
  level: "plain" | (typeof LEVELS)[number],
): Promise<string> {
  const { entry } = await bundle(bundler, {
    from: join(folder, program),
    to: join(folder, program, [bundler, format, String(minify), level].join("-")),
    plugin: level === "plain" ? false : { level },
    format,
    minify,
    map: false,
    entry: program === "transparency" && STRICT.has(bundler) ? "allowed.ts" : "main.ts",
  });
  return entry;
}

function run(node: string, args: readonly string[]): Promise<Finished> {
  return finished(
    spawn(node, args, {
      cwd: folder,
      env: plainEnvironment({ NODE_COMPILE_CACHE: "" }),
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
}

describe.each(CASES)("$program built by $bundler as a $format, minified: $minify", (given) => {
  const entries = new Map<string, string>();
  beforeAll(async () => {
    for (const level of ["plain", ...LEVELS] as const) {
      entries.set(level, await build(given, level));
    }
  }, 120_000);

  const nodes = runtimes().filter(
    ({ version }) => given.program === "transparency" || version.startsWith("24."),
  );
  test.each(nodes)(
    "on Node $version",
    async ({ path: node }) => {
      const plain = await run(node, [entries.get("plain") ?? ""]);
      expect(plain.stdout).toContain("RangeError");
      expect(plain.code).toBe(0);
      for (const level of LEVELS) {
        const entry = entries.get(level) ?? "";
        const alone = await run(node, [entry]);
        expect({ level, ...alone }).toEqual({ level, ...plain });
        const recorded = await run(node, ["--require", REGISTER, entry]);
        expect({ level, ...recorded }).toEqual({ level, ...plain });
      }
    },
    60_000,
  );
});
