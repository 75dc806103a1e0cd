/**
 * One thread's recorder: ring, probes, loader hook, stacks and triggers, put together.
 */
import { existsSync, readFileSync } from "node:fs";
import { isMainThread, threadId } from "node:worker_threads";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createBuiltFiles } from "./built/built-files.ts";
import { findStub, takeOver } from "./built/stub-handover.ts";
import { type BoxGate, createBoxGate } from "./box/limit-boxes.ts";
import type { Config } from "./config/resolve-config.ts";
import type { captureBox, CaptureOutcome, CaptureRequest, ExitFacts } from "./crash/capture-box.ts";
import { announce, tellRing } from "./crash/announce.ts";
import { caughtExcerpt, fatalExcerpt } from "./crash/fatal-place.ts";
import { pauseForFrames } from "./crash/pause.ts";
import { installTriggers, observeAbort, observeExit } from "./crash/triggers.ts";
import { useCodeCache } from "./loader/code-cache.ts";
import { type CoverageWatch, watchCoverage } from "./engine-coverage/coverage-files.ts";
import { installChildProcesses } from "./children/child-processes.ts";
import type { Inheritance } from "./children/inheritance.ts";
import { installWorkerThreads } from "./children/worker-threads.ts";
import { createFileFilter } from "./loader/file-filter.ts";
import { createFileLevels, parseLevelFor } from "./loader/file-levels.ts";
import { installLoadHook } from "./loader/load-hook.ts";
import { TransformCache } from "./loader/transform-cache.ts";
import { installBoundaries, type InstalledBoundaries } from "./operations/boundaries.ts";
import { createOperationCarrier, type OperationCarrier } from "./operations/current-operation.ts";
import { StartingFrames } from "./operations/starting-frames.ts";
import {
  appendAbout,
  appendSites,
  closeRing,
  openRing,
  reopenRing,
  releaseRing,
  ringOfStub,
  type Ring,
  writeAnchor,
} from "./ring/open-ring.ts";
import { HEAD } from "./ring/ring-layout.ts";
import { type LoadedModule, ModuleRegistry, type ModuleTables } from "./runtime/module-registry.ts";
import { functionToString, objectIs } from "./runtime/primordials.ts";
import { defineProbeGlobals, defineWriteGlobals, ProbeRuntime } from "./runtime/probe-runtime.ts";
import { aboutRun } from "./recovery/about-run.ts";
import { fatalReport, hasPlainReport, writeToStderr } from "./stack/fatal-report.ts";
import { installFunctionText } from "./stack/function-text.ts";
import { readUnchangedSource } from "./stack/unchanged-source.ts";
import { ownRequire } from "./runtime/own-require.ts";
import { savedCrypto } from "./runtime/saved-crypto.ts";
import { recorderBuild } from "./loader/recorder-build.ts";
import { installStackText, type StackText } from "./stack/stack-text.ts";
import { installUtilCallSites } from "./stack/util-call-sites.ts";
import { type ThreadWrites, openWrites } from "./writes/thread-writes.ts";

/** Counters of one thread. */
export interface RecorderStats {
  readonly totalEvents: number;
  readonly ringCapacity: number;
  readonly modules: number;
  readonly sites: number;
  readonly untouched: number;
  readonly boxes: number;
  readonly mapping: "mapped" | "memory";
}

/** How many unhandled rejections are looked at in a second. */
const MAX_REJECTIONS_PER_SECOND = 20;
/** Files that were left alone, in the list of them. */
const MAX_UNTOUCHED = 1000;
/** Exit code of Node when a handler of uncaught errors throws. */
const HANDLER_FAILED = 7;
/** Exit code of Node when a top-level await was never settled. */
const UNSETTLED = 13;
const DAY_MS = 86_400_000;
const ownFolder = dirname(fileURLToPath(import.meta.url));
/** `packages/recorder` in the repository, `node_modules/@orangebox/recorder` when installed. */
const ownPackage = dirname(ownFolder);

/** Before the program can replace it. */
const { now } = Date;

