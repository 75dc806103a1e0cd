/**
 * Says how and why a process ended, from what is known and no more: what nobody saw is "unknown".
 *
 * Data of EXT `orangebox.death`: docs/format.md.
 */

/** How a process ended, as told by the one that waited for it. */
export type ProcessEnding =
  | { readonly kind: "exit"; readonly code: number }
  | {
      readonly kind: "signal";
      readonly signal: string;
      /** Whether the system's counter of processes that it killed for want of memory went up. */
      readonly systemOutOfMemory?: boolean;
    };

/** What a recording says about a death. */
export interface Death {
  readonly how: "exit" | "signal" | "restart" | "unknown";
  readonly signal?: string;
  readonly code?: number;
  /** One word for programs; `unknown` when nobody can tell. */
  readonly cause:
    | "abort-called"
    | "fatal-error"
    | "invalid-memory"
    | "system-out-of-memory"
    | "asked-to-end"
    | "left-without-exit-event"
    | "unknown";
  /** The same as a sentence. */
  readonly text: string;
}

/** What the ring and the machine say. */
export interface DeathFacts {
  /** Undefined when nobody waited for the process. */
  readonly ending: ProcessEnding | undefined;
  /** Whether the program had called `process.abort()`. */
  readonly abortCalled: boolean;
  /** Whether the machine was started again since; undefined when that is not known. */
  readonly restarted: boolean | undefined;
}

/** Signals by which people and service managers end programs. */
const REQUESTS: ReadonlySet<string> = new Set(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);

/** Whether a signal asks a program to end, as Ctrl-C does. */
export function isRequest(ending: ProcessEnding | undefined): boolean {
  return ending?.kind === "signal" && REQUESTS.has(ending.signal);
}

/** Works out what can be said. */
export function deathOf({ ending, abortCalled, restarted }: DeathFacts): Death {
  if (ending === undefined) return unseen(abortCalled, restarted);
  if (ending.kind === "exit") {
    const { code } = ending;
    return {
      how: "exit",
      code,
      cause: "left-without-exit-event",
      text: `left with code ${code} without the exit event: process.reallyExit, or native code`,
    };
  }
  const { signal } = ending;
  return { how: "signal", signal, ...causeOf(ending, abortCalled) };
}

function unseen(abortCalled: boolean, restarted: boolean | undefined): Death {
  if (abortCalled) {
    return { how: "unknown", cause: "abort-called", text: "called process.abort()" };
  }
  if (restarted === true) {
    return {
      how: "restart",
      cause: "unknown",
      text: "ended with the machine, which was started again since (power loss, restart), or before it",
    };
  }
  return {
    how: "unknown",
    cause: "unknown",
    text: "ended without a word; how is not known, since nobody waited for it",
  };
}

function causeOf(
  { signal, systemOutOfMemory }: Extract<ProcessEnding, { kind: "signal" }>,
  abortCalled: boolean,
): Pick<Death, "cause" | "text"> {
  switch (signal) {
    case "SIGABRT":
    case "SIGTRAP":
    case "SIGILL":
      if (abortCalled) {
        return { cause: "abort-called", text: `killed by ${signal}: called process.abort()` };
      }
      return {
        cause: "fatal-error",
        text: `killed by ${signal}: a fatal error of the engine or of native code, such as a heap that is full; which one is only on its stderr`,
      };
    case "SIGSEGV":
    case "SIGBUS":
      return {
        cause: "invalid-memory",
        text: `killed by ${signal}: native code touched memory that it may not, or somebody sent the signal`,
      };
    case "SIGKILL":
      return systemOutOfMemory === true
        ? {
            cause: "system-out-of-memory",
            text: "killed by SIGKILL, while the system killed for want of memory",
          }
        : { cause: "unknown", text: "killed by SIGKILL; who sent it is not known" };
    default:
      return REQUESTS.has(signal)
        ? { cause: "asked-to-end", text: `killed by ${signal}, which asks a program to end` }
        : { cause: "unknown", text: `killed by ${signal}` };
  }
}
