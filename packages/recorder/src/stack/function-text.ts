/**
 * Answers `Function.prototype.toString` with the original text of instrumented functions.
 */
import type * as Instrument from "@orangebox/instrument";
import { originalText } from "@orangebox/instrument/sites";
import type { LoadedModule, ModuleRegistry } from "../runtime/module-registry.ts";
import { functionToString, SafeWeakMap, stringIncludes } from "../runtime/primordials.ts";
import { ownRequire } from "../runtime/own-require.ts";

/** What stands in the text of every function that was changed. */
const MARKER = "/*__ob:";
const MARKER_PATTERN = /\/\*__ob:(?:0x)?([0-9a-f]+)\*\//;

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
