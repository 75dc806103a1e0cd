/** Shows the lines of source around a frame's current line, with values beside them. */
import { sourceWindow, visibleText } from "@orangebox/analysis";
import type { FrameView, Inspection, SourceLine, WindowSize } from "@orangebox/analysis";

import type { Screen } from "../terminal/screen.ts";
import { cutToWidth, textWidth } from "../terminal/text-width.ts";
import { fit, valueText } from "./shown-text.ts";

const TAB_WIDTH = 2;
/** Columns kept for values where code and values do not fit a line together. */
const VALUE_COLUMNS = 28;
const LONGEST_VALUE = 40;
const MAX_VALUES = 6;
/** Columns of a long line that are kept behind the place in question. */
const COLUMNS_BEHIND_CARET = 20;
/** Widest code where the output is no terminal. */
const DEFAULT_CODE_COLUMNS = 160;

/** Gives the lines to print for one frame; none when its source was not recorded. */
export function sourceLines(
  inspection: Inspection,
  frame: FrameView,
  options: { readonly screen: Screen; readonly size: WindowSize },
): string[] {
  const { screen, size } = options;
  const lines = sourceWindow(inspection.recording, frame, { size, values: inspection.values() });
  const digits = String(lines.at(-1)?.number ?? 0).length;
  return lines.flatMap((line) => {
    const mark = line.isCurrent ? ">" : " ";
    const gutter = `  ${mark} ${String(line.number).padStart(digits)}  `;
    const beside = besideText(inspection, line, screen);
    const columns = screen.columns ?? DEFAULT_CODE_COLUMNS;
    const room = columns - gutter.length - Math.min(textWidth(beside), VALUE_COLUMNS);
    const code = fitCode(line, frame.column, room);
    const number = line.isCurrent ? screen.style.red(gutter) : screen.style.dim(gutter);
    const shown = line.isCurrent ? screen.style.bold(code.text) : code.text;
    const all = fit(screen, `${number}${shown}${screen.style.cyan(beside)}`);
    if (code.caretAt === undefined) return [all];
    const caret = `${" ".repeat(gutter.length + code.caretAt)}^`;
    return [all, fit(screen, screen.style.red(caret))];
  });
}

function besideText(inspection: Inspection, line: SourceLine, screen: Screen): string {
  const values = line.values.slice(0, MAX_VALUES).map(({ name, id }) => {
    const text = valueText(inspection, id, { screen, taken: 0 });
    return `${visibleText(name)} = ${cutToWidth(text, LONGEST_VALUE)}`;
  });
  return values.length === 0 ? "" : `  ← ${values.join(", ")}`;
}

/**
 * Cuts a line of code to the room there is. Of a long current line, the part around `column` (in
 * UTF-16 units, from 1) is kept; `caretAt` says where it is then, in columns from 0.
 */
function fitCode(
  line: SourceLine,
  column: number | undefined,
  room: number,
): { text: string; caretAt?: number } {
  if (!line.isCurrent || column === undefined || column > line.text.length)
    return { text: cutToWidth(shownCode(line.text), room) };
  const before = shownCode(line.text.slice(0, column - 1));
  const after = shownCode(line.text.slice(column - 1));
  const fits = textWidth(before) + Math.min(textWidth(after), COLUMNS_BEHIND_CARET) <= room;
  const start = fits
    ? before
    : `…${Array.from(before)
        .slice(-Math.floor(room / 2))
        .join("")}`;
  return { text: cutToWidth(start + after, room), caretAt: textWidth(start) };
}

function shownCode(text: string): string {
  return visibleText(expandTabs(text));
}

function expandTabs(text: string): string {
  return text.replaceAll("\t", " ".repeat(TAB_WIDTH));
}
