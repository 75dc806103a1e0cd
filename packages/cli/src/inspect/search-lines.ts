/** Shows where a text was found. */
import { visibleText } from "@orangebox/analysis";
import type { SearchResult } from "@orangebox/analysis";

import type { Screen } from "../terminal/screen.ts";
import { fit, nameText } from "./shown-text.ts";

const KIND_COLUMNS = 10;

/** Gives one line per hit, and one when there may be more. */
export function searchLines(result: SearchResult, screen: Screen): string[] {
  const lines = result.hits.map(({ kind, where, text }) => {
    const shown = kind === "name" || kind === "file" ? "" : `  ${visibleText(text)}`;
    return fit(screen, `${screen.style.dim(kind.padEnd(KIND_COLUMNS))}${nameText(where)}${shown}`);
  });
  if (!result.complete) lines.push(screen.style.yellow("… there may be more"));
  return lines;
}
