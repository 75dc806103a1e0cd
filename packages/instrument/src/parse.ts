/**
 * Parses a text once, as fast as the platform allows, and refuses what could harm the process.
 */

import { type OxcError, type ParserOptions, type Program, parseSync } from "oxc-parser";
import type { Language, ModuleFormat } from "./instrumented.ts";
import { findNesting } from "./nesting.ts";
import { declaresScriptName, isModuleSyntax } from "./syntax.ts";

/** A tree, or why there is none. */
export type Parsed = { readonly program: Program } | { readonly problem: string };

/** Parses a text; any error, also an early error by meaning, is a problem. */
export function parse(
  filename: string,
  text: string,
  options: { language: Language; format: ModuleFormat },
): Parsed {
  const depth = findNesting(text, options.language);
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

function isError({ severity }: { severity: string }): boolean {
  return severity === "Error";
}
