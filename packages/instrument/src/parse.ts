/**
 * Parses a text once, as fast as the platform allows, and refuses what could harm the process.
 */

import { type OxcError, type ParserOptions, type Program, parseSync } from "oxc-parser";
import type { Language, ModuleFormat } from "./instrumented.ts";
import { declaresScriptName, isModuleSyntax } from "./syntax.ts";

/**
 * Deepest nesting of brackets that is parsed. The parser recurses on the native stack, where an
 * overflow ends the process; it overflows at 2,200 in a worker, and the engine gives up at 3,100.
 */
const MAX_BRACKET_DEPTH = 1500;

/** Longest chain of `?` in one statement: recursion as well, overflowing at 6,300 in a worker. */
const MAX_CONDITIONAL_CHAIN = 3000;

/** Longest sum in one statement; the parser overflows at 33,000 in a worker. */
const MAX_SUM_CHAIN = 25_000;

/** Only texts longer than this can hold any such nesting. */
const SHORT_TEXT = MAX_BRACKET_DEPTH;

/** A tree, or why there is none. */
export type Parsed = { readonly program: Program } | { readonly problem: string };

/** Parses a text; any error, also an early error by meaning, is a problem. */
export function parse(
  filename: string,
  text: string,
  options: { language: Language; format: ModuleFormat },
): Parsed {
  const depth = text.length > SHORT_TEXT ? findNesting(text) : undefined;
  if (depth !== undefined) return { problem: depth };
  const parserOptions: ParserOptions = {
    lang: options.language,
    sourceType: options.format,
    astType: options.language === "ts" || options.language === "tsx" ? "ts" : "js",
    preserveParens: true,
    showSemanticErrors: true,
  };
  // Not by the parser's raw transfer, which is twice as fast: it reserves 6 GiB that the program
  // would see in `process.memoryUsage()` until a collection comes.
  const { program, errors } = parseSync(filename, text, parserOptions);
  const error = errors.find(isError);
  if (options.format === "commonjs") {
    if (error === undefined && program.body.some(isForModules)) return { problem: MODULE_SYNTAX };
    if (errors.some(isAboutModules) && isModule(filename, text, parserOptions)) {
      return { problem: MODULE_SYNTAX };
    }
  }
  return error === undefined ? { program } : { problem: `syntax error: ${error.message}` };
}

/**
 * Why a script is left alone that only an ES module could be. Node finds out by running it, and
 * then loads the text again.
 */
const MODULE_SYNTAX = "ES module syntax";

function isForModules(statement: Program["body"][number]): boolean {
  return isModuleSyntax(statement) || declaresScriptName(statement);
}

/** What the parser says of top-level await, `import.meta`, imports and exports in a script. */
function isAboutModules({ message }: OxcError): boolean {
  return /\bawait\b|import\.meta|(?:import|export) statement/.test(message);
}

/** Whether a text that is no script is a module. */
function isModule(filename: string, text: string, options: ParserOptions): boolean {
  const { errors } = parseSync(filename, text, { ...options, sourceType: "module" });
  return !errors.some(isError);
}

/** Looks at brackets and operators only; strings count as code, so the limits are generous. */
function findNesting(text: string): string | undefined {
  let depth = 0;
  let conditionals = 0;
  let sums = 0;
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Most of a text is lower-case letters; the test alone halves the time.
    if (unit > 96 && unit < 123) {
      previous = unit;
      continue;
    }
    switch (unit) {
      case 40: // (
      case 91: // [
        if (++depth > MAX_BRACKET_DEPTH) return `nested deeper than ${MAX_BRACKET_DEPTH} brackets`;
        break;
      case 123: // {
        if (++depth > MAX_BRACKET_DEPTH) return `nested deeper than ${MAX_BRACKET_DEPTH} brackets`;
        conditionals = 0;
        sums = 0;
        break;
      case 41: // )
      case 93: // ]
        if (depth > 0) depth--;
        break;
      case 125: // }
        if (depth > 0) depth--;
        conditionals = 0;
        sums = 0;
        break;
      case 59: // ;
        conditionals = 0;
        sums = 0;
        break;
      case 63: // ?
        if (++conditionals > MAX_CONDITIONAL_CHAIN) return "a chain of conditions is too long";
        break;
      case 43: // +
        // Base64 is full of plus signs, but never behind a quote, a bracket or a space.
        if (previous < 48 && ++sums > MAX_SUM_CHAIN) return "a sum is too long";
        break;
    }
    previous = unit;
  }
  return undefined;
}

function isError({ severity }: { severity: string }): boolean {
  return severity === "Error";
}
