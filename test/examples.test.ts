/** The programs in `examples/` do what their comments say, plain and recorded alike. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runtimes } from "../scripts/runtimes.ts";
import { removeRun, ROOT, runPlain, runRecorded } from "./support/recorded-run.ts";

const EXAMPLES = [
  { file: "average.ts", says: "mean of no samples", type: "RangeError", frame: "mean" },
  {
    file: "http.ts",
    says: "an order without lines has no currency",
    type: "RangeError",
    frame: "total",
  },
  {
    file: "worker.ts",
    says: "users has no place for attempt 6",
    type: "RangeError",
    frame: "insert",
  },
] as const;

/** The oldest version runs no TypeScript without the recorder, so there is nothing to compare. */
const runsTypeScript = runtimes().filter(({ version }) => !version.startsWith("22."));

describe.each(runsTypeScript)("Node $version", ({ path: node }) => {
  test.for(EXAMPLES)("$file ends as it does without the recorder", async ({ file, says }) => {
    const options = { node, file: join(ROOT, "examples", file) };
    const plain = await runPlain(options);
    const recorded = await runRecorded(options);
    try {
      const { stdout, stderr, code, signal } = recorded;
      expect({ stdout, stderr, code, signal }).toEqual(plain);
      expect(stdout + stderr).toContain(says);
      expect(code).toBe(1);
    } finally {
      removeRun(recorded);
    }
  });
});

describe.each(runtimes())("Node $version", ({ path: node }) => {
  test.for(EXAMPLES)(
    "$file leaves a box that begins in $frame",
    async ({ file, says, type, frame }) => {
      const recorded = await runRecorded({ node, file: join(ROOT, "examples", file) });
      try {
        const box = recorded.boxes.find((one) => one.exceptions()[0]?.message === says);
        expect(box?.exceptions()[0]?.type).toBe(type);
        expect(box?.frames()[0]?.qualname).toBe(frame);
      } finally {
        removeRun(recorded);
      }
    },
  );
});
