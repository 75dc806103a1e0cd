/**
 * Has worker threads recorded whose program gives them options of Node of their own.
 *
 * Without `execArgv` a worker takes over what its thread was started with, the recorder included.
 */
import { fileURLToPath } from "node:url";
import { registerFile } from "../register-file.ts";
import { printAs } from "../stack/function-text.ts";

type WorkerClass = new (...rest: unknown[]) => object;

/**
 * Replaces `Worker`, once the program loads `worker_threads`.
 *
 * @returns The undo.
 */
export function installWorkerThreads(): () => void {
  const holder = process.getBuiltinModule("node:worker_threads") as unknown as {
    Worker: WorkerClass;
  };
  const original = holder.Worker;
  const { construct } = Reflect;
  const register = fileURLToPath(registerFile);
  const replacement: WorkerClass = new Proxy(original, {
    construct(target, given: unknown[], newTarget) {
      const made = newTarget === replacement ? target : newTarget;
      return construct(target, withRegister(given, register), made) as object;
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

function withRegister(given: unknown[], register: string): unknown[] {
  const options = given[1];
  if (typeof options !== "object" || options === null) return given;
  const { execArgv } = options as { execArgv?: unknown };
  if (!Array.isArray(execArgv)) return given;
  const isThere = execArgv.some((argument) => String(argument).includes(register));
  if (isThere) return given;
  const more = { ...options, execArgv: ["--require", register, ...execArgv.map(String)] };
  return [given[0], more, ...given.slice(2)];
}
