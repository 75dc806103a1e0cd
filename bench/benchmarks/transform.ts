/** How fast probes are written into large files, and how much longer the files get. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LARGE_FILES, programOnOneLine } from "../../scripts/one-line.ts";
import type { Benchmark, Case, MeasureContext } from "../benchmark.ts";
import { programPath, reportedSample } from "../run-program.ts";
import { findVariant, root } from "../variants.ts";

const INSTRUMENT = join(root, "packages/instrument/dist/index.cjs");
const LEVELS: Readonly<Record<string, string>> = {
  plain: "parse",
  recorded: "calls",
  lines: "lines",
  writes: "writes",
};

/** The largest files that the tools of this workspace bring along. */
const FILES: readonly (readonly [file: string, format: "module" | "commonjs"])[] = [
  [LARGE_FILES.compiler, "commonjs"],
  ["@arethetypeswrong/core/node_modules/typescript/lib/tsc.js", "commonjs"],
  ["vite/dist/node/chunks/node.js", "module"],
  [LARGE_FILES.parser, "commonjs"],
];

/** A bundle of 10 MB on one line; made in the folder that all runs share. */
const ONE_LINE = "one-line.cjs";

function transformOf(
  name: string,
  format: string,
  pathOf: (context: MeasureContext) => string,
): Case {
  return {
    name,
    measure: (variant, context) =>
      // The transformer is measured, not recorded.
      reportedSample(findVariant("plain"), {
        program: programPath(context, "transform.mjs"),
        args: [INSTRUMENT, pathOf(context), format, LEVELS[variant.name] ?? ""],
        context,
      }),
  };
}

export const transform: Benchmark = {
  name: "transform",
  title: "Writing probes",
  about:
    "The first transform of a fresh process, with nothing compiled yet. `plain` only parses the file, which is the least that any transformer does.",
  rounds: 5,
  peers: ["lines", "writes"],
  metrics: [
    { key: "transformMs", title: "the file", unit: "ms" },
    {
      key: "mbPerSecond",
      title: "speed",
      unit: "MB/s",
      goal: { kind: "value", atLeast: 10 },
    },
    {
      key: "growth",
      title: "length of the text",
      unit: "times",
      goal: { kind: "value", atMost: 2.2 },
    },
  ],
  cases: [
    ...FILES.map(([file, format]) =>
      transformOf(file.replace(/.*node_modules\//, ""), format, () =>
        join(root, "node_modules", file),
      ),
    ),
    transformOf("10 MB, minified, on one line", "commonjs", ({ shared }) => join(shared, ONE_LINE)),
  ],
  prepare: async (shared): Promise<void> => {
    writeFileSync(join(shared, ONE_LINE), programOnOneLine("compiler", 3));
  },
};
