/**
 * Finds the file behind a name that webpack or Rspack gives to a source.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** What no file holds: a bundler's own modules, and texts with a scheme (`data:`, `https:`). */
const NO_FILE = /^(?:webpack\/|external |ignored\||[a-z][a-z+.-]+:)/i;

/**
 * The file behind a name that webpack gives to a source: `webpack://name/./src/main.ts`, a path, or
 * what it calls the module, `javascript/esm|./loader.js??options!./src/main.ts?query|layer`.
 */
export function fileOf(source: string, context: string): string | undefined {
  const name = source.replace(/^webpack:\/\/(?:(?!\.{1,2}\/)[^/]*\/(?=\.{0,2}\/))?/, "");
  const type = /^[a-z]+(?:\/[a-z-]+)?\|/i.exec(name)?.[0] ?? "";
  // Loaders stand in front, the last one before the file.
  const request = name.slice(Math.max(type.length, name.lastIndexOf("!") + 1));
  if (NO_FILE.test(name) || NO_FILE.test(request)) return undefined;
  const whole = resolve(context, request);
  if (/[?#|\0]/.test(request) && !existsSync(withoutZeros(whole))) {
    return resolve(context, pathOfRequest(request, type !== ""));
  }
  return withoutZeros(whole);
}

/**
 * Without a query, a fragment or, behind a module with a type, a layer. A zero stands before a mark
 * that belongs to the name.
 */
function pathOfRequest(request: string, hasType: boolean): string {
  const path = /^(?:\0.|[^?#\0])*/s.exec(request)?.[0] ?? request;
  const layer = hasType ? path.indexOf("|") : -1;
  return withoutZeros(layer < 0 ? path : path.slice(0, layer));
}

function withoutZeros(path: string): string {
  return path.replaceAll("\0", "");
}
