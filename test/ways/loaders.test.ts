/**
 * Programs with loaders of their own, preloaded before and after the recorder: what they print is
 * what they print without it, and the box has original frames with values.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  REGISTER,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";
import { installPeers } from "./compilers.ts";

/** How the program comes to its loader, what runs, and the frames of its crash. */
interface Case {
  readonly loader: readonly string[];
  readonly file: string;
  readonly frames?: readonly string[];
}

const APP = ["Box.open (dep.ts:3)", "load (app.ts:7)", "<module> (app.ts:10)"];
const PLAIN = (name: string): string[] => [`greet (${name}:2)`, `<module> (${name}:4)`];

const CASES: readonly Case[] = [
  { loader: ["--import", "tsx"], file: "app.ts", frames: APP },
  { loader: ["--import", "tsx"], file: "esm/app.ts", frames: APP },
  { loader: ["--require", "tsx/cjs"], file: "app.ts", frames: APP },
  { loader: ["--require", "ts-node/register"], file: "app.ts", frames: APP },
  { loader: ["--import", "./reg.mjs"], file: "esm/app.ts", frames: APP },
  { loader: ["--require", "./babel.cjs"], file: "app.ts", frames: APP },
  { loader: ["--require", "esbuild-register"], file: "app.ts", frames: APP },
  { loader: ["--require", "@swc-node/register"], file: "app.ts", frames: APP },
  { loader: ["--require", "./hook-sync.cjs"], file: "plain.mjs", frames: PLAIN("plain.mjs") },
  { loader: ["--require", "./hook-sync.cjs"], file: "plain.cjs", frames: PLAIN("plain.cjs") },
  { loader: ["--import", "./reg-async.mjs"], file: "plain.mjs", frames: PLAIN("plain.mjs") },
  { loader: [], file: "inner-hook.mjs" },
  { loader: [], file: "ext.cjs", frames: ["inFoo (thing.foo:2)", "<module> (thing.foo:3)"] },
];

/** Names of values in the frames above. */
const VALUES: Readonly<Record<string, readonly [frame: number, name: string, value: string]>> = {
  "app.ts": [1, "id", "6"],
  "esm/app.ts": [1, "id", "6"],
  "plain.mjs": [0, "text", "hello x"],
  "plain.cjs": [0, "text", "hello x"],
  "ext.cjs": [0, "b", "8"],
};

/**
 * Process numbers differ; on the oldest Node an imported CommonJS file goes through a stand-in, and
 * the outermost lines of a stack are those of that (docs/decisions/0005). There a warning from the
 * thread of the hooks comes or not, in plain runs too: the crash may be sooner.
 */
function comparable(text: string, isOld: boolean): string {
  const plain = text.replaceAll(/\(node:\d+\)/g, "(node)");
  if (!isOld) return plain;
  return plain
    .replace(/^\(node\) \[DEP0180\].*\n\(Use `node .*\n/m, "")
    .split("\n")
    .filter((line) => !/^ {4}at .*(?:\(node:|app\.ts:1:1\)?$)/.test(line))
    .join("\n");
}

let folder = "";

beforeAll(() => {
  // Below the folder of the peers, so that programs find them.
  folder = mkdtempSync(join(installPeers(), "programs-"));
  cpSync(join(ROOT, "test/samples/loaders"), folder, { recursive: true });
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  const isMiddle = version.startsWith("24.");
  const cases = CASES.flatMap((given) =>
    (["before", "after"] as const)
      // Loaders of TypeScript are slow to start; one order does on the other versions.
      .filter((order) => isMiddle || order === "before")
      .map((order) => ({ ...given, order, name: given.loader.join(" ") })),
  );

  test.each(cases)(
    "the recorder $order [$name] $file",
    async ({ loader, file, order, frames }) => {
      const cwd = file.startsWith("esm/") ? join(folder, "esm") : folder;
      const program = { node, file: join(folder, file), cwd };
      const plain = await runPlain({ ...program, nodeArguments: loader });
      const recorded = await runRecorded({
        ...program,
        nodeArguments: order === "before" ? loader : [...loader, "--require", REGISTER],
        isRequired: order === "before",
        env: { ORANGEBOX_CAPTURE_DEADLINE_MS: "10000" },
      });
      removeRun(recorded);
      const { stdout, stderr, code, signal, boxes } = recorded;
      const isOld = version.startsWith("22.15");
      expect({ stdout, stderr: comparable(stderr, isOld), code, signal }).toEqual({
        ...plain,
        stderr: comparable(plain.stderr, isOld),
      });
      if (frames === undefined) return;
      const [box] = boxes;
      if (box === undefined) throw new Error("no box");
      expect(frameNames(box).slice(0, frames.length)).toEqual(frames);
      const [frame, name, value] = VALUES[file] ?? [0, "", undefined];
      expect(localNode(box, frame, name)?.repr).toBe(value);
      expect(
        box
          .sources()
          .map(({ text }) => text)
          .join(""),
      ).not.toContain("__ob");
    },
    60_000,
  );
});
