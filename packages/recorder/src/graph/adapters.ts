/**
 * Keeps the descriptions that programs give for their classes, and runs them guarded.
 *
 * This is the only place where code of the program runs during a capture, and only because it was
 * registered for that, or because its class has the method `Symbol.for("orangebox.describe")`.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import {
  append,
  getOwnPropertyDescriptor,
  hasOwn,
  isArray,
  isProxy,
  objectKeys,
  ownData,
  reflectApply,
  SafeWeakMap,
  item,
} from "./primordials.ts";
import { sharedState } from "../runtime/shared-state.ts";
import type { AnyFunction } from "./primordials.ts";
import { DESCRIBE, functionName } from "./prototype-facts.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";

/** What an adapter says about one object. */
export interface Description {
  /** Kind of the node; `object` when absent. Old readers show any word. */
  readonly kind?: string;
  /** One line about the object; scrubbed and cut like every text. */
  readonly summary?: string;
  /** Class name to show; the real one when absent. */
  readonly typeName?: string;
  readonly length?: number;
  /** Named parts, as pairs or as a plain object. They are serialized like everything else. */
  readonly fields?:
    | readonly (readonly [name: string, value: unknown])[]
    | Readonly<Record<string, unknown>>;
}

/** Describes one object; undefined leaves it to the generic description. */
export type Describe = (value: object) => Description | undefined;

interface Registered {
  readonly prototype: object | undefined;
  readonly accepts: ((value: object) => boolean) | undefined;
  readonly describe: Describe;
  readonly label: string;
  dropped: boolean;
}

/** What is taken from a description, checked. */
export interface CheckedDescription {
  readonly kind: string;
  readonly summary: string | undefined;
  readonly typeName: string | undefined;
  readonly length: number | undefined;
  readonly fields: readonly (readonly [string, unknown])[];
}

/** Longest time one call may take before the adapter is dropped, in milliseconds. */
const MAX_CALL_MS = 20;
const MAX_FIELDS = 200;
const registry: Registered[] = sharedState("adapters", () => []);
const droppedMethods = new SafeWeakMap<AnyFunction, boolean>();

/**
 * Registers a description for a class and its subclasses, or for what a predicate accepts.
 *
 * The newest registration that fits wins. An adapter that throws, returns something else than a
 * description, or takes longer than 20 ms is dropped for the rest of the process; the capture notes it.
 *
 * @returns The undo.
 * @throws {TypeError} If `target` or `describe` is no function.
 */
export function adapter(
  target: (abstract new (...args: never[]) => object) | ((value: object) => boolean),
  describe: Describe,
): () => void {
  if (typeof target !== "function" || typeof describe !== "function") {
    throw new TypeError("adapter(target, describe) needs a class or a predicate, and a function");
  }
  const found = getOwnPropertyDescriptor(target, "prototype");
  const prototype: unknown =
    found !== undefined && hasOwn(found, "value") ? found.value : undefined;
  // Classes and built-in constructors have a prototype that cannot be replaced; so do the old-style
  // constructors whose prototype was filled. Arrows and plain predicates have none, or a bare one.
  const isClass =
    typeof prototype === "object" &&
    prototype !== null &&
    (found?.writable === false || objectKeys(prototype).length > 0);
  const entry: Registered = {
    prototype: isClass ? prototype : undefined,
    accepts: isClass ? undefined : (target as (value: object) => boolean),
    describe,
    label: functionName(target) ?? "adapter",
    dropped: false,
  };
  append(registry, entry);
  return () => {
    for (let at = 0; at < registry.length; at++) {
      if (registry[at] !== entry) continue;
      for (let next = at; next + 1 < registry.length; next++) {
        registry[next] = item(registry, next + 1);
      }
      registry.length--;
      return;
    }
  };
}

/** Whether any adapter is registered. */
export function hasAdapters(): boolean {
  return registry.length > 0;
}

