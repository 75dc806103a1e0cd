/**
 * Shows the product in a minute: builds what it must, lets `examples/average.ts` crash under
 * `flight run`, and prints the recording. Ends with 0 although the example ends with 1.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const flight = join(root, "packages/orangebox/bin/flight.js");
const example = "examples/average.ts";
const folder = mkdtempSync(join(tmpdir(), "orangebox-demo-"));

announce("1/3", "building the packages (a few seconds, the first time)");
run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b"], 0);
run(process.execPath, [join(root, "scripts/bundle-commonjs.ts")], 0);

announce("2/3", `flight run --out ${folder} ${example}   (it will crash: that is the point)`);
run(process.execPath, [flight, "run", "--out", folder, example], 1);

const [recording] = globSync("*.flight", { cwd: folder });
if (recording === undefined) fail(`no recording was written into ${folder}`);
announce("3/3", `flight inspect ${join(folder, recording)}`);
run(process.execPath, [flight, "inspect", join(folder, recording)], 0);
announce("done", `the recording stays in ${join(folder, recording)}`);

function announce(step: string, text: string): void {
  process.stdout.write(`\n[${step}] ${text}\n\n`);
}

function run(command: string, args: readonly string[], expectedStatus: number): void {
  const { status, signal } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status === expectedStatus) return;
  const name = args.map((arg) => relative(root, arg) || arg)[0];
  fail(`${name} ended with ${signal ?? status}, expected ${expectedStatus}`);
}

function fail(message: string): never {
  console.error(`demo: ${message}`);
  process.exit(1);
}
