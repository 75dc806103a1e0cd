/**
 * Reads fields out of values of unknown shape, as EXT blocks hold them.
 *
 * Whatever is missing or has another type than expected reads as undefined; nothing throws.
 */

/** Gives field `name` of a map-like value, or undefined. Own fields only. */
export function fieldOf(value: unknown, name: string): unknown {
  if (value instanceof Map) return value.get(name);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** Gives `value` if it is a text, else undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Gives `value` if it is a whole number from 0 to 2^53 - 1, else undefined. */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined;
}

/** Gives `value` if it can be an object id (u64), else undefined. */
export function idOf(value: unknown): number | bigint | undefined {
  if (typeof value === "bigint") return value >= 0n && value < 1n << 64n ? value : undefined;
  return countOf(value);
}

/** Gives the elements of `value` if it is a list, else none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
