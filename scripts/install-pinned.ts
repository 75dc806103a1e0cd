/**
 * Installs a manifest of pinned versions into a folder outside of the workspace's `node_modules`, once.
 *
 * For what few people need: the peers of the benchmark and the programs of `npm run real-programs`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ATTEMPTS = 3;

/**
 * Makes sure that `target/node_modules` holds what `source/package.json` names.
 *
 * @returns The absolute path `target`.
 * @throws {Error} with npm's last words when that does not succeed.
 */
export function installPinned(source: string, target: string): string {
  const manifest = readFileSync(join(source, "package.json"), "utf8");
  const stamp = join(target, "node_modules", ".installed.json");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === manifest) return target;
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), manifest);
  let said = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { status, stderr } = spawnSync(
      "npm",
      ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"],
      { cwd: target, encoding: "utf8", shell: process.platform === "win32" },
    );
    if (status === 0) {
      writeFileSync(stamp, manifest);
      return target;
    }
    said = stderr;
  }
  throw new Error(`cannot install ${source}: ${said.trim().split("\n").slice(-3).join(" ")}`);
}
