/**
 * Answers `Function.prototype.toString` with the original text of instrumented functions.
 */
import { pathToFileURL } from "node:url";
import type * as Instrument from "@orangebox/instrument";
import { originalText } from "@orangebox/instrument/sites";
import type { LoadedModule, ModuleRegistry } from "../runtime/module-registry.ts";
import {
  functionToString,
  SafeWeakMap,
  stringIncludes,
  stringStartsWith,
} from "../runtime/primordials.ts";
import { ownRequire } from "../runtime/own-require.ts";

/** What stands in the text of every function that was changed. */
const MARKER = "/*__ob:";
const MARKER_PATTERN = /\/\*__ob:(?:0x)?([0-9a-f]+)\*\//;

/** How Node's function around a CommonJS module prints; a module sees it as `arguments.callee`. */
const WRAPPER_START = "function (exports, require, module, __filename, __dirname) {\n";
const WRAPPER_END = "\n}";
/** Probes at the start of a module that are looked at for its id. */
const MAX_PROBES = 8;
const PROBE_PATTERN = /\b0x([0-9a-f]{8})\b/g;

const KEPT_TEXTS = 4;

/**
 * Wrappers of the recorder stand in for functions of Node: they print as those do.
 */
const standIns = new SafeWeakMap<object, object>();

/** Makes `standIn` print as `original` does. */
export function printAs(standIn: object, original: object): void {
  standIns.set(standIn, original);
}

/**
 * Replaces `Function.prototype.toString`.
 *
 * @param readSource The text of a module as it was when it loaded, if it can still be had.
 * @returns The undo.
 */
export function installFunctionText(
  modules: ModuleRegistry,
  readSource: (module: LoadedModule) => string | undefined,
): () => void {
  const recent = recentTexts(readSource);
  const prototype = Function.prototype as unknown as Record<string, unknown>;
  const descriptor = Object.getOwnPropertyDescriptor(Function.prototype, "toString");
  if (descriptor === undefined) return () => undefined;
  // A method of an object literal has no `prototype` and no `[[Construct]]`, as the original.
  const replacement = {
    toString(this: unknown): string {
      const original = typeof this === "function" ? standIns.get(this) : undefined;
      const text = functionToString(original ?? this);
      if (stringStartsWith(text, WRAPPER_START)) return wrapperText(text, modules, recent) ?? text;
      if (!stringIncludes(text, MARKER)) return text;
      try {
        return restore(text, modules, recent) ?? text;
      } catch {
        return text;
      }
    },
  }.toString;
  printAs(replacement, descriptor.value as object);
  Object.defineProperty(prototype, "toString", { ...descriptor, value: replacement });
  return () => {
    if (prototype["toString"] === replacement) {
      Object.defineProperty(prototype, "toString", descriptor);
    }
  };
}

/** Programs that print functions print many of one file: the last few texts stay at hand. */
function recentTexts(
  readSource: (module: LoadedModule) => string | undefined,
): (module: LoadedModule) => string | undefined {
  const texts = new Map<string, string>();
  return (module) => {
    const { contentHash } = module;
    const known = texts.get(contentHash);
    if (known !== undefined) return known;
    const text = readSource(module);
    if (text === undefined) return undefined;
    if (texts.size >= KEPT_TEXTS) texts.clear();
    texts.set(contentHash, text);
    return text;
  };
}

/** The function around a module, with the module as its file has it. */
function wrapperText(
  text: string,
  modules: ModuleRegistry,
  readSource: (module: LoadedModule) => string | undefined,
): string | undefined {
  try {
    const length = text.length - WRAPPER_START.length - WRAPPER_END.length;
    let probes = 0;
    for (const [, id = ""] of text.matchAll(PROBE_PATTERN)) {
      if (++probes > MAX_PROBES) return undefined;
      const module = modules.findById(Number.parseInt(id, 16));
      if (module?.format !== "commonjs" || module.generatedLength !== length) continue;
      const whole = readSource(module);
      if (whole === undefined) return undefined;
      const source = module.isTyped
        ? withoutTypes(whole, whole, [0, whole.length], module.filename) + sourceUrl(module)
        : whole;
      return (
        WRAPPER_START + (module.isUnmarked ? source.replace(/^\uFEFF/, "") : source) + WRAPPER_END
      );
    }
  } catch {
    // A built-in that the program has replaced.
  }
  return undefined;
}

/** What Node puts behind a text whose types it blanked. */
function sourceUrl({ filename }: LoadedModule): string {
  const isPath = process.versions.node.startsWith("22.");
  return `\n\n//# sourceURL=${isPath ? filename : pathToFileURL(filename).href}`;
}

function restore(
  text: string,
  modules: ModuleRegistry,
  readSource: (module: LoadedModule) => string | undefined,
): string | undefined {
  const match = MARKER_PATTERN.exec(text);
  const module = modules.findById(Number.parseInt(match?.[1] ?? "", 16));
  if (module === undefined) return undefined;
  const range = originalText(module.tables.sites, text, module.base);
  if (range === undefined) return undefined;
  const whole = readSource(module);
  if (whole === undefined) return undefined;
  const source = whole.slice(range[0], range[1]);
  return module.isTyped ? withoutTypes(whole, source, range, module.filename) : source;
}

/**
 * The text that Node would run: types blanked, everything in its place.
 *
 * A file that needs more than blanking has no such text; then the function alone is tried.
 */
function withoutTypes(
  whole: string,
  source: string,
  [start, end]: readonly [number, number],
  filename: string,
): string {
  const { eraseTypes } = ownRequire("@orangebox/instrument") as Pick<
    typeof Instrument,
    "eraseTypes"
  >;
  const erased = eraseTypes(whole, filename);
  if (erased !== undefined) return erased.slice(start, end);
  for (const [before, after] of [
    ["(", ")"],
    ["({", "})"],
    ["class A{", "}"],
  ] as const) {
    const alone = eraseTypes(`${before}${source}${after}`, filename);
    if (alone !== undefined) return alone.slice(before.length, alone.length - after.length);
  }
  return source;
}
