/**
 * Learns once per prototype what its objects are called and how they are inherited.
 *
 * Reads data properties only, and stops at a Proxy in the chain.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import {
  append,
  functionToString,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isProxy,
  MAX_CHAIN,
  ObjectPrototype,
  ownData,
  SafeMap,
  stringSlice,
} from "./primordials.ts";
import type { AnyFunction } from "./primordials.ts";

export interface PrototypeFacts {
  /** Class name, or undefined when nothing along the chain gives one safely. */
  readonly name: string | undefined;
  /** Whether objects of this prototype are plain: `Object.prototype` of any realm. */
  readonly isPlain: boolean;
  /** Names of the classes along the chain, nearest first. */
  readonly chain: readonly string[];
  /** The prototypes themselves, nearest first, up to a Proxy. */
  readonly prototypes: readonly object[];
  /** Whether the chain was followed to its end. */
  readonly isWhole: boolean;
  /** Constructors along the chain that are functions, nearest first. */
  readonly constructors: readonly AnyFunction[];
  /** The method `Symbol.for("orangebox.describe")` along the chain, as plain data. */
  readonly describe: AnyFunction | undefined;
}

/** The opt-in method of classes that describe themselves. */
export const DESCRIBE: unique symbol = Symbol.for("orangebox.describe") as never;

const MAX_NAME = 200;

/** Facts of prototypes, kept for one capture. */
export class PrototypeBook {
  readonly #facts = new SafeMap<object | null, PrototypeFacts>();

  /** Facts for objects whose prototype is `prototype`. */
  of(prototype: object | null): PrototypeFacts {
    const known = this.#facts.get(prototype);
    if (known !== undefined) return known;
    const facts = learn(prototype);
    this.#facts.set(prototype, facts);
    return facts;
  }
}

function learn(prototype: object | null): PrototypeFacts {
  const chain: string[] = [];
  const prototypes: object[] = [];
  const constructors: AnyFunction[] = [];
  let name: string | undefined;
  let describe: AnyFunction | undefined;
  let decided = false;
  let isWhole = false;
  let at = prototype;
  for (let steps = 0; steps < MAX_CHAIN; steps++) {
    if (at === null) {
      isWhole = true;
      break;
    }
    if (isProxy(at)) break;
    append(prototypes, at);
    const maker = getOwnPropertyDescriptor(at, "constructor");
    // An accessor says nothing without running it; Node's own error classes have one.
    if (maker !== undefined && hasOwn(maker, "value")) {
      const found = functionName(maker.value);
      append(chain, found ?? "<anonymous>");
      // A class that hides its name is not its parent: the nearest constructor decides.
      if (!decided) name = found ?? "<anonymous>";
      decided = true;
      if (typeof maker.value === "function" && !isProxy(maker.value)) {
        append(constructors, maker.value as AnyFunction);
      }
    }
    if (describe === undefined) {
      const method = ownData(at, DESCRIBE);
      if (typeof method === "function" && !isProxy(method)) describe = method as AnyFunction;
    }
    at = getPrototypeOf(at) as object | null;
  }
  const isPlain =
    prototype === ObjectPrototype ||
    (isWhole && prototypes.length === 1 && chain.length === 1 && name === "Object");
  return { name, isPlain, chain, prototypes, isWhole, constructors, describe };
}

/** Finds what a function or class is called in the original of a compiled file. */
export type OriginalNames = (value: AnyFunction, name: string) => string | undefined;

let originalNames: OriginalNames | undefined;

/** Has functions named as their original does, until it is called with nothing. */
export function useOriginalNames(names: OriginalNames | undefined): void {
  originalNames = names;
}

/** The own `name` of a function when it is plain text that is not empty. */
export function functionName(value: unknown): string | undefined {
  if (typeof value !== "function" || isProxy(value)) return undefined;
  const name = ownData(value, "name");
  if (typeof name !== "string" || name === "") return undefined;
  const original = originalNames?.(value as AnyFunction, name);
  if (original !== undefined) return original;
  return name.length > MAX_NAME ? stringSlice(name, 0, MAX_NAME) : name;
}

/** The source text of a function, or an empty text when there is none. */
export function functionText(value: AnyFunction): string {
  try {
    return functionToString(value);
  } catch {
    return ""; // Not every callable has a text.
  }
}
