/**
 * Runs a program with the recorder in it, and ends exactly as the program does.
 *
 * The program is a child process with the same input and output, so that this process survives it
 * and can say, as the last line, where the recording is.
 */
import { visibleText } from "@orangebox/analysis";
import { FlightError } from "@orangebox/format";
import { recordedEnvironment, stackOption } from "@orangebox/recorder/inheritance";
import { spawn } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { resolve } from "node:path";

import { openBoxReport } from "./box-report.ts";
import type { BoxNews } from "./box-report.ts";
import { openFinalizer } from "./finalize-rings.ts";
import { permissionProblem } from "./permission.ts";
import { forwardSignals } from "./signals.ts";

/** What to run and how to record it. */
export interface RunOptions {
  /** Options of Node, before the script. */
  readonly nodeArguments: readonly string[];
  /** The script and its arguments, or options of Node and then those. */
  readonly command: readonly string[];
  readonly level: string | undefined;
  /** Texts as `src/cart/**=writes`. */
  readonly levelFor: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly includePackages: readonly string[];
  readonly out: string | undefined;
  /** Public keys that recordings are encrypted to. */
  readonly encryptTo: readonly string[];
  /** Whether child processes are recorded as well. */
  readonly children: boolean;
  /** Also record when the program ends with a code other than 0. */
  readonly onExit: boolean;
}

/** How a program ended: by itself with a code, or by a signal. */
export type Ending =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

/**
 * Runs a program to its end and prints where it was recorded.
 *
 * @throws {FlightError} `FLIGHT_USAGE` if Node cannot be started.
 */
export async function runProgram(options: RunOptions): Promise<Ending> {
  const refused = permissionProblem([...options.nodeArguments, ...options.command]);
  if (refused?.missing === "recording") {
    sayNews({ paths: [], problems: [refused.line] });
    return (await runChild(options, process.env, undefined)).ending;
  }
  const report = openBoxReport();
  try {
    const stackSizeKib = roomForStack() ? STACK_SIZE_KIB : undefined;
    const environment = recordedEnvironment(process.env, {
      settings: settings(options, report.path),
      stackSizeKib,
    });
    const finalizer = openFinalizer(() => report.read());
    const { pid, ending } = await runChild(options, environment, stackSizeKib, (started) => {
      finalizer.watch(started);
    });
    const { paths, problems } = await finalizer.finish(pid, ending);
    sayNews({ paths, problems: refused === undefined ? problems : [refused.line, ...problems] });
    return ending;
  } finally {
    report.remove();
  }
}

const STDERR = 2;

/** Ends this process as the program ended. */
export function endLike(ending: Ending): void {
  if (ending.kind === "exit") {
    process.exitCode = ending.code;
    return;
  }
  process.exitCode = 128 + (constants.signals[ending.signal] ?? 0);
  process.kill(process.pid, ending.signal);
  // The signal arrives a moment later; until then nothing else may end the process.
  setTimeout(() => process.exit(), 1000);
}

/**
 * Twice the engine's stack limit where the system gives the main thread room for it: a frame with
 * probes is about twice as large, and a recursion must reach as deep as without them.
 */
const STACK_SIZE_KIB = 2200;

function runChild(
  options: RunOptions,
  environment: NodeJS.ProcessEnv,
  stackSizeKib: number | undefined,
  onStart?: (pid: number | undefined) => void,
): Promise<{ readonly pid: number | undefined; readonly ending: Ending }> {
  const stack = stackSizeKib === undefined ? [] : [stackOption(stackSizeKib)];
  const { nodeArguments, command } = options;
  const child = spawn(process.execPath, [...stack, ...nodeArguments, ...command], {
    stdio: "inherit",
    env: environment,
  });
  const stopForwarding = forwardSignals(child);
  onStart?.(child.pid);
  return new Promise((settle, fail) => {
    child.once("error", (error) => {
      stopForwarding();
      const message = `cannot start ${process.execPath}: ${error.message}`;
      fail(new FlightError("FLIGHT_USAGE", message, "Check this Node.", { cause: error }));
    });
    child.once("exit", (code, signal) => {
      stopForwarding();
      const ending: Ending =
        signal === null ? { kind: "exit", code: code ?? 0 } : { kind: "signal", signal };
      settle({ pid: child.pid, ending });
    });
  });
}

/** Whether the main thread of a child gets the 8 MiB that Linux and macOS give by default. */
function roomForStack(): boolean {
  if (process.platform === "darwin") return true;
  if (process.platform !== "linux") return false;
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max stack size\s+(\S+)/m.exec(limits)?.[1];
    return soft === "unlimited" || Number(soft) >= 8 * 2 ** 20;
  } catch {
    return false;
  }
}

/** Gives the environment variables by which the recorder learns its settings. */
function settings(options: RunOptions, reportPath: string): Record<string, string> {
  const { level, levelFor, include, exclude, includePackages, out, onExit, children } = options;
  const { encryptTo } = options;
  return {
    ORANGEBOX_REPORT: reportPath,
    ...(level === undefined ? {} : { ORANGEBOX_LEVEL: level }),
    ...(levelFor.length === 0 ? {} : { ORANGEBOX_LEVEL_FOR: patterns(levelFor) }),
    ...(include.length === 0 ? {} : { ORANGEBOX_INCLUDE: patterns(include) }),
    ...(includePackages.length === 0
      ? {}
      : { ORANGEBOX_INCLUDE_PACKAGES: patterns(includePackages) }),
    ...(exclude.length === 0 ? {} : { ORANGEBOX_EXCLUDE: patterns(exclude) }),
    ...(encryptTo.length === 0 ? {} : { ORANGEBOX_ENCRYPT_TO: patterns(encryptTo) }),
    ...(children ? {} : { ORANGEBOX_CHILDREN: "false" }),
    ...(onExit ? { ORANGEBOX_ON_EXIT: "true" } : {}),
    ...(out === undefined ? {} : { ORANGEBOX_OUT: resolve(out) }),
  };
}

/** One pattern a line, because a pattern may hold commas, as in `{a,b}.js`. */
function patterns(globs: readonly string[]): string {
  return globs.map((glob) => `${glob}\n`).join("");
}

/** Says what went wrong, once each, and last where the recordings are. */
function sayNews({ paths, problems }: Pick<BoxNews, "paths" | "problems">): void {
  const lines = [
    ...problems.map((problem) => `[flight] ${visibleText(problem)}`),
    ...paths.map((path) => `[flight] recorded ${visibleText(path)}`),
  ];
  const text = lines.map((line) => `${line}\n`).join("");
  if (text === "") return;
  try {
    writeSync(STDERR, text);
  } catch {
    // Nobody reads it any more; the program's own ending counts.
  }
}
