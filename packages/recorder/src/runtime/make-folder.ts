/**
 * Makes a folder and what is missing above it.
 *
 * Not with `recursive`: below a place where nothing can be made, such as `/proc`, Node goes round
 * in circles for ever (22, 24 and 26).
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

const MAX_LEVELS = 100;

/** @throws The error of the first level that cannot be made. */
export function makeFolder(path: string, mode: number = 0o777): void {
  const missing: string[] = [];
  let at = path;
  for (let level = 0; level < MAX_LEVELS; level++) {
    try {
      mkdirSync(at, { mode });
      break;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") break;
      const parent = dirname(at);
      if (code !== "ENOENT" || parent === at) throw error;
      missing.push(at);
      at = parent;
    }
  }
  for (let i = missing.length - 1; i >= 0; i--) {
    try {
      mkdirSync(missing[i] ?? "", { mode });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
