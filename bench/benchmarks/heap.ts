/** What is left on the heap after a million calls, and the largest memory of the process. */
import type { Benchmark } from "../benchmark.ts";
import { programPath, reportedSample } from "../run-program.ts";

export const heap: Benchmark = {
  name: "heap",
  title: "Memory",
  about:
    "A million calls that allocate, throw now and then, and wait now and then: what the heap has grown by after full collections, and the largest resident size of the process.",
  rounds: 5,
  peers: ["lines", "writes"],
  metrics: [
    {
      key: "grownKb",
      title: "heap grown by",
      unit: "kB",
      goal: { kind: "value", atMost: 100 },
      goals: {
        lines: { kind: "value", atMost: 100 },
        writes: { kind: "value", atMost: 100 },
      },
    },
    { key: "peakRssKb", title: "peak of the process", unit: "kB" },
  ],
  cases: [
    {
      name: "",
      measure: (variant, context) =>
        reportedSample(variant, {
          program: programPath(context, "heap.mjs"),
          nodeArgs: ["--expose-gc"],
          context,
        }),
    },
  ],
};
