/**
 * Stands in for the parser in the campaign: a program is parsed once for its three levels.
 *
 * The walk changes no node; if it did, the levels would differ.
 */
import { parseSync as parse, type ParseResult, type ParserOptions } from "oxc-parser";

let last: { key: string; result: ParseResult } | undefined;

/** Parses a text, or gives back what the last call made of the same text. */
export function parseSync(filename: string, text: string, options?: ParserOptions): ParseResult {
  const key = JSON.stringify([filename, options]) + text;
  if (last?.key !== key) {
    const { program, errors, module, comments } = parse(filename, text, options);
    last = { key, result: { program, errors, module, comments } };
  }
  return last.result;
}

export { visitorKeys } from "oxc-parser";
