/**
 * State that all copies of this package in one thread share.
 *
 * The register file is one bundle; a program that imports `orangebox` loads the modules beside
 * it. What one of them registers the other must see.
 */

/** Gives the value kept under a name, making it the first time. */
export function sharedState<Value>(name: string, make: () => Value): Value {
  const key = Symbol.for(`orangebox.${name}.1`);
  const holder = globalThis as unknown as Record<symbol, Value | undefined>;
  const known = holder[key];
  if (known !== undefined) return known;
  const value = make();
  Object.defineProperty(globalThis, key, {
    value,
    enumerable: false,
    writable: false,
    configurable: true,
  });
  return value;
}
