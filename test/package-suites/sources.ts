/**
 * Brings the packages and their tests into `.cache/package-suites`, each archive checked against the
 * hash that is committed: npm's by the lock file of `pinned/`, Debian's by the list of suites.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { DebianSource, Suite } from "./suite.ts";

/** Why a suite cannot be had here: no Debian, another version, another hash. */
export class UnavailableSource extends Error {}

/**
 * Makes sure that the tree of a suite is there.
 *
 * @param folder Where `pinned/` is installed.
 * @returns The tree as published; it must not be changed.
 */
export function fetchSource(suite: Suite, folder: string): string {
  const { source } = suite;
  if (source.kind === "npm") return join(folder, "node_modules", source.name);
  const target = join(folder, "debian", `${source.name}_${source.version}`);
  if (existsSync(target)) return target;
  const archive = downloadArchive(source, join(folder, "apt"));
  const partial = `${target}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  run("tar", ["--extract", "--strip-components=1", "--file", archive, "--directory", partial]);
  renameSync(partial, target);
  return target;
}

/** The version people know: npm's, or upstream's part of Debian's. */
export function versionOf(suite: Suite, tree: string): string {
  const manifest = join(tree, "package.json");
  if (suite.source.kind === "debian" && !existsSync(manifest)) return suite.source.version;
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version?: string };
  return version ?? (suite.source.kind === "debian" ? suite.source.version : "unknown");
}

/** A copy of the tree that a run may write into, always at the same path. */
export function freshCopy(tree: string, work: string): void {
  rmSync(work, { recursive: true, force: true });
  cpSync(tree, work, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

function downloadArchive(source: DebianSource, apt: string): string {
  const archive = join(apt, "archives", source.archive);
  if (!existsSync(archive)) {
    const options = aptOptions(apt);
    mkdirSync(join(apt, "archives"), { recursive: true });
    const wanted = `${source.name}=${source.version}`;
    const args = [...options, "source", "--download-only", "--tar-only", wanted];
    try {
      run("apt-get", args, { cwd: join(apt, "archives") });
    } catch (error) {
      // A package of several archives fails when one of the others is not to be had.
      if (!existsSync(archive)) throw error;
    }
  }
  const actual = createHash("sha256").update(readFileSync(archive)).digest("hex");
  if (actual !== source.sha256) {
    throw new UnavailableSource(`${source.archive} has SHA-256 ${actual}, not ${source.sha256}`);
  }
  return archive;
}

/** Source packages of the mirror that this machine uses, with lists of our own: nothing of the system's changes. */
function aptOptions(apt: string): string[] {
  const parts = join(apt, "sources.list.d");
  const options = [
    `Dir::Etc::SourceList=/dev/null`,
    `Dir::Etc::SourceParts=${parts}`,
    `Dir::State::Lists=${join(apt, "lists")}`,
    `Dir::Cache=${join(apt, "cache")}`,
    "APT::Sandbox::User=root",
    "Acquire::Languages=none",
  ].flatMap((option) => ["-o", option]);
  if (existsSync(join(apt, "updated"))) return options;
  for (const place of [parts, join(apt, "lists/partial"), join(apt, "cache/archives/partial")]) {
    mkdirSync(place, { recursive: true });
  }
  writeFileSync(join(parts, "debian.sources"), sourceEntries());
  run("apt-get", [...options, "-q", "update"]);
  writeFileSync(join(apt, "updated"), "");
  return options;
}

/** The configured entries of Debian itself, asked for sources instead of binaries. */
function sourceEntries(): string {
  const folder = "/etc/apt/sources.list.d";
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  for (const file of files) {
    if (!file.endsWith(".sources")) continue;
    const text = readFileSync(file, "utf8");
    if (text.includes("debian-archive-keyring"))
      return text.replaceAll(/^Types:.*$/gm, "Types: deb-src");
  }
  throw new UnavailableSource("no Debian mirror is configured in /etc/apt/sources.list.d");
}

function run(command: string, args: readonly string[], options: { cwd?: string } = {}): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...options });
  if (error !== undefined) throw new UnavailableSource(`${command}: ${error.message}`);
  if (status === 0) return;
  const words = stderr.trim().split("\n").slice(-2).join(" ");
  throw new UnavailableSource(`${command} ended with ${status}: ${words}`);
}
