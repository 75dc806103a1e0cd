/**
 * Compiles TypeScript that blanks cannot erase (enums, namespaces, parameter properties, JSX).
 *
 * The source map is decoded into runs of offsets, so that everything behind this file works with
 * offsets into the original text.
 */

import { transformSync } from "oxc-transform";
import type { InstrumentOptions, Untouched } from "./instrumented.ts";
import { findLineStarts } from "./positions.ts";

/** JavaScript and where its runs come from. */
export interface CompiledText {
  readonly text: string;
  readonly compiled: Uint32Array;
  readonly original: Uint32Array;
}

/** Compiles a text, or says why it cannot be. */
export function compileTypeScript(
  source: string,
  options: InstrumentOptions,
): CompiledText | Untouched {
  const result = transformSync(options.filename, source, {
    lang: options.language,
    sourceType: options.format,
    sourcemap: true,
    target: "esnext",
    // Node keeps imports that only look unused; so do we.
    typescript: { onlyRemoveTypeImports: true },
  });
  const error = result.errors.find(isError);
  if (error !== undefined) return { untouched: `cannot be compiled: ${error.message}` };
  if (/\bfrom\s*["']@oxc-project\/runtime\//.test(result.code)) {
    return { untouched: "needs a helper of the compiler (decorators)" };
  }
  if (result.map === undefined) return { untouched: "the compiler gave no source map" };
  const runs = decodeMappings(
    result.map.mappings,
    findLineStarts(result.code),
    findLineStarts(source),
  );
  return { text: result.code, ...runs };
}

/** Decodes the mappings of a source map with one source into ascending runs of offsets. */
export function decodeMappings(
  mappings: string,
  compiledLineStarts: readonly number[],
  originalLineStarts: readonly number[],
): { compiled: Uint32Array; original: Uint32Array } {
  const compiled: number[] = [0];
  const original: number[] = [0];
  let line = 0;
  let column = 0;
  let originalLine = 0;
  let originalColumn = 0;
  let at = 0;
  const readNumber = (): number => {
    let value = 0;
    let shift = 0;
    for (;;) {
      const digit = BASE64.indexOf(mappings.charAt(at++));
      if (digit < 0) throw new RangeError("The source map is damaged");
      value |= (digit & 31) << shift;
      if ((digit & 32) === 0) break;
      shift += 5;
    }
    return (value & 1) === 1 ? -(value >>> 1) : value >>> 1;
  };
  while (at < mappings.length) {
    const unit = mappings.charAt(at);
    if (unit === ";") {
      line++;
      column = 0;
      at++;
      continue;
    }
    if (unit === ",") {
      at++;
      continue;
    }
    column += readNumber();
    if (isSegmentEnd(mappings, at)) continue;
    readNumber();
    originalLine += readNumber();
    originalColumn += readNumber();
    if (!isSegmentEnd(mappings, at)) readNumber();
    const offset = (compiledLineStarts[line] ?? 0) + column;
    const from = (originalLineStarts[originalLine] ?? 0) + originalColumn;
    if (compiled[compiled.length - 1] === offset) original[original.length - 1] = from;
    else {
      compiled.push(offset);
      original.push(from);
    }
  }
  return { compiled: Uint32Array.from(compiled), original: Uint32Array.from(original) };
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function isSegmentEnd(mappings: string, at: number): boolean {
  return at >= mappings.length || mappings.charAt(at) === "," || mappings.charAt(at) === ";";
}

function isError({ severity }: { severity: string }): boolean {
  return severity === "Error";
}
