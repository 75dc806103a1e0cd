/**
 * Reads private fields and proxy handlers through V8's own runtime functions.
 *
 * The syntax for these functions is switched on for the compilation of three lines and off again; the
 * compiled functions stay. Unlike an inspector session they return live values and look at nothing
 * else: see docs/decisions/0003-graph-capture.md.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { isProxy } from "./primordials.ts";

export interface EngineNatives {
  /** The private field `#name`; throws when the object has none, or more than one of that name. */
  privateMember(object: object, name: string): unknown;
  /** The target of a Proxy, null when it is revoked. */
  proxyTarget(proxy: object): unknown;
  /** The handler of a Proxy, null when it is revoked. */
  proxyHandler(proxy: object): unknown;
}

const setFlags = setFlagsFromString;
const run = runInThisContext;
const hadNatives = process.execArgv.includes("--allow-natives-syntax");

class Sample {
  #value = marker;
  /** Keeps the field in use. */
  read(): object {
    return this.#value;
  }
}
const marker = {};

let cached: EngineNatives | undefined;

/** The functions, compiled when first needed; undefined when this V8 does not have them as expected. */
export function engineNatives(): EngineNatives | undefined {
  if (cached !== undefined && answersRight(cached)) return cached;
  cached = undefined;
  try {
    setFlags("--allow-natives-syntax");
    const made: EngineNatives = {
      privateMember: run("((object, name) => %GetPrivateMember(object, name))") as never,
      proxyTarget: run("((proxy) => %JSProxyGetTarget(proxy))") as never,
      proxyHandler: run("((proxy) => %JSProxyGetHandler(proxy))") as never,
    };
    // The first call compiles the bodies, so it must happen while the syntax is on.
    if (answersRight(made)) cached = made;
  } catch {
    cached = undefined;
  } finally {
    if (!hadNatives) setFlags("--no-allow-natives-syntax");
  }
  return cached;
}

/** Checks by a known question; V8 may also have thrown unused code away, and cannot compile it again. */
function answersRight(natives: EngineNatives): boolean {
  try {
    const handler = {};
    const target = {};
    const proxy = new ProxyCopy(target, handler);
    if (!isProxy(proxy) || natives.proxyHandler(proxy) !== handler) return false;
    if (natives.proxyTarget(proxy) !== target) return false;
    return natives.privateMember(new Sample(), "#value") === marker;
  } catch {
    return false;
  }
}

const ProxyCopy = Proxy;
