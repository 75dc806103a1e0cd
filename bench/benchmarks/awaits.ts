/** What recording costs programs that do little but wait. */
import type { Benchmark } from "../benchmark.ts";
import { programPath, reportedSample } from "../run-program.ts";

export const awaits: Benchmark = {
  name: "awaits",
  title: "300,000 awaits",
  about: "Two levels of async functions; the inner one awaits a value that is there already.",
  rounds: 7,
  peers: ["lines", "writes", "sentry", "inspector", "istanbul", "appmap"],
  metrics: [
    {
      key: "msFor300k",
      title: "300,000 awaits",
      unit: "ms",
      goal: { kind: "ratio", atMost: 1.12 },
    },
  ],
  cases: [
    {
      name: "",
      measure: (variant, context) =>
        reportedSample(variant, { program: programPath(context, "awaits.mjs"), context }),
    },
  ],
};
