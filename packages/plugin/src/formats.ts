/**
 * In which forms the output of a bundler can have probes: as a module of Node's loaders.
 *
 * A script (`iife`, `umd`, `amd`, `system`) shares its top level with other scripts of its page.
 */
import type { ModuleFormat } from "@orangebox/instrument";

const FORMATS: Readonly<Record<string, readonly ModuleFormat[]>> = {
  es: ["module"],
  esm: ["module"],
  module: ["module"],
  cjs: ["commonjs"],
  commonjs: ["commonjs"],
};

/** The forms of a bundler's format; undefined for scripts. */
export function moduleFormats(name: string): readonly ModuleFormat[] | undefined {
  return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
}

/** Said of scripts. */
export const BUILD_MODULES = "Build ES modules or CommonJS to record them in Node";

/** Names of files that may hold JavaScript. */
export const SCRIPT_FILE: RegExp = /\.[cm]?js$/;
