/**
 * Finds keys and tokens that announce themselves by a prefix, such as `ghp_` or `AKIA`.
 */
import { charCodeAt, item, stringIndexOf } from "../graph/primordials.ts";
import { DIGIT, TOKEN, WORD, add, is, runEnd } from "./text-scan.ts";
import type { SecretSpan } from "./text-scan.ts";
import { HAS_DASH, HAS_DOT, HAS_UNDERSCORE, HAS_UPPER_A } from "./text-scan.ts";

interface Prefix {
  readonly text: string;
  readonly detector: string;
  /** Fewest characters of the token behind the prefix. */
  readonly least: number;
  /** Which must be present for the prefix to occur at all. */
  readonly feature: number;
  /** Of capitals and digits only, exactly `least` of them. */
  readonly isExact: boolean;
  /** English words joined by dashes have no digit. */
  readonly needsDigit: boolean;
}

/** Fills in what most prefixes share, so that reading one never looks behind the object. */
function prefix(
  text: string,
  detector: string,
  least: number,
  feature: number,
  special?: "exact" | "digit",
): Prefix {
  const isExact = special === "exact";
  return { text, detector, least, feature, isExact, needsDigit: special === "digit" };
}

const PREFIXES: readonly Prefix[] = [
  prefix("AKIA", "aws-key", 16, HAS_UPPER_A, "exact"),
  prefix("ASIA", "aws-key", 16, HAS_UPPER_A, "exact"),
  prefix("ABIA", "aws-key", 16, HAS_UPPER_A, "exact"),
  prefix("ACCA", "aws-key", 16, HAS_UPPER_A, "exact"),
  prefix("AIza", "google-key", 30, HAS_UPPER_A),
  prefix("ya29.", "google-token", 20, HAS_DOT),
  prefix("GOCSPX-", "google-secret", 20, HAS_DASH),
  prefix("ghp_", "github-token", 20, HAS_UNDERSCORE),
  prefix("gho_", "github-token", 20, HAS_UNDERSCORE),
  prefix("ghu_", "github-token", 20, HAS_UNDERSCORE),
  prefix("ghs_", "github-token", 20, HAS_UNDERSCORE),
  prefix("ghr_", "github-token", 20, HAS_UNDERSCORE),
  prefix("github_pat_", "github-token", 20, HAS_UNDERSCORE),
  prefix("glpat-", "gitlab-token", 16, HAS_DASH),
  prefix("xoxa-", "slack-token", 8, HAS_DASH),
  prefix("xoxb-", "slack-token", 8, HAS_DASH),
  prefix("xoxe-", "slack-token", 8, HAS_DASH),
  prefix("xoxe.", "slack-token", 8, HAS_DOT),
  prefix("xoxo-", "slack-token", 8, HAS_DASH),
  prefix("xoxp-", "slack-token", 8, HAS_DASH),
  prefix("xoxr-", "slack-token", 8, HAS_DASH),
  prefix("xoxs-", "slack-token", 8, HAS_DASH),
  prefix("xapp-", "slack-token", 8, HAS_DASH),
  prefix("hooks.slack.com/services/", "slack-webhook", 12, HAS_DOT),
  prefix("sk_live_", "stripe-key", 10, HAS_UNDERSCORE),
  prefix("sk_test_", "stripe-key", 10, HAS_UNDERSCORE),
  prefix("rk_live_", "stripe-key", 10, HAS_UNDERSCORE),
  prefix("rk_test_", "stripe-key", 10, HAS_UNDERSCORE),
  prefix("whsec_", "stripe-secret", 16, HAS_UNDERSCORE),
  prefix("npm_", "npm-token", 30, HAS_UNDERSCORE),
  prefix("sk-", "ai-key", 16, HAS_DASH, "digit"),
  prefix("hf_", "ai-key", 24, HAS_UNDERSCORE),
  prefix("SG.", "sendgrid-key", 20, HAS_DOT),
  prefix("dop_v1_", "cloud-key", 32, HAS_UNDERSCORE),
  prefix("shpat_", "cloud-key", 24, HAS_UNDERSCORE),
];

export function findPrefixedKeys(text: string, features: number, spans: SecretSpan[]): void {
  for (let which = 0; which < PREFIXES.length; which++) {
    const wanted = item(PREFIXES, which);
    if ((features & wanted.feature) !== 0) findPrefix(text, wanted, spans);
  }
}

function findPrefix(text: string, wanted: Prefix, spans: SecretSpan[]): void {
  let from = 0;
  let knownEnd = 0;
  while (true) {
    const found = stringIndexOf(text, wanted.text, from);
    if (found < 0) return;
    const start = found + wanted.text.length;
    from = start;
    if (is(text, found - 1, WORD)) continue;
    if (start > knownEnd) {
      // Measured once for all candidates inside one run, so that a hostile text costs O(n).
      knownEnd = runEnd(text, start, wanted.isExact ? WORD : TOKEN);
      while (charCodeAt(text, knownEnd) === 46 && is(text, knownEnd + 1, TOKEN)) {
        knownEnd = runEnd(text, knownEnd + 1, TOKEN);
      }
    }
    const size = knownEnd - start;
    if (size < wanted.least || (wanted.isExact && size !== wanted.least)) continue;
    if (wanted.isExact && !isUpper(text, start, knownEnd)) continue;
    if (wanted.needsDigit && !hasDigit(text, start, knownEnd)) {
      from = knownEnd; // Every later candidate in this run lacks a digit too.
      continue;
    }
    add(spans, found, knownEnd, wanted.detector);
    from = knownEnd;
  }
}

function isUpper(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = charCodeAt(text, at);
    if (code >= 97 && code <= 122) return false;
  }
  return true;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (is(text, at, DIGIT)) return true;
  return false;
}
