/** What recording costs errors that the program handles itself. */
import type { Benchmark } from "../benchmark.ts";
import { programPath, reportedSample } from "../run-program.ts";

export const throws: Benchmark = {
  name: "throws",
  title: "Throw and catch",
  about: "An error made and thrown, fifteen frames up to the catch.",
  rounds: 7,
  peers: ["lines", "writes", "sentry", "inspector", "istanbul", "appmap"],
  metrics: [
    { key: "usWarm", title: "warm", unit: "us", goal: { kind: "ratio", atMost: 1.5 } },
    { key: "usFirst", title: "the first of a process", unit: "us" },
    { key: "usFirstFive", title: "median of the first five", unit: "us" },
  ],
  cases: [
    {
      name: "",
      measure: (variant, context) =>
        reportedSample(variant, { program: programPath(context, "throws.mjs"), context }),
    },
  ],
};
