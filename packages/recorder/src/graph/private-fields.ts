/**
 * Finds the private data fields of a class in its text, and reads them from an object.
 *
 * Accessors would run code when they are read, so names that can be accessors are left out.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import type { EngineNatives } from "./engine-natives.ts";
import {
  SafeSet,
  append,
  isProxy,
  item,
  regExpExec,
  stringEndsWith,
  stringIndexOf,
  stringSlice,
} from "./primordials.ts";
import type { AnyFunction } from "./primordials.ts";
import { functionText } from "./prototype-facts.ts";

/** Longest class text that is searched for private names, in UTF-16 units. */
const MAX_CLASS_TEXT = 1_000_000;

const MAX_PRIVATE_NAMES = 64;

const PRIVATE_NAME = /#([A-Za-z_$][\w$]*)/g;

const ACCESSOR = /(?:get|set)(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*\n)*#([A-Za-z_$][\w$]*)/g;

/** Private names in a class text that cannot be accessors; null when a name is written with escapes. */
export function privateFieldNames(text: string): readonly string[] | null {
  const names: string[] = [];
  if (stringSlice(text, 0, 5) !== "class" || text.length > MAX_CLASS_TEXT) return names;
  if (stringIndexOf(text, "#") < 0) return names;
  if (regExpExec(/#[\w$]*(?:\\|[^\0-\x7f])/, text) !== null) return null;
  const seen = new SafeSet<string>();
  ACCESSOR.lastIndex = 0;
  for (let match = regExpExec(ACCESSOR, text); match !== null; match = regExpExec(ACCESSOR, text)) {
    seen.add(item(match, 1));
  }
  PRIVATE_NAME.lastIndex = 0;
  while (names.length < MAX_PRIVATE_NAMES) {
    const match = regExpExec(PRIVATE_NAME, text);
    if (match === null) break;
    const name = item(match, 1);
    if (seen.has(name)) continue;
    seen.add(name);
    append(names, name);
  }
  return names;
}

/** Values of the private fields an object has; a name it lacks throws and is left out. */
export function readPrivates(
  natives: EngineNatives,
  object: object,
  names: readonly string[],
): [string, unknown][] {
  const out: [string, unknown][] = [];
  for (let at = 0; at < names.length; at++) {
    const name = `#${item(names, at)}`;
    try {
      const value = natives.privateMember(object, name);
      if (!isPrivateMethod(name, value)) append(out, [name, value]);
    } catch {
      // The class text names fields that this object does not have, or has twice.
    }
  }
  return out;
}

/** Methods begin with their own name; functions kept in a field do not. */
function isPrivateMethod(name: string, value: unknown): boolean {
  if (typeof value !== "function" || isProxy(value)) return false;
  const text = stringSlice(functionText(value as AnyFunction), 0, 200);
  const at = stringIndexOf(text, name);
  if (at < 0) return false;
  const before = stringSlice(text, 0, at);
  return before === "" || before === "async " || before === "*" || stringEndsWith(before, "*");
}
