/**
 * The excerpt of a fatal report where Node follows source maps (`--enable-source-maps`).
 *
 * Node maps the place in the text it ran, which is ours; here the place in the file is mapped, and
 * the line is quoted as Node does.
 */
import { readFileSync } from "node:fs";
import { findSourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import type { ExcerptPlace } from "./fatal-report.ts";

/** Node 22 ends the excerpt with a line more. */
const END = process.versions.node.startsWith("22.") ? "^\n\n" : "^\n";

/** Place, original line and caret; undefined where Node quotes the file that it loaded. */
export function mappedExcerpt(place: ExcerptPlace): string | undefined {
  if (!process.sourceMapsEnabled) return undefined;
  try {
    const map = findSourceMap(place.scriptName);
    if (map === undefined) return undefined;
    const { line: fileLine, column } = place.inFile ?? place;
    const entry = map.findEntry(fileLine - 1, column - 1);
    if (!("originalSource" in entry)) return undefined;
    const { originalSource, originalLine, originalColumn } = entry;
    const text = originalText(map.payload, originalSource);
    const line = text?.split(/\r?\n/, originalLine + 1)[originalLine];
    if (line === undefined || line === "") return undefined;
    const path = originalSource.startsWith("file://")
      ? fileURLToPath(originalSource)
      : originalSource;
    return `${path}:${originalLine + 1}\n${line}\n${padding(line.slice(0, originalColumn + 1))}${END}`;
  } catch {
    return undefined;
  }
}

function originalText(
  payload: { readonly sources: readonly string[]; readonly sourcesContent?: readonly string[] },
  source: string,
): string | undefined {
  const content: unknown = payload.sourcesContent?.[payload.sources.indexOf(source)];
  if (typeof content === "string" && content !== "") return content;
  return source.startsWith("file://") ? readFileSync(fileURLToPath(source), "utf8") : undefined;
}

/** What stands before the caret, which is under the last character. */
function padding(text: string): string {
  let pad = "";
  for (const character of text) pad += character === "\t" ? "\t" : " ".repeat(width(character));
  return pad.slice(0, -1);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}|\p{Cc}/u;

/** Columns of a terminal, as Node counts them. */
function width(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
