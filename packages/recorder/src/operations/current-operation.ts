/**
 * Carries the current operation through callbacks, promises and timers.
 *
 * Where AsyncLocalStorage rides on V8's own context slot (Node 24 and later) it is used: measured
 * free. On Node 22 it would switch on promise hooks for the whole program, so there a timer is
 * looked up by the resource that is executing, and any other callback is wrapped in one that sets
 * the operation for as long as it runs.
 */
import { AsyncLocalStorage, executionAsyncResource } from "node:async_hooks";
import { SafeWeakMap } from "../runtime/primordials.ts";
import type { Operation } from "./operation.ts";

/** How an operation reaches the callbacks it causes. */
export interface OperationCarrier {
  current(): Operation | undefined;
  /** Runs `call` so that what it starts belongs to `operation`. */
  start<Result>(operation: Operation, call: () => Result): Result;
  /** The callback to hand to the boundary instead of the program's own; often the same one. */
  bind(
    operation: Operation,
    callback: (...rest: unknown[]) => unknown,
  ): (...rest: unknown[]) => unknown;
  /** Ties a timer to the operation that made it; its callback is handed over as it is. */
  own(operation: Operation, timer: object): void;
}

/** Picks the carrier that this Node can afford. */
export function createOperationCarrier(nodeMajor: number): OperationCarrier {
  return nodeMajor >= 24 ? contextCarrier() : callbackCarrier();
}

function contextCarrier(): OperationCarrier {
  const storage = new AsyncLocalStorage<Operation | undefined>();
  const getStore = storage.getStore.bind(storage);
  const enterWith = storage.enterWith.bind(storage);
  return {
    current: () => getStore(),
    start(operation, call) {
      const previous = getStore();
      enterWith(operation);
      try {
        return call();
      } finally {
        enterWith(previous);
      }
    },
    bind: (_operation, callback) => callback,
    own: () => undefined,
  };
}

function callbackCarrier(): OperationCarrier {
  let current: Operation | undefined;
  // While a timer's callback runs, the timer is the resource of the execution.
  const timers = new SafeWeakMap<object, Operation>();
  const { apply } = Reflect;
  return {
    current: () => current ?? timers.get(executionAsyncResource()),
    start: (_operation, call) => call(),
    bind(operation, callback) {
      const bound = function (this: unknown, ...rest: unknown[]): unknown {
        const previous = current;
        current = operation;
        try {
          return apply(callback, this, rest);
        } finally {
          current = previous;
        }
      };
      Object.defineProperty(bound, "name", { value: callback.name, configurable: true });
      Object.defineProperty(bound, "length", { value: callback.length, configurable: true });
      return bound;
    },
    own: (operation, timer) => timers.set(timer, operation),
  };
}
