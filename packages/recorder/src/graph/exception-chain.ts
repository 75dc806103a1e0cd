/**
 * Lists a thrown value and what led to it: causes, the error being handled, aggregated and suppressed errors.
 *
 * Reads plain data only. Rows go into EXCEPTION, notes into EXT `node.errors`.
 * Rules: docs/format.md, "Exceptions".
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import type { Scrubber } from "../scrub/scrubber.ts";
import { createScrubber } from "../scrub/scrubber.ts";
import { readOwnStack } from "./error-stack.ts";
import {
  append,
  ErrorPrototype,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getPrototypeOf,
  hasOwn,
  inheritedData,
  inspectPrototypes,
  isArray,
  isNativeError,
  isProxy,
  isWellFormed,
  MAX_CHAIN,
  objectKeys,
  ownData,
  SafeSet,
  stringIndexOf,
  stringSlice,
  symbolDescription,
  toWellFormed,
  item,
} from "./primordials.ts";
import { functionName, PrototypeBook } from "./prototype-facts.ts";
import { bigintText, cutWithMark, numberText } from "./value-text.ts";

export interface ExceptionRow {
  readonly type: string;
  readonly message: string;
  readonly relation: "head" | "cause" | "context" | "aggregate" | "suppressed";
}

/** Data of EXT `node.errors`, one per row of the chain. */
export interface ErrorNote {
  readonly index: number;
  readonly objectId?: number;
  readonly rawStack?: string;
  readonly stack?: string;
  readonly code?: string;
  readonly errno?: number;
  readonly syscall?: string;
  readonly path?: string;
  /** Names of the other own properties; their values are in the object's node. */
  readonly properties?: readonly string[];
}

export interface ExceptionChainOptions {
  /** The error that was being handled when the value was thrown; absent or undefined when there was none. */
  readonly handling?: unknown;
  readonly scrub?: Scrubber;
  /** Usually `idOf` of the graph result. */
  readonly idOf?: (value: unknown) => number | undefined;
  /** Stack texts by the caller; without it the error's own text is taken where that runs no code. */
  readonly stacksOf?: (
    error: object,
  ) => { readonly raw?: string; readonly mapped?: string } | undefined;
  /** Most rows. */
  readonly maxErrors?: number;
}

export interface ExceptionChain {
  readonly rows: readonly ExceptionRow[];
  readonly notes: readonly ErrorNote[];
  /** The values behind the rows, in order: hand them to `serializeGraph` as extra roots. */
  readonly values: readonly unknown[];
}

const MAX_MESSAGE = 10_240;
const MAX_STACK = 65_536;
const MAX_PROPERTIES = 50;

/**
 * Walks from the thrown value along causes, then to the error being handled, then to aggregated ones.
 *
 * An explicit cause wins over a context; every error is listed once, so cycles end.
 */
export function buildExceptionChain(
  thrown: unknown,
  options: ExceptionChainOptions = {},
): ExceptionChain {
  return new ChainWalk(options).walk(thrown);
}

/** Type and message of any thrown value, without its chain. */
export function describeThrown(
  thrown: unknown,
  scrub: Scrubber = createScrubber(),
): { type: string; message: string } {
  const { type, message } = describe(thrown, new PrototypeBook());
  return { type: clean(type, scrub, 200), message: clean(message, scrub, MAX_MESSAGE) };
}

class ChainWalk {
  readonly #handling: unknown;
  readonly #idOf: ExceptionChainOptions["idOf"];
  readonly #stacksOf: ExceptionChainOptions["stacksOf"];
  readonly #limit: number;
  readonly #scrub: Scrubber;
  readonly #book = new PrototypeBook();
  readonly #seen = new SafeSet<unknown>();
  readonly #rows: ExceptionRow[] = [];
  readonly #notes: ErrorNote[] = [];
  readonly #values: unknown[] = [];

  constructor(options: ExceptionChainOptions) {
    inspectPrototypes();
    this.#handling = ownData(options, "handling");
    this.#idOf = ownData(options, "idOf") as ExceptionChainOptions["idOf"];
    this.#stacksOf = ownData(options, "stacksOf") as ExceptionChainOptions["stacksOf"];
    this.#limit = (ownData(options, "maxErrors") as number | undefined) ?? 32;
    this.#scrub = (ownData(options, "scrub") as Scrubber | undefined) ?? createScrubber();
  }

