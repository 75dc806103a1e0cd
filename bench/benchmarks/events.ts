/** What one event costs where there is nothing else to pay for: recursion that does nothing but call. */
import type { Benchmark, Case } from "../benchmark.ts";
import { programPath, reportedSample } from "../run-program.ts";
import type { Variant } from "../variants.ts";

const EVENTS_PER_CALL = 2;

function fib(name: string, program: string): Case {
  return {
    name,
    measure: (variant: Variant, context) => {
      const byHand = variant.name === "by hand";
      return reportedSample(variant, {
        program: programPath(context, byHand ? "fib-by-hand.cjs" : program),
        context,
      });
    },
  };
}

export const events: Benchmark = {
  name: "events",
  title: "One event",
  about:
    "fib(18) again and again, JIT-warm: each call is an entry and an exit. `by hand` stores two words per call, without variables and without a way to see errors pass.",
  rounds: 5,
  peers: ["lines", "writes", "by hand", "sentry", "inspector", "istanbul", "appmap"],
  metrics: [
    { key: "nsPerCall", title: "a call", unit: "ns", goal: { kind: "ratio", atMost: 1.45 } },
    {
      key: "nsPerEvent",
      title: "an event, over the bare call",
      unit: "ns",
      goal: { kind: "value", atMost: 1 },
      optional: true,
    },
  ],
  cases: [fib("CommonJS", "fib.cjs"), fib("ES module", "fib.mjs")],
  derive: (medians, plain): Record<string, number> => ({
    nsPerEvent: ((medians["nsPerCall"] ?? 0) - (plain["nsPerCall"] ?? 0)) / EVENTS_PER_CALL,
  }),
};
