/** Shows what a recording tells, on one page: the error, where it happened, the frames, the last events. */
import { findAliases, visibleText, WriteHistory } from "@orangebox/analysis";
import type { ExceptionView, Inspection } from "@orangebox/analysis";

import type { Screen } from "../terminal/screen.ts";
import { eventLines } from "./event-lines.ts";
import { frameLines } from "./frame-lines.ts";
import { countText, fit, nameText, placeText } from "./shown-text.ts";
import { sourceLines } from "./source-lines.ts";

/** How much of a recording is shown. */
export interface ReportOptions {
  readonly maxLocals: number;
  readonly eventCount: number;
  readonly verbose: boolean;
}

/** Columns of the names on the left. */
const KEY_COLUMNS = 12;
const MAX_FRAMES = 60;
const MAX_EXCEPTIONS = 30;
const MAX_NOTES = 8;
const MAX_MESSAGE_LINES = 12;
const MAX_ARGUMENTS = 40;
const CRASH_WINDOW = { before: 4, after: 2 };

/** Gives the lines of the whole report. */
export function reportLines(
  inspection: Inspection,
  name: string,
  options: ReportOptions & { readonly screen: Screen },
): string[] {
  const { screen, verbose } = options;
  const parts = [
    ...headLines(inspection, name, options),
    ...exceptionLines(inspection, options),
    ...crashLines(inspection, screen),
    ...allFrameLines(inspection, options),
    ...leftOutLines(inspection, options),
    ...tapeLines(inspection, screen),
    ...eventPart(inspection, options),
    ...(verbose ? extensionLines(inspection, screen) : []),
  ];
  // Last, because showing the parts above may have found more.
  return [...parts, ...problemLines(inspection, options)];
}

function key(screen: Screen, name: string, text: string): string {
  return fit(screen, `${screen.style.dim(`${name.padEnd(KEY_COLUMNS)}:`)} ${text}`.trimEnd());
}

function headLines(
  inspection: Inspection,
  name: string,
  { screen, verbose }: { readonly screen: Screen; readonly verbose: boolean },
): string[] {
  const { recording, runtime, reason } = inspection;
  const { header, blocks, status, usedIndex } = recording;
  const shownStatus = status === "sealed" ? status : screen.style.yellow(status);
  const lines = [
    key(screen, "flight file", visibleText(name)),
    key(
      screen,
      "format",
      `v${header.version}  (${shownStatus}, ${usedIndex ? "index" : "linear scan"})`,
    ),
    key(
      screen,
      "written by",
      `${nameText(header.tool)} ${nameText(header.flightVersion)} at ${timeText(Number(header.createdUnixMs))}`,
    ),
  ];
  lines.push(...exitLines(inspection, screen));
  if (reason !== undefined) lines.push(key(screen, "reason", nameText(reason)));
  lines.push(...deathLines(inspection, screen));
  const names = blocks.map((block) => nameText(block.name));
  lines.push(key(screen, "blocks", names.length === 0 ? "(none)" : countRepeats(names)));
  if (verbose) {
    for (const block of blocks)
      lines.push(
        fit(
          screen,
          `    ${nameText(block.name).padEnd(12)} at ${block.offset}, ${block.compressedBytes} bytes`,
        ),
      );
  }
  if (runtime !== undefined) {
    const argv = runtime.argv.slice(0, MAX_ARGUMENTS).map((argument) => nameText(argument));
    if (runtime.argv.length > MAX_ARGUMENTS) argv.push("…");
    lines.push(
      key(screen, "environment", ""),
      fit(screen, `    runtime  ${nameText(`${runtime.name} ${runtime.version}`.trim())}`),
      fit(screen, `    platform ${nameText(runtime.platform)}`),
      fit(screen, `    argv     ${argv.join(" ")}`),
      fit(screen, `    cwd      ${nameText(runtime.cwd)}`),
    );
    if (runtime.threadId !== undefined && runtime.threadId > 0) {
      const run = inspection.run === undefined ? "" : `, run ${inspection.run}`;
      const place = `worker ${runtime.threadId} of process ${runtime.pid ?? "?"}${run}`;
      lines.push(fit(screen, `    thread   ${nameText(place)}`));
    }
  }
  return lines;
}