  walk(thrown: unknown): ExceptionChain {
    this.#add(thrown, "head");
    this.#causes(thrown);
    if (this.#handling !== undefined && this.#add(this.#handling, "context")) {
      this.#causes(this.#handling);
    }
    // Members come behind the chain; those of members too, in the order of rows.
    for (let at = 0; at < this.#values.length; at++) this.#members(this.#values[at]);
    return { rows: this.#rows, notes: this.#notes, values: this.#values };
  }

  #causes(from: unknown): void {
    let at = from;
    while (isOpen(at)) {
      const found = getOwnPropertyDescriptor(at, "cause");
      if (found === undefined || !hasOwn(found, "value") || found.value === undefined) return;
      if (!this.#add(found.value, "cause")) return;
      at = found.value;
    }
  }

  #members(value: unknown): void {
    if (!isOpen(value)) return;
    const errors = ownData(value, "errors");
    if (isOpen(errors) && isArray(errors) && isNativeError(value)) {
      for (let at = 0; at < errors.length && this.#rows.length < this.#limit; at++) {
        const member = getOwnPropertyDescriptor(errors, at);
        if (member !== undefined && hasOwn(member, "value")) this.#add(member.value, "aggregate");
      }
    }
    const suppressed = getOwnPropertyDescriptor(value, "suppressed");
    if (suppressed !== undefined && hasOwn(suppressed, "value") && isNativeError(value)) {
      const error = getOwnPropertyDescriptor(value, "error");
      if (error !== undefined && hasOwn(error, "value")) this.#add(error.value, "cause");
      this.#add(suppressed.value, "suppressed");
    }
  }

  /** Adds a row; false when it was there or there are enough. */
  #add(value: unknown, relation: ExceptionRow["relation"]): boolean {
    if (this.#rows.length >= this.#limit) return false;
    if (isOpen(value) || typeof value === "function") {
      if (this.#seen.has(value)) return false;
      this.#seen.add(value);
    }
    const index = this.#rows.length;
    const { type, message } = describe(value, this.#book);
    append(this.#rows, {
      type: clean(type, this.#scrub, 200),
      message: clean(message, this.#scrub, MAX_MESSAGE),
      relation,
    });
    append(this.#values, value);
    append(this.#notes, this.#noteOf(value, index));
    return true;
  }

  #noteOf(value: unknown, index: number): ErrorNote {
    const objectId = this.#idOf?.(value);
    const base = objectId === undefined ? { index } : { index, objectId };
    if (!isOpen(value) || isProxy(value)) return base;
    const stacks = this.#stacks(value);
    return { ...base, ...stacks, ...this.#system(value), ...this.#others(value) };
  }

  #stacks(value: object): { rawStack?: string; stack?: string } {
    const given = this.#stacksOf?.(value);
    const raw =
      given === undefined ? readOwnStack(value) : (ownData(given, "raw") as string | undefined);
    const mapped =
      given === undefined ? undefined : (ownData(given, "mapped") as string | undefined);
    return {
      ...(raw === undefined ? {} : { rawStack: clean(raw, this.#scrub, MAX_STACK) }),
      ...(mapped === undefined ? {} : { stack: clean(mapped, this.#scrub, MAX_STACK) }),
    };
  }

  #system(value: object): Pick<ErrorNote, "code" | "errno" | "syscall" | "path"> {
    const code = ownData(value, "code");
    const errno = ownData(value, "errno");
    const syscall = ownData(value, "syscall");
    const path = ownData(value, "path");
    const hasCode = typeof code === "string" || typeof code === "number";
    return {
      ...(hasCode ? { code: clean(scalarText(code), this.#scrub, 200) } : {}),
      ...(typeof errno === "number" ? { errno } : {}),
      ...(typeof syscall === "string" ? { syscall: clean(syscall, this.#scrub, 200) } : {}),
      ...(typeof path === "string" ? { path: clean(path, this.#scrub, 4096) } : {}),
    };
  }

  #others(value: object): { properties?: readonly string[] } {
    const keys = objectKeys(value);
    const names = keys.length > 1_000 ? keys : getOwnPropertyNames(value);
    const others: string[] = [];
    for (let at = 0; at < names.length && others.length < MAX_PROPERTIES; at++) {
      const name = item(names, at);
      if (!isStandard(name)) append(others, clean(name, this.#scrub, 200));
    }
    return others.length === 0 ? {} : { properties: others };
  }
}

const STANDARD = [
  "stack",
  "message",
  "name",
  "cause",
  "errors",
  "code",
  "errno",
  "syscall",
  "path",
];

function isStandard(name: string): boolean {
  for (let at = 0; at < STANDARD.length; at++) if (STANDARD[at] === name) return true;
  return false;
}

function isOpen(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isProxy(value);
}

/** Type and message, not yet scrubbed. */
function describe(value: unknown, book: PrototypeBook): { type: string; message: string } {
  if (typeof value === "object" && value !== null) {
    if (isProxy(value)) return { type: "throw Proxy", message: "Proxy" };
    const facts = book.of(getPrototypeOf(value) as object | null);
    if (isNativeError(value) || inheritsError(facts.prototypes)) {
      return { type: facts.name ?? "Error", message: messageWithCode(value) };
    }
    const isNull = facts.prototypes.length === 0 && facts.isWhole;
    const type = isNull ? "NullObject" : (facts.name ?? "object");
    return { type: `throw ${type}`, message: thrownObjectText(value, type) };
  }
  if (typeof value === "function") {
    return {
      type: "throw function",
      message: `[function ${functionName(value) ?? "(anonymous)"}]`,
    };
  }
  return { type: `throw ${value === null ? "null" : typeof value}`, message: scalarText(value) };
}

/** Objects that inherit from `Error.prototype` without being errors, as some drivers throw. */
function inheritsError(prototypes: readonly object[]): boolean {
  for (let at = 0; at < prototypes.length && at < MAX_CHAIN; at++) {
    if (prototypes[at] === ErrorPrototype) return true;
  }
  return false;
}

function messageWithCode(value: object): string {
  const found = inheritedData(value, "message");
  const message = typeof found === "string" ? found : "";
  const code = ownData(value, "code");
  if (typeof code !== "string" || code === "" || stringIndexOf(message, code) >= 0) return message;
  return message === "" ? `[${code}]` : `${message} [${code}]`;
}

/** `{ code: 7, message: "text" }` of plain data, a few properties deep enough for a headline. */
function thrownObjectText(value: object, type: string): string {
  if (isArray(value)) return `[…](${value.length})`;
  const message = ownData(value, "message");
  if (typeof message === "string" && message !== "") return message;
  const names = objectKeys(value);
  let text = "";
  for (let at = 0; at < names.length && at < 8; at++) {
    const name = item(names, at);
    const content = ownData(value, name);
    const isObject = typeof content === "object" && content !== null;
    const shown = isObject ? (isArray(content) ? "[…]" : "{…}") : quoted(content);
    text += `${at === 0 ? "" : ", "}${name}: ${shown}`;
  }
  const inside = names.length === 0 ? "{}" : `{ ${text}${names.length > 8 ? ", …" : ""} }`;
  return type === "NullObject" || type === "Object" ? inside : `${type} ${inside}`;
}

function quoted(value: unknown): string {
  return typeof value === "string" ? `"${stringSlice(value, 0, 200)}"` : scalarText(value);
}

function scalarText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length > MAX_MESSAGE ? stringSlice(value, 0, MAX_MESSAGE) : value;
    case "number":
      return numberText(value);
    case "bigint":
      return bigintText(value);
    case "boolean":
      return value ? "true" : "false";
    case "symbol":
      return `Symbol(${symbolDescription(value) ?? ""})`;
    case "function":
      return "[function]";
    case "undefined":
      return "undefined";
    case "object":
      return value === null ? "null" : "{…}";
    default:
      return "";
  }
}

function clean(text: string, scrub: Scrubber, limit: number): string {
  const seen = text.length > limit ? stringSlice(text, 0, limit + 512) : text;
  const safe = cutWithMark(scrub.text(seen, "exception"), limit);
  return isWellFormed(safe) ? safe : toWellFormed(safe);
}
