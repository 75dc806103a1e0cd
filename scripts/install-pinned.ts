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
 * Makes sure that `target/node_modules` holds what `source/package.json` names; with a lock file
 * beside it, exactly what that names, each archive checked against its hash.
 *
 * @returns The absolute path `target`.
 * @throws {Error} with npm's last words when that does not succeed.
 */
export function installPinned(source: string, target: string): string {
  const manifest = readFileSync(join(source, "package.json"), "utf8");
  const stamp = join(target, "node_modules", ".installed.json");
  const lockFile = join(source, "package-lock.json");
  const lock = existsSync(lockFile) ? readFileSync(lockFile, "utf8") : undefined;
  const wanted = manifest + (lock ?? "");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return target;
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), manifest);
  if (lock !== undefined) writeFileSync(join(target, "package-lock.json"), lock);
  const command =
    lock !== undefined
      ? ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
      : ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"];
  let said = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { status, stderr } = spawnSync("npm", command, {
      cwd: target,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    if (status === 0) {
      writeFileSync(stamp, wanted);
      return target;
    }
    said = stderr;
  }
  throw new Error(`cannot install ${source}: ${said.trim().split("\n").slice(-3).join(" ")}`);
}