function exitLines({ exit }: Inspection, screen: Screen): string[] {
  if (exit === undefined) return [];
  const lost = [
    ...(exit.pendingStdoutBytes > 0 ? [`${exit.pendingStdoutBytes} bytes of stdout`] : []),
    ...(exit.pendingStderrBytes > 0 ? [`${exit.pendingStderrBytes} bytes of stderr`] : []),
  ];
  const pending = lost.length === 0 ? "" : `, ${lost.join(" and ")} not written yet`;
  return [key(screen, "exit", `code ${nameText(exit.code ?? "unknown")}${pending}`)];
}

function deathLines({ death }: Inspection, screen: Screen): string[] {
  if (death === undefined) return [];
  const part = death.isStackWhole ? "" : "; outer frames may be missing, the ring wrapped";
  return [key(screen, "ended", nameText(`${death.text}${part}`))];
}

/** Writes local time as ISO does, without a zone. */
function timeText(unixMs: number): string {
  if (!(unixMs > 0 && unixMs < 8.64e15)) return "an unknown time";
  const offsetMs = new Date(unixMs).getTimezoneOffset() * 60_000;
  return new Date(unixMs - offsetMs).toISOString().slice(0, 19);
}

/** Writes `SOURCE, SOURCE` as `SOURCE×2`, in order. */
function countRepeats(names: readonly string[]): string {
  const runs: { name: string; count: number }[] = [];
  for (const name of names) {
    const last = runs.at(-1);
    if (last?.name === name) last.count += 1;
    else runs.push({ name, count: 1 });
  }
  return runs.map(({ name, count }) => (count === 1 ? name : `${name}×${count}`)).join(", ");
}

function exceptionLines(
  inspection: Inspection,
  { screen, verbose }: { readonly screen: Screen; readonly verbose: boolean },
): string[] {
  const { exceptions } = inspection;
  if (exceptions.length === 0) return [];
  const rest = exceptions.length - MAX_EXCEPTIONS;
  return [
    key(screen, "exception", ""),
    ...exceptions
      .slice(0, MAX_EXCEPTIONS)
      .flatMap((exception) => [
        ...messageLines(exception, screen),
        ...(exception.place === undefined
          ? []
          : [fit(screen, `        thrown at ${placeText(inspection, exception.place)}`)]),
        ...(verbose && exception.stack !== undefined
          ? limited(exception.stack.split("\n"), 60).map((line) =>
              fit(screen, screen.style.dim(`        ${visibleText(line)}`)),
            )
          : []),
      ]),
    ...(rest > 0 ? [`    … ${countText(rest, "more exception")}`] : []),
  ];
}

function messageLines(exception: ExceptionView, screen: Screen): string[] {
  const relation = exception.relation === "head" ? "" : `(${nameText(exception.relation)}) `;
  const [first = "", ...more] = limited(exception.message.split("\n"), MAX_MESSAGE_LINES);
  const code =
    exception.code === undefined || exception.message.includes(exception.code)
      ? ""
      : ` [${nameText(exception.code)}]`;
  const separator = first === "" ? "" : ": ";
  const head = `${screen.style.red(nameText(exception.type))}${separator}${clipLine(first)}`;
  return [
    fit(screen, `    ${relation}${head}${code}`),
    ...more.map((line) => fit(screen, `      ${clipLine(line)}`)),
  ];
}

function clipLine(line: string): string {
  return visibleText(line.length > 1000 ? `${line.slice(0, 1000)}…` : line);
}

function limited(lines: readonly string[], most: number): string[] {
  return lines.length <= most ? [...lines] : [...lines.slice(0, most), "…"];
}

function crashLines(inspection: Inspection, screen: Screen): string[] {
  const [frame] = inspection.frames;
  if (frame === undefined) return [];
  const lines = sourceLines(inspection, frame, { screen, size: CRASH_WINDOW });
  if (lines.length === 0) return [];
  return [key(screen, "crash site", placeText(inspection, frame)), ...lines];
}

