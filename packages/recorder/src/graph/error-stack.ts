/**
 * Reads the stack text of an error where no code of the program can run.
 *
 * V8 formats a stack when it is first read: that calls `Error.prepareStackTrace` and reads `name` and
 * `message`, through accessors and proxies if there are any. So all of these are checked first.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
/* oxlint-disable typescript/unbound-method -- copied to be called with a receiver. */
import {
  ErrorConstructor,
  getOwnPropertyDescriptor,
  hasOwn,
  getPrototypeOf,
  isProxy,
  MAX_CHAIN,
  uncurryThis,
} from "./primordials.ts";

/** The getter that V8 puts on every error for its stack; undefined where stacks are data. */
export const builtinStackGetter: (() => unknown) | undefined = getOwnPropertyDescriptor(
  new Error("probe"),
  "stack",
)?.get;
const builtinGetter = builtinStackGetter;
const callBuiltinGetter = builtinGetter === undefined ? undefined : uncurryThis(builtinGetter);

/** The own `stack` text, or undefined when there is none or reading it could run foreign code. */
export function readOwnStack(object: object): string | undefined {
  if (!canFormatStack(object)) return undefined;
  try {
    const found = getOwnPropertyDescriptor(object, "stack");
    if (found === undefined) return undefined;
    if (hasOwn(found, "value")) return typeof found.value === "string" ? found.value : undefined;
    if (callBuiltinGetter === undefined || found.get !== builtinGetter) return undefined;
    const text = callBuiltinGetter(object);
    return typeof text === "string" ? text : undefined;
  } catch {
    // Formatting may fail, for example when the native stack is exhausted; then there is no text.
    return undefined;
  }
}

/** Whether formatting the stack of this object reads plain data only. */
export function canFormatStack(object: object): boolean {
  const prepare = getOwnPropertyDescriptor(ErrorConstructor, "prepareStackTrace");
  if (prepare !== undefined && (!hasOwn(prepare, "value") || typeof prepare.value === "function")) {
    // Node's own default is a plain function of this name on newer versions; it runs no user code.
    if (prepare.value !== defaultPrepare || defaultPrepare === undefined) return false;
  }
  return (
    readsPlainText(object, "name") &&
    readsPlainText(object, "message") &&
    readsPlainText(object, "code")
  );
}

const defaultPrepare: unknown = getOwnPropertyDescriptor(Error, "prepareStackTrace")?.value;

function readsPlainText(object: object, key: string): boolean {
  let at: object | null = object;
  for (let steps = 0; at !== null; steps++) {
    if (steps > MAX_CHAIN || isProxy(at)) return false;
    const found = getOwnPropertyDescriptor(at, key);
    if (found !== undefined) {
      if (!hasOwn(found, "value")) return false;
      const type = typeof found.value;
      return (
        found.value === null || (type !== "object" && type !== "function" && type !== "symbol")
      );
    }
    at = getPrototypeOf(at) as object | null;
  }
  return true;
}
