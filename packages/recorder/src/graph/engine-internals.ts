/**
 * Reads what JavaScript itself cannot see: promise states, proxy targets, private fields, and more.
 *
 * Promises and proxies go through Node's own `util.inspect`, whose circularity check is answered by us
 * for the length of one call: it hands over the live value and stops there. Private fields go through
 * engine-natives.ts. What is left, generator states and bound functions, needs an inspector session, and
 * is read only where that was seen to run no accessors. See docs/decisions/0003-graph-capture.md.
 */
import { isSafeToFormat, primitiveOf, probe, probeWorks } from "./engine-formatter.ts";
import { openSession } from "./engine-inspector.ts";
import type { InspectorSession } from "./engine-inspector.ts";
import { engineNatives } from "./engine-natives.ts";
import type { EngineNatives } from "./engine-natives.ts";
import {
  SafeMap,
  SafeSet,
  append,
  item,
  nodeInternalsAreReachable,
  withOriginals,
} from "./primordials.ts";
import type { AnyFunction } from "./primordials.ts";
import { privateFieldNames, readPrivates } from "./private-fields.ts";
import { functionText } from "./prototype-facts.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";

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
      const own = this.#privateNamesOf(item(facts.constructors, at));
      if (own === null) return undefined;
      for (let which = 0; which < own.length; which++) {
        names ??= [];
        append(names, item(own, which));
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

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
