/**
 * Reads what JavaScript itself cannot see: promise states, proxy targets, private fields, and more.
 *
 * Promises and proxies go through Node's own `util.inspect`, whose circularity check is answered by us
 * for the length of one call: it hands over the live value and stops there. Private fields go through
 * engine-natives.ts. What is left, generator states and bound functions, needs an inspector session, and
 * is read only where that was seen to run no accessors. See docs/decisions/0003-graph-capture.md.
 */
import {
  append,
  ArrayPrototype,
  defineProperty,
  ErrorConstructor,
  FunctionPrototype,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  getPrototypeOf,
  hasOwn,
  inheritedData,
  isProxy,
  MAX_CHAIN,
  nodeInternalsAreReachable,
  ownData,
  reflectApply,
  regExpExec,
  withOriginals,
  SafeMap,
  SafeSet,
  stringEndsWith,
  stringFromCharCode,
  stringIndexOf,
  stringSlice,
} from "./primordials.ts";
import { engineNatives } from "./engine-natives.ts";
import type { EngineNatives } from "./engine-natives.ts";
import type { AnyFunction } from "./primordials.ts";
import { functionText } from "./prototype-facts.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";

// An ES import of node:util would open process.stderr, which makes a pipe non-blocking.
const { inspect } = process.getBuiltinModule("node:util");

export type PromiseDetails =
  | { readonly state: "pending" }
  | { readonly state: "fulfilled" | "rejected"; readonly value: unknown };
export type ProxyDetails =
  | { readonly revoked: true }
  | { readonly revoked: false; readonly target: object; readonly handler: object | undefined };
export interface BoundDetails {
  readonly target: unknown;
  readonly self: unknown;
  readonly args: unknown;
}

/** Most objects whose private fields are read through the engine in one capture. */
const MAX_PRIVATE_READS = 20_000;
/** Longest class text that is searched for private names, in UTF-16 units. */
const MAX_CLASS_TEXT = 1_000_000;
const MAX_PRIVATE_NAMES = 64;

const getBuiltinModule = process.getBuiltinModule;
const sinkName = "__orangeboxSink";
const functionHasInstance = getOwnPropertyDescriptor(Function.prototype, Symbol.hasInstance)?.value;
const hasInstance = Symbol.hasInstance;
const toStringTag = Symbol.toStringTag;
const iterator = Symbol.iterator;

type Probe =
  | { readonly kind: "object"; readonly value: object }
  | { readonly kind: "text"; readonly text: string; readonly style: string };

/** One capture's way into the engine; close it afterwards. */
export class EngineInternals {
  readonly notes: string[] = [];
  readonly #noted = new SafeSet<string>();
  readonly #privateNames = new SafeMap<AnyFunction, readonly string[] | null>();
  #session: InspectorSession | null | undefined;
  #probeWorks: boolean | undefined;
  #privateReads = 0;
  #natives: EngineNatives | null | undefined;

  /** State and value of a promise; undefined when they cannot be read safely. */
  promise(promise: object, facts: PrototypeFacts): PromiseDetails | undefined {
    if (!this.#canProbe() || !isSafeToFormat(promise, facts)) {
      this.#note("promise state not read: its class could run code when it is looked at");
      return undefined;
    }
    const steps = probe(promise, { showProxy: true, skip: 1, depth: 1000 });
    const first = steps?.[0];
    if (steps === undefined || first === undefined) return undefined;
    if (first.kind === "object") {
      // The engine's mark follows at once: first ours for the circular value, then the state.
      const mark = steps[2];
      const rejected =
        mark?.kind === "text" && mark.text === "<rejected>" && mark.style === "special";
      return { state: rejected ? "rejected" : "fulfilled", value: first.value };
    }
    if (first.style === "special" && first.text === "<pending>") return { state: "pending" };
    const mark = steps[1];
    const rejected =
      mark?.kind === "text" && mark.text === "<rejected>" && mark.style === "special";
    const value = primitiveOf(first);
    return value === undefined
      ? undefined
      : { state: rejected ? "rejected" : "fulfilled", value: value.value };
  }

