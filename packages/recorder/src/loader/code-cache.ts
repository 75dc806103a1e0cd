/**
 * Lets Node keep the engine's compiled form of what it loads, beside our own cache.
 *
 * A text with probes is about twice as long as the original, and reading it again at every start
 * costs more than all else that recording adds. The engine's own cache is checked by Node against
 * the text, the engine's version and its flags. The program sees nothing of it: what it asks Node
 * about the cache is answered as if it were off until the program itself turns it on.
 */
import * as nodeModule from "node:module";
import { join } from "node:path";
import { printAs } from "../stack/function-text.ts";
import { CODE_FOLDER } from "./cache-folder.ts";

interface CompileCacheApi {
  enableCompileCache?: (cacheDir?: unknown) => { status: number; directory?: string };
  getCompileCacheDir?: () => string | undefined;
  constants?: { compileCacheStatus?: { ENABLED: number; ALREADY_ENABLED: number } };
}

/** Turns the cache on for this process, unless the program's environment speaks about it. */
export function useCodeCache(cacheDir: string): void {
  const { env } = process;
  if (
    env["NODE_COMPILE_CACHE"] !== undefined ||
    env["NODE_DISABLE_COMPILE_CACHE"] !== undefined ||
    // Functions that come out of a cache have coarser coverage.
    env["NODE_V8_COVERAGE"] !== undefined
  ) {
    return;
  }
  // The object that `require("node:module")` gives; an import of it is a copy.
  const api = nodeModule.Module as unknown as CompileCacheApi;
  const { enableCompileCache, getCompileCacheDir, constants } = api;
  const status = constants?.compileCacheStatus;
  if (enableCompileCache === undefined || status === undefined) return;
  if (enableCompileCache(join(cacheDir, CODE_FOLDER)).status !== status.ENABLED) return;
  let isWanted = false;
  replace(api, "enableCompileCache", function enableCompileCache_(directory?: unknown) {
    const result = enableCompileCache.call(api, directory);
    if (isWanted || result.status !== status.ALREADY_ENABLED) return result;
    isWanted = true;
    return { ...result, status: status.ENABLED };
  });
  replace(api, "getCompileCacheDir", function getCompileCacheDir_() {
    return isWanted ? getCompileCacheDir?.call(api) : undefined;
  });
  nodeModule.syncBuiltinESMExports();
}

/** Puts a function in the place of one of Node's, under its name and its text. */
function replace<Name extends "enableCompileCache" | "getCompileCacheDir">(
  api: CompileCacheApi,
  name: Name,
  replacement: NonNullable<CompileCacheApi[Name]>,
): void {
  const original = api[name];
  if (original === undefined) return;
  Object.defineProperty(replacement, "name", { value: name, configurable: true });
  printAs(replacement, original);
  api[name] = replacement;
}
