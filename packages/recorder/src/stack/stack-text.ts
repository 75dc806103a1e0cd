/**
 * Gives every `error.stack` the positions of the original text, and hides the recorder's frames.
 *
 * Node 22.15 and later call the function `Error.prepareStackTrace` for every stack that is read;
 * an accessor in its place lets a program set its own and still get original positions.
 */
import type { ModuleRegistry } from "../runtime/module-registry.ts";
import {
  functionToString,
  isReference,
  SafeWeakMap,
  stringStartsWith,
} from "../runtime/primordials.ts";
import { printAs } from "./function-text.ts";
import { createCallSiteMapper } from "./mapped-call-site.ts";

/** Where `Module.prototype._compile` is, which a function of ours calls for other loaders. */
const COMMONJS_LOADER = "node:internal/modules/cjs/loader";

/** Where `process._fatalException` is, without a name of its own. */
const FATAL_EXCEPTION = "node:internal/process/execution";
/** The same of workers, with a name. */
const WORKER_FATAL_EXCEPTION = "node:internal/main/worker_thread";

/** How functions are named whose frames, and those below down to `callHidden`, are ours. */
const HIDDEN_CALL = "orangebox hidden call ";
/** Frames that are kept beyond the program's limit, for those of ours that are left out. */
const MORE_SITES = 40;

type Prepare = (this: unknown, error: Error, sites: NodeJS.CallSite[]) => unknown;

const asSites: Prepare = (_error, sites) => sites;

/** The stack service of one thread. */
export interface StackText {
  /**
   * The stack of an error with original positions, without running any code of the program.
   *
   * Undefined when the program has its own `Error.prepareStackTrace`, when the error has no
   * stack of the engine's, or when its text was replaced by a non-string.
   */
  stackOf(error: unknown): string | undefined;
  /**
   * The same in the positions of the files that Node loaded, where Node itself follows their
   * source maps (`--enable-source-maps`); else what `stackOf` gives. Names no message.
   */
  loadedStackOf(error: unknown): string | undefined;
  /** Calls a step from a frame that no stack shows, and that takes no other frame's place in one. */
  callHidden<Result>(step: () => Result): Result;
  /**
   * Told before a function of ours takes the place of `Module.prototype._compile`: the engine names
   * that frame after the property, so those that are running would lose their name.
   */
  compileIsReplaced(): void;
  /** The script that called into the recorder. */
  callerScript(): string | undefined;
  uninstall(): void;
}

/**
 * Installs the accessor.
 *
 * @param ownPrefixes Script names that begin with one of these belong to the recorder.
 */