  /** Target and handler of a Proxy. */
  proxy(proxy: object): ProxyDetails | undefined {
    if (!this.#canProbe()) {
      this.#note("proxy targets not read: built-in prototypes carry accessors");
      return undefined;
    }
    // Only with `showProxy`: without it Node reads property 0 of the target, by a getter if there is one.
    const steps = probe(proxy, { showProxy: true, skip: 0, depth: 0 });
    const first = steps?.[0];
    if (steps === undefined || first === undefined) return undefined;
    if (steps.length === 1) return { revoked: true };
    const natives = first.kind === "object" ? undefined : this.#engine();
    const target = first.kind === "object" ? first.value : natives?.proxyTarget(proxy);
    if (!isObject(target)) return undefined;
    // A plain target gives two steps, the value and our circular mark; a Proxy gives one.
    const second = steps[first.kind === "object" ? 2 : 1];
    const handler = second?.kind === "object" ? second.value : this.#engine()?.proxyHandler(proxy);
    return { revoked: false, target, handler: isObject(handler) ? handler : undefined };
  }

  /** Private fields of classes that were not instrumented; accessors and methods are left out. */
  privates(object: object, facts: PrototypeFacts): [name: string, value: unknown][] | undefined {
    if (!facts.isWhole || facts.constructors.length === 0) return undefined;
    let names: string[] | undefined;
    for (let at = 0; at < facts.constructors.length; at++) {
      const own = this.#privateNamesOf(facts.constructors[at] as AnyFunction);
      if (own === null) return undefined;
      for (let which = 0; which < own.length; which++) {
        names ??= [];
        append(names, own[which] as string);
      }
    }
    if (names === undefined) return undefined;
    if (this.#privateReads++ >= MAX_PRIVATE_READS) {
      this.#note("private fields read of the first objects only");
      return undefined;
    }
    const natives = this.#engine();
    return natives === undefined ? undefined : readPrivates(natives, object, names);
  }

  /** Names of private data fields in the text of a class; null when they cannot be told from accessors. */
  #privateNamesOf(maker: AnyFunction): readonly string[] | null {
    const known = this.#privateNames.get(maker);
    if (known !== undefined) return known;
    const text = functionText(maker);
    const names = privateFieldNames(text);
    this.#privateNames.set(maker, names);
    return names;
  }

  /** Target, receiver and arguments of a bound function, where the inspector reads them without effects. */
  bound(bound: AnyFunction): BoundDetails | undefined {
    const session = this.#open();
    if (session === undefined || !session.isEffectFree) return undefined;
    const found = session.internalsOf(bound, [
      "[[TargetFunction]]",
      "[[BoundThis]]",
      "[[BoundArgs]]",
    ]);
    if (found === undefined || !found.has("[[TargetFunction]]")) return undefined;
    return {
      target: found.get("[[TargetFunction]]"),
      self: found.get("[[BoundThis]]"),
      args: found.get("[[BoundArgs]]"),
    };
  }

  /** `suspended`, `running` or `closed`, where the inspector reads it without effects. */
  generator(generator: object): string | undefined {
    const session = this.#open();
    if (session === undefined || !session.isEffectFree) {
      this.#note("generator states not read: this version of Node could run code for it");
      return undefined;
    }
    const state = session.internalsOf(generator, ["[[GeneratorState]]"])?.get("[[GeneratorState]]");
    return typeof state === "string" ? state : undefined;
  }

  close(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  #open(): InspectorSession | undefined {
    if (this.#session === undefined) {
      this.#session = null;
      if (nodeInternalsAreReachable()) {
        this.#note("engine internals not read: built-in prototypes carry accessors");
      } else {
        const opened = withOriginals(openSession) ?? "built-ins cannot be restored";
        if (typeof opened === "string") this.#note(`engine internals not read: ${opened}`);
        else this.#session = opened;
      }
    }
    return this.#session ?? undefined;
  }

  #engine(): EngineNatives | undefined {
    if (nodeInternalsAreReachable()) {
      this.#note("engine internals not read: built-in prototypes carry accessors");
      return undefined;
    }
    this.#natives ??= withOriginals(engineNatives) ?? null;
    if (this.#natives === null) this.#note("private fields not read: this V8 has no way to");
    return this.#natives ?? undefined;
  }

  #canProbe(): boolean {
    if (nodeInternalsAreReachable()) return false;
    this.#probeWorks ??= probeWorks();
    return this.#probeWorks;
  }

  #note(text: string): void {
    if (this.#noted.has(text)) return;
    this.#noted.add(text);
    append(this.notes, text);
  }
}

