/**
 * Puts probes into one finished file of a build, and makes its table and its new source map.
 *
 * The file is as the bundler would write it: bundled, shaken, minified. So nothing that the bundler
 * decides depends on probes. Why: docs/decisions/0010-build-plugin.md.
 */
import { basename } from "node:path";
import { instrument, type Instrumented, type ModuleFormat, rebase } from "@orangebox/instrument";
import { encodeTables, TABLE_ENDING, textHash } from "@orangebox/recorder/choice";
import { levelsBySource, type ResolvedMap, tableMap } from "./file-sources.ts";
import type { IdRanges } from "./id-ranges.ts";
import type { BuildChoice } from "./options.ts";
import {
  encodeMappings,
  type Insertions,
  type Mappings,
  moveMappings,
  type SourceMapJson,
} from "./source-map.ts";
import { describePlaces } from "./plain-places.ts";
import { headText } from "./stub.ts";

/** A finished file. */
export interface FinishedFile {
  /** Absolute, where it will be. */
  readonly filename: string;
  /** Names the file in the same way in every build of it, on any machine. */
  readonly key: string;
  readonly text: string;
  /** In which forms it may run, the likelier first. */
  readonly formats: readonly ModuleFormat[];
  readonly map: ResolvedMap | undefined;
  /** Where the table will be, when it is not beside the file. */
  readonly tablePath?: string;
  /** False where another tool changes the text before it runs. */
  readonly isFinal?: boolean;
}

/** A file with probes. */
export interface BuiltFile {
  readonly text: string;
  /** The source map of `text`; undefined without one. */
  readonly map: SourceMapJson | undefined;
  /** The columns that the places of the given map have in `text`, in their order. */
  readonly columns: readonly number[];
  /** Name of the table, in the folder of the file, or the path that was asked for. */
  readonly tableName: string;
  readonly table: Uint8Array;
}

/** What stands before the first use of the ring. */
const HEAD = /\bconst [\w$]+=__obR,/;
const RING = "__obR";
/** A file that has this name for itself hides what the stub needs. */
const HIDES_GLOBAL = /\b(?:var|let|const|function|class|import)\s+globalThis\b/;

/** @returns Why the file stays as it is, or the file with probes; undefined if nothing in it gets any. */
export function instrumentFile(
  file: FinishedFile,
  choice: BuildChoice,
  ids: IdRanges,
): BuiltFile | { readonly untouched: string } | undefined {
  const { filename, key, map, isFinal = true } = file;
  const { text, inlineMap } = withoutInlineMap(file.text);
  if (HIDES_GLOBAL.test(text)) return { untouched: "it declares globalThis" };
  const made = instrumentAs({ ...file, text }, choice);
  if ("untouched" in made) return made;
  const { result, format } = made;
  const head = HEAD.exec(result.code);
  if (head === null) return undefined;
  const base = ids.take(`${key}\n${textHash(text)}`, result.siteCount);
  if (base === undefined) return { untouched: "no probe ids are left" };
  const tableName = file.tablePath ?? basename(filename) + TABLE_ENDING;
  const at = head.index + head[0].length - RING.length - 1;
  const { text: inserted, idAt } = headFor(result, {
    at,
    text,
    tableName,
    level: choice.level,
    isFinal,
  });
  const { code, idOffsets, positions, forward } = withHead(result, { at, inserted, idAt });
  const mappings = map === undefined ? undefined : movedMappings(map, { text, code, forward });
  const moved =
    map === undefined || mappings === undefined
      ? undefined
      : { ...map.json, mappings: encodeMappings(mappings) };
  const comment = inlineMap && moved !== undefined ? inlineComment(moved) : "";
  const built = rebase({ code, idOffsets }, base) + comment;
  return {
    text: built,
    map: moved,
    columns: mappings?.columns ?? [],
    tableName,
    table: encodeTables(
      {
        base,
        siteCount: result.siteCount,
        format,
        hash: textHash(built),
        ...(isFinal ? {} : { file: filename }),
      },
      {
        sites: result.sites,
        positions,
        text,
        map: map === undefined ? undefined : tableMap(map, filename, choice),
        isFinal,
      },
    ),
  };
}