/** Everything that recording needs in this thread; made once by `install`. */
export class Recorder {
  #config: Config;
  readonly ring: Ring;
  readonly modules: ModuleRegistry = new ModuleRegistry();
  readonly runtime: ProbeRuntime;
  /** What was written; undefined when no file is recorded at level `writes`. */
  writes: ThreadWrites | undefined;
  readonly carrier: OperationCarrier;
  readonly stackText: StackText;
  readonly untouched: { filename: string; reason: string }[] = [];
  readonly gate: BoxGate;
  readonly startedAtMs: number = Date.now();
  readonly #ownPrefixes: readonly string[] = [ownFolder, pathToFileURL(ownFolder).href];
  readonly #starting: StartingFrames;
  #coverage: CoverageWatch | undefined;
  #undo: (() => void)[] = [];
  #captureBox: typeof captureBox | undefined;
  #rejectionSecond = 0;
  #rejectionCount = 0;
  #boxes = 0;
  #isCapturing = false;
  #lostTables: string[] = [];
  #lastCaptured: { value: unknown; path: string | undefined } | undefined;
  #rejected: { reason: unknown; promise: unknown } | undefined;

  /** Shared by all threads of one run; names the run in links between recordings. */
  readonly runId: string;

  /** Process number of the recorded process that started this one. */
  readonly parent: number | undefined;

  /** What child processes take over. */
  children: Inheritance;

