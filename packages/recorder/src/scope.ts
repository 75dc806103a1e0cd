/**
 * Records a stretch of a program at level `writes`: what a program asks for with `record`.
 *
 * Only modules that were loaded at that level note their writes. A scope inside of another one
 * ends first; each writes a recording of its own.
 */
import { announce } from "./crash/announce.ts";
import { currentRecorder, install } from "./install.ts";
import type { Recorder } from "./recorder.ts";
import type { ThreadWrites } from "./writes/thread-writes.ts";

/** How a scope is recorded. */
export interface ScopeOptions {
  /** Exact file; an existing one is not replaced, the new one gets a number. */
  readonly path?: string;
  /** With at least one object, properties and elements of others are not noted; variables always are. */
  readonly watch?: readonly object[];
}

/** A stretch that is being recorded. */
export interface RecordedScope {
  /**
   * Watches an object and whatever it holds, also later. From then on properties and elements of
   * other objects are not noted.
   *
   * @param name What readers call it; without, the text of the source is shown.
   * @returns The object.
   */
  watch<Value extends object>(value: Value, name?: string): Value;
  /** Writes the recording. @returns Its path; undefined when there is none. Never throws. */
  stop(): string | undefined;
  [Symbol.dispose](): void;
}

/**
 * Starts recording what is written in this thread, until `stop`.
 *
 * Installs the recorder at level `writes` when it is not there; it stays, for functions with probes
 * live on. Modules that were loaded before have none.
 */
export function startRecording(options: ScopeOptions = {}): RecordedScope {
  if (currentRecorder() === undefined) install({ level: "writes" });
  const scope = new WritesScope(currentRecorder(), options);
  for (const value of options.watch ?? []) scope.watch(value);
  return scope;
}

/**
 * Records a function at level `writes`; without a function, until the scope is disposed of.
 *
 * An error of the function passes on, after the recording was written.
 */
export function record(options?: ScopeOptions): RecordedScope;
export function record<Result>(run: () => Result, options?: ScopeOptions): Result;
export function record<Result>(
  first: (() => Result) | ScopeOptions = {},
  options: ScopeOptions = {},
): Result | RecordedScope {
  if (typeof first !== "function") return startRecording(first);
  const scope = startRecording(options);
  let result: Result;
  try {
    result = first();
  } catch (error) {
    scope.stop();
    throw error;
  }
  if (!(result instanceof Promise)) {
    scope.stop();
    return result;
  }
  const stopped = result.finally(() => {
    scope.stop();
  });
  return stopped as Result;
}

/** Watches an object in the innermost scope; nothing outside of one. @returns The object. */
export function watch<Value extends object>(value: Value, name?: string): Value {
  const scope = currentRecorder()?.writes?.scopes.at(-1);
  return scope === undefined ? value : scope.watch(value, name);
}

class WritesScope implements RecordedScope {
  readonly #recorder: Recorder | undefined;
  readonly #writes: ThreadWrites | undefined;
  readonly #path: string | undefined;
  readonly #since: number;
  readonly #watched: object[] = [];
  #isStopped = false;

  constructor(recorder: Recorder | undefined, { path }: ScopeOptions) {
    this.#recorder = recorder;
    this.#writes = recorder?.writes;
    this.#path = path;
    this.#since = this.#writes?.log.total ?? 0;
    if (this.#writes === undefined) return;
    this.#writes.scopes.push(this);
    this.#writes.watched.isActive = false;
  }

  get watchesOnly(): boolean {
    return this.#watched.length > 0;
  }

  watch<Value extends object>(value: Value, name?: string): Value {
    if (this.#isStopped || this.#writes === undefined) return value;
    this.#watched.push(value);
    this.#writes.watched.watch(value, name);
    if (this.#writes.scopes.at(-1) === this) this.#writes.watched.isActive = true;
    return value;
  }

  stop(): string | undefined {
    if (this.#isStopped) return undefined;
    this.#isStopped = true;
    return this.#write();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #write(): string | undefined {
    const recorder = this.#recorder;
    if (recorder === undefined) return undefined;
    const writes = this.#writes;
    if (writes === undefined) {
      const problem = "a scope was not recorded: the recorder runs below level writes";
      announce(recorder.config, { path: undefined, problem }, "scope");
      return undefined;
    }
    const at = writes.scopes.indexOf(this);
    if (at !== -1) writes.scopes.splice(at, 1);
    writes.watched.isActive = writes.scopes.at(-1)?.watchesOnly === true;
    const outcome = recorder.capture({
      error: undefined,
      hasError: false,
      reason: "scope",
      frames: [],
      isExplicit: true,
      path: this.#path,
      values: this.#watched,
      writesSince: this.#since,
    });
    announce(recorder.config, outcome, "scope");
    return outcome.path;
  }
}
