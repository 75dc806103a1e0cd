/** The programs in `examples/` do what their comments say, plain and recorded alike. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "./support/recorded-run.ts";

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

describe("built/, bundled and minified", () => {
  let folder = "";
  beforeAll(() => {
    // Inside of the repository: the file finds its sources by the paths of its source map.
    folder = mkdtempSync(join(ROOT, "examples/built/dist-"));
    const vite = join(ROOT, "node_modules/vite/bin/vite.js");
    execFileSync(
      process.execPath,
      [vite, "build", join(ROOT, "examples/built"), "--outDir", folder, "--logLevel", "error"],
      { encoding: "utf8" },
    );
  }, 60_000);
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test.for(runtimes())(
    "its box speaks of the sources, on Node $version",
    async ({ path: node }) => {
      const file = join(folder, "main.js");
      const plain = await runPlain({ node, file });
      const recorded = await runRecorded({ node, file });
      try {
        // Alone, the line that Node quotes is that of the file, with its probes.
        const { stdout, stderr, code, signal } = recorded;
        expect([stdout, code, signal]).toEqual([plain.stdout, plain.code, plain.signal]);
        expect(stdout).toBe("1 item: 3.60 EUR\n");
        const [box] = recorded.boxes;
        if (box === undefined) throw new Error(`no box: ${stderr}`);
        expect(frameNames(box)).toEqual([
          "discountOf (cart.ts:15)",
          "checkout (cart.ts:21)",
          "<module> (main.ts:11)",
        ]);
        expect(localNode(box, 0, "code")?.repr).toBe("SPRING");
        expect(localNode(box, 1, "sum")?.repr).toBe("9");
        // The path to the crash has the names and places of the sources as well.
        const ring = box.events();
        const path = [...(ring?.events ?? [])].map(
          ({ codeId, line }) => `${ring?.codes.get(codeId)?.qualname}:${line}`,
        );
        expect(path.slice(-3)).toEqual(["discountOf:15", "discountOf:15", "checkout:21"]);
        expect(path).toContain("<anonymous:20:28>:20");
      } finally {
        removeRun(recorded);
      }
    },
  );
});
