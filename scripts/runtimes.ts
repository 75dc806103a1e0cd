/**
 * The Node versions that whole-path tests run on, and where their executables are.
 *
 * Run as a program it installs the missing ones into `.runtimes/` from npm, once. The version in
 * the middle is the repository's own, an ordinary dependency. `runtimes()` lists what is there;
 * `test/runtimes.test.ts` says what is missing.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Runtime {
  /** Full version, `22.15.0`. */
  readonly version: string;
  /** Absolute path of the executable. */
  readonly path: string;
}

/** The oldest version we support, the one we develop with, and the newest. */
export const RUNTIME_VERSIONS: readonly string[] = ["22.15.0", "24.21.0", "26.9.0"];

const ATTEMPTS = 4;
const root = fileURLToPath(new URL("..", import.meta.url));
const platform = process.platform === "win32" ? "win" : process.platform;
const packageName = `node-${platform}-${process.arch}`;
const executable = process.platform === "win32" ? "node.exe" : "node";

/** Lists the versions that are installed, oldest first. */
export function runtimes(): Runtime[] {
  return RUNTIME_VERSIONS.map((version) => ({ version, path: pathOf(version) })).filter(
    ({ path }) => existsSync(path),
  );
}

/** Lists the versions that should be installed and are not. */
export function missingRuntimes(): string[] {
  return RUNTIME_VERSIONS.filter((version) => !existsSync(pathOf(version)));
}

function pathOf(version: string): string {
  return isOwn(version)
    ? join(root, "node_modules", "node", "bin", executable)
    : join(root, ".runtimes", version, "node_modules", packageName, "bin", executable);
}

function isOwn(version: string): boolean {
  return version.startsWith("24.");
}

/** Installs one version beside its final place and moves it there whole. */
function installRuntime(version: string): void {
  const target = join(root, ".runtimes", version);
  const partial = `${target}.partial-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    execFileSync(
      npm,
      [
        "install",
        "--no-save",
        "--ignore-scripts",
        "--prefix",
        partial,
        `${packageName}@${version}`,
      ],
      // A workspace above `partial` would otherwise be taken for the place to install into.
      { cwd: partial, stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, NODE_ENV: "" } },
    );
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Tries a few times; a version that cannot be had is reported, and the tests then say so. */
function installMissing(): void {
  for (const version of missingRuntimes()) {
    for (let attempt = 1; attempt <= ATTEMPTS && !existsSync(pathOf(version)); attempt++) {
      try {
        if (isOwn(version)) throw new Error("node_modules/node is missing; run `npm ci`");
        console.log(`installing Node ${version} into .runtimes (attempt ${attempt})`);
        installRuntime(version);
      } catch (error) {
        console.error(`Node ${version}: ${error instanceof Error ? error.message : String(error)}`);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attempt * 1000);
      }
    }
  }
  for (const { version, path } of runtimes()) {
    const printed = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim();
    if (printed !== `v${version}`) console.error(`${path} is ${printed}, expected v${version}`);
  }
}

if (import.meta.main) installMissing();
