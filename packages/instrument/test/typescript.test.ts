/**
 * TypeScript runs with no build step, and points where Node's own type stripping points.
 */

import { describe, expect, test } from "vitest";
import { COMPILED, ERASABLE } from "./typescript-snippets.ts";
import { instrumentSnippet, RUNTIMES, runSnippets } from "./support/run-plain-and-instrumented.ts";

const TIMEOUT_MS = 300_000;

describe.each(RUNTIMES)("on %s", (runtime) => {
  test(
    "erasable TypeScript prints, fails and points like the stripped one",
    () => {
      for (const { snippet, plain, instrumented } of runSnippets(runtime, ERASABLE)) {
        for (const outcome of instrumented) {
          const expected = { name: snippet.name, ...plain, problems: [] };
          expect({ name: snippet.name, ...outcome }).toEqual(expected);
        }
      }
    },
    TIMEOUT_MS,
  );

  test(
    "TypeScript that needs a compiler does what it should",
    () => {
      for (const { snippet, plain, instrumented } of runSnippets(runtime, COMPILED)) {
        for (const { printed, failure, problems } of instrumented) {
          expect({ name: snippet.name, printed, failure, problems }).toEqual({
            name: snippet.name,
            printed: plain.printed,
            failure: undefined,
            problems: [],
          });
        }
      }
    },
    TIMEOUT_MS,
  );
});

test("types are blanked in place: every line keeps its length up to the first probe", () => {
  for (const snippet of ERASABLE) {
    const { code } = instrumentSnippet(snippet);
    expect(code.split(/\r\n|[\n\r\u2028\u2029]/).length).toBe(
      snippet.source.split(/\r\n|[\n\r\u2028\u2029]/).length,
    );
  }
});
