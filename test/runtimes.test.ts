/** Every Node version that whole-path tests should run on is there. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { missingRuntimes, RUNTIME_VERSIONS, runtimes } from "../scripts/runtimes.ts";

test.for(RUNTIME_VERSIONS)("Node %s is installed and is that version", (version, context) => {
  const runtime = runtimes().find((candidate) => candidate.version === version);
  if (runtime === undefined && process.env["CI"] === undefined) {
    context.skip(`Node ${version} is missing: run \`node scripts/runtimes.ts\``);
  }
  expect(missingRuntimes()).not.toContain(version);
  expect(spawnSync(runtime?.path ?? "", ["--version"], { encoding: "utf8" }).stdout).toBe(
    `v${version}\n`,
  );
});
