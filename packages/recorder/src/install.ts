/**
 * Switches recording on and off in this thread.
 */
import { FlightError } from "@orangebox/format";
import {
  getEnvironmentData,
  isInternalThread,
  isMainThread,
  setEnvironmentData,
} from "node:worker_threads";
import {
  type Config,
  type ConfigOptions,
  resolveConfig,
  resolveConfigSafely,
} from "./config/resolve-config.ts";
import { hideArguments, type Inheritance, takeInheritance } from "./children/inheritance.ts";
import { Recorder } from "./recorder.ts";
import { writeToStderr } from "./stack/fatal-report.ts";

/** Under which key a worker finds the configuration of its parent. */
const INHERITED = "orangebox.config";
const ENCRYPT_TO = "ORANGEBOX_ENCRYPT_TO";
/** Two copies of this package in one process share one recorder. */
const INSTALLED: unique symbol = Symbol.for("orangebox.recorder.1") as never;
/** The recorder after `uninstall`: the probes of what was loaded meanwhile are still its own. */
const RESTING: unique symbol = Symbol.for("orangebox.resting.1") as never;

interface Installed {
  [INSTALLED]?: Recorder | undefined;
  [RESTING]?: Recorder | undefined;
}

/** The recorder of this thread, if there is one. */
export function currentRecorder(): Recorder | undefined {
  return (globalThis as Installed)[INSTALLED];
}

/**
 * Starts recording in this thread. Modules that load from now on get probes.
 *
 * Installing again replaces the configuration of what is not fixed by then (the ring, the level).
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` naming the option that is unknown or has a bad value.
 * @returns The configuration in force.
 */
export function install(options: ConfigOptions = {}): Config {
  const config = calledBy(install, () =>
    resolveConfig({ code: options, env: environment(), cwd: safeCwd() }),
  );
  start(config);
  return config;
}

/** Errors of a step have a stack that begins where the program called a function of ours. */
export function calledBy<Result>(ours: (...rest: never[]) => unknown, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof FlightError) Error.captureStackTrace(error, ours);
    throw error;
  }
}

/**
 * Starts recording from the environment, for `--require` and `--import`.
 *
 * Never throws: what is wrong with the configuration is said once on stderr.
 */
export function installFromEnvironment(): void {
  // Node's thread for the hooks of `module.register`: it has no loader that ours could stand in.
  if (isInternalThread) return;
  try {
    const inherited = isMainThread ? undefined : inheritedRun()?.config;
    handedOn = takeInheritance();
    const { config, problems } =
      inherited === undefined
        ? resolveConfigSafely({ env: environment(), cwd: safeCwd() })
        : { config: inherited, problems: [] };
    for (const problem of problems) {
      writeToStderr(`[flight] ${problem.message} (${problem.code}); ${problem.hint}\n`);
    }
    if (config.enabled) start(config);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    writeToStderr(`[flight] not recording: ${text}\n`);
  }
}

/** What the parent of this process handed on. */
let handedOn: Inheritance | undefined;

/** The environment, and what a parent put in its place. */
function environment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env, ...handedOn?.settings };
}

/** Stops recording in this thread and takes every hook out. Idempotent. */
export function uninstall(): void {
  const recorder = currentRecorder();
  if (recorder === undefined) return;
  recorder.uninstall();
  setRecorder(INSTALLED, undefined);
  setRecorder(RESTING, recorder);
}

/** Whether this thread is being recorded. */
export function isInstalled(): boolean {
  return currentRecorder() !== undefined;
}

function start(config: Config): void {
  const running = currentRecorder();
  if (running !== undefined) {
    reconfigure(running, config);
    return;
  }
  const inherited = isMainThread ? undefined : inheritedRun();
  // A worker takes over what its process was started with.
  if (inherited !== undefined) {
    hideArguments(process.execArgv, inherited.children.stackSizeKib);
  }
  const runId = inherited?.runId ?? handedOn?.runId ?? newRunId();
  const children: Inheritance = inherited?.children ?? {
    settings: settingsForChildren(config),
    runId,
    parent: process.pid,
    stackSizeKib: handedOn?.stackSizeKib,
  };
  const resting = (globalThis as Installed)[RESTING];
  if (resting === undefined) {
    setRecorder(INSTALLED, new Recorder(config, { runId, parent: handedOn?.parent, children }));
  } else {
    resting.resume(config, children);
    setRecorder(RESTING, undefined);
    setRecorder(INSTALLED, resting);
  }
  const run: InheritedRun = { config, runId, children };
  if (isMainThread) setEnvironmentData(INHERITED, JSON.stringify(run));
}

/**
 * Replaces the configuration of a running recorder, also for workers and children from now on: what
 * they write must not be in the clear when this process has begun to encrypt.
 */
export function reconfigure(recorder: Recorder, config: Config): void {
  recorder.configure(config);
  const { children, runId } = recorder;
  if (ENCRYPT_TO in children.settings || config.encryptTo.length > 0) {
    // The hooks of this process hold the same object.
    Object.assign(children.settings, { [ENCRYPT_TO]: config.encryptTo.join("\n") });
  }
  const run: InheritedRun = { config: recorder.config, runId, children };
  setEnvironmentData(INHERITED, JSON.stringify(run));
}

/** Unique on this machine: process and moment. */
function newRunId(): string {
  const startedUs = Math.trunc(performance.timeOrigin * 1000);
  return `${process.pid.toString(36)}-${startedUs.toString(36)}`;
}

/** What a worker takes over from the main thread. */
interface InheritedRun {
  readonly config: Config;
  readonly runId: string;
  readonly children: Inheritance;
}

/**
 * The variables that a child is to find: those of this process, with paths that hold in any folder.
 */
function settingsForChildren(config: Config): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment())) {
    if (name.startsWith("ORANGEBOX_") && value !== undefined) settings[name] = value;
  }
  const paths = {
    ORANGEBOX_OUT: config.outputFile ?? config.outputDir,
    ORANGEBOX_STATE_DIR: config.stateDir,
    ORANGEBOX_CACHE_DIR: config.cacheDir,
    ORANGEBOX_REPORT: config.report,
  };
  for (const [name, path] of Object.entries(paths)) {
    if (name in settings && path !== undefined) settings[name] = path;
  }
  // Wherever it was set: what a child writes must not be in the clear either.
  if (config.encryptTo.length > 0) settings[ENCRYPT_TO] = config.encryptTo.join("\n");
  return settings;
}

function inheritedRun(): InheritedRun | undefined {
  const text = getEnvironmentData(INHERITED);
  return typeof text === "string" ? (JSON.parse(text) as InheritedRun) : undefined;
}

function setRecorder(key: symbol, recorder: Recorder | undefined): void {
  Object.defineProperty(globalThis, key, {
    value: recorder,
    enumerable: false,
    writable: false,
    configurable: true,
  });
}

function safeCwd(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}
