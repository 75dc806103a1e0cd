/** The command `flight doctor`: shows what works on this machine and what is lost without it. */
import { visibleText } from "@orangebox/analysis";

import type { Screen } from "../terminal/screen.ts";
import { cutToWidth } from "../terminal/text-width.ts";
import { runChecks } from "./checks.ts";
import type { Finding } from "./checks.ts";

const NAME_COLUMNS = 20;
const YES = 0;
const NO = 1;

/** Runs all checks, prints them, and gives 0 when programs can be recorded here, else 1. */
export function doctor({
  json,
  screen,
}: {
  readonly json: boolean;
  readonly screen: Screen;
}): number {
  const findings = runChecks(process.env);
  const canRecord = findings.every((finding) => finding.status !== "broken");
  if (json) screen.line(JSON.stringify({ version: 1, canRecord, findings }));
  else {
    for (const finding of findings) for (const line of lines(finding, screen)) screen.line(line);
    screen.line();
    screen.line(verdict(findings, canRecord));
  }
  return canRecord ? YES : NO;
}

function lines({ name, status, found, lost, hint }: Finding, screen: Screen): string[] {
  const { style } = screen;
  const mark = { works: style.green("✓"), degraded: style.yellow("!"), broken: style.red("✗") };
  const all = [`${mark[status]} ${name.padEnd(NAME_COLUMNS)}${visibleText(found)}`];
  if (lost !== undefined && status !== "works") all.push(`    lost: ${lost}`);
  if (hint !== undefined) all.push(`    hint: ${hint}`);
  return screen.columns === undefined
    ? all
    : all.map((line) => cutToWidth(line, screen.columns ?? 80));
}

function verdict(findings: readonly Finding[], canRecord: boolean): string {
  if (!canRecord) return "Programs cannot be recorded here.";
  return findings.every((finding) => finding.status === "works")
    ? "Everything works."
    : "Programs can be recorded here, with the losses named above.";
}
