/**
 * Borrows Node's `util.inspect` to get at promise states and proxy targets as live values.
 *
 * The formatter asks `Array.prototype.includes` whether it met a value before. We answer that question
 * for the length of one synchronous call: the value is handed over, called circular, and never opened.
 * What the formatter reads before it gets there is checked first to be plain data.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
/* oxlint-disable typescript/unbound-method -- copied to be called with a receiver. */
import { setData } from "./primordials.ts";
import {
  ArrayPrototype,
  FunctionPrototype,
  MAX_CHAIN,
  append,
  defineProperty,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  getPrototypeOf,
  hasOwn,
  inheritedData,
  isProxy,
  item,
  reflectApply,
  stringFromCharCode,
  stringIndexOf,
  stringSlice,
  withOriginals,
} from "./primordials.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";

// An ES import of node:util would open process.stderr, which makes a pipe non-blocking.
const { inspect } = process.getBuiltinModule("node:util");

const functionHasInstance = getOwnPropertyDescriptor(Function.prototype, Symbol.hasInstance)?.value;

const hasInstance = Symbol.hasInstance;

const toStringTag = Symbol.toStringTag;

const iterator = Symbol.iterator;

type Probe =
  | { readonly kind: "object"; readonly value: object }
  | { readonly kind: "text"; readonly text: string; readonly style: string };

/**
 * Whether Node's formatter reads nothing but plain data of this object before it reaches the state.
 *
 * It reads `constructor`, the constructor's `name` and `Symbol.hasInstance`, and `Symbol.toStringTag`.
 */
export function isSafeToFormat(object: object, facts: PrototypeFacts): boolean {
  if (!facts.isWhole) return false;
  if (!isPlainLink(object)) return false;
  for (let at = 0; at < facts.prototypes.length; at++) {
    if (!isPlainLink(item(facts.prototypes, at))) return false;
  }
  return getOwnPropertyNames(object).length + getOwnPropertySymbols(object).length < 50;
}

function isPlainLink(link: object): boolean {
  const tag = getOwnPropertyDescriptor(link, toStringTag);
  if (tag !== undefined && !hasOwn(tag, "value")) return false;
  const iterates = getOwnPropertyDescriptor(link, iterator);
  if (iterates !== undefined) return false;
  const maker = getOwnPropertyDescriptor(link, "constructor");
  if (maker === undefined) return true;
  if (!hasOwn(maker, "value")) return false;
  if (typeof maker.value !== "function") return true;
  return isPlainConstructor(maker.value as object);
}

function isPlainConstructor(maker: object): boolean {
  if (isProxy(maker) || typeof inheritedData(maker, "name") !== "string") return false;
  const prototype = getOwnPropertyDescriptor(maker, "prototype");
  if (prototype === undefined || !hasOwn(prototype, "value")) return false;
  let at: object | null = maker;
  for (let steps = 0; at !== null; steps++) {
    if (steps > MAX_CHAIN || isProxy(at)) return false;
    const test = getOwnPropertyDescriptor(at, hasInstance);
    if (test !== undefined) return at === FunctionPrototype && test.value === functionHasInstance;
    at = getPrototypeOf(at) as object | null;
  }
  return true;
}

interface ProbeOptions {
  readonly showProxy: boolean;
  /** How many objects to let pass before the rest is recorded and called circular. */
  readonly skip: number;
  readonly depth: number;
}

/**
 * Runs Node's formatter with our own circularity check, and lists what it met, in order.
 *
 * `Array.prototype.includes` is replaced for this one synchronous call; only Node's code runs meanwhile.
 */
export function probe(subject: object, options: ProbeOptions): Probe[] | undefined {
  return withOriginals(() => probeNow(subject, options));
}