/** The same sources, at the places of the text with probes. */
function movedMappings(
  { mappings }: ResolvedMap,
  {
    text,
    code,
    forward,
  }: { text: string; code: string; forward: Pick<Insertions, "generated" | "original"> },
): Mappings {
  return moveMappings(mappings, {
    ...forward,
    generatedLineStarts: lineStartsOf(code),
    originalLineStarts: lineStartsOf(text),
  });
}

const INLINE_MAP = /\/\/# sourceMappingURL=data:[^\n]*\n?$/;

/** A map in the text is that of the text without probes: it is taken out, and written anew. */
function withoutInlineMap(text: string): { text: string; inlineMap: boolean } {
  const match = text.lastIndexOf("//# sourceMappingURL=data:");
  const inlineMap = match >= 0 && INLINE_MAP.test(text.slice(match));
  return { text: inlineMap ? text.slice(0, match) : text, inlineMap };
}

function inlineComment(map: SourceMapJson): string {
  const data = Buffer.from(JSON.stringify(map)).toString("base64");
  return `//# sourceMappingURL=data:application/json;charset=utf-8;base64,${data}\n`;
}

function instrumentAs(
  { filename, text, formats, map }: FinishedFile,
  choice: BuildChoice,
):
  | { readonly result: Instrumented; readonly format: ModuleFormat }
  | { readonly untouched: string } {
  let reason = "";
  const level = map === undefined ? choice.levelOf(filename) : choice.level;
  for (const format of formats) {
    const result = instrument(text, {
      filename,
      format,
      language: "js",
      level,
      ringMask: "at runtime",
      ...(map === undefined ? {} : { levelAt: levelsBySource(map, lineStartsOf(text), choice) }),
    });
    if (!("untouched" in result)) return { result, format };
    reason ||= result.untouched;
  }
  return { untouched: reason };
}

/** The text of the stub, with what it has to know of the file. */
function headFor(
  result: Instrumented,
  {
    at,
    text,
    tableName,
    level,
    isFinal,
  }: {
    at: number;
    text: string;
    tableName: string;
    level: BuildChoice["level"];
    isFinal: boolean;
  },
): ReturnType<typeof headText> {
  const { code, siteCount } = result;
  const places = isFinal ? describePlaces(text, code, copiedRuns(result)) : undefined;
  const before = code.slice(0, at);
  const line = before.split("\n").length - 1;
  const column = at - (before.lastIndexOf("\n") + 1);
  const head = (growth: number): ReturnType<typeof headText> => {
    // Of a fixed length: the number counts itself.
    const place = `${line} ${column} ${String(growth).padStart(GROWTH_DIGITS, "0")}`;
    const note = `${siteCount} ${tableName}${places === undefined ? "" : `\n${place}\n${places}`}`;
    return headText({ note, notesWrites: level === "writes" });
  };
  return head(head(0).text.length - RING.length);
}

const GROWTH_DIGITS = 9;

/** The runs of a text that are the file's own. */
function copiedRuns({
  positions: { generated, original },
  borrowed,
}: Pick<Instrumented, "positions" | "borrowed">): Pick<Insertions, "generated" | "original"> {
  if (borrowed.length === 0) return { generated, original };
  const inserted = new Set(borrowed);
  const isCopied = (_: number, index: number): boolean => !inserted.has(index);
  return { generated: generated.filter(isCopied), original: original.filter(isCopied) };
}

/** Puts the text of the stub into its place, and moves everything behind it. */
function withHead(
  { code, idOffsets, positions, borrowed }: Instrumented,
  { at, inserted, idAt }: { at: number; inserted: string; idAt: number },
): Pick<Instrumented, "code" | "idOffsets" | "positions"> & {
  forward: Pick<Insertions, "generated" | "original">;
} {
  const growth = inserted.length - RING.length;
  const moved = (values: Uint32Array): Uint32Array =>
    values.map((value) => (value > at ? value + growth : value));
  const generated = moved(positions.generated);
  const generatedLineStarts = moved(positions.generatedLineStarts);
  return {
    code: code.slice(0, at) + inserted + code.slice(at + RING.length),
    idOffsets: Uint32Array.from([...moved(idOffsets), at + idAt]).toSorted(),
    positions: { ...positions, generated, generatedLineStarts },
    forward: copiedRuns({ positions: { ...positions, generated }, borrowed }),
  };
}

/** As source maps count lines: only by line feeds and carriage returns. */
function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
