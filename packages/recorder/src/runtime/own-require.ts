/**
 * A `require` that starts from this package, wherever the program is.
 *
 * What it loads is not in `require.cache` afterwards: the program sees only its own modules there.
 */
import nodeModule, { createRequire } from "node:module";
import { sharedState } from "./shared-state.ts";

const load = createRequire(import.meta.url);
/** Start-up and crash are files of their own, which need not load the transformer twice. */
const loaded = sharedState("required", () => new Map<string, unknown>());

/** Where a module of ours is. */
export const ownResolve: (id: string) => string = load.resolve;

/** Loads a module of ours, once. */
export function ownRequire(id: string): unknown {
  if (loaded.has(id)) return loaded.get(id);
  const tables = cacheTables();
  const before = tables.map((table) => new Set(Object.keys(table)));
  try {
    const value: unknown = load(id);
    loaded.set(id, value);
    return value;
  } finally {
    for (const [index, table] of tables.entries()) {
      for (const key of Object.keys(table))
        if (before[index]?.has(key) === false) delete table[key];
    }
  }
}

/** By the name of a file, and by what was asked for. */
function cacheTables(): Record<string, unknown>[] {
  const { _pathCache } = nodeModule as unknown as { _pathCache?: Record<string, unknown> };
  return [load.cache, _pathCache].filter((table) => table !== undefined);
}