function probeNow(subject: object, options: ProbeOptions): Probe[] | undefined {
  const slots = takeOver(["includes"]);
  if (slots === undefined) return undefined;
  const steps: Probe[] = [];
  let seen = 0;
  try {
    setData(ArrayPrototype, "includes", (value: unknown) => {
      if (seen++ < options.skip) return false;
      append(steps, { kind: "object", value: value as object });
      return true;
    });
    inspect(subject, {
      showProxy: options.showProxy,
      depth: options.depth,
      customInspect: false,
      showHidden: false,
      colors: false,
      compact: true,
      breakLength: Infinity,
      maxArrayLength: 0,
      maxStringLength: 20_000,
      sorted: false,
      getters: false,
      numericSeparator: false,
      stylize: (text: string, style: string) => {
        append(steps, { kind: "text", text, style });
        return text;
      },
    } as object);
  } catch {
    // What was met before the failure stands; a formatter that failed early leaves nothing.
  } finally {
    for (let at = 0; at < slots.length; at++) {
      const slot = item(slots, at);
      defineProperty(ArrayPrototype, slot.name, slot.found);
    }
  }
  return steps;
}

/** The current descriptors of array methods, or undefined when one of them cannot be replaced. */
function takeOver(
  names: readonly string[],
): { name: string; found: PropertyDescriptor }[] | undefined {
  const slots: { name: string; found: PropertyDescriptor }[] = [];
  for (let at = 0; at < names.length; at++) {
    const name = item(names, at);
    const found = getOwnPropertyDescriptor(ArrayPrototype, name);
    if (found === undefined || !found.configurable) return undefined;
    append(slots, { name, found });
  }
  return slots;
}

/** Node's formatter is not a contract: before it is used, it must answer three known questions. */
export function probeWorks(): boolean {
  const inner = {};
  const outer = probe(new ProxyCopy(inner, {}), { showProxy: true, skip: 0, depth: 0 });
  const first = outer?.[0];
  if (first?.kind !== "object" || first.value !== inner) return false;
  const rejected = makeRejected(inner);
  const steps = probe(rejected, { showProxy: true, skip: 1, depth: 1000 });
  const value = steps?.[0];
  const mark = steps?.[2];
  return (
    value?.kind === "object" &&
    value.value === inner &&
    mark?.kind === "text" &&
    mark.text === "<rejected>"
  );
}

const PromiseCopy = Promise;

const ProxyCopy = Proxy;

const originalThen = Promise.prototype.then;

/** A rejected promise that nobody will be told about. */
function makeRejected(reason: object): object {
  const promise = new PromiseCopy<never>((_resolve, reject) => reject(reason));
  applyThen(promise);
  return promise;
}

const noop = (): void => undefined;

const applyThen = (promise: Promise<never>): void => {
  reflectApply(originalThen as never, promise, [undefined, noop]);
};

/** The primitive behind the formatter's text; boxed, because it may be undefined. */
export function primitiveOf(step: { text: string; style: string }): { value: unknown } | undefined {
  switch (step.style) {
    case "undefined":
      return { value: undefined };
    case "null":
      return { value: null };
    case "boolean":
      return { value: step.text === "true" };
    case "number":
      return { value: step.text === "-0" ? -0 : +step.text };
    case "bigint":
      return { value: BigIntCopy(stringSlice(step.text, 0, -1)) };
    case "string":
      return { value: unescapeText(step.text) };
    case "symbol":
      return { value: SymbolCopy(stringSlice(step.text, 7, -1)) };
    default:
      return undefined;
  }
}

const BigIntCopy = BigInt;

const SymbolCopy = Symbol;

const parseHex = parseInt;

/** Undoes the escapes of Node's formatter. */
function unescapeText(quoted: string): string {
  let text = "";
  let from = 1;
  const end = quoted.length - 1;
  while (from < end) {
    const at = stringIndexOf(quoted, "\\", from);
    if (at < 0 || at >= end) return text + stringSlice(quoted, from, end);
    text += stringSlice(quoted, from, at);
    const letter = item(quoted, at + 1);
    from = at + 2;
    if (letter === "x" || letter === "u") {
      const size = letter === "x" ? 2 : 4;
      text += stringFromCharCode(parseHex(stringSlice(quoted, from, from + size), 16));
      from += size;
    } else {
      const plain = stringIndexOf("btnfr", letter);
      text += plain < 0 ? letter : (["\b", "\t", "\n", "\f", "\r"][plain] as string);
    }
  }
  return text;
}