function allFrameLines(
  inspection: Inspection,
  options: { readonly screen: Screen; readonly maxLocals: number; readonly verbose: boolean },
): string[] {
  const { screen, maxLocals, verbose } = options;
  const { frames } = inspection;
  if (frames.length === 0) return [];
  const shown = verbose ? frames : frames.slice(0, MAX_FRAMES);
  const aliases = findAliases(frames.slice(0, 1000), inspection.values());
  const rest = frames.length - shown.length;
  return [
    key(screen, "frames", `${frames.length} (crash first)`),
    ...shown.flatMap((frame) => frameLines(inspection, frame, { screen, maxLocals, aliases })),
    ...(rest > 0 ? [`  … ${countText(rest, "more frame")}`] : []),
  ];
}

function leftOutLines(
  { cuts, redactions, notes }: Inspection,
  { screen, verbose }: { readonly screen: Screen; readonly verbose: boolean },
): string[] {
  const most = verbose ? 1000 : MAX_NOTES;
  const cutTexts = cuts.map(({ limit, count, where }) => {
    const amount = count === undefined ? "" : ` ${countText(count, "time")}`;
    return `    ${nameText(limit)} limit reached${amount}${where === undefined ? "" : `, first at ${nameText(where)}`}`;
  });
  const redactedTexts = redactions.map(({ where, name, detector, count }) => {
    const why = detector === undefined ? "" : ` (${nameText(detector)})`;
    const what = name === undefined ? "" : `${nameText(name)} `;
    return `    ${what}in ${nameText(where)}${why}${count === 1 ? "" : ` ×${count}`}`;
  });
  const total = redactions.reduce((sum, note) => sum + note.count, 0);
  return [
    ...(cuts.length === 0
      ? []
      : [key(screen, "cut", countText(cuts.length, "limit")), ...limited(cutTexts, most)]),
    ...(redactions.length === 0
      ? []
      : [key(screen, "redacted", countText(total, "value")), ...limited(redactedTexts, most)]),
    ...(notes.length === 0
      ? []
      : [
          key(screen, "notes", String(notes.length)),
          ...limited(
            notes.map((note) => `    ${clipLine(note)}`),
            most,
          ),
        ]),
  ].map((line) => fit(screen, line));
}

/** Counts mutations and the tape by their blocks; decoding them is for other commands. */
function tapeLines({ recording }: Inspection, screen: Screen): string[] {
  const lines: string[] = [];
  if (recording.blocks.some((block) => block.name === "MUTATION"))
    lines.push(key(screen, "mutations", mutationsText(recording)));
  if (recording.blocks.some((block) => block.name === "NONDET"))
    lines.push(key(screen, "tape", countText(recording.tape().length, "row")));
  return lines;
}

function mutationsText(recording: Inspection["recording"]): string {
  const { count, dropped } = new WriteHistory(recording);
  const partial = dropped.count === 0 ? "" : `, ${dropped.count} older ones dropped`;
  return `${countText(count, "write")}${partial}; flight timeline shows them`;
}

function eventPart(
  inspection: Inspection,
  { screen, eventCount }: { readonly screen: Screen; readonly eventCount: number },
): string[] {
  const ring = inspection.recording.events();
  if (ring === undefined) return [];
  const wrapped = ring.wrapped ? "  (wrapped: the oldest are gone)" : "";
  const total = `${ring.events.length} across ${countText(ring.codes.size, "code object")}${wrapped}`;
  const lines = eventLines(inspection, eventCount, screen);
  return [
    key(screen, "events", total),
    ...(lines.length === 0 ? [] : [screen.style.dim("last events (most recent first):"), ...lines]),
  ];
}

function extensionLines({ recording }: Inspection, screen: Screen): string[] {
  const extensions = recording.extensions();
  if (extensions.length === 0) return [];
  return [
    key(screen, "extensions", countText(extensions.length, "block")),
    ...extensions.map(({ ns, version }) =>
      fit(screen, `    ${ns === "" ? "(foreign)" : nameText(ns)} version ${version}`),
    ),
  ];
}

function problemLines(
  { recording }: Inspection,
  { screen, verbose }: { readonly screen: Screen; readonly verbose: boolean },
): string[] {
  const { problems } = recording;
  if (problems.length === 0) return [];
  const shown = limited(
    problems.map((problem) => `    ${clipLine(problem.message)}`),
    verbose ? 1000 : MAX_NOTES,
  );
  return [
    key(screen, "problems", String(problems.length)),
    ...shown.map((line) => fit(screen, screen.style.yellow(line))),
  ];
}
