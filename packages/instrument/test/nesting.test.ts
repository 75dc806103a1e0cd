/**
 * Texts that nest deep: none of them may end the process, and none that people write is left alone.
 */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { instrument, type Language } from "../src/index.ts";
import { DEEP_TEXTS } from "./support/deep-texts.ts";

const TOO_DEEP = "nested too deep to be parsed";

function reasonOf(text: string, language: Language): string | undefined {
  const result = instrument(text, {
    filename: `/app/a.${language}`,
    format: "commonjs",
    language,
    level: "calls",
    ringMask: 255,
  });
  return "untouched" in result ? result.untouched : undefined;
}

test("20,000 levels of any kind are left alone, in a worker with its small stack too", () => {
  // An overflow of the native stack cannot be caught: it would end this process.
  const script = fileURLToPath(new URL("support/deep-texts-in-worker.ts", import.meta.url));
  const output = execFileSync(
    process.execPath,
    ["--conditions=@orangebox/source", "--disable-warning=ExperimentalWarning", script],
    { encoding: "utf8" },
  );
  const results = output.trim().split("\n");
  const total = Object.keys(DEEP_TEXTS).length * 3;
  expect(results.filter((line) => line.endsWith(TOO_DEEP)).length).toBeGreaterThan(total / 2);
  expect(results.length).toBe(total);
}, 120_000);

/** Long texts that are not deep. */
const FLAT: Readonly<Record<string, readonly [text: string, language?: Language]>> = {
  "lines without semicolons": ["a.b = c.d + 1\nf(a)[0]\nif (a) b = 1\n".repeat(5000)],
  "statements of a minifier": [
    "a=b?c:d,e=f&&g||h;function i(){return!a}!function(){}();".repeat(5000),
  ],
  "an array of numbers": [`x = [${"-1.5,".repeat(50_000)}]`],
  "an object of functions": [`x = {${"a: (b) => { return b?.c ?? 1 }, d() { }, ".repeat(5000)}}`],
  "a switch": [`switch (x) { ${"case 1: case 2: f(); break; ".repeat(5000)} default: }`],
  "else if": ["if (x === 1) { y = x.a.b(c) } else ".repeat(1000) + "{}"],
  "else if without braces": ["if (x === 1) y = x.a.b(c); else ".repeat(1000) + ";"],
  "a path of an image": [`x = "${"M10-20-30.5-40".repeat(20_000)}"`],
  "quotes in regular expressions": [
    `if (a) /["'(]/.test(b); x = a ? /[/"]/ : b / c / d; x++ / 2; f(a) / 3;\n`.repeat(5000),
  ],
  "quotes in regular expressions on one line": [
    'if(a)/["\'(]/.test(b);x=a?/[/"]/:b/c/d;x++/2;f(a)/3;'.repeat(5000),
  ],
  templates: ["x = `a ${b ? `c ${d}` : '`'} (((`;".repeat(5000)],
  comments: ["/* ((( \" ' */ // ((( '\n".repeat(5000)],
  "a sum": [`x = ${"'a' + ".repeat(10_000)}1`],
  "calls in a row": [`x${".add(1)".repeat(3000)}`],
  brackets: ["(".repeat(1200) + "1" + ")".repeat(1200)],
  classes: [
    "class A<T> extends B<C<D>> { x: number; y?: string\n private m(a: A<B>): C[] { return <any>a } }\n".repeat(
      2000,
    ),
    "ts",
  ],
  "rows of a table": [
    `x = <a>${"<b c='d' e={f}>it's {g} <br/> text</b>\n".repeat(5000)}</a>`,
    "tsx",
  ],
};

describe("is not deep", () => {
  test.each(Object.entries(FLAT))("%s", (_, [text, language = "js"]) => {
    expect(reasonOf(text, language)).not.toBe(TOO_DEEP);
  });
});