/**
 * Whether Node's formatter reads nothing but plain data of this object before it reaches the state.
 *
 * It reads `constructor`, the constructor's `name` and `Symbol.hasInstance`, and `Symbol.toStringTag`.
 */
function isSafeToFormat(object: object, facts: PrototypeFacts): boolean {
  if (!facts.isWhole) return false;
  if (!isPlainLink(object)) return false;
  for (let at = 0; at < facts.prototypes.length; at++) {
    if (!isPlainLink(facts.prototypes[at] as object)) return false;
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

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
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
function probe(subject: object, options: ProbeOptions): Probe[] | undefined {
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
      const slot = slots[at] as { name: string; found: PropertyDescriptor };
      defineProperty(ArrayPrototype, slot.name, slot.found);
    }
  }
  return steps;
}

function setData(target: object, name: string, value: unknown): void {
  defineProperty(target, name, {
    __proto__: null,
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}

/** The current descriptors of array methods, or undefined when one of them cannot be replaced. */
function takeOver(
  names: readonly string[],
): { name: string; found: PropertyDescriptor }[] | undefined {
  const slots: { name: string; found: PropertyDescriptor }[] = [];
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    const found = getOwnPropertyDescriptor(ArrayPrototype, name);
    if (found === undefined || !found.configurable) return undefined;
    append(slots, { name, found });
  }
  return slots;
}

/** Node's formatter is not a contract: before it is used, it must answer three known questions. */
function probeWorks(): boolean {
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
  const promise = new PromiseCopy<never>((_resolve, reject) => reject(reason as Error));
  applyThen(promise);
  return promise;
}

const noop = (): void => undefined;
const applyThen = (promise: Promise<never>): void => {
  reflectApply(originalThen as never, promise, [undefined, noop]);
};

/** The primitive behind the formatter's text; boxed, because it may be undefined. */
function primitiveOf(step: { text: string; style: string }): { value: unknown } | undefined {
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
    const letter = quoted[at + 1] as string;
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

const PRIVATE_NAME = /#([A-Za-z_$][\w$]*)/g;
const ACCESSOR = /(?:get|set)(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*\n)*#([A-Za-z_$][\w$]*)/g;

/** Private names in a class text that cannot be accessors; null when a name is written with escapes. */
function privateFieldNames(text: string): readonly string[] | null {
  const names: string[] = [];
  if (stringSlice(text, 0, 5) !== "class" || text.length > MAX_CLASS_TEXT) return names;
  if (stringIndexOf(text, "#") < 0) return names;
  if (regExpExec(/#[\w$]*(?:\\|[^\0-\x7f])/, text) !== null) return null;
  const seen = new SafeSet<string>();
  ACCESSOR.lastIndex = 0;
  for (let match = regExpExec(ACCESSOR, text); match !== null; match = regExpExec(ACCESSOR, text)) {
    seen.add(match[1] as string);
  }
  PRIVATE_NAME.lastIndex = 0;
  while (names.length < MAX_PRIVATE_NAMES) {
    const match = regExpExec(PRIVATE_NAME, text);
    if (match === null) break;
    const name = match[1] as string;
    if (seen.has(name)) continue;
    seen.add(name);
    append(names, name);
  }
  return names;
}

interface Remote {
  readonly type?: string;
  readonly value?: unknown;
  readonly objectId?: string;
  readonly unserializableValue?: string;
}

/** One same-thread inspector session; values come back through a global that exists for one call. */
class InspectorSession {
  /** Whether making remote objects of errors runs no accessor on this version. */
  readonly isEffectFree: boolean;
  readonly #post: (method: string, params: object) => Record<string, unknown> | undefined;
  readonly #disconnect: () => void;

  constructor(
    post: (method: string, params: object) => Record<string, unknown> | undefined,
    disconnect: () => void,
  ) {
    this.#post = post;
    this.#disconnect = disconnect;
    this.isEffectFree = this.#looksEffectFree();
  }

  close(): void {
    try {
      this.#post("Runtime.releaseObjectGroup", { objectGroup: sinkName });
      this.#disconnect();
    } catch {
      // The session dies with us either way.
    }
  }

  #looksEffectFree(): boolean {
    if (
      typeof ownData(ErrorConstructor, "prepareStackTrace") === "function" &&
      !hasDefaultPrepare()
    ) {
      return false;
    }
    let touched = false;
    const watched = new Error("watched");
    for (const name of ["stack", "name", "message"]) {
      defineProperty(watched, name, {
        __proto__: null,
        configurable: true,
        get: () => {
          touched = true;
          return "";
        },
      } as PropertyDescriptor);
    }
    this.#remoteOf(watched);
    return !touched;
  }

  #withSink<T>(sink: object, use: () => T): T | undefined {
    const root = globalThis;
    if (getOwnPropertyDescriptor(root, sinkName) !== undefined) return undefined;
    try {
      setData(root, sinkName, sink);
      return use();
    } catch {
      return undefined;
    } finally {
      try {
        delete (root as Record<string, unknown>)[sinkName];
      } catch {
        // A sealed global object refused the definition too.
      }
    }
  }

  #remoteOf(value: object): Remote | undefined {
    return this.#withSink({ __proto__: null, value } as object, () => {
      const answer = this.#post("Runtime.evaluate", {
        expression: `${sinkName}.value`,
        objectGroup: sinkName,
        silent: true,
      });
      return answer?.["result"] as Remote | undefined;
    });
  }

  /** Values of internal properties by name, live; object values are fetched through the sink. */
  internalsOf(object: object, names: readonly string[]): SafeMap<string, unknown> | undefined {
    const remote = this.#remoteOf(object);
    if (remote?.objectId === undefined) return undefined;
    const answer = this.#post("Runtime.getProperties", {
      objectId: remote.objectId,
      ownProperties: true,
    });
    const list = answer?.["internalProperties"] as { name: string; value?: Remote }[] | undefined;
    if (list === undefined) return undefined;
    const found = new SafeMap<string, unknown>();
    for (let at = 0; at < list.length; at++) {
      const { name, value } = list[at] as { name: string; value?: Remote };
      let wanted = false;
      for (let which = 0; which < names.length; which++) if (names[which] === name) wanted = true;
      if (!wanted || value === undefined) continue;
      found.set(name, value.objectId === undefined ? value.value : this.#fetch(value.objectId));
    }
    return found;
  }

  #fetch(objectId: string): unknown {
    const sink: { value?: unknown } = { __proto__: null } as object;
    this.#withSink(sink, () =>
      this.#post("Runtime.callFunctionOn", {
        objectId,
        functionDeclaration: `function () { ${sinkName}.value = this; }`,
        silent: true,
      }),
    );
    return ownData(sink, "value");
  }
}