  constructor(
    config: Config,
    {
      runId,
      parent,
      children,
    }: { runId: string; parent?: number | undefined; children: Inheritance },
  ) {
    this.runId = runId;
    this.parent = parent;
    this.children = children;
    this.#config = config;
    this.gate = createBoxGate(config.maxBoxesPerMinute);
    const major = Number(process.versions.node.split(".")[0]);
    const stub = findStub();
    this.ring = stub === undefined ? this.#openRing() : ringOfStub(stub, threadId);
    const starting = new StartingFrames(this.ring.events, this.ring.head);
    this.#starting = starting;
    this.carrier = createOperationCarrier(major);
    const openWritesNow = (): ThreadWrites =>
      (this.writes ??= openWrites(config, this.ring.head, stub?.activations));
    if (notesWrites(config) || stub?.wantsWrites === true) openWritesNow();
    this.stackText = installStackText(this.modules, this.#ownPrefixes);
    this.runtime = new ProbeRuntime({
      modules: this.modules,
      starting,
      head: this.ring.head,
      currentOperation: () => this.carrier.current(),
      writes: this.writes?.api,
      openWrites: () => {
        const { api, activations } = openWritesNow();
        defineWriteGlobals(api, activations);
        if (stub !== undefined) stub.writes = api;
        return api;
      },
      onBuiltFile: createBuiltFiles({
        modules: this.modules,
        callerScript: () => this.stackText.callerScript(),
        onModule: (module, tables) => this.#noteModule(module, tables),
        onLost: (filename, reason) => {
          this.#noteUntouched(filename, reason);
          this.#lostTables.push(`${filename} is recorded without variables: ${reason}`);
        },
      }),
      earlierPrivates: stub === undefined ? undefined : (owner) => stub.privates.get(owner),
    });
    defineProbeGlobals(this.ring, this.runtime.api);
    if (this.writes !== undefined) defineWriteGlobals(this.writes.api, this.writes.activations);
    if (stub !== undefined) takeOver(stub, this.runtime.api, this.writes?.api);
    const undoFunctionText = installFunctionText(this.modules, (module) => this.readSource(module));
    this.#undo.push(() => {
      // Functions with probes live on, and go on showing their original text and positions.
      if (this.modules.size > 0) return;
      undoFunctionText();
      this.stackText.uninstall();
    });
    this.#hook(children);
  }

  #openRing(): Ring {
    const { config } = this;
    const ring = openRing({
      capacity: config.ringCapacity,
      stateDir: config.stateDir,
      threadId,
      pid: process.pid,
      retention: {
        maxAgeMs: config.ringRetentionDays * DAY_MS,
        maxCount: config.ringRetentionCount,
        maxBytes: config.ringRetentionBytes,
      },
      about: aboutRun(config, { run: this.runId, parent: this.parent }),
    });
    tellRing(config, ring.mapping);
    return ring;
  }

  #noteModule(
    module: LoadedModule,
    tables: { path: string | undefined; read(): ModuleTables },
  ): void {
    this.writes?.moduleActivation(module);
    appendSites(this.ring, [
      {
        base: module.base,
        count: module.siteCount,
        filename: module.filename,
        ...(module.isUnmarked ? { isUnmarked: true } : {}),
        hash: module.contentHash,
        ...(tables.path === undefined
          ? { sites: tables.read().sites }
          : { cacheFile: tables.path }),
      },
    ]);
  }

  #noteUntouched(filename: string, reason: string): void {
    if (this.untouched.length < MAX_UNTOUCHED) this.untouched.push({ filename, reason });
  }

  get config(): Config {
    return this.#config;
  }

  /** Takes over what can change while recording: outputs, budgets, scrubbing. */
  configure(config: Config): void {
    const { encryptTo } = config;
    // A recovery after the end of the process must know it.
    if (encryptTo.join(" ") !== this.#config.encryptTo.join(" "))
      appendAbout(this.ring, { encryptTo });
    this.#config = {
      ...config,
      level: this.#config.level,
      levelFor: this.#config.levelFor,
      ringCapacity: this.#config.ringCapacity,
    };
  }

  /** Whether a script is part of the recorder. */
  isOwnScript(scriptName: string): boolean {
    return this.#ownPrefixes.some((prefix) => scriptName.startsWith(prefix));
  }

  /** The text of a module before it got probes, if the file is still what was loaded. */
  readSource(module: LoadedModule): string | undefined {
    const { text } = module.tables;
    if (module.problem !== undefined) return undefined;
    if (text !== undefined) return text;
    const source = readUnchangedSource(module.filename, module.contentHash);
    return module.isUnmarked ? source?.slice(1) : source;
  }

  /** The text of a function as the engine has it, with probes. */
  textWithProbes(value: object): string {
    return functionToString(value);
  }

  /** The text of a file that has no probes, as it is now. */
  readAnySource(filename: string): string | undefined {
    try {
      return readFileSync(filename, "utf8");
    } catch {
      return undefined;
    }
  }

  /** Writes a box for `request`; never throws. */
  capture(request: CaptureRequest): CaptureOutcome {
    if (this.#isCapturing) return { problem: "a capture was already running", path: undefined };
    this.#isCapturing = true;
    try {
      this.#captureBox ??= loadCaptureBox();
      const outcome = this.#captureBox(this, request);
      if (outcome.path !== undefined) this.#boxes++;
      return outcome.path === undefined || outcome.problem !== undefined
        ? outcome
        : { ...outcome, ...this.#tellLostTables() };
    } catch (error) {
      return { path: undefined, problem: `the capture failed: ${describe(error)}` };
    } finally {
      this.#isCapturing = false;
    }
  }

  /** Says once which built files have lost their tables. */
  #tellLostTables(): { problem: string } | undefined {
    const [first] = this.#lostTables;
    if (first === undefined) return undefined;
    const more = this.#lostTables.length - 1;
    this.#lostTables = [];
    return { problem: more === 0 ? first : `${first} (and ${more} more)` };
  }

  stats(): RecorderStats {
    let sites = 0;
    for (const module of this.modules) sites += module.siteCount;
    return {
      totalEvents: (this.ring.head[0] ?? 0) >>> 0,
      ringCapacity: this.ring.events.length,
      modules: this.modules.size,
      sites,
      untouched: this.untouched.length,
      boxes: this.#boxes,
      mapping: this.ring.mapping.kind,
    };
  }

  /**
   * Records again after `uninstall`: the probes of what is loaded write into the same memory.
   *
   * What is fixed by the first start stays so; the file behind the ring is gone.
   */
  resume(config: Config, children: Inheritance): void {
    this.configure(config);
    this.children = children;
    reopenRing(this.ring);
    this.#hook(children);
  }

  /** Puts in the hooks that `uninstall` takes out. */
  #hook(children: Inheritance): void {
    const boundaries = installBoundaries(this.carrier, (operation) => {
      this.#starting.await(operation);
      writeAnchor(this.ring, now());
    });
    this.#undo.push(() => boundaries.uninstall());
    this.#undo.push(this.#installLoader(boundaries, this.#watchChildren(children)));
    this.#coverage = watchCoverage({
      modules: this.modules,
      readSource: (module) => this.readSource(module),
      ownFolders: ownFolders(),
    });
    this.#undo.push(this.#installTriggers());
    const { head } = this.ring;
    // In a worker the function only throws.
    if (isMainThread) this.#undo.push(observeAbort(() => (head[HEAD.leaving] = 1)));
    if (this.#config.onExit) this.#undo.push(observeExit((code) => this.#captureExit(code)));
  }

  /** Takes every hook out again; instrumented functions go on running. */
  uninstall(): void {
    for (const step of this.#undo.toReversed()) {
      try {
        step();
      } catch {
        // The next hook still has to come out.
      }
    }
    this.#undo = [];
    closeRing(this.ring, { keep: false });
  }

  /** Gives what is to be told of each module of Node that the program loads. */
  #watchChildren(children: Inheritance): (id: string) => void {
    const processes = this.#config.children ? installChildProcesses(children) : undefined;
    this.#undo.push(() => processes?.uninstall());
    let hasWorkers = false;
    let hasUtil = false;
    return (id) => {
      processes?.onBuiltin(id);
      // Before the program has it, and may replace its functions.
      if (id === "crypto" && this.config.encryptTo.length > 0) savedCrypto();
      if (id === "util" && !hasUtil) {
        hasUtil = true;
        this.#undo.push(installUtilCallSites(this.modules, this.#ownPrefixes));
      }
      if (id !== "worker_threads" || hasWorkers) return;
      hasWorkers = true;
      this.#undo.push(installWorkerThreads(children));
    };
  }

  #installLoader(boundaries: InstalledBoundaries, onBuiltin: (id: string) => void): () => void {
    const { config } = this;
    if (config.cacheDir !== undefined && isMainThread) useCodeCache(config.cacheDir);
    return installLoadHook({
      modules: this.modules,
      filter: createFileFilter({
        include: config.include,
        includePackages: config.includePackages,
        exclude: config.exclude,
        cwd: process.cwd(),
        ownFolders: ownFolders(),
      }),
      cache: new TransformCache({
        folder: config.cacheDir,
        version: recorderBuild(),
        maxBytes: config.cacheMaxBytes,
      }),
      callHidden: (step) => this.stackText.callHidden(step),
      compileIsReplaced: () => {
        this.stackText.compileIsReplaced();
      },
      whileTransforming: (step) => {
        this.#starting.isPaused = true;
        try {
          return step();
        } finally {
          this.#starting.isPaused = false;
        }
      },
      levelOf: createFileLevels({
        level: config.level,
        levelFor: config.levelFor,
        cwd: process.cwd(),
      }),
      ringMask: this.ring.events.length - 1,
      onBuiltin: (id) => {
        boundaries.wrapModule(id);
        onBuiltin(id);
      },
      onModule: (module, tables) => this.#noteModule(module, tables),
      onUntouched: (filename, reason) => this.#noteUntouched(filename, reason),
    });
  }

  #installTriggers(): () => void {
    return installTriggers({
      rejected: (reason, promise) => {
        this.#rejected = { reason, promise };
        this.#captureOnce({ error: reason, reason: "rejection", promise, moduleFailed: false });
      },
      uncaught: (error, fromPromise) => {
        const rejected = this.#rejected;
        this.#rejected = undefined;
        // Node wraps a rejection with a non-error; its reason is already in a box.
        if (rejected !== undefined && isRejectionOf(error, rejected.reason)) return;
        // Through a promise and yet no rejection was reported: an ES module failed.
        const moduleFailed = fromPromise;
        this.#captureOnce({ error, reason: "crash", promise: undefined, moduleFailed });
      },
      fatal: (error, fromPromise) => {
        this.#reportFatal(error, fromPromise);
      },
      watchesHandlers: () => isMainThread && hasPlainReport(),
      handlerFailed: (error) => {
        this.#captureOnce({ error, reason: "crash", promise: undefined, moduleFailed: false });
        if (isMainThread) this.#leaveHandler(error);
      },
      exiting: (code) => {
        if (code === UNSETTLED) this.#captureUnsettled();
        if (this.config.onExit && code !== 0) this.#captureEnd(code);
        this.#coverage?.finish();
        closeRing(this.ring, { keep: false });
        if (!isMainThread) releaseRing(this.ring);
      },
    });
  }

  #captureOnce(request: Omit<CaptureRequest, "path">): void {
    if (!this.config.dumpOnCrash) return;
    // Nothing of the program ran: a misspelt path is no crash of it.
    if (this.modules.size === 0 && isModuleNotFound(request.error)) return;
    if (request.reason === "rejection" && !this.#admitRejection()) return;
    if (this.#lastCaptured !== undefined && objectIs(this.#lastCaptured.value, request.error))
      return;
    const outcome = this.capture(request);
    this.#lastCaptured = { value: request.error, path: outcome.path };
    if (outcome.isSuppressed !== true) announce(this.config, outcome, request.reason);
  }

  /** A storm of rejections that the program survives must not become a storm of captures. */
  #admitRejection(): boolean {
    const second = Math.trunc(now() / 1000);
    if (second !== this.#rejectionSecond) {
      this.#rejectionSecond = second;
      this.#rejectionCount = 0;
    }
    return ++this.#rejectionCount <= MAX_REJECTIONS_PER_SECOND;
  }

  /** `process.exit` was called: who called it, and what it cuts off. */
  #captureExit(code: unknown): void {
    if (this.#boxes > 0 || code === undefined || code === 0 || code === "0") return;
    const outcome = pauseForFrames(this, (frames) =>
      this.capture({
        error: undefined,
        hasError: false,
        reason: "exit",
        frames,
        exit: exitFacts(code),
      }),
    );
    announce(this.config, outcome, "exit");
  }

  /** The program ends with a code although nothing was thrown. */
  #captureEnd(code: unknown): void {
    if (this.#boxes > 0) return;
    const outcome = this.capture({
      error: undefined,
      hasError: false,
      reason: "exit",
      frames: [],
      exit: exitFacts(code),
    });
    announce(this.config, outcome, "exit");
  }

  /** The top level of an ES module waits for what nothing will bring: Node calls that a failure. */
  #captureUnsettled(): void {
    if (this.#boxes > 0 || !this.config.dumpOnCrash) return;
    const outcome = this.capture({
      error: undefined,
      hasError: false,
      reason: "exit",
      frames: [],
      isUnsettled: true,
      exit: exitFacts(UNSETTLED),
    });
    // The program may have chosen this code itself, while nothing waits.
    if (outcome.isSuppressed !== true) announce(this.config, outcome, "exit");
  }

  #reportFatal(error: unknown, fromPromise: boolean): void {
    if (!isMainThread || !hasPlainReport()) return;
    const excerpt = fatalExcerpt(this, error, fromPromise);
    if (excerpt === undefined) return;
    writeToStderr(fatalReport(error, excerpt));
    leave(typeof process.exitCode === "number" ? process.exitCode : 1);
  }

  /** A handler of uncaught errors threw: Node ends at once, without `exit` listeners. */
  #leaveHandler(error: unknown): void {
    closeRing(this.ring, { keep: false });
    writeToStderr(fatalReport(error, caughtExcerpt(this, error)));
    leave(HANDLER_FAILED);
  }
}

