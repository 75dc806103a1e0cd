/**
 * Finds and opens the source maps of files that were compiled, ahead or by another loader.
 *
 * What the original text then says about a frame is worked out in original-frames.ts.
 */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A map larger than this is not worth the time of a dying process. */
const MAX_MAP_BYTES = 64 * 2 ** 20;
/** Folders above a compiled file in which its sources are looked for. */
const MAX_LEVELS = 12;

/** A place in an original text. */
export interface OriginalPlace {
  /** Absolute path. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** The name that stands there in the original, where the map has it. */
  readonly name: string | undefined;
  /** Whether the map has an entry for exactly this place; else for one before it, on its line. */
  readonly isExact: boolean;
  /** How many units behind the place of that entry. */
  readonly behind: number;
}

/** The map of one compiled text. */
export class OpenSourceMap {
  /** The compiled text. */
  readonly text: string;
  readonly #map: SourceMap;
  readonly #file: string;
  /** The map's own folder, as a URL with a final slash. */
  readonly #base: string;
  readonly #contents = new Map<string, string>();
  readonly #files = new Map<string, string | undefined>();

  constructor(
    text: string,
    { file, base, payload }: { file: string; base: string; payload: SourceMapPayload },
  ) {
    this.text = text;
    this.#file = file;
    this.#base = base;
    this.#map = new SourceMap(payload);
    for (const { sources, sourcesContent } of partsOf(payload)) {
      for (const [index, source] of sources.entries()) {
        const content = sourcesContent?.[index];
        if (typeof content === "string" && typeof source === "string")
          this.#contents.set(source, content);
      }
    }
  }

  /** Where a place of the compiled text, 1-based, comes from. */
  find(line: number, column: number): OriginalPlace | undefined {
    const entry = this.#map.findEntry(line - 1, column - 1);
    if (!("originalSource" in entry) || typeof entry.originalSource !== "string") return undefined;
    if (entry.generatedLine !== line - 1) return undefined;
    const file = this.#fileOf(entry.originalSource);
    if (file === undefined) return undefined;
    const behind = column - 1 - entry.generatedColumn;
    const { name } = entry as { readonly name?: string };
    return {
      file,
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
      name: name === "" ? undefined : name,
      isExact: behind === 0,
      behind,
    };
  }

  /** The original text that the map carries. */
  textOf(file: string): string | undefined {
    for (const [source, content] of this.#contents) {
      if (this.#fileOf(source) === file) return content;
    }
    return undefined;
  }

  #fileOf(source: string): string | undefined {
    if (!this.#files.has(source)) this.#files.set(source, this.#resolve(source));
    return this.#files.get(source);
  }

  #resolve(source: string): string | undefined {
    try {
      const url = new URL(source, this.#base);
      if (url.protocol === "file:") return fileURLToPath(url);
      // Bundlers name sources from the project's folder: `webpack://name/./src/main.ts`.
      const path = decodeURIComponent(url.pathname).replace(/^\/+/, "");
      return path === "" ? undefined : this.#searchUpwards(path);
    } catch {
      return undefined;
    }
  }

  /** A file of this name in a folder above the compiled one; beside it, when there is none. */
  #searchUpwards(path: string): string {
    let folder = dirname(this.#file);
    for (let level = 0; level < MAX_LEVELS; level++) {
      const candidate = join(folder, path);
      if (existsSync(candidate)) return candidate;
      const above = dirname(folder);
      if (above === folder) break;
      folder = above;
    }
    return join(dirname(this.#file), path);
  }
}

/** An index map has its sources in parts. */
function partsOf(
  payload: SourceMapPayload,
): readonly Pick<SourceMapPayload, "sources" | "sourcesContent">[] {
  const { sections } = payload as { sections?: readonly { map: SourceMapPayload }[] };
  const parts = Array.isArray(sections) ? sections.map(({ map }) => map) : [payload];
  return parts.filter(({ sources }) => Array.isArray(sources));
}

/**
 * Opens the map that a compiled text names.
 *
 * @param file Absolute; the map and its sources are looked for from its folder.
 * @param json The map, where it is known already.
 * @returns Undefined when it names none, or none that can be read.
 */
export function openSourceMap(
  file: string,
  text: string,
  json?: string,
): OpenSourceMap | undefined {
  try {
    const beside = pathToFileURL(`${dirname(resolve(file))}/`).href;
    if (json !== undefined) return parseMap(file, text, { json, base: beside });
    const url = mapUrl(text);
    if (url === undefined) return undefined;
    if (url.startsWith("data:")) return parseMap(file, text, { json: dataOf(url), base: beside });
    const location = new URL(url, beside);
    const read = readFileSync(location, "utf8");
    return parseMap(file, text, { json: read, base: new URL(".", location).href });
  } catch {
    return undefined;
  }
}

/** The last comment counts, as for the engine. */
function mapUrl(text: string): string | undefined {
  const at = Math.max(
    text.lastIndexOf("//# sourceMappingURL="),
    text.lastIndexOf("/*# sourceMappingURL="),
  );
  if (at < 0) return undefined;
  return /^[^\s*]+/.exec(text.slice(at + "//# sourceMappingURL=".length))?.[0];
}

function dataOf(url: string): string {
  const comma = url.indexOf(",");
  const body = url.slice(comma + 1);
  const isBase64 = url.slice(0, comma).endsWith(";base64");
  return isBase64 ? Buffer.from(body, "base64").toString() : decodeURIComponent(body);
}

function parseMap(
  file: string,
  text: string,
  { json, base }: { json: string; base: string },
): OpenSourceMap | undefined {
  if (json.length > MAX_MAP_BYTES) return undefined;
  const payload = JSON.parse(json) as SourceMapPayload;
  const root = payload.sourceRoot ?? "";
  const folder = root === "" ? base : new URL(root.endsWith("/") ? root : `${root}/`, base).href;
  return new OpenSourceMap(text, { file, base: folder, payload });
}
