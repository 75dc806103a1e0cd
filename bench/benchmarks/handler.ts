/** What recording costs a request handler, with all of its code at level `calls`. */
import type { Benchmark } from "../benchmark.ts";
import { programPath, reportedSample } from "../run-program.ts";

export const handler: Benchmark = {
  name: "handler",
  title: "A request handler",
  about: "Builds an order of twenty lines, validates it, summarises it and writes it as JSON.",
  rounds: 7,
  peers: ["lines", "writes", "sentry", "inspector", "istanbul", "appmap"],
  metrics: [
    {
      key: "nsPerRequest",
      title: "a request",
      unit: "ns",
      goal: { kind: "ratio", atMost: 1.05 },
      goals: { lines: { kind: "ratio", atMost: 1.3 }, writes: { kind: "ratio", atMost: 4 } },
    },
  ],
  cases: [
    {
      name: "",
      measure: (variant, context) =>
        reportedSample(variant, { program: programPath(context, "handler.mjs"), context }),
    },
  ],
};
