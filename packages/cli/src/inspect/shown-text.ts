/** Writes the small things that every part of the report shows: places, values, names. */
import { clipText, keyText, previewValue, visibleText } from "@orangebox/analysis";
import type { Inspection } from "@orangebox/analysis";
import type { Id } from "@orangebox/format";

import { cutToWidth } from "../terminal/text-width.ts";
import type { Screen } from "../terminal/screen.ts";

/** Widest value where the output is no terminal, in columns. */
const DEFAULT_WIDTH = 120;
const NAME_LIMIT = 200;

/** Writes a file name: relative to where the program ran, if it lies below. */
export function fileText(inspection: Inspection, file: string): string {
  const cwd = inspection.runtime?.cwd ?? "";
  const base = cwd === "" || /[/\\]$/.test(cwd) ? cwd : `${cwd}/`;
  const short = base !== "" && file.startsWith(base) ? file.slice(base.length) : file;
  return visibleText(clipText(short, 500));
}

/** Writes a place as `file:line:column`, without what is not known. */
export function placeText(
  inspection: Inspection,
  place: { readonly file: string; readonly line: number; readonly column?: number | undefined },
): string {
  const parts = [fileText(inspection, place.file)];
  if (place.line > 0) parts.push(String(place.line));
  if (place.line > 0 && place.column !== undefined) parts.push(String(place.column));
  return parts.join(":");
}

/** Writes a recorded name, one line, not too long. */
export function nameText(name: string): string {
  return visibleText(clipText(name, NAME_LIMIT));
}

/** Writes the name of a local or property. */
export function localName(name: string): string {
  return keyText(name);
}

/** Writes a value to fit behind `taken` columns. */
export function valueText(
  inspection: Inspection,
  id: Id,
  room: { readonly screen: Screen; readonly taken: number },
): string {
  const width = Math.max(20, Math.min(room.screen.columns ?? DEFAULT_WIDTH, 200) - room.taken);
  return cutToWidth(previewValue(inspection.values(), id, { maxLength: width }), width);
}

/** Cuts a line where the terminal ends; elsewhere leaves it whole. */
export function fit(screen: Screen, text: string): string {
  return screen.columns === undefined ? text : cutToWidth(text, screen.columns);
}

/** Writes `1 frame`, `2 frames`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
