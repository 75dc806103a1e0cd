// Writes probes into one file, once, in a fresh process: `transform.mjs <package> <file> <format> <level>`.
// The level `parse` only parses, which no transformer can do without.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import measure from "./measure.cjs";

const [instrumentFile, file, format, level] = process.argv.slice(2);
const require = createRequire(instrumentFile);
const { instrument } = require(instrumentFile);
const { parseSync } = require("oxc-parser");
const source = readFileSync(file, "utf8");
const megabytes = source.length / 1e6;
const began = performance.now();
let growth = 1;
if (level === "parse") {
  const sourceType = format === "module" ? "module" : "commonjs";
  if (parseSync(file, source, { sourceType, range: false }).program.body.length === 0) {
    throw new Error("nothing was parsed");
  }
} else {
  const result = instrument(source, {
    filename: file,
    format,
    language: "js",
    level,
    ringMask: 0xffff,
  });
  if ("untouched" in result) throw new Error(result.untouched);
  growth = result.code.length / source.length;
}
const ms = performance.now() - began;
measure.report({ transformMs: ms, mbPerSecond: megabytes / (ms / 1000), growth });
