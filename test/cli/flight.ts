/** Runs the `flight` command of the sources in a child process. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const MAIN = resolve("packages/cli/src/main.ts");

/** The Node that the sources run on. */
export const NODE: string = resolve("node_modules/.bin/node");

/** Arguments of Node that start the command. */
export const FLIGHT: readonly string[] = ["--conditions=@orangebox/source", MAIN];

/** What a finished command did. */
export interface Finished {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how a command runs. */
export interface RunSettings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** In a process group of its own. */
  readonly detached?: boolean;
  /** What it reads from standard input. */
  readonly input?: string | Uint8Array;
  /** Instead of pipes: standard input, output and error. */
  readonly stdio?: readonly ("pipe" | "ignore" | number)[];
}

/** Starts a command with pipes. */
export function startFlight(args: readonly string[], options: RunSettings = {}): ChildProcess {
  const { input: _, stdio, ...rest } = options;
  return spawn(NODE, [...FLIGHT, ...args], {
    env: plainEnvironment(),
    ...rest,
    ...(stdio === undefined ? {} : { stdio: [...stdio] }),
  });
}

/** Runs a command to its end. */
export function flight(args: readonly string[], options: RunSettings = {}): Promise<Finished> {
  const child = startFlight(args, options);
  child.stdin?.end(options.input ?? "");
  return finished(child);
}

/** Waits for a process and collects what it prints. */
export function finished(child: ChildProcess): Promise<Finished> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  child.stdout?.on("data", (chunk: Uint8Array) => out.push(chunk));
  child.stderr?.on("data", (chunk: Uint8Array) => err.push(chunk));
  return new Promise((settle, fail) => {
    child.once("error", fail);
    child.once("close", (code, signal) => {
      settle({
        code,
        signal,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      });
    });
  });
}

/** Makes a folder with these files and gives its path. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "flight-test-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** The environment without what would change colours or recording. */
export function plainEnvironment(
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const dropped = /^(?:ORANGEBOX_|NO_COLOR$|FORCE_COLOR$|NODE_|VITEST|TEST$)/;
  const kept = Object.entries(process.env).filter(([name]) => !dropped.test(name));
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""])),
    // Taking the types out of the sources is most of the time that a command needs.
    NODE_COMPILE_CACHE: join(tmpdir(), "flight-test-cache"),
    ...more,
  };
}
