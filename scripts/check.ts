/**
 * Runs every check of the repository and says at the end which of them failed.
 *
 * A failing check does not stop the others. `--without test` leaves out checks that have just run;
 * `PLAIN_REPORT` names a file that gets the counts as JSON.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const CHECKS = [
  "format:check",
  "lint",
  "layers",
  "types",
  "unused",
  "test",
  "build",
  "packages",
] as const;

const { values } = parseArgs({ options: { without: { type: "string", multiple: true } } });
const without = values.without ?? [];
for (const name of without) {
  if (!CHECKS.some((check) => check === name)) {
    throw new TypeError(`no check is called ${name}; there are: ${CHECKS.join(", ")}`);
  }
}

const rows: { name: string; passed: boolean; seconds: number }[] = [];
for (const name of CHECKS) {
  if (without.includes(name)) continue;
  console.log(`\n── ${name} ${"─".repeat(Math.max(0, 76 - name.length))}`);
  const startedMs = performance.now();
  // The report file is this script's own: `npm test` would overwrite it.
  const env = { ...process.env };
  delete env["PLAIN_REPORT"];
  const { status } = spawnSync("npm", ["run", "--silent", name], {
    stdio: "inherit",
    env,
    shell: process.platform === "win32",
  });
  rows.push({ name, passed: status === 0, seconds: (performance.now() - startedMs) / 1000 });
}

console.log("");
for (const { name, passed, seconds } of rows) {
  console.log(
    `${passed ? "ok    " : "FAILED"} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(6)} s`,
  );
}
const failed = rows.filter((row) => !row.passed).length;
const reportFile = process.env["PLAIN_REPORT"];
if (reportFile !== undefined) {
  writeFileSync(reportFile, JSON.stringify({ passed: rows.length - failed, failed, skipped: 0 }));
}
process.exitCode = failed === 0 ? 0 : 1;