/** Asks the registered adapters, newest first, then the object's own describing method. */
export function describeByProgram(
  value: object,
  facts: PrototypeFacts,
  now: () => number,
  note: (text: string) => void,
): CheckedDescription | undefined {
  for (let at = registry.length - 1; at >= 0; at--) {
    const entry = item(registry, at);
    if (entry.dropped) continue;
    const started = now();
    try {
      if (!fits(entry, value, facts)) continue;
      const answer = entry.describe(value);
      if (answer === undefined) continue;
      const checked = check(answer);
      if (checked !== undefined && now() - started <= MAX_CALL_MS) return checked;
      drop(entry, note, checked === undefined ? "returned no description" : "took too long");
      if (checked !== undefined) return checked;
    } catch {
      drop(entry, note, "threw");
    }
  }
  const method = facts.describe ?? ownMethod(value);
  return method === undefined ? undefined : describeByMethod(value, method, now, note);
}

function describeByMethod(
  value: object,
  method: AnyFunction,
  now: () => number,
  note: (text: string) => void,
): CheckedDescription | undefined {
  if (droppedMethods.get(method) === true) return undefined;
  const started = now();
  try {
    const answer = reflectApply(method, value, []);
    if (answer === undefined) return undefined;
    const checked = check(answer);
    if (checked !== undefined && now() - started <= MAX_CALL_MS) return checked;
    droppedMethods.set(method, true);
    note(
      `a describing method was dropped: it ${checked === undefined ? "returned no description" : "took too long"}`,
    );
    return checked;
  } catch {
    droppedMethods.set(method, true);
    note("a describing method was dropped: it threw");
    return undefined;
  }
}

function drop(entry: Registered, note: (text: string) => void, why: string): void {
  entry.dropped = true;
  note(`adapter for ${entry.label} was dropped: it ${why}`);
}

function fits(entry: Registered, value: object, facts: PrototypeFacts): boolean {
  if (entry.prototype === undefined) return entry.accepts?.(value) === true;
  for (let at = 0; at < facts.prototypes.length; at++) {
    if (facts.prototypes[at] === entry.prototype) return true;
  }
  return false;
}

function ownMethod(value: object): AnyFunction | undefined {
  const method = ownData(value, DESCRIBE);
  return typeof method === "function" && !isProxy(method) ? (method as AnyFunction) : undefined;
}

/** Takes plain data out of an answer; undefined when it is no description. */
function check(answer: unknown): CheckedDescription | undefined {
  if (typeof answer !== "object" || answer === null || isProxy(answer) || isArray(answer)) {
    return undefined;
  }
  const kind = ownData(answer, "kind");
  const summary = ownData(answer, "summary");
  const typeName = ownData(answer, "typeName");
  const length = ownData(answer, "length");
  const fields = checkFields(ownData(answer, "fields"));
  if (fields === undefined) return undefined;
  if (kind !== undefined && (typeof kind !== "string" || kind === "")) return undefined;
  if (summary !== undefined && typeof summary !== "string") return undefined;
  if (kind === undefined && summary === undefined && fields.length === 0) return undefined;
  return {
    kind: kind ?? "object",
    summary,
    typeName: typeof typeName === "string" ? typeName : undefined,
    length: typeof length === "number" && length >= 0 && length % 1 === 0 ? length : undefined,
    fields,
  };
}

function checkFields(fields: unknown): (readonly [string, unknown])[] | undefined {
  const checked: (readonly [string, unknown])[] = [];
  if (fields === undefined) return checked;
  if (typeof fields !== "object" || fields === null || isProxy(fields)) return undefined;
  if (!isArray(fields)) {
    const names = objectKeys(fields);
    for (let at = 0; at < names.length && at < MAX_FIELDS; at++) {
      append(checked, [item(names, at), ownData(fields, item(names, at))]);
    }
    return checked;
  }
  for (let at = 0; at < fields.length && at < MAX_FIELDS; at++) {
    const pair = ownData(fields, at);
    if (typeof pair !== "object" || pair === null || isProxy(pair)) return undefined;
    const name = ownData(pair, 0);
    if (typeof name !== "string") return undefined;
    append(checked, [name, ownData(pair, 1)]);
  }
  return checked;
}
