/**
 * Runs a program of these tests in a process of its own, from source.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly pid: number;
}

/** How to run it. */
export interface RunOptions {
  /** Flags of node. */
  readonly flags?: readonly string[];
  /** A shell command in which `"$@"` is the program. */
  readonly shell?: string;
  /** Called with the first output. */
  readonly onOutput?: (pid: number) => void;
}

/** Runs `test/ring/programs/<name>` until it ends. */
export function runProgram(
  name: string,
  args: readonly string[],
  { flags = [], shell, onOutput }: RunOptions = {},
): Promise<Ended> {
  const file = fileURLToPath(new URL(`programs/${name}`, import.meta.url));
  const node = [
    "--conditions=@orangebox/source",
    "--disable-warning=ExperimentalWarning",
    ...flags,
  ];
  const command = [process.execPath, ...node, file, ...args];
  const [program = "", ...rest] =
    shell === undefined ? command : ["/bin/sh", "-c", shell, "sh", ...command];
  const child = spawn(program, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    env: plainEnvironment(),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => {
    if (stdout === "" && child.pid !== undefined) onOutput?.(child.pid);
    stdout += String(data);
  });
  child.stderr.on("data", (data) => {
    stderr += String(data);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr, pid: child.pid ?? 0 });
    });
  });
}

/** Makes a folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The test runner's own settings must not reach the program. */
function plainEnvironment(): Record<string, string | undefined> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return env;
}
