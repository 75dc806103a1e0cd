/**
 * Answers `Function.prototype.toString` with the original text of instrumented functions.
 */
import { readFileSync } from "node:fs";
import { originalText } from "@orangebox/instrument/sites";
import type { ModuleRegistry } from "../runtime/module-registry.ts";
import { functionToString, SafeWeakMap, stringIncludes } from "../runtime/primordials.ts";

/** What stands in the text of every function that was changed. */
const MARKER = "/*__ob:";
const MARKER_PATTERN = /\/\*__ob:(?:0x)?([0-9a-f]+)\*\//;

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
 * @param readSource The original text of a file as it was when it loaded, if it can still be had.
 * @returns The undo.
 */
export function installFunctionText(
  modules: ModuleRegistry,
  readSource: (filename: string, contentHash: string) => string | undefined,
): () => void {
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
        return restore(text, modules, readSource) ?? text;
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

function restore(
  text: string,
  modules: ModuleRegistry,
  readSource: (filename: string, contentHash: string) => string | undefined,
): string | undefined {
  const match = MARKER_PATTERN.exec(text);
  const module = modules.findById(Number.parseInt(match?.[1] ?? "", 16));
  if (module === undefined) return undefined;
  const range = originalText(module.tables.sites, text, module.base);
  if (range === undefined) return undefined;
  return readSource(module.filename, module.contentHash)?.slice(range[0], range[1]);
}

/** Reads a file if its text is still the one with this SHA-1. */
export function readUnchangedSource(
  filename: string,
  contentHash: string,
  hash: (text: string) => string,
): string | undefined {
  try {
    const text = readFileSync(filename, "utf8");
    return hash(text) === contentHash ? text : undefined;
  } catch {
    return undefined;
  }
}
