/**
 * A V8 CallSite that answers with the positions of the original text.
 *
 * Everything else is passed on, so that libraries which format stacks themselves see what they
 * would see without the recorder.
 */
import type { ModuleRegistry } from "../runtime/module-registry.ts";

type CallSiteMethod = (...rest: unknown[]) => unknown;
type CallSiteLike = Record<string, CallSiteMethod>;

/** Turns call sites into ones with original positions; leaves the others as they are. */
export interface CallSiteMapper {
  map(site: NodeJS.CallSite): NodeJS.CallSite;
  /** Gives a method the name that it is called by, if the engine found none. */
  named(site: NodeJS.CallSite, name: string): NodeJS.CallSite;
  /** While a step runs, places in built files that have a source map are those of the text that runs. */
  leavingMapped<Result>(isWanted: boolean, step: () => Result): Result;
}

/** Reads the methods of V8's call sites from one of them. */
function callSiteMethods(): string[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 1;
    Error.prepareStackTrace = (_error, sites) => sites;
    const holder: { stack?: NodeJS.CallSite[] } = {};
    Error.captureStackTrace(holder);
    const sample = holder.stack?.[0];
    if (sample === undefined) return [];
    return Object.getOwnPropertyNames(Object.getPrototypeOf(sample)).filter(
      (name) => name !== "constructor",
    );
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Scripts whose places are to be mapped. */
type Scripts = Pick<ModuleRegistry, "findByScript">;

/** Rewrites the places inside `eval at f (script:line:column)`. */
function mapEvalOrigin(text: string, modules: Scripts): string {
  return text.replaceAll(
    /\(([^()]{1,4096}):(\d{1,9}):(\d{1,9})\)/g,
    (whole, script, line, column) => {
      const module = modules.findByScript(String(script));
      if (module === undefined) return whole;
      const original = module.originalPosition(Number(line), Number(column));
      return `(${String(script)}:${original.line}:${original.column})`;
    },
  );
}

/** Rewrites the last `script:line:column` of a call site's text. */
function mapPlace(text: string, site: NodeJS.CallSite, modules: Scripts): string {
  const script = site.getScriptNameOrSourceURL();
  const module = typeof script === "string" ? modules.findByScript(script) : undefined;
  const line = site.getLineNumber();
  const column = site.getColumnNumber();
  if (module === undefined || line === null || column === null) return text;
  const generated = `${script}:${line}:${column}`;
  const at = text.lastIndexOf(generated);
  if (at < 0) return text;
  const original = module.originalPosition(line, column);
  const place = `${script}:${original.line}:${original.column}`;
  return text.slice(0, at) + place + text.slice(at + generated.length);
}

/**
 * Takes away a function name that the engine inferred from an assignment of a probe.
 *
 * Such a function has no name of its own: the plain program shows how it was called, or the place alone.
 */
function hideProbeNames(text: string, site: NodeJS.CallSite): string {
  const bracket = text.endsWith(")") ? text.indexOf(" (") : -1;
  if (bracket < 0 || !PROBE_NAME.test(text.slice(0, bracket))) return text;
  const lead = text.startsWith("async ") ? "async " : "";
  const place = text.slice(bracket + 2, -1);
  if (site.isConstructor()) return `${lead}new <anonymous> (${place})`;
  if (site.isToplevel()) return lead + place;
  return `${lead}${typeName(site)}.${site.getMethodName() ?? "<anonymous>"} (${place})`;
}

/**
 * What a method is called on. The engine also calls a class without a name after what is assigned
 * next in the function around it, be it by a probe; without that its instances are called `Object`.
 */
function typeName(site: Pick<NodeJS.CallSite, "getTypeName">): string | null {
  const name = site.getTypeName();
  return typeof name === "string" && PROBE_NAME.test(name) ? "Object" : name;
}

/**
 * A whole name of ours, alone or behind a receiver: programs have functions called `$options`.
 *
 * A file that holds `$o` gets names with another beginning, so only `$oe` and the like of such a file
 * could be taken for ours.
 */
const PROBE_NAME = /(?:^|[\s.])(?:(?:\$o|\$ob\w+_)(?:\d+|[a-zA-Z])|__ob[A-Z])(?![\w$])/;

/** Makes the mapper for this engine. */
export function createCallSiteMapper(registry: ModuleRegistry): CallSiteMapper {
  let leavesMapped = false;
  const modules: Scripts = {
    findByScript: (scriptName) => {
      const module = registry.findByScript(scriptName);
      const isBuilt = leavesMapped && module?.tablePath !== undefined;
      return isBuilt && (module.tables.map !== undefined || module.problem !== undefined)
        ? undefined
        : module;
    },
  };
  const names = callSiteMethods();
  const inner = new WeakMap<object, CallSiteLike>();
  const prototype: Record<string, unknown> = {};
  for (const name of names) {
    const method = function (this: object, ...rest: unknown[]): unknown {
      const site = inner.get(this);
      return site?.[name]?.(...rest);
    };
    Object.defineProperty(method, "name", { value: name });
    Object.defineProperty(prototype, name, { value: method, writable: true, configurable: true });
  }
  const position = (
    receiver: object,
    lineName: "getLineNumber" | "getEnclosingLineNumber",
    columnName: "getColumnNumber" | "getEnclosingColumnNumber",
  ): { line: unknown; column: unknown } => {
    const site = inner.get(receiver) as unknown as NodeJS.CallSite & CallSiteLike;
    const line = site[lineName]?.();
    const column = site[columnName]?.();
    const module = modules.findByScript(site.getScriptNameOrSourceURL() ?? "");
    if (module === undefined || typeof line !== "number" || typeof column !== "number") {
      return { line, column };
    }
    return module.originalPosition(line, column);
  };
  const answer = (name: string, method: (this: object) => unknown): void => {
    if (!names.includes(name)) return;
    const guarded = function (this: object): unknown {
      try {
        return method.call(this);
      } catch {
        // A position of the generated text is better than an error of ours.
        return inner.get(this)?.[name]?.();
      }
    };
    Object.defineProperty(guarded, "name", { value: name });
    Object.defineProperty(prototype, name, { value: guarded, writable: true, configurable: true });
  };
  answer("getLineNumber", function () {
    return position(this, "getLineNumber", "getColumnNumber").line;
  });
  answer("getColumnNumber", function () {
    return position(this, "getLineNumber", "getColumnNumber").column;
  });
  answer("getEnclosingLineNumber", function () {
    return position(this, "getEnclosingLineNumber", "getEnclosingColumnNumber").line;
  });
  answer("getEnclosingColumnNumber", function () {
    return position(this, "getEnclosingLineNumber", "getEnclosingColumnNumber").column;
  });
  answer("getEvalOrigin", function () {
    const origin = inner.get(this)?.["getEvalOrigin"]?.();
    return typeof origin === "string" ? mapEvalOrigin(origin, modules) : origin;
  });
  answer("getFunctionName", function () {
    const name = inner.get(this)?.["getFunctionName"]?.();
    return typeof name === "string" && PROBE_NAME.test(name) ? null : name;
  });
  answer("getTypeName", function () {
    const site = inner.get(this) as Pick<NodeJS.CallSite, "getTypeName"> | undefined;
    return site === undefined ? undefined : typeName(site);
  });
  answer("toString", function () {
    const site = inner.get(this) as unknown as NodeJS.CallSite & CallSiteLike;
    const text = site["toString"]?.();
    if (typeof text !== "string") return text;
    const place = mapPlace(site.isEval() ? mapEvalOrigin(text, modules) : text, site, modules);
    return hideProbeNames(place, site);
  });
  const methodNames = new WeakMap<object, string>();
  Object.defineProperty(prototype, "constructor", {
    value: Object,
    writable: true,
    configurable: true,
  });
  // A whole copy: libraries copy the own methods of a call site's prototype.
  const namedPrototype: object = {};
  Object.defineProperties(namedPrototype, Object.getOwnPropertyDescriptors(prototype));
  const override = (name: string, method: (this: object) => unknown): void => {
    Object.defineProperty(method, "name", { value: name });
    Object.defineProperty(namedPrototype, name, {
      value: method,
      writable: true,
      configurable: true,
    });
  };
  override("getMethodName", function () {
    return methodNames.get(this);
  });
  override("toString", function () {
    const text = String(inner.get(this)?.["toString"]?.());
    const name = methodNames.get(this);
    const isNamed = typeof inner.get(this)?.["getFunctionName"]?.() === "string";
    return isNamed
      ? text.replace(" (", ` [as ${name}] (`)
      : text.replace(".<anonymous> (", `.${name} (`);
  });
  return {
    leavingMapped(isWanted, step) {
      const before = leavesMapped;
      leavesMapped = isWanted;
      try {
        return step();
      } finally {
        leavesMapped = before;
      }
    },
    map(site) {
      const name = site.getScriptNameOrSourceURL() ?? site.getFileName();
      const isMapped = typeof name === "string" && modules.findByScript(name) !== undefined;
      if (!isMapped && !site.isEval()) return site;
      const mapped = Object.create(prototype) as NodeJS.CallSite;
      inner.set(mapped, site as unknown as CallSiteLike);
      return mapped;
    },
    named(site, name) {
      if (site.getMethodName() !== null || site.getFunctionName() === name) return site;
      const renamed = Object.create(namedPrototype) as NodeJS.CallSite;
      inner.set(renamed, inner.get(site) ?? (site as unknown as CallSiteLike));
      methodNames.set(renamed, name);
      return renamed;
    },
  };
}
