/**
 * The first law of recording: a program with probes prints, throws and points where the plain one does.
 */

import { describe, expect, test } from "vitest";
import { SNIPPETS } from "./snippets.ts";
import { type Compared, RUNTIMES, runSnippets } from "./support/run-plain-and-instrumented.ts";

const TIMEOUT_MS = 300_000;

function check({ snippet, plain, instrumented }: Compared): void {
  for (const outcome of instrumented) {
    expect({ name: snippet.name, ...outcome }).toEqual({
      name: snippet.name,
      ...plain,
      problems: [],
    });
  }
}

describe.each(RUNTIMES)("on %s", (runtime) => {
  test.each(["calls", "lines", "writes"] as const)(
    "snippets run the same with probes at level %s",
    (level) => {
      for (const compared of runSnippets(runtime, SNIPPETS, level)) check(compared);
    },
    TIMEOUT_MS,
  );
});
