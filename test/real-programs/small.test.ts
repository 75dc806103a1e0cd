/**
 * The part of the campaign that every test run can afford: two command-line programs that are dependencies
 * anyway, with all their modules recorded, print the same bytes as without the recorder.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, ROOT, runPlain, runRecorded } from "../support/recorded-run.ts";

const INPUTS = join(ROOT, "test/real-programs/inputs");

const RUNS = [
  { name: "@babel/parser", bin: "@babel/parser/bin/babel-parser.js", input: "terser/input.js" },
  { name: "@babel/parser", bin: "@babel/parser/bin/babel-parser.js", input: "terser/broken.js" },
  { name: "marked", bin: "marked/bin/marked.js", input: "marked/page.md" },
  { name: "marked", bin: "marked/bin/marked.js", input: "marked/missing.md" },
] as const;

describe.each(runtimes())("Node $version", ({ path: node }) => {
  test.for(RUNS)("$name prints the same about $input", async ({ bin, input }) => {
    const options = {
      node,
      file: join(ROOT, "node_modules", bin),
      arguments: [join(INPUTS, input)],
      env: { ORANGEBOX_INCLUDE: "**" },
    };
    const plain = await runPlain(options);
    const recorded = await runRecorded(options);
    try {
      const { stdout, stderr, code, signal } = recorded;
      expect({ stdout, stderr, code, signal }).toEqual(plain);
    } finally {
      removeRun(recorded);
    }
  });
});
