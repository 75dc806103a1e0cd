/**
 * Writes probes into a source text: the one entry of this package.
 *
 * Parses, walks, applies the edits. Whatever goes wrong, the answer is to leave the text alone.
 */

import type { Program } from "oxc-parser";
import { behind, behindCopies, compileTypeScript } from "./compile-typescript.ts";
import { findDynamicScopes } from "./dynamic-scope.ts";
import type {
  Instrumented,
  InstrumentOptions,
  ModuleFormat,
  PositionData,
  Untouched,
} from "./instrumented.ts";
import { lowerDecorators } from "./lower-decorators.ts";
import { lowerNamespaces } from "./lower-namespaces.ts";
import { DECORATORS, namesMadeIn } from "./made-names.ts";
import type { CompiledText } from "./moved-text.ts";
import { parse } from "./parse.ts";
import { findLineStarts, translate } from "./positions.ts";
import { blankUnusedImports } from "./unused-imports.ts";
import { eraseOnly, writeProbes } from "./probe-writer.ts";
import { NotErasable } from "./type-eraser.ts";

const BYTE_ORDER_MARK = 0xfeff;

/** Largest text that gets probes, in UTF-16 units. */
const MAX_TEXT_LENGTH = 64 * 1024 * 1024;

/** The recorder's own text, or text that has probes already. */
const HAS_PROBES = /\b__ob(?:[RHFMWSCA]\b|D)|\/\*__ob:/;

/**
 * Instruments a text, or says why the whole text has to stay as it is. Never throws.
 *
 * Types are erased on the way: the code is JavaScript whatever the language was. A text that is
 * left untouched still is what it was.
 */
