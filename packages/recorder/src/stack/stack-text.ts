/**
 * Gives every `error.stack` the positions of the original text, and hides the recorder's frames.
 *
 * Node 22.15 and later call the function `Error.prepareStackTrace` for every stack that is read;
 * an accessor in its place lets a program set its own and still get original positions.
 */
import type { ModuleRegistry } from "../runtime/module-registry.ts";
import { isReference, SafeWeakMap, stringStartsWith } from "../runtime/primordials.ts";
import { printAs } from "./function-text.ts";
import { createCallSiteMapper } from "./mapped-call-site.ts";

type Prepare = (this: unknown, error: Error, sites: NodeJS.CallSite[]) => unknown;

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
  const native = (descriptor?.value ?? undefined) as Prepare | undefined;
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
  const mapSites = (sites: NodeJS.CallSite[]): NodeJS.CallSite[] => {
    const mapped: NodeJS.CallSite[] = [];
    for (let i = 0; i < sites.length; i++) {
      const site = sites[i];
      if (site === undefined) continue;
      try {
        if (!isOwn(site)) mapped[mapped.length] = mapper.map(site);
      } catch {
        mapped[mapped.length] = site;
      }
    }
    return mapped;
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
      if (native !== undefined) return apply(native, Error, [error, mapped]);
      const head = String(error);
      return [head, ...mapped.map((site) => `    at ${String(site as unknown)}`)].join("\n");
    },
  }.ErrorPrepareStackTrace;

  // Libraries tell Node's own function from others by its text.
  if (native !== undefined) printAs(standard, native);

  let current: unknown = native === undefined ? undefined : standard;
  let isCustom = false;
  let forceStandard = false;
  const wrappers = new SafeWeakMap<object, Prepare>();
  const originals = new SafeWeakMap<object, Prepare>();

  const wrap = (custom: Prepare): Prepare => {
    const known = wrappers.get(custom);
    if (known !== undefined) return known;
    const wrapper: Prepare = function (this: unknown, error, sites) {
      return apply(custom, this, [error, Array.isArray(sites) ? mapSites(sites) : sites]);
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

  return {
    stackOf,
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

/** The text of one of Node's own modules, for excerpts; undefined when it is not to be had. */
export function nodeModuleSource(id: string): string | undefined {
  try {
    const binding = (process as unknown as { binding?: (name: string) => unknown }).binding;
    const natives = binding?.call(process, "natives") as Record<string, unknown> | undefined;
    const text = natives?.[id];
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