/** Values of the private fields an object has; a name it lacks throws and is left out. */
function readPrivates(
  natives: EngineNatives,
  object: object,
  names: readonly string[],
): [string, unknown][] {
  const out: [string, unknown][] = [];
  for (let at = 0; at < names.length; at++) {
    const name = `#${names[at] as string}`;
    try {
      const value = natives.privateMember(object, name);
      if (!isPrivateMethod(name, value)) append(out, [name, value]);
    } catch {
      // The class text names fields that this object does not have, or has twice.
    }
  }
  return out;
}

/** Methods begin with their own name; functions kept in a field do not. */
function isPrivateMethod(name: string, value: unknown): boolean {
  if (typeof value !== "function" || isProxy(value)) return false;
  const text = stringSlice(functionText(value as AnyFunction), 0, 200);
  const at = stringIndexOf(text, name);
  if (at < 0) return false;
  const before = stringSlice(text, 0, at);
  return before === "" || before === "async " || before === "*" || stringEndsWith(before, "*");
}

const loadedPrepare: unknown = getOwnPropertyDescriptor(Error, "prepareStackTrace")?.value;

function hasDefaultPrepare(): boolean {
  return ownData(ErrorConstructor, "prepareStackTrace") === loadedPrepare;
}

/** A connected session, or why there is none. */
function openSession(): InspectorSession | string {
  try {
    const inspector = getBuiltinModule("node:inspector") as
      | typeof import("node:inspector")
      | undefined;
    if (inspector === undefined) return "this Node has no inspector";
    const session = new inspector.Session();
    session.connect();
    const post = session.post;
    return new InspectorSession(
      (method, params) => {
        let answer: Record<string, unknown> | undefined;
        const keep = (error: unknown, result: unknown): void => {
          if (error === null) answer = result as Record<string, unknown>;
        };
        withOriginals(() => reflectApply(post as never, session, [method, params, keep]));
        return answer;
      },
      () => session.disconnect(),
    );
  } catch (error) {
    const message = ownData(error as object, "message");
    return typeof message === "string" ? message : "the inspector is not available";
  }
}
