/**
 * Hands the recorder on to child processes, below everything that a program can see.
 *
 * All of `child_process` and `cluster` ends in two functions of Node's bindings that take the
 * environment and the arguments as lists. Only these are replaced, when the program loads one of
 * the modules: `process.env`, `spawnargs` and the program's own objects stay what they are.
 */
import { basename } from "node:path";
import { type Inheritance, inheritedVariables, isSettled, stackOption } from "./inheritance.ts";

type Spawn = (this: unknown, ...rest: unknown[]) => unknown;

interface SpawnOptions {
  readonly file?: unknown;
  readonly args?: unknown;
  readonly envPairs?: unknown;
}

/** What is replaced in this thread. */
export interface ChildProcesses {
  /** Told of each module of Node that the program loads. */
  onBuiltin(id: string): void;
  uninstall(): void;
}

/**
 * Prepares for child processes.
 *
 * @param inheritance What each of them gets.
 */
export function installChildProcesses(inheritance: Inheritance): ChildProcesses {
  const undo: (() => void)[] = [];
  let isInstalled = false;
  const install = (): void => {
    if (isInstalled) return;
    isInstalled = true;
    for (const holder of bindings()) undo.push(wrapSpawn(holder, inheritance));
  };
  // Node's own runners of tests and watchers start processes without loading a module for us to see.
  if (/(?:^|\s)--(?:test|watch)\b/.test(process.execArgv.join(" "))) install();
  return {
    onBuiltin(id) {
      if (id === "child_process" || id === "cluster") install();
    },
    uninstall() {
      for (const step of undo.toReversed()) step();
    },
  };
}

/** The objects whose `spawn` starts a process, as far as they can be reached. */
function bindings(): { spawn: Spawn }[] {
  const found: { spawn: Spawn }[] = [];
  try {
    const { ChildProcess } = process.getBuiltinModule("node:child_process");
    const child = new ChildProcess() as unknown as { _handle: { close(): void } };
    found.push(Object.getPrototypeOf(child._handle) as { spawn: Spawn });
    child._handle.close();
  } catch {
    // Children of this way are not recorded.
  }
  try {
    // With the flag, asking for a binding prints a warning that a plain run does not.
    const flags = `${process.execArgv.join(" ")} ${process.env["NODE_OPTIONS"] ?? ""}`;
    if (
      !flags.includes("--pending-deprecation") &&
      process.env["NODE_PENDING_DEPRECATION"] !== "1"
    ) {
      const { binding } = process as unknown as { binding(name: string): { spawn: Spawn } };
      found.push(binding.call(process, "spawn_sync"));
    }
  } catch {
    // Nor those of spawnSync.
  }
  return found.filter(({ spawn }) => typeof spawn === "function");
}

function wrapSpawn(holder: { spawn: Spawn }, inheritance: Inheritance): () => void {
  const { apply } = Reflect;
  const original = holder.spawn;
  const wrapper: Spawn = function (...rest) {
    let changed = rest;
    try {
      changed = withRecorder(rest, inheritance);
    } catch {
      // The child is started as the program wants it.
    }
    return apply(original, this, changed);
  };
  holder.spawn = wrapper;
  return () => {
    if (holder.spawn === wrapper) holder.spawn = original;
  };
}

/** One object with all options (Node 22, and everywhere for `spawnSync`), or one after the other. */
function withRecorder(given: unknown[], inheritance: Inheritance): unknown[] {
  const [first, ...rest] = given;
  if (typeof first === "object" && first !== null) {
    const options = first as SpawnOptions;
    const made = handOn(options, inheritance);
    return made === undefined ? given : [{ ...options, ...made }, ...rest];
  }
  const made = handOn({ file: first, args: given[1], envPairs: given[3] }, inheritance);
  if (made === undefined) return given;
  return [first, made.args, given[2], made.envPairs, ...given.slice(4)];
}

function handOn(
  { file, args, envPairs }: SpawnOptions,
  inheritance: Inheritance,
): { args: unknown; envPairs: string[] } | undefined {
  if (typeof file !== "string" || !Array.isArray(envPairs)) return undefined;
  const given = Array.isArray(args) ? args.map(String) : [];
  // Under the permission model the child may not read our files.
  if (given.some((arg) => /^--(?:experimental-)?permission\b/.test(arg))) return undefined;
  const pairs = envPairs.map(String);
  const at = pairs.findIndex((pair) => pair.startsWith("NODE_OPTIONS="));
  const nodeOptions = at < 0 ? undefined : pairs[at]?.slice("NODE_OPTIONS=".length);
  if (isSettled(nodeOptions)) return undefined;
  const variables = inheritedVariables(nodeOptions, inheritance);
  const others = pairs.filter((_, index) => index !== at);
  return {
    args: Array.isArray(args) ? withStack(file, args, inheritance.stackSizeKib) : args,
    envPairs: [...others, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)],
  };
}

/** The stack has to be as deep in a child that is Node; `NODE_OPTIONS` may not say so. */
function withStack(file: string, args: readonly unknown[], kib: number | undefined): unknown[] {
  const isNode = file === process.execPath || /^node(?:\.exe)?$/.test(basename(file));
  const hasOwn = args.some((arg) => /^--stack[-_]size/.test(String(arg)));
  if (kib === undefined || !isNode || hasOwn || args.length === 0) return [...args];
  return [args[0], stackOption(kib), ...args.slice(1)];
}
