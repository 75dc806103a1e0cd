/**
 * A large program on one line: a file of CommonJS, minified, as often as it takes.
 *
 * For the transform bench and a test; the files are those of tools that this workspace brings.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { minifySync } from "rolldown/utils";

/** The TypeScript compiler (3.5 MB when it is minified) and Babel's parser (0.2 MB). */
export const LARGE_FILES = {
  compiler: "@arethetypeswrong/core/node_modules/typescript/lib/typescript.js",
  parser: "@babel/parser/lib/index.js",
} as const;

/** Text of `copies` copies on one line; `api` is what the last of them exports. */
export function programOnOneLine(file: keyof typeof LARGE_FILES, copies: number): string {
  const path = fileURLToPath(new URL(`../node_modules/${LARGE_FILES[file]}`, import.meta.url));
  const { code, errors } = minifySync(path, readFileSync(path, "utf8"));
  if (errors.length > 0) throw new Error(`${path} cannot be minified: ${errors[0]?.message}`);
  // Only templates have line ends now, where an escape says the same.
  const line = code.replaceAll("\r", "").trimEnd().replaceAll("\n", "\\n");
  const one = (index: number): string =>
    `var m${index}={exports:{}};(function(module,exports){${line}})(m${index},m${index}.exports);`;
  const all = Array.from({ length: copies }, (_, index) => one(index)).join("");
  return `${all}const api=m${copies - 1}.exports;`;
}
