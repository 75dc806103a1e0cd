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
import { encodeMappings, type Insertions, moveMappings, type SourceMapJson } from "./source-map.ts";
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
  const { filename, key, map } = file;
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
  const { text: inserted, idAt } = headText({
    note: `${result.siteCount} ${tableName}`,
    notesWrites: choice.level === "writes",
  });
  const at = head.index + head[0].length - RING.length - 1;
  const { code, idOffsets, positions, forward } = withHead(result, { at, inserted, idAt });
  const moved = map === undefined ? undefined : movedMap(map, { text, code, forward });
  const comment = inlineMap && moved !== undefined ? inlineComment(moved) : "";
  const built = rebase({ code, idOffsets }, base) + comment;
  return {
    text: built,
    map: moved,
    tableName,
    table: encodeTables(
      { base, siteCount: result.siteCount, format, hash: textHash(built) },
      {
        sites: result.sites,
        positions,
        text,
        map: map === undefined ? undefined : tableMap(map, filename, choice),
        isFinal: file.isFinal !== false,
      },
    ),
  };
}

/** The same sources, at the places of the text with probes. */
function movedMap(
  { json, mappings }: ResolvedMap,
  {
    text,
    code,
    forward,
  }: { text: string; code: string; forward: Pick<Insertions, "generated" | "original"> },
): SourceMapJson {
  const moved = moveMappings(mappings, {
    ...forward,
    generatedLineStarts: lineStartsOf(code),
    originalLineStarts: lineStartsOf(text),
  });
  return { ...json, mappings: encodeMappings(moved) };
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
  const isCopied = (_: number, index: number): boolean => !borrowed.includes(index);
  return {
    code: code.slice(0, at) + inserted + code.slice(at + RING.length),
    idOffsets: Uint32Array.from([...moved(idOffsets), at + idAt]).toSorted(),
    positions: { ...positions, generated, generatedLineStarts },
    forward: {
      generated: borrowed.length === 0 ? generated : generated.filter(isCopied),
      original: borrowed.length === 0 ? positions.original : positions.original.filter(isCopied),
    },
  };
}

/** As source maps count lines: only by line feeds and carriage returns. */
function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
