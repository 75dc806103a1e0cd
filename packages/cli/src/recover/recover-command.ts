/** The command `flight recover`: makes recordings of the rings that dead processes left. */
import { visibleText } from "@orangebox/analysis";
import { recoverState } from "@orangebox/recorder/recovery";
import type { RingOutcome, StateRecovery } from "@orangebox/recorder/recovery";

import type { Screen } from "../terminal/screen.ts";

/** How it is called. */
export interface RecoverOptions {
  readonly out?: string;
  readonly json?: boolean;
  readonly dryRun?: boolean;
}

const NOT_ALL = 1;
const MAX_ARGUMENTS = 12;

/** Recovers and tells; returns the exit code: 1 when a ring of a dead process had to stay. */
export function recover(
  folder: string | undefined,
  options: RecoverOptions,
  screen: Screen,
): number {
  const recovery = recoverState({
    env: process.env,
    cwd: process.cwd(),
    folder,
    outputDir: options.out,
    dryRun: options.dryRun === true,
  });
  if (options.json === true) screen.line(JSON.stringify(documentOf(recovery)));
  else for (const line of lines(recovery)) screen.line(line);
  return recovery.outcomes.some(({ kind }) => kind === "left") ? NOT_ALL : 0;
}

/** Layout: docs/recovery.md, "JSON". */
function documentOf({ folders, outcomes }: StateRecovery): unknown {
  return {
    version: 1,
    folders,
    rings: outcomes.map((outcome) => ({
      ring: outcome.ring,
      outcome: outcome.kind,
      pid: outcome.pid ?? null,
      threadId: outcome.threadId ?? null,
      argv: outcome.argv ?? null,
      death: outcome.death ?? null,
      eventCount: outcome.eventCount ?? null,
      path: outcome.path ?? null,
      problem: outcome.problem ?? null,
    })),
  };
}

function lines({ folders, outcomes }: StateRecovery): string[] {
  const told = outcomes.flatMap((outcome) => linesOf(outcome));
  const alive = outcomes.filter(({ kind }) => kind === "alive").length;
  if (alive > 0) told.push(`${alive} of programs that run, left alone`);
  return told.length === 0
    ? [`nothing to recover in ${folders.map((folder) => visibleText(folder)).join(" and ")}`]
    : told;
}

function linesOf(outcome: RingOutcome): string[] {
  const { kind, path, problem, ring } = outcome;
  switch (kind) {
    case "recovered":
      return [
        `recovered ${visibleText(path ?? "")}`,
        `  ${whoText(outcome)}`,
        ...(problem === undefined ? [] : [`  ${visibleText(problem)}`]),
      ];
    case "recoverable":
      return [`would recover ${visibleText(ring)}`, `  ${whoText(outcome)}`];
    case "discarded":
      return [`removed ${visibleText(ring)}, which holds no events`];
    case "busy":
      return [`left ${visibleText(ring)}: another process is recovering it`];
    case "left":
      return [`left ${visibleText(ring)}: ${visibleText(problem ?? "")}`];
    case "alive":
      break;
  }
  // Those are only counted.
  return [];
}

function whoText({ pid, threadId, argv = [], death, eventCount }: RingOutcome): string {
  const thread = threadId === undefined || threadId === 0 ? "" : ` worker ${threadId}`;
  const command = argv.slice(1, MAX_ARGUMENTS).map((argument) => visibleText(argument));
  const who = `process ${pid ?? "?"}${thread}${command.length === 0 ? "" : `, ${command.join(" ")}`}`;
  const end = death === undefined ? "" : `: ${death.text}`;
  return `${who}${end} (${eventCount ?? 0} events)`;
}
