/** How long a crash takes until the file is there, for larger and larger graphs of objects. */
import type { Benchmark, Case } from "../benchmark.ts";
import { outputBytes, programPath, runProgram } from "../run-program.ts";

function crashWith(objects: number): Case {
  return {
    name: `${objects.toLocaleString("en")} objects`,
    measure: async (variant, context) => {
      const run = await runProgram(variant, {
        program: programPath(context, "crash.cjs"),
        args: [String(objects)],
        context,
      });
      const thrown = /^THROW (\S+)$/m.exec(run.stdout)?.[1];
      if (thrown === undefined || run.exitCode !== 1) {
        throw new Error(`ended with ${run.exitCode}: ${run.stderr.trim().slice(0, 300)}`);
      }
      const bytes = outputBytes(context);
      if (variant.name === "recorded" && bytes === 0) throw new Error("wrote no file");
      return {
        throwToExitMs: run.exitedAtMs - Number(thrown),
        ...(bytes > 0 ? { fileKb: bytes / 1000 } : {}),
      };
    },
  };
}

export const crash: Benchmark = {
  name: "crash",
  title: "Crash to file",
  about:
    "From the throw to the exit of the process, with so many objects within reach of the failing frames. The plain program only prints its stack.",
  rounds: 5,
  peers: ["sentry", "inspector"],
  metrics: [
    { key: "throwToExitMs", title: "throw to exit", unit: "ms" },
    {
      key: "addedMs",
      title: "over the plain crash",
      unit: "ms",
      goal: { kind: "value", atMost: 250 },
      optional: true,
    },
    { key: "fileKb", title: "file", unit: "kB", optional: true },
  ],
  cases: [1e3, 1e4, 1e5, 1e6].map(crashWith),
  derive: (medians, plain): Record<string, number> => ({
    addedMs: (medians["throwToExitMs"] ?? 0) - (plain["throwToExitMs"] ?? 0),
  }),
};