function leave(code: number): never {
  return (process as unknown as { reallyExit(code: number): never }).reallyExit(code);
}

/**
 * Loads what only a crash needs.
 *
 * From one CommonJS file where there is one: Node 22 warns about require() of an ES module.
 */
function loadCaptureBox(): typeof captureBox {
  const bundle = join(ownFolder, "crash.cjs");
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const file = existsSync(bundle) ? bundle : join(ownFolder, `crash/capture-box.${ending}`);
  return (ownRequire(file) as { captureBox: typeof captureBox }).captureBox;
}

function exitFacts(code: unknown): ExitFacts {
  return {
    code: typeof code === "number" || typeof code === "string" ? code : undefined,
    pendingStdoutBytes: pendingBytes("stdout"),
    pendingStderrBytes: pendingBytes("stderr"),
  };
}

/** Reading the property opens the stream; the process leaves at once, so that changes nothing. */
function pendingBytes(name: "stdout" | "stderr"): number {
  try {
    return process[name].writableLength;
  } catch {
    return 0;
  }
}

function isModuleNotFound(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Object.getOwnPropertyDescriptor(error, "code")?.value;
  return code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND";
}

/** `UnhandledPromiseRejection` of Node stands for a reason that is not an error. */
function isRejectionOf(error: unknown, reason: unknown): boolean {
  if (objectIs(error, reason)) return true;
  if (typeof error !== "object" || error === null) return false;
  const code = Object.getOwnPropertyDescriptor(error, "code")?.value as unknown;
  return code === "ERR_UNHANDLED_REJECTION";
}

/** Whether some file may be recorded at level `writes`. */
function notesWrites({ level, levelFor }: Config): boolean {
  return level === "writes" || levelFor.some((text) => parseLevelFor(text)?.level === "writes");
}

/** Files that must never be instrumented: this project's own packages. */
function ownFolders(): string[] {
  const siblings = ["format", "instrument", "recorder", "plugin", "cli", "analysis"];
  const parent = dirname(ownPackage);
  return [...siblings.map((name) => `${parent}/${name}/`), `${parent}/orangebox/`];
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
}
