/**
 * Follows the source maps of files that were compiled ahead, so that frames are in the original.
 */
import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CollectedFrame } from "./collect-frames.ts";

/** A map larger than this is not worth the time of a dying process. */
const MAX_MAP_BYTES = 64 * 2 ** 20;

interface OpenMap {
  readonly map: SourceMap;
  /** The map's own folder, as a URL with a final slash. */
  readonly base: string;
  readonly payload: SourceMapPayload;
}

/** Replaces file, line and column of every frame whose file names a readable source map. */
export function mapThroughSourceMaps(frames: readonly CollectedFrame[]): readonly CollectedFrame[] {
  const maps = new Map<string, OpenMap | undefined>();
  return frames.map((frame) => {
    if (!maps.has(frame.file)) maps.set(frame.file, openSourceMap(frame.file));
    const open = maps.get(frame.file);
    return open === undefined ? frame : mapFrame(frame, open);
  });
}

function mapFrame(frame: CollectedFrame, open: OpenMap): CollectedFrame {
  const place = findOriginal(open, frame.line, frame.column);
  if (place === undefined) return frame;
  const first = findOriginal(open, frame.firstLine, 1) ?? findNextOnLine(open, frame.firstLine);
  return {
    ...frame,
    file: place.file,
    line: place.line,
    column: place.column,
    firstLine: first?.line ?? place.line,
    ...(place.text === undefined ? {} : { sourceText: place.text }),
    generated: { file: frame.file, line: frame.line, column: frame.column },
  };
}

function findOriginal(
  { map, base, payload }: OpenMap,
  line: number,
  column: number,
): { file: string; line: number; column: number; text: string | undefined } | undefined {
  const entry = map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry) || typeof entry.originalSource !== "string") return undefined;
  if (entry.generatedLine !== line - 1) return undefined;
  try {
    const file = fileURLToPath(new URL(entry.originalSource, base));
    const index = payload.sources.indexOf(entry.originalSource);
    const text = payload.sourcesContent?.[index];
    return {
      file,
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
      text: typeof text === "string" ? text : undefined,
    };
  } catch {
    return undefined;
  }
}

/** A function's first line may begin with blanks that map nowhere. */
function findNextOnLine(open: OpenMap, line: number): { line: number } | undefined {
  for (let column = 2; column <= 80; column++) {
    const found = findOriginal(open, line, column);
    if (found !== undefined) return found;
  }
  return undefined;
}

function openSourceMap(file: string): OpenMap | undefined {
  if (!/\.[cm]?jsx?$/.test(file)) return undefined;
  try {
    const text = readFileSync(file, "utf8");
    const at = text.lastIndexOf("//# sourceMappingURL=");
    if (at < 0) return undefined;
    const url = /^\S+/.exec(text.slice(at + "//# sourceMappingURL=".length))?.[0] ?? "";
    const folder = pathToFileURL(`${dirname(resolve(file))}/`).href;
    if (url.startsWith("data:")) {
      const comma = url.indexOf(",");
      const isBase64 = url.slice(0, comma).endsWith(";base64");
      const body = url.slice(comma + 1);
      const json = isBase64 ? Buffer.from(body, "base64").toString() : decodeURIComponent(body);
      return parseMap(json, folder);
    }
    const location = new URL(url, folder);
    const json = readFileSync(location, "utf8");
    return parseMap(json, new URL(".", location).href);
  } catch {
    return undefined;
  }
}

function parseMap(json: string, base: string): OpenMap | undefined {
  if (json.length > MAX_MAP_BYTES) return undefined;
  const payload = JSON.parse(json) as SourceMapPayload;
  const root =
    payload.sourceRoot === undefined || payload.sourceRoot === "" ? "" : payload.sourceRoot;
  const folder = root === "" ? base : new URL(root.endsWith("/") ? root : `${root}/`, base).href;
  return { map: new SourceMap(payload), base: folder, payload };
}
