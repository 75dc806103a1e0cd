/**
 * Copies of the built-ins that run inside the recorded program.
 *
 * The program may replace any of them at any time; what is copied here at load time is what the
 * recorder goes on using.
 */
const { apply } = Reflect;

/** Turns a method into a function that takes its receiver as the first argument. */
function uncurry<Receiver, Arguments extends unknown[], Result>(
  method: (this: Receiver, ...rest: Arguments) => Result,
): (receiver: Receiver, ...rest: Arguments) => Result {
  return (receiver, ...rest) => apply<Receiver, Arguments, Result>(method, receiver, rest);
}

export const getOwnPropertyDescriptor: typeof Object.getOwnPropertyDescriptor =
  Object.getOwnPropertyDescriptor;
export const getPrototypeOf: typeof Object.getPrototypeOf = Object.getPrototypeOf;
export const objectIs: typeof Object.is = Object.is;
export const stringIncludes: (text: string, part: string, position?: number) => boolean = uncurry(
  // oxlint-disable-next-line typescript/unbound-method -- uncurried: the receiver is passed.
  String.prototype.includes,
);
export const stringStartsWith: (text: string, part: string) => boolean = uncurry(
  // oxlint-disable-next-line typescript/unbound-method -- uncurried: the receiver is passed.
  String.prototype.startsWith,
);
export const functionToString: (receiver: unknown) => string = uncurry(engineToString());

/** The engine's own: the stub of a built file may stand in its place by now (stub-handover.ts). */
function engineToString(): () => string {
  const runtime: unknown = getOwnPropertyDescriptor(globalThis, "__obF")?.value;
  const { stub } = (runtime ?? {}) as { readonly stub?: { readonly nativeText: () => string } };
  // oxlint-disable-next-line typescript/unbound-method -- uncurried: the receiver is passed.
  return stub?.nativeText ?? Function.prototype.toString;
}

const { get: weakGet, set: weakSet } = WeakMap.prototype;
const WeakMapCopy = WeakMap;
// oxlint-disable-next-line typescript/unbound-method -- The receiver is passed.
const { bind } = Function.prototype;

/** A `WeakMap` whose operations the program cannot replace, also when it is made later. */
export class SafeWeakMap<Key extends object, Value> {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => unknown;

  constructor() {
    const map = new WeakMapCopy<Key, Value>();
    this.get = apply(bind, weakGet, [map]) as (key: Key) => Value | undefined;
    this.set = apply(bind, weakSet, [map]) as (key: Key, value: Value) => unknown;
  }
}

/** Whether a value can be a key of a `WeakMap` by identity: an object or a function. */
export function isReference(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