export function instrument(source: string, options: InstrumentOptions): Instrumented | Untouched {
  try {
    if (source.length > MAX_TEXT_LENGTH) return { untouched: "the text is too long" };
    if (HAS_PROBES.test(source)) return { untouched: "the text names the recorder's own globals" };
    const text = withoutMark(source);
    const result = instrumentText(text, options);
    // A text that had to be compiled has lost the blank.
    if (text === source || "untouched" in result || !result.code.startsWith(" ")) return result;
    return { ...result, code: source.charAt(0) + result.code.slice(1) };
  } catch (error) {
    if (error instanceof NotErasable) {
      return { untouched: `holds syntax that Node does not run: ${error.message}` };
    }
    return { untouched: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Puts a blank in the place of a byte order mark: the engine counts the mark as a column, the
 * parser does not.
 */
function withoutMark(source: string): string {
  return source.charCodeAt(0) === BYTE_ORDER_MARK ? ` ${source.slice(1)}` : source;
}

/**
 * Blanks the types of a TypeScript text as Node does when it strips them: what
 * `Function.prototype.toString` shows in a plain run. Lengths and places stay.
 *
 * @returns `undefined` if blanks are not enough, or if the text has mistakes.
 */
export function eraseTypes(marked: string, filename: string): string | undefined {
  if (marked.length > MAX_TEXT_LENGTH) return undefined;
  const source = withoutMark(marked);
  try {
    for (const format of formatsOf(filename)) {
      const parsed = parse(filename, source, { language: "ts", format });
      if ("problem" in parsed) continue;
      const { program } = parsed;
      const lineStarts = findLineStarts(source);
      return eraseOnly({
        text: source,
        program,
        format,
        typed: true,
        level: "calls",
        ringMask: 0,
        prefix: "$o",
        lineStarts,
        textLineStarts: lineStarts,
        dynamic: new Map(),
        toOriginal: (offset) => offset,
      });
    }
  } catch (error) {
    if (!(error instanceof NotErasable || error instanceof RangeError)) throw error;
  }
  return undefined;
}

function formatsOf(filename: string): readonly ModuleFormat[] {
  if (filename.endsWith(".cts")) return ["commonjs"];
  return filename.endsWith(".mts") ? ["module"] : ["module", "commonjs"];
}

function instrumentText(source: string, options: InstrumentOptions): Instrumented | Untouched {
  let need: string;
  try {
    return walkText(source, source, options, undefined);
  } catch (error) {
    if (!(error instanceof NotErasable)) throw error;
    need = error.message;
  }
  const parsed = parse(options.filename, source, options);
  // With old decorators the compiler decides: types at run time may need a name.
  let text =
    "problem" in parsed || hasOldDecorators(options)
      ? source
      : withoutTypeImports(source, parsed.program, options);
  let lowered: CompiledText | undefined;
  // What stood first was found first; decorators may stand behind it, and the compiler leaves them.
  if (!hasOldDecorators(options)) {
    const again = parse(options.filename, text, options);
    if ("problem" in again) return { untouched: again.problem };
    lowered = lowerDecorators(text, again.program);
    if (lowered !== undefined) {
      if (isMadeAhead(options)) return { untouched: DECORATORS_AHEAD };
      ({ text } = lowered);
    }
  }
  let namespaces: ReadonlySet<string> = NO_NAMES;
  if (options.language !== "js" && MAY_HAVE_NAMESPACES.test(text)) {
    const again = parse(options.filename, text, options);
    if ("problem" in again) return { untouched: again.problem };
    const written = lowerNamespaces(text, again.program);
    if (written !== undefined) {
      lowered = lowered === undefined ? written : behindCopies(lowered, written);
      ({ text, made: namespaces } = written);
    }
  }
  if (lowered !== undefined) {
    // Fields that are assigned are the compiler's matter.
    if (options.compiler?.useDefineForClassFields !== false) {
      try {
        return walkText(source, text, options, lowered, namespaces);
      } catch (error) {
        if (!(error instanceof NotErasable)) throw error;
        need = error.message;
      }
    }
  }
  if (options.language === "js")
    return { untouched: `holds syntax that Node does not run: ${need}` };
  const compiled = compileTypeScript(text, options);
  if ("untouched" in compiled) return compiled;
  if (isMadeAhead(options) && compiled.text.includes(DECORATORS)) {
    return { untouched: DECORATORS_AHEAD };
  }
  const whole = lowered === undefined ? compiled : behind(lowered, compiled);
  const made = new Set([...namesMadeIn(compiled.text, source), ...namespaces]);
  return walkText(source, compiled.text, { ...options, language: "js" }, whole, made);
}

/** `module N {}` is the old way to write a namespace. */
const MAY_HAVE_NAMESPACES = /\b(?:namespace|module)\b/;

const NO_NAMES: ReadonlySet<string> = new Set();

/** Compiled decorators call a global of the recorder, and a build runs without one as well. */
const DECORATORS_AHEAD = "decorators in a text that is made ahead";

function isMadeAhead({ ringMask }: InstrumentOptions): boolean {
  return typeof ringMask !== "number";
}

/** Whether decorators are those of before the standard: only TypeScript has them. */
function hasOldDecorators({ language, compiler }: InstrumentOptions): boolean {
  const isTyped = language === "ts" || language === "tsx";
  return isTyped && compiler?.experimentalDecorators === true;
}

/** The text without names that are imported and only used as types, as long as before. */
function withoutTypeImports(
  text: string,
  program: Program,
  { language, compiler }: InstrumentOptions,
): string {
  const isTyped = language === "ts" || language === "tsx";
  if (!isTyped || compiler?.verbatimModuleSyntax === true) return text;
  return blankUnusedImports(text, program) ?? text;
}

function walkText(
  source: string,
  given: string,
  options: InstrumentOptions,
  compiled: CompiledText | undefined,
  madeNames: ReadonlySet<string> = NO_NAMES,
): Instrumented | Untouched {
  const { filename, format, language, level, ringMask } = options;
  const parsed = parse(filename, given, { language, format });
  if ("problem" in parsed) return { untouched: parsed.problem };
  let { program } = parsed;
  let text = given;
  if (compiled === undefined) {
    const blanked = withoutTypeImports(given, program, options);
    const again = blanked === given ? parsed : parse(filename, blanked, { language, format });
    if ("program" in again) {
      ({ program } = again);
      text = blanked;
    }
  }
  const prefix = findPrefix(text);
  if (prefix === undefined) return { untouched: "the text uses every name a probe could have" };
  const lineStarts = findLineStarts(source);
  const textLineStarts = compiled === undefined ? lineStarts : findLineStarts(text);
  const { edited, sites, skipped } = writeProbes({
    text,
    program,
    format,
    typed: language === "ts" || language === "tsx",
    level,
    ringMask,
    levelAt: options.levelAt,
    prefix,
    lineStarts,
    textLineStarts,
    dynamic: findDynamicScopes(program, text),
    madeNames,
    toOriginal:
      compiled === undefined
        ? (offset) => offset
        : (offset) => translate(compiled.compiled, compiled.original, offset),
  });
  const positions: PositionData = {
    version: 1,
    generated: edited.generated,
    original: edited.original,
    generatedLineStarts: edited.generatedLineStarts,
    originalLineStarts: Uint32Array.from(lineStarts),
    ...(compiled === undefined
      ? {}
      : { map: { compiled: compiled.compiled, original: compiled.original } }),
  };
  return {
    code: edited.code,
    idOffsets: edited.idOffsets,
    siteCount: sites.count,
    sites: sites.finish(lineStarts),
    positions,
    borrowed: edited.borrowed,
    skipped,
  };
}

/** An escape that spells the beginning of our names, so that searching the text would miss it. */
const ESCAPED_PREFIX = /\\u\{?0*(?:24|6f)\b/i;

const PREFIX_TRIES = 100;

/** A beginning of names that the text does not hold anywhere. */
function findPrefix(text: string): string | undefined {
  if (!ESCAPED_PREFIX.test(text) && !text.includes("$o")) return "$o";
  for (let count = 0; count < PREFIX_TRIES; count++) {
    const prefix = `$ob${count}_`;
    if (!text.includes(prefix) && !ESCAPED_PREFIX.test(text)) return prefix;
  }
  return ESCAPED_PREFIX.test(text) ? `$ob${hashOf(text)}_` : undefined;
}

/** Spelling this name by chance, with escapes, is as good as impossible. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
