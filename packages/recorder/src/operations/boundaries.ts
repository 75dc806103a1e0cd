/**
 * Wraps the callback-style boundaries of Node, so that a callback knows the frames that asked
 * for it.
 *
 * A wrapper looks at nothing but whether there is a callback, passes everything on, and prints,
 * is named and counts its parameters as the original. It never waits, retries or throws.
 */
import childProcess from "node:child_process";
import crypto from "node:crypto";
import dns from "node:dns";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import timers from "node:timers";
import zlib from "node:zlib";
import { isReference } from "../runtime/primordials.ts";
import { printAs } from "../stack/function-text.ts";
import type { OperationCarrier } from "./current-operation.ts";
import { beginOperation, type Operation } from "./operation.ts";

type Callable = (this: unknown, ...rest: unknown[]) => unknown;
type Holder = Record<string, unknown>;

/** Names whose callback style does not show in a `…Sync` twin. */
const CALLBACK_FUNCTIONS: readonly [object, string, readonly string[]][] = [
  [
    dns,
    "dns",
    [
      "lookup",
      "lookupService",
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
      "reverse",
    ],
  ],
  [childProcess, "child_process", ["exec", "execFile"]],
  [
    crypto,
    "crypto",
    [
      "pbkdf2",
      "scrypt",
      "hkdf",
      "randomBytes",
      "randomFill",
      "randomInt",
      "generateKeyPair",
      "generateKey",
      "generatePrime",
      "checkPrime",
      "sign",
      "verify",
    ],
  ],
];

/** Boundaries that start something whose events come later, with or without a callback. */
const STARTING_FUNCTIONS: readonly [object, string, readonly string[]][] = [
  [net, "net", ["connect", "createConnection"]],
  [childProcess, "child_process", ["spawn", "fork"]],
  [http, "http", ["request", "get"]],
  [https, "https", ["request", "get"]],
];

const TIMERS = ["setTimeout", "setInterval", "setImmediate"] as const;

/**
 * Installs the wrappers.
 *
 * @param onBegin Told of each operation before the boundary is called.
 * @returns The undo. Functions that the program took before stay wrapped and go on working.
 */
export function installBoundaries(
  carrier: OperationCarrier,
  onBegin: (operation: Operation) => void,
): () => void {
  const undo: (() => void)[] = [];
  const begin = (boundary: string): Operation => {
    const operation = beginOperation(boundary, carrier.current());
    onBegin(operation);
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

  for (const name of Object.keys(fs)) {
    if (typeof (fs as unknown as Holder)[`${name}Sync`] === "function" && name !== "exists") {
      wrapCallback(fs, name, `fs.${name}`);
    }
  }
  for (const name of Object.keys(zlib)) {
    if (typeof (zlib as unknown as Holder)[`${name}Sync`] === "function") {
      wrapCallback(zlib, name, `zlib.${name}`);
    }
  }
  for (const [holder, area, names] of CALLBACK_FUNCTIONS) {
    for (const name of names) wrapCallback(holder, name, `${area}.${name}`);
  }
  for (const [holder, area, names] of STARTING_FUNCTIONS) {
    for (const name of names) wrapStart(holder, name, `${area}.${name}`);
  }
  for (const name of TIMERS) {
    wrapTimer(timers, name);
    const wrapped = (timers as unknown as Holder)[name];
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
    if (descriptor?.configurable === true && descriptor.value !== undefined) {
      Object.defineProperty(globalThis, name, { ...descriptor, value: wrapped });
      undo.push(() => {
        if ((globalThis as unknown as Holder)[name] === wrapped) {
          Object.defineProperty(globalThis, name, descriptor);
        }
      });
    }
  }
  syncBuiltinESMExports();
  return () => {
    for (const step of undo.toReversed()) step();
    syncBuiltinESMExports();
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
