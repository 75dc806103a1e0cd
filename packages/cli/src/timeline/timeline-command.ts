/** The command `flight timeline`: shows the writes of a recording, all or those that are asked for. */
import {
  inspectRecording,
  timelineJson,
  visibleText,
  WriteHistory,
  writeTarget,
  writeValueText,
} from "@orangebox/analysis";
import type { Inspection, WriteFilter, WriteView } from "@orangebox/analysis";
import { FlightError } from "@orangebox/format";
import type { Id } from "@orangebox/format";

import { findRecording } from "../files/find-recording.ts";
import type { ReadingTools } from "../files/reading-tools.ts";
import { countText, fileText, fit, nameText } from "../inspect/shown-text.ts";
import { jsonText } from "../terminal/json-text.ts";
import type { Screen } from "../terminal/screen.ts";

/** Which writes are asked for. */
export interface TimelineOptions {
  readonly var?: string;
  readonly who?: string;
  readonly object?: Id;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly at?: number;
  readonly json?: boolean;
}

const YES = 0;
const NO = 1;
const SEQ_COLUMNS = 5;
const PLACE_COLUMNS = 22;
const KIND_COLUMNS = 6;
const MAX_NAMES = 12;

/**
 * Shows writes and gives the exit code: 1 when none is what was asked for.
 *
 * @throws {FlightError} for a file that cannot be read, and for a recording without writes when
 * one of them is asked for.
 */
export async function timeline(
  inputs: readonly string[],
  options: TimelineOptions,
  { screen, errors, keys }: ReadingTools,
): Promise<number> {
  const { recording, warnings } = await findRecording(inputs, keys);
  for (const warning of warnings) errors.line(`warning: ${visibleText(warning)}`);
  const inspection = inspectRecording(recording);
  const history = new WriteHistory(recording);
  if (options.at !== undefined) return showState(inspection, history, { at: options.at, screen });
  const filter: WriteFilter = {
    variable: options.var,
    owner: options.who,
    objectId: options.object,
    since: options.since,
    until: options.until,
  };
  const shown: WriteView[] = [];
  let matching = 0;
  for (const view of history.find(filter)) {
    matching += 1;
    if (shown.length < options.limit) shown.push(view);
  }
  if (options.json === true) {
    screen.line(jsonText(timelineJson(history, shown, matching - shown.length)));
    return matching > 0 ? YES : NO;
  }
  const lines = [
    ...headLines(history, options, matching),
    ...shown.map((view) => rowText(inspection, history, view)),
    ...(matching > shown.length
      ? [`  … ${countText(matching - shown.length, "more write")}; --limit shows more`]
      : []),
    ...droppedLines(history),
  ];
  for (const line of lines) screen.line(fit(screen, line));
  return matching > 0 ? YES : NO;
}

function headLines(history: WriteHistory, options: TimelineOptions, matching: number): string[] {
  const { var: variable, who, object } = options;
  if (history.count === 0) {
    return ["no writes are in this recording; flight run --level writes records them"];
  }
  if (variable !== undefined) {
    const hint = matching > 0 ? [] : namesLines("variables", history.variables());
    return [
      `writes to variable '${nameText(variable)}' (${countText(matching, "write")}):`,
      ...hint,
    ];
  }
  if (who !== undefined) {
    const hint = matching > 0 ? [] : namesLines("owners", history.owners());
    return [`writes to '${nameText(who)}' (${countText(matching, "write")}):`, ...hint];
  }
  if (object !== undefined) {
    return [`writes to objects[${object}] (${countText(matching, "write")}):`];
  }
  return [
    `timeline: ${countText(matching, "write")}`,
    ...namesLines("variables", history.variables()),
  ];
}

function namesLines(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const rest = names.length > MAX_NAMES ? ` … ${names.length - MAX_NAMES} more` : "";
  return [`  ${what}: ${names.slice(0, MAX_NAMES).map(nameText).join(", ")}${rest}`];
}

/** `#seq basename:line kind target = value`, then the function, and what was there before. */
function rowText(inspection: Inspection, history: WriteHistory, view: WriteView): string {
  const { language } = inspection.values();
  const file = fileText(inspection, view.file);
  const base = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
  const column = view.range === undefined ? "" : `:${view.range.column}`;
  const place = `${base}:${view.line}${column}`.padEnd(PLACE_COLUMNS);
  const before = view.before === undefined ? undefined : history.at(view.before);
  const was =
    before === undefined || before.isDeleted
      ? ""
      : ` (was ${writeValueText(before.value, language)})`;
  const value = writeValueText(view.value, language);
  const object = view.object?.id === undefined ? "" : ` → objects[${view.object.id}]`;
  const how = operatorText(view.operator);
  const where = `  in ${visibleText(view.qualname)} #${view.frame}`;
  const seq = `#${String(view.seq).padEnd(SEQ_COLUMNS)}`;
  return `  ${seq} ${place} ${view.kind.padEnd(KIND_COLUMNS)} ${writeTarget(view)} = ${value}${object}${was}${how}${where}`;
}

/** Plain assignments and deletions say themselves what they are. */
function operatorText(operator: string | undefined): string {
  return operator === undefined || operator === "=" || operator === "delete"
    ? ""
    : `  [${nameText(operator)}]`;
}

function droppedLines(history: WriteHistory): string[] {
  const { count, log, limit, deadline } = history.dropped;
  if (count === 0) return [];
  const reasons = [
    ...(log > 0 ? [`${log} overwritten`] : []),
    ...(limit > 0 ? [`${limit} beyond captureMaxMutations`] : []),
    ...(deadline > 0 ? [`${deadline} beyond captureDeadlineMs`] : []),
  ];
  return [`partial: ${countText(count, "older write")} not in the file (${reasons.join(", ")})`];
}

function showState(
  inspection: Inspection,
  history: WriteHistory,
  { at, screen }: { readonly at: number; readonly screen: Screen },
): number {
  if (at >= history.count) {
    throw new FlightError(
      "FLIGHT_NOT_FOUND",
      `there is no write ${at}; the recording has ${history.count}`,
      "Writes count from 0; flight timeline lists them.",
    );
  }
  const { language } = inspection.values();
  screen.line(`variables after write #${at}:`);
  for (const { frame, qualname, variables } of history.stateAt(at)) {
    screen.line(fit(screen, `  ${visibleText(qualname)} #${frame}`));
    for (const [name, view] of variables) {
      const value = writeValueText(view.value, language);
      screen.line(fit(screen, `      ${nameText(name)} = ${value}  (#${view.seq})`));
    }
  }
  return YES;
}
