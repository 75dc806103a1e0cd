/**
 * Where a program's end, or an unhandled rejection, becomes known.
 *
 * `process._fatalException` is what Node calls for every error that nobody caught, in the main
 * thread and in workers; `process.emit("unhandledRejection")` is what it calls for every rejection
 * that nobody handled, in all modes. Both are observed without a listener, since a listener would
 * change what happens next.
 */
import { isMainThread } from "node:worker_threads";
import { printAs } from "../stack/function-text.ts";

type Emit = (this: unknown, name: string | symbol, ...rest: unknown[]) => boolean;
type FatalException = (this: unknown, error: unknown, fromPromise: unknown) => unknown;

/** What the triggers report. All of them must return quickly and never throw. */
export interface CrashObserver {
  /** An error that nobody caught. `fromPromise`: through a rejection or an ES module. */
  uncaught(error: unknown, fromPromise: boolean): void;
  /** A rejection that nobody handled; the program may survive it. */
  rejected(reason: unknown, promise: unknown): void;
  /** Whether `handlerFailed` is wanted: Node's report then shows where we threw the error on. */
  watchesHandlers(): boolean;
  /** A handler of uncaught errors threw, which ends the program; may print and leave itself. */
  handlerFailed(error: unknown): void;
  /** Node is about to print its report and leave; may print and leave itself. */
  fatal(error: unknown, fromPromise: boolean): void;
  /** The program has run its `exit` listeners and ends now. */
  exiting(code: unknown): void;
}

/**
 * Installs the triggers of this thread.
 *
 * @returns The undo.
 */
export function installTriggers(observer: CrashObserver): () => void {
  const target = process as unknown as { _fatalException?: FatalException; emit: Emit };
  const fatalException = target._fatalException;
  const undo: (() => void)[] = [];
  const { apply } = Reflect;
  let isFatal = false;

  if (typeof fatalException === "function") {
    const wrapper: FatalException = {
      // One function, so that a wrapped Node internal keeps its place in the stack.
      fatalException(this: unknown, error: unknown, fromPromise: unknown): unknown {
        guard(() => observer.uncaught(error, fromPromise === true));
        let isHandled: unknown;
        isFatal = true;
        if (observer.watchesHandlers()) {
          try {
            isHandled = apply(fatalException, this, [error, fromPromise]);
          } catch (thrown) {
            guard(() => observer.handlerFailed(thrown));
            throw thrown;
          }
        } else isHandled = apply(fatalException, this, [error, fromPromise]);
        isFatal = false;
        if (isHandled !== true) guard(() => observer.fatal(error, fromPromise === true));
        return isHandled;
      },
    }.fatalException;
    printAs(wrapper, fatalException);
    target._fatalException = wrapper;
    undo.push(() => {
      if (target._fatalException === wrapper) target._fatalException = fatalException;
    });
  }

  /** In a worker Node itself catches what a handler throws. */
  const emitInWorker = (self: unknown, rest: [string | symbol, ...unknown[]]): boolean => {
    try {
      return apply(emit, self, rest);
    } catch (thrown) {
      const isHandler = rest[0] === "uncaughtException" || rest[0] === "uncaughtExceptionMonitor";
      if (isHandler) guard(() => observer.handlerFailed(thrown));
      throw thrown;
    }
  };

  const ownEmit = Object.getOwnPropertyDescriptor(process, "emit");
  const emit = target.emit;
  const emitWrapper = {
    emit(this: unknown, ...rest: [string | symbol, ...unknown[]]): boolean {
      const name = rest[0];
      if (name === "unhandledRejection") guard(() => observer.rejected(rest[1], rest[2]));
      const hadListeners =
        isFatal && !isMainThread ? emitInWorker(this, rest) : apply(emit, this, rest);
      if (name === "exit") guard(() => observer.exiting(rest[1]));
      return hadListeners;
    },
  }.emit;
  printAs(emitWrapper, emit);
  Object.defineProperty(process, "emit", {
    value: emitWrapper,
    enumerable: false,
    writable: true,
    configurable: true,
  });
  undo.push(() => {
    if (target.emit !== emitWrapper) return;
    if (ownEmit === undefined) delete (process as unknown as { emit?: unknown }).emit;
    else Object.defineProperty(process, "emit", ownEmit);
  });
  return () => {
    for (const step of undo.toReversed()) step();
  };
}

/**
 * Observes `process.exit`, for a box that names who called it.
 *
 * @returns The undo.
 */
export function observeExit(observe: (code: unknown) => void): () => void {
  const target = process as unknown as { exit: (code?: unknown) => never };
  const { exit } = target;
  const { apply } = Reflect;
  const wrapper = {
    exit(this: unknown, ...rest: [unknown?]): never {
      guard(() => observe(rest.length > 0 ? rest[0] : process.exitCode));
      return apply<unknown, [unknown?], never>(exit, this, rest);
    },
  }.exit;
  printAs(wrapper, exit);
  target.exit = wrapper;
  return () => {
    if (target.exit === wrapper) target.exit = exit;
  };
}

/**
 * Observes `process.abort`: the engine ends by the same signal when it fails, and nothing else tells
 * the two apart.
 *
 * @returns The undo.
 */
export function observeAbort(observe: () => void): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(process, "abort");
  const abort: unknown = descriptor?.value;
  if (descriptor?.configurable !== true || typeof abort !== "function") return () => undefined;
  const { apply } = Reflect;
  const wrapper = {
    abort(this: unknown, ...rest: unknown[]): unknown {
      guard(observe);
      return apply(abort, this, rest);
    },
  }.abort;
  printAs(wrapper, abort);
  Object.defineProperty(process, "abort", { ...descriptor, value: wrapper });
  return () => {
    if (Object.getOwnPropertyDescriptor(process, "abort")?.value !== wrapper) return;
    Object.defineProperty(process, "abort", descriptor);
  };
}

/** Our own failure must not become the program's. */
function guard(step: () => void): void {
  try {
    step();
  } catch {
    // The observer notes its problems itself; there is nobody left to tell.
  }
}
