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
    const shown = codeLine(inspection, line, { screen, gutter });
    const caret = caretLine(line, frame.column, gutter.length);
    return caret === undefined ? [shown] : [shown, fit(screen, screen.style.red(caret))];
  });
}

function codeLine(
  inspection: Inspection,
  line: SourceLine,
  at: { readonly screen: Screen; readonly gutter: string },
): string {
  const { screen, gutter } = at;
  const code = visibleText(expandTabs(line.text));
  const values = line.values.slice(0, MAX_VALUES).map(({ name, id }) => {
    const text = valueText(inspection, id, { screen, taken: 0 });
    return `${visibleText(name)} = ${cutToWidth(text, LONGEST_VALUE)}`;
  });
  const beside = values.length === 0 ? "" : `  ← ${values.join(", ")}`;
  const columns = screen.columns ?? DEFAULT_CODE_COLUMNS;
  const room = columns - gutter.length - Math.min(textWidth(beside), VALUE_COLUMNS);
  const cut = cutToWidth(code, room);
  const number = line.isCurrent ? screen.style.red(gutter) : screen.style.dim(gutter);
  const shown = line.isCurrent ? screen.style.bold(cut) : cut;
  return fit(screen, `${number}${shown}${screen.style.cyan(beside)}`);
}

/** A line with `^` under the column, counted in UTF-16 units from 1. */
function caretLine(
  line: SourceLine,
  column: number | undefined,
  indent: number,
): string | undefined {
  if (!line.isCurrent || column === undefined || column > line.text.length) return undefined;
  const before = visibleText(expandTabs(line.text.slice(0, column - 1)));
  return `${" ".repeat(indent + textWidth(before))}^`;
}

function expandTabs(text: string): string {
  return text.replaceAll("\t", " ".repeat(TAB_WIDTH));
}
