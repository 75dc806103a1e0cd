/** How fast probes are written into large files, and how much longer the files get. */
import { join } from "node:path";
import type { Benchmark, Case } from "../benchmark.ts";
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
  ["@arethetypeswrong/core/node_modules/typescript/lib/typescript.js", "commonjs"],
  ["@arethetypeswrong/core/node_modules/typescript/lib/tsc.js", "commonjs"],
  ["vite/dist/node/chunks/node.js", "module"],
  ["@babel/parser/lib/index.js", "commonjs"],
];

function transformOf(file: string, format: string): Case {
  return {
    name: file.replace(/.*node_modules\//, ""),
    measure: (variant, context) =>
      // The transformer is measured, not recorded.
      reportedSample(findVariant("plain"), {
        program: programPath(context, "transform.mjs"),
        args: [INSTRUMENT, join(root, "node_modules", file), format, LEVELS[variant.name] ?? ""],
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
  cases: FILES.map(([file, format]) => transformOf(file, format)),
};
