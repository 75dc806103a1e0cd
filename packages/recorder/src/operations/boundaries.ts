/**
 * Wraps the callback-style boundaries of Node, so that a callback knows the frames that asked
 * for it.
 *
 * A wrapper looks at nothing but whether there is a callback, passes everything on, and prints,
 * is named and counts its parameters as the original. It never waits, retries or throws.
 */
import { isReference } from "../runtime/primordials.ts";
import { printAs } from "../stack/function-text.ts";
import type { OperationCarrier } from "./current-operation.ts";
import { beginOperation, type Operation } from "./operation.ts";

type Callable = (this: unknown, ...rest: unknown[]) => unknown;
type Holder = Record<string, unknown>;

/** What is wrapped in one module of Node. */
interface Boundary {
  /** Also every function that has a `…Sync` twin. */
  readonly hasSyncTwins?: boolean;
  /** Functions that take a callback last. */
  readonly callbacks?: readonly string[];
  /** Functions that start something whose events come later, with or without a callback. */
  readonly starters?: readonly string[];
}

const BOUNDARIES: Readonly<Record<string, Boundary>> = {
  fs: { hasSyncTwins: true },
  zlib: { hasSyncTwins: true },
  dns: {
    callbacks: [
      "lookup",
      "lookupService",
      "reverse",
      "resolve",
      "resolve4",
      "resolve6",
      "resolveAny",
      "resolveCaa",
      "resolveCname",
      "resolveMx",
      "resolveNaptr",
      "resolveNs",
      "resolvePtr",
      "resolveSoa",
      "resolveSrv",
      "resolveTxt",
    ],
  },
  child_process: { callbacks: ["exec", "execFile"], starters: ["spawn", "fork"] },
  crypto: {
    callbacks: [
      "pbkdf2",
      "scrypt",
      "hkdf",
      "randomBytes",
      "randomFill",
      "randomInt",
      "sign",
      "verify",
      "generateKeyPair",
      "generateKey",
      "generatePrime",
      "checkPrime",
    ],
  },
  net: { starters: ["connect", "createConnection"] },
  http: { starters: ["request", "get"] },
  https: { starters: ["request", "get"] },
};

const TIMERS = ["setTimeout", "setInterval", "setImmediate"] as const;

/** The wrappers of one thread. */
export interface InstalledBoundaries {
  /** Wraps a module of Node that the program is about to load; loading them all costs 25 ms. */
  wrapModule(id: string): void;
  uninstall(): void;
}

/**
 * Wraps the timers and the file system; the rest when the program loads it.
 *
 * Functions that the program took before `uninstall` stay wrapped and go on working.
 *
 * @param onBegin Told of each operation before the boundary is called.
 */
export function installBoundaries(
  carrier: OperationCarrier,
  onBegin: (operation: Operation) => void,
): InstalledBoundaries {
  const undo: (() => void)[] = [];
  const begin = (boundary: string): Operation => {
    const operation = beginOperation(boundary, carrier.current());
    try {
      onBegin(operation);
    } catch {
      // The operation has no frames then; the program's call goes on.
    }
    return operation;
  };

  const replace = (holder: object, name: string, make: (original: Callable) => Callable): void => {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    if (descriptor === undefined || descriptor.configurable !== true) return;
    const original: unknown = descriptor.value;
    if (typeof original !== "function") return;
    const wrapper = make(original as Callable);
    for (const key of Reflect.ownKeys(original)) {
      const own = Object.getOwnPropertyDescriptor(original, key);
      if (own !== undefined && key !== "prototype") Object.defineProperty(wrapper, key, own);
    }
    Object.setPrototypeOf(wrapper, Object.getPrototypeOf(original) as object | null);
    printAs(wrapper, original);
    Object.defineProperty(holder, name, { ...descriptor, value: wrapper });
    undo.push(() => {
      if ((holder as Holder)[name] === wrapper) Object.defineProperty(holder, name, descriptor);
    });
  };

  const wrapCallback = (holder: object, name: string, boundary: string): void => {
    replace(holder, name, (original) => {
      return {
        wrapper(this: unknown, ...rest: unknown[]): unknown {
          const last = rest.length - 1;
          const callback = rest[last];
          if (typeof callback !== "function") return call(original, this, rest);
          const operation = begin(boundary);
          rest[last] = carrier.bind(operation, callback as Callable);
          return carrier.start(operation, () => call(original, this, rest));
        },
      }.wrapper;
    });
  };
  const wrapStart = (holder: object, name: string, boundary: string): void => {
    replace(holder, name, (original) => {
      return {
        wrapper(this: unknown, ...rest: unknown[]): unknown {
          const operation = begin(boundary);
          return carrier.start(operation, () => call(original, this, rest));
        },
      }.wrapper;
    });
  };
  const wrapTimer = (holder: object, name: string): void => {
    replace(holder, name, (original) => {
      return {
        wrapper(this: unknown, ...rest: unknown[]): unknown {
          const callback = rest[0];
          if (typeof callback !== "function") return call(original, this, rest);
          const operation = begin(name);
          const timer = carrier.start(operation, () => call(original, this, rest));
          if (isReference(timer)) carrier.own(operation, timer);
          return timer;
        },
      }.wrapper;
    });
  };

  const wrapped = new Set<string>();
  const wrapModule = (id: string): void => {
    const boundary = Object.hasOwn(BOUNDARIES, id) ? BOUNDARIES[id] : undefined;
    if (boundary === undefined || wrapped.has(id)) return;
    wrapped.add(id);
    const holder = process.getBuiltinModule(`node:${id}`) as Holder | undefined;
    if (holder === undefined) return;
    if (boundary.hasSyncTwins === true) {
      for (const name of Object.keys(holder)) {
        const hasTwin = typeof holder[`${name}Sync`] === "function" && name !== "exists";
        if (hasTwin) wrapCallback(holder, name, `${id}.${name}`);
      }
    }
    for (const name of boundary.callbacks ?? []) wrapCallback(holder, name, `${id}.${name}`);
    for (const name of boundary.starters ?? []) wrapStart(holder, name, `${id}.${name}`);
  };
  wrapModule("fs");
  const timers = process.getBuiltinModule("node:timers");
  for (const name of TIMERS) {
    wrapTimer(timers, name);
    const value = (timers as unknown as Holder)[name];
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
    if (descriptor?.configurable === true && descriptor.value !== undefined) {
      Object.defineProperty(globalThis, name, { ...descriptor, value });
      undo.push(() => {
        if ((globalThis as unknown as Holder)[name] === value) {
          Object.defineProperty(globalThis, name, descriptor);
        }
      });
    }
  }
  return {
    wrapModule,
    uninstall() {
      for (const step of undo.toReversed()) step();
    },
  };
}

/** Wrapper, carrier, arrow function and `call`. */
const OWN_FRAMES = 4;

/**
 * Calls the original with more frames in `Error.stackTraceLimit`.
 *
 * An error that it throws at once would otherwise lose its outermost frames to ours.
 */
function call(original: Callable, self: unknown, rest: unknown[]): unknown {
  const limit: unknown = Error.stackTraceLimit;
  if (typeof limit !== "number" || !Number.isFinite(limit))
    return Reflect.apply(original, self, rest);
  try {
    Error.stackTraceLimit = limit + OWN_FRAMES;
    return Reflect.apply(original, self, rest);
  } finally {
    Error.stackTraceLimit = limit;
  }
}
