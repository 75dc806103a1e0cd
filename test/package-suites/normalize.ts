/**
 * Takes the noise out of what a test runner prints, and counts its results.
 *
 * Noise is only what two plain runs disagree about as well: durations, and what a suite declares.
 */
import type { Noise } from "./suite.ts";

/** Durations as the runners write them, and Node's own process id in its warnings. */
const COMMON_NOISE: readonly Noise[] = [
  { what: "process ids in warnings", pattern: /^(?:# )?\(node:\d+\)/gm },
  { what: "durations", pattern: /\bduration_ms:? [\d.]+/g },
  { what: "durations", pattern: /# time=[\d.]+m?s/g },
  // Jest says it of slow files only.
  { what: "durations", pattern: /(?<=^(?:PASS|FAIL) \S+)(?: \(\d+(?:\.\d+)? m?s\))?$/gm },
  { what: "durations", pattern: /\(\d+(?:\.\d+)? ?m?s\)/g },
  { what: "durations", pattern: /\btime=\d+(?:\.\d+)?m?s/g },
  { what: "durations", pattern: /^(?:Time|Duration|  *(?:Start at|Duration)):? .*$/gm },
  { what: "durations", pattern: /\b\d+(?:\.\d+)? ?(?:ms|seconds?)\b/g },
];

/** The text to compare. */
export function withoutNoise(text: string, noise: readonly Noise[]): string {
  let result = text;
  for (const { what, pattern } of [...COMMON_NOISE, ...noise]) {
    result = result.replaceAll(pattern, `<${what}>`);
  }
  return result;
}

/** Lines in an order that does not depend on which file ended first. */
export function inAnyOrder(text: string): string {
  return text.split("\n").toSorted().join("\n");
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Counts the results in TAP, or in the closing lines of other runners; undefined when there are none.
 *
 * A line of TAP with `# SKIP` or `# TODO` is skipped, whatever it says in front.
 */
export function countResults(text: string): Counts | undefined {
  return countTap(text) ?? countSummary(text) ?? countSentences(text);
}

function countTap(text: string): Counts | undefined {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, not, rest = ""] of text.matchAll(/^ *(not )?ok\b(.*)$/gm)) {
    if (/# (?:SKIP|TODO)\b/i.test(rest)) counts.skipped++;
    else if (not === undefined) counts.passed++;
    else counts.failed++;
  }
  return counts.passed + counts.failed + counts.skipped === 0 ? undefined : counts;
}

function countSummary(text: string): Counts | undefined {
  const line = /^ *Tests:? +(.*)$/m.exec(text)?.[1];
  if (line === undefined) return undefined;
  const count = (word: string): number =>
    Number(new RegExp(String.raw`(\d+) ${word}`).exec(line)?.[1] ?? 0);
  return {
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped") + count("todo"),
  };
}

/** What runners of single packages say at the end. */
function countSentences(text: string): Counts | undefined {
  const [, passed, total] = /^(\d+) \/ (\d+) tests passed\.$/m.exec(text) ?? [];
  if (passed !== undefined) {
    return { passed: Number(passed), failed: Number(total) - Number(passed), skipped: 0 };
  }
  const [, run, failed = "0"] =
    /Total: (\d+) tests run in .*?;(?: (\d+) failures)?/m.exec(text) ?? [];
  if (run === undefined) return undefined;
  return { passed: Number(run) - Number(failed), failed: Number(failed), skipped: 0 };
}