export function installStackText(
  modules: ModuleRegistry,
  ownPrefixes: readonly string[],
): StackText {
  const { getOwnPropertyDescriptor, defineProperty } = Object;
  const descriptor = getOwnPropertyDescriptor(Error, "prepareStackTrace");
  const found = (descriptor?.value ?? undefined) as Prepare | undefined;
  // What another tool has set before us is the program's; Node's own is then out of reach.
  const isNodes =
    found !== undefined &&
    stringStartsWith(functionToString(found), "function ErrorPrepareStackTrace(");
  const native = isNodes ? found : undefined;
  const mapper = createCallSiteMapper(modules);
  const stackDescriptor = getOwnPropertyDescriptor(new Error("probe"), "stack");
  const nativeStackGetter = stackDescriptor?.get;
  const { apply } = Reflect;

  const isOwn = (site: NodeJS.CallSite): boolean => {
    const name = site.getScriptNameOrSourceURL() ?? site.getFileName();
    if (typeof name !== "string") return false;
    // No iterators here: a program that breaks them still gets its stacks.
    for (let i = 0; i < ownPrefixes.length; i++) {
      if (stringStartsWith(name, ownPrefixes[i] ?? "")) return true;
    }
    return false;
  };
  /** Node's own function has no name when one of ours is in its place. */
  const nameCallee = (mapped: NodeJS.CallSite[]): void => {
    const callee = mapped[mapped.length - 1];
    const name = callee === undefined ? undefined : propertyOf(callee);
    if (callee === undefined || name === undefined) return;
    mapped[mapped.length - 1] = mapper.named(callee, name);
  };
  /** Lines of Node's loader at which `_compile` was running when it was replaced. */
  const compileLines: (number | null)[] = [];
  const isCompileFrame = (site: NodeJS.CallSite): boolean => {
    if (site.getFileName() !== COMMONJS_LOADER) return false;
    const line = site.getLineNumber();
    for (let i = 0; i < compileLines.length; i++) if (compileLines[i] === line) return true;
    return false;
  };
  const mapSites = (sites: NodeJS.CallSite[]): NodeJS.CallSite[] => {
    const mapped: NodeJS.CallSite[] = [];
    let hidden = 0;
    let outermost: { readonly id: string; readonly index: number } | undefined;
    const add = (site: NodeJS.CallSite | undefined, index: number): void => {
      if (site === undefined) return;
      try {
        if (!isOwn(site)) {
          mapped[mapped.length] = mapper.map(site);
          if (compileLines.length > 0 && isCompileFrame(site)) nameCallee(mapped);
        } else {
          hidden++;
          nameCallee(mapped);
          const name = site.getFunctionName();
          if (name !== null && stringStartsWith(name, HIDDEN_CALL)) outermost = { id: name, index };
        }
      } catch {
        mapped[mapped.length] = site;
      }
    };
    for (let i = 0; i < sites.length; i++) add(sites[i], i);
    if (outermost === undefined) return mapped;
    // Our frames took the places of so many of the program's at the end of the stack.
    const below = sitesBelow.get(outermost.id) ?? [];
    const full = mapped.length + hidden;
    for (let i = sites.length - outermost.index - 2; i >= 0 && i < below.length; i++) {
      if (mapped.length >= full) break;
      add(below[i], sites.length);
    }
    return mapped.length > full ? mapped.slice(0, full) : mapped;
  };

  /** What was below each hidden call when it was made. */
  const sitesBelow = new Map<string, NodeJS.CallSite[]>();
  let forceSites = false;
  const callHidden = <Result>(step: () => Result): Result => {
    const id = `${HIDDEN_CALL}${sitesBelow.size}`;
    const limit: unknown = Error.stackTraceLimit;
    try {
      const holder: { stack?: unknown } = {};
      if (typeof limit === "number") Error.stackTraceLimit = limit + MORE_SITES;
      forceSites = true;
      Error.captureStackTrace(holder, callHidden);
      const { stack } = holder;
      sitesBelow.set(id, Array.isArray(stack) ? (stack as NodeJS.CallSite[]) : []);
    } catch {
      // Stacks of that module are shorter by a line.
    } finally {
      forceSites = false;
      if (typeof limit === "number") Error.stackTraceLimit = limit;
    }
    const named: Readonly<Record<string, () => Result>> = {
      [id]() {
        return step();
      },
    };
    return (named[id] ?? step)();
  };

  /** The call sites below `above`, as far as `limit`, without the program's `prepareStackTrace`. */
  const sitesAround = (above: (...rest: never[]) => unknown, most: number): NodeJS.CallSite[] => {
    const limit: unknown = Error.stackTraceLimit;
    try {
      const holder: { stack?: unknown } = {};
      if (typeof limit === "number") Error.stackTraceLimit = most;
      forceSites = true;
      Error.captureStackTrace(holder, above);
      const { stack } = holder;
      return Array.isArray(stack) ? (stack as NodeJS.CallSite[]) : [];
    } finally {
      forceSites = false;
      if (typeof limit === "number") Error.stackTraceLimit = limit;
    }
  };

  const callerScript = (): string | undefined => {
    const sites = sitesAround(callerScript, MORE_SITES);
    for (let i = 0; i < sites.length; i++) {
      const site = sites[i];
      if (site !== undefined && !isOwn(site)) return site.getScriptNameOrSourceURL() ?? undefined;
    }
    return undefined;
  };

  const compileIsReplaced = (): void => {
    const sites = sitesAround(compileIsReplaced, Infinity);
    for (let i = 0; i < sites.length; i++) {
      const site = sites[i];
      if (site?.getFileName() !== COMMONJS_LOADER || site.getMethodName() !== "_compile") continue;
      if (!isCompileFrame(site)) compileLines[compileLines.length] = site.getLineNumber();
    }
  };

  // Source maps would hide from us in which file, and where in it, a frame is.
  const loadedStacks = new SafeWeakMap<object, string>();
  const keepLoadedStack = (error: unknown, sites: readonly NodeJS.CallSite[]): void => {
    if (!isReference(error) || !process.sourceMapsEnabled) return;
    let text = "";
    for (let i = 0; i < sites.length; i++) {
      const site: unknown = sites[i];
      text += `\n    at ${String(site)}`;
    }
    loadedStacks.set(error, text);
  };

  // Named as the engine's own, which a program can print.
  const standard = {
    ErrorPrepareStackTrace(this: unknown, error: Error, sites: NodeJS.CallSite[]): unknown {
      const mapped = mapSites(sites);
      try {
        keepLoadedStack(error, mapped);
      } catch {
        // The box has the frames that probes saw.
      }
      if (native !== undefined) {
        // Node looks places up in the map beside the file, which is that of the text that runs.
        return mapper.leavingMapped(process.sourceMapsEnabled, () =>
          apply(native, Error, [error, mapped]),
        );
      }
      const head = String(error);
      return [head, ...mapped.map((site) => `    at ${String(site as unknown)}`)].join("\n");
    },
  }.ErrorPrepareStackTrace;

  // Libraries tell Node's own function from others by its text.
  if (native !== undefined) printAs(standard, native);

  let current: unknown = found === undefined ? undefined : standard;
  let isCustom = false;
  let forceStandard = false;
  const wrappers = new SafeWeakMap<object, Prepare>();
  const originals = new SafeWeakMap<object, Prepare>();

  const wrap = (custom: Prepare): Prepare => {
    const known = wrappers.get(custom);
    if (known !== undefined) return known;
    const wrapper: Prepare = function (this: unknown, error, sites) {
      const mapped = Array.isArray(sites) ? mapSites(sites) : sites;
      // Libraries that follow source maps read the one beside the file.
      return mapper.leavingMapped(true, () => apply(custom, this, [error, mapped]));
    };
    defineProperty(wrapper, "name", { value: custom.name, configurable: true });
    defineProperty(wrapper, "length", { value: custom.length, configurable: true });
    wrappers.set(custom, wrapper);
    originals.set(wrapper, custom);
    return wrapper;
  };

  defineProperty(Error, "prepareStackTrace", {
    configurable: true,
    enumerable: descriptor?.enumerable ?? false,
    get() {
      if (forceSites) return asSites;
      if (forceStandard) return standard;
      return current;
    },
    set(value: unknown) {
      if (value === standard) {
        current = standard;
        isCustom = false;
      } else if (typeof value === "function") {
        current = originals.get(value) === undefined ? wrap(value as Prepare) : value;
        isCustom = true;
      } else {
        // Without a function Node formats by itself, with the positions of the generated text.
        current = standard;
        isCustom = false;
      }
    },
  });

  const stackOf = (error: unknown): string | undefined => {
    if (!isReference(error)) return undefined;
    const own = getOwnPropertyDescriptor(error, "stack");
    if (own === undefined) return undefined;
    if (own.get === undefined) return typeof own.value === "string" ? own.value : undefined;
    if (own.get !== nativeStackGetter || isCustom) return undefined;
    try {
      forceStandard = true;
      const text: unknown = apply(own.get, error, []);
      return typeof text === "string" ? text : undefined;
    } catch {
      return undefined;
    } finally {
      forceStandard = false;
    }
  };

  if (typeof found === "function" && !isNodes) {
    current = wrap(found);
    isCustom = true;
  }

  return {
    stackOf,
    callHidden,
    compileIsReplaced,
    callerScript,
    loadedStackOf(error) {
      const stack = stackOf(error);
      return (isReference(error) ? loadedStacks.get(error) : undefined) ?? stack;
    },
    uninstall() {
      if (descriptor !== undefined) {
        defineProperty(Error, "prepareStackTrace", {
          ...descriptor,
          ...(isCustom ? { value: originals.get(current as object) ?? current } : {}),
        });
      }
    },
  };
}

/** The property that a function of Node is in when no function of ours is in its place. */
function propertyOf(callee: NodeJS.CallSite): string | undefined {
  const script = callee.getFileName();
  if (script === COMMONJS_LOADER) return "_compile";
  if (script === FATAL_EXCEPTION || script === WORKER_FATAL_EXCEPTION) return "_fatalException";
  return undefined;
}

/** The texts of all modules of Node; asking for them copies a table. */
let natives: WeakRef<Record<string, unknown>> | undefined;

/** The text of one of Node's own modules, for excerpts; undefined when it is not to be had. */
export function nodeModuleSource(id: string): string | undefined {
  try {
    let texts = natives?.deref();
    if (texts === undefined) {
      const binding = (process as unknown as { binding?: (name: string) => unknown }).binding;
      texts = binding?.call(process, "natives") as Record<string, unknown> | undefined;
      if (texts === undefined) return undefined;
      natives = new WeakRef(texts);
    }
    const text = texts[id];
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
