/**
 * Compiles what blanks cannot erase: enums, parameter properties, JSX, and the decorators of
 * `experimentalDecorators`. Namespaces are gone by then (lower-namespaces.ts).
 *
 * The source map is decoded into runs of offsets, so that everything behind this file works with
 * offsets into the original text.
 */

import { type HelperMode, type JsxOptions, transformSync } from "oxc-transform";
import type { CompilerSettings, InstrumentOptions, Untouched } from "./instrumented.ts";
import { DECORATORS } from "./made-names.ts";
import { writeMetadataTypes } from "./metadata-types.ts";
import type { CompiledText } from "./moved-text.ts";
import { orderDecorators } from "./order-decorators.ts";
import { parse } from "./parse.ts";
import { findLineStarts, translate } from "./positions.ts";

/** Helpers are reached through a global. The enum of the package is not one that values come from. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- It is this text.
const EXTERNAL = "External" as unknown as HelperMode;

/** The global that the compiler reaches its helpers by. */
const HELPERS = /\bbabelHelpers\b/g;

/** Compiles a text, or says why it cannot be. */
export function compileTypeScript(
  source: string,
  options: InstrumentOptions,
): CompiledText | Untouched {
  const { compiler } = options;
  if (compiler?.experimentalDecorators === true && compiler.emitDecoratorMetadata === true) {
    const parsed = parse(options.filename, source, options);
    if ("problem" in parsed) return { untouched: parsed.problem };
    const typed = writeMetadataTypes(source, parsed.program, compiler.strictNullChecks !== false);
    if (typed !== undefined) {
      const compiled = compileText(typed.text, options);
      return "untouched" in compiled ? compiled : behind(typed, compiled);
    }
  }
  return compileText(source, options);
}

function compileText(source: string, options: InstrumentOptions): CompiledText | Untouched {
  const settings = options.compiler ?? {};
  if (settings.jsx === "preserve") return { untouched: JSX_PRESERVED };
  const isLegacy = settings.experimentalDecorators === true;
  const assigns = settings.useDefineForClassFields === false;
  const result = transformSync(options.filename, source, {
    lang: options.language,
    sourceType: options.format,
    sourcemap: true,
    target: "esnext",
    helpers: { mode: EXTERNAL },
    ...(assigns ? { assumptions: { setPublicClassFields: true } } : {}),
    typescript: {
      // Node keeps imports that only look unused; so do we, where Node could run the text.
      onlyRemoveTypeImports: keepsImports(settings, options),
      ...(assigns ? { removeClassFieldsWithoutInitializer: true } : {}),
    },
    ...(isLegacy
      ? {
          decorator: {
            legacy: true,
            emitDecoratorMetadata: settings.emitDecoratorMetadata === true,
            strictNullChecks: settings.strictNullChecks !== false,
          },
        }
      : {}),
    jsx: jsxOptions(settings),
  });
  const error = result.errors.find(isError);
  if (error !== undefined) return { untouched: `cannot be compiled: ${error.message}` };
  let text = result.code;
  const helpers = Object.keys(result.helpersUsed);
  if (helpers.length > 0) {
    const unknown = helpers.find((name) => !KNOWN_HELPERS.has(name));
    if (unknown !== undefined) return { untouched: `needs a helper of the compiler: ${unknown}` };
    if (source.includes("babelHelpers"))
      return { untouched: "the text names the compiler's helpers" };
    text = text.replaceAll(HELPERS, DECORATORS);
  }
  if (result.map === undefined) return { untouched: "the compiler gave no source map" };
  const runs = decodeMappings(result.map.mappings, findLineStarts(text), findLineStarts(source));
  const compiled = { text, ...runs };
  if (helpers.length === 0) return compiled;
  const ordered = orderDecorators(text);
  return ordered === undefined ? compiled : behindCopies(compiled, ordered);
}

/** Why a file with JSX cannot be run. */
const JSX_PRESERVED = 'tsconfig.json says "jsx": "preserve"';

const KNOWN_HELPERS: ReadonlySet<string> = new Set([
  "decorate",
  "decorateMetadata",
  "decorateParam",
]);

function keepsImports(settings: CompilerSettings, { language }: InstrumentOptions): boolean {
  if (settings.verbatimModuleSyntax === true) return true;
  return language === "ts" && settings.experimentalDecorators !== true;
}

function jsxOptions({
  jsx,
  jsxFactory,
  jsxFragmentFactory,
  jsxImportSource,
}: CompilerSettings): JsxOptions {
  if (jsx === "react") {
    return {
      runtime: "classic",
      ...(jsxFactory === undefined ? {} : { pragma: jsxFactory }),
      ...(jsxFragmentFactory === undefined ? {} : { pragmaFrag: jsxFragmentFactory }),
    };
  }
  return {
    runtime: "automatic",
    development: jsx === "react-jsxdev",
    ...(jsxImportSource === undefined ? {} : { importSource: jsxImportSource }),
  };
}

/** One compiling behind another: where the runs of the second are in the text of the first. */
export function behind(first: CompiledText, second: CompiledText): CompiledText {
  return {
    ...second,
    original: second.original.map((offset) => translate(first.compiled, first.original, offset)),
  };
}

/**
 * The same where the second text was copied out of the first, perhaps in another order: what is
 * copied has runs of the first in the middle.
 */
export function behindCopies(first: CompiledText, second: CompiledText): CompiledText {
  const compiled: number[] = [];
  const original: number[] = [];
  second.compiled.forEach((start, run) => {
    const from = second.original[run] ?? 0;
    const length = (second.compiled[run + 1] ?? second.text.length) - start;
    const next = second.original[run + 1] ?? from;
    // What was written stands for the beginning of what is copied behind it.
    const end = next < from ? from + length : Math.min(from + length, next);
    compiled.push(start);
    original.push(translate(first.compiled, first.original, from));
    for (let inner = firstBehind(first.compiled, from); ; inner++) {
      const at = first.compiled[inner] ?? Infinity;
      if (at >= end) break;
      compiled.push(start + at - from);
      original.push(first.original[inner] ?? 0);
    }
  });
  return {
    text: second.text,
    compiled: Uint32Array.from(compiled),
    original: Uint32Array.from(original),
  };
}

/** The first of ascending offsets that is greater than one. */
function firstBehind(offsets: Uint32Array, offset: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((offsets[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
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
