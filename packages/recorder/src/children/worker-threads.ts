/**
 * Has worker threads recorded whose program gives them options of Node, or an environment, of their own.
 *
 * Without `execArgv` and `env` a worker takes over what its thread was started with, the recorder
 * included. With an `env` alone it takes what `NODE_OPTIONS` says there.
 */
import { printAs } from "../stack/function-text.ts";
import { type Inheritance, inheritedVariables, isSettled, registerPath } from "./inheritance.ts";

// The recorded program may replace these before it makes a worker.
const { construct, get } = Reflect;
const { isArray } = Array;
const StringCopy = String;
const ProxyCopy = Proxy;

type WorkerClass = new (...rest: unknown[]) => object;

/**
 * Replaces `Worker`, once the program loads `worker_threads`.
 *
 * @param inheritance What a worker with an environment of its own gets there.
 * @returns The undo.
 */
export function installWorkerThreads(inheritance: Inheritance): () => void {
  const holder = process.getBuiltinModule("node:worker_threads") as unknown as {
    Worker: WorkerClass;
  };
  const original = holder.Worker;
  const replacement: WorkerClass = new ProxyCopy(original, {
    construct(target, given: unknown[], newTarget) {
      const made = newTarget === replacement ? target : newTarget;
      return construct(target, recorded(given, inheritance), made) as object;
    },
  });
  printAs(replacement, original);
  const prototype = original.prototype as { constructor: unknown };
  holder.Worker = replacement;
  prototype.constructor = replacement;
  return () => {
    if (holder.Worker !== replacement) return;
    holder.Worker = original;
    prototype.constructor = original;
  };
}

/** The arguments of `new Worker`, with options that answer for us when Node reads them. */
function recorded(given: unknown[], inheritance: Inheritance): unknown[] {
  const options = given[1];
  if (typeof options !== "object" || options === null) return given;
  let hasArguments = false;
  const execArgv = memo((value) => {
    hasArguments = isArray(value);
    return withRegister(value);
  });
  const env = memo((value) => (hasArguments ? value : withVariables(value, inheritance)));
  // Whatever they are: with getters, inherited, frozen. Node does nothing but read them by name.
  const read = new ProxyCopy(
    {},
    {
      get: (_, key) => {
        const value: unknown = get(options, key);
        if (key === "execArgv") return execArgv(value);
        return key === "env" ? env(value) : value;
      },
    },
  );
  return [given[0], read, ...given.slice(2)];
}

/** Node reads an option several times; the same value has the same answer. */
function memo(change: (value: unknown) => unknown): (value: unknown) => unknown {
  let last: { readonly value: unknown; readonly answer: unknown } | undefined;
  return (value) => {
    if (last === undefined || last.value !== value) last = { value, answer: change(value) };
    return last.answer;
  };
}

function withRegister(execArgv: unknown): unknown {
  if (!isArray(execArgv)) return execArgv;
  const texts = execArgv.map(String);
  const isThere = texts.some((text) => text.includes(registerPath));
  return isThere ? execArgv : ["--require", registerPath, ...texts];
}

/** The worker takes them out again, as a child process does. */
function withVariables(env: unknown, inheritance: Inheritance): unknown {
  if (typeof env !== "object" || env === null) return env;
  const copy: Record<string, unknown> = { ...env };
  const own = copy["NODE_OPTIONS"];
  // Node fails at a symbol, and makes a text of anything else.
  if (typeof own === "symbol") return copy;
  const options = "NODE_OPTIONS" in copy ? StringCopy(own) : undefined;
  return { ...copy, ...(isSettled(options) ? {} : inheritedVariables(options, inheritance)) };
}
