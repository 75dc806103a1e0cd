/**
 * The tables that a build ships beside a file with probes: `app.js.orangebox`.
 *
 * One line of JSON that says which build of which file it is, then a gzipped JSON body with sites,
 * positions, the text without probes and its source map. The line is all that a start reads; the
 * body is read when something went wrong. Written by the build plugin, read in recorded programs.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import type * as Zlib from "node:zlib";
import type { PositionData, SiteTable } from "@orangebox/instrument/sites";

/** What a table file is called, behind the name of the file with probes. */
export const TABLE_ENDING = ".orangebox";

const MAGIC = "orangebox-build-1";
/** The first line is shorter. */
const MAX_HEAD_BYTES = 4096;
/** No table is read beyond this. */
const MAX_TABLE_BYTES: number = 2 ** 30;

/** Which build of which file a table belongs to. */
export interface TableHead {
  /** Ids `base + 1 … base + siteCount` stand in the file. */
  readonly base: number;
  readonly siteCount: number;
  readonly format: "module" | "commonjs";
  /** `textHash` of the file as it was written, with probes. */
  readonly hash: string;
  /** Absolute path of what a development server runs under another name. */
  readonly file?: string | undefined;
}

/** Everything that is known of a built file. */
export interface BuiltTables {
  readonly sites: SiteTable;
  readonly positions: PositionData;
  /** The file as the build would be without probes. */
  readonly text: string;
  /** The source map of `text`, as JSON; its sources are relative to the folder of the file. */
  readonly map?: string | undefined;
  /** Whether the text that runs is the one the positions are of: a development server changes it again. */
  readonly isFinal: boolean;
}

/** Makes the bytes of a table file. */
export function encodeTables(head: TableHead, tables: BuiltTables): Uint8Array {
  const { sites, positions, text, map, isFinal } = tables;
  const body = {
    sites,
    positions: {
      generated: differences(positions.generated),
      original: differences(positions.original),
      generatedLineStarts: differences(positions.generatedLineStarts),
      originalLineStarts: differences(positions.originalLineStarts),
    },
    text,
    map,
    isFinal,
  };
  const packed = zlib().gzipSync(JSON.stringify(body));
  const line = JSON.stringify({ magic: MAGIC, ...head, bodyBytes: packed.length });
  return Buffer.concat([Buffer.from(`${line}\n`), packed]);
}

/** What the first line of a table says; undefined when it is no table of this version. */
export function tableHead(table: Uint8Array): TableHead | undefined {
  return splitTable(Buffer.from(table))?.head;
}

/** The same table for a file whose text became another one in which nothing has moved. */
export function renewTable(table: Uint8Array, hash: string): Uint8Array {
  const bytes = Buffer.from(table);
  const split = splitTable(bytes);
  if (split === undefined) throw new TypeError("these bytes are no table");
  const { head, bodyOffset, bodyBytes } = split;
  const line = JSON.stringify({ magic: MAGIC, ...head, hash, bodyBytes });
  return Buffer.concat([Buffer.from(`${line}\n`), bytes.subarray(bodyOffset)]);
}

/**
 * Reads the first line of a table file and checks that the rest is there.
 *
 * @returns A sentence that says what is wrong, or the line.
 */
export function readTableHead(path: string): TableHead | string {
  let bytes: Buffer;
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    bytes = Buffer.alloc(MAX_HEAD_BYTES);
    bytes = bytes.subarray(0, readSync(file, bytes, 0, MAX_HEAD_BYTES, 0));
  } catch {
    return "its table cannot be read";
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return splitTable(bytes)?.head ?? "its table is no table of this version";
}

/**
 * Reads a whole table file.
 *
 * @throws {Error} if it is damaged.
 */
export function readTables(path: string): BuiltTables {
  const bytes = readFileSync(path);
  const split = splitTable(bytes);
  if (split === undefined || bytes.length !== split.bodyOffset + split.bodyBytes) {
    throw new Error(`${path} is damaged`);
  }
  const json = zlib().gunzipSync(bytes.subarray(split.bodyOffset), {
    maxOutputLength: MAX_TABLE_BYTES,
  });
  const body = JSON.parse(json.toString("utf8")) as {
    readonly sites: SiteTable;
    readonly positions: Readonly<Record<keyof PackedPositions, readonly number[]>>;
    readonly text: string;
    readonly map?: string;
    readonly isFinal: boolean;
  };
  const { positions } = body;
  return {
    sites: body.sites,
    positions: {
      version: 1,
      generated: sums(positions.generated),
      original: sums(positions.original),
      generatedLineStarts: sums(positions.generatedLineStarts),
      originalLineStarts: sums(positions.originalLineStarts),
    },
    text: body.text,
    map: body.map,
    isFinal: body.isFinal,
  };
}

type PackedPositions = Pick<
  PositionData,
  "generated" | "original" | "generatedLineStarts" | "originalLineStarts"
>;

function splitTable(
  bytes: Buffer,
): { head: TableHead; bodyOffset: number; bodyBytes: number } | undefined {
  const end = bytes.indexOf("\n");
  if (end < 0) return undefined;
  try {
    const line = JSON.parse(bytes.toString("utf8", 0, end)) as Partial<TableHead> & {
      readonly magic?: unknown;
      readonly bodyBytes?: unknown;
    };
    const { magic, base, siteCount, format, hash, file, bodyBytes } = line;
    if (magic !== MAGIC || typeof bodyBytes !== "number") return undefined;
    if (typeof base !== "number" || typeof siteCount !== "number") return undefined;
    if ((format !== "module" && format !== "commonjs") || typeof hash !== "string") {
      return undefined;
    }
    if (file !== undefined && typeof file !== "string") return undefined;
    return { head: { base, siteCount, format, hash, file }, bodyOffset: end + 1, bodyBytes };
  } catch {
    return undefined;
  }
}

/** Ascending numbers compress well as differences. */
function differences(values: Uint32Array): number[] {
  const found: number[] = [];
  let last = 0;
  for (const value of values) {
    found.push(value - last);
    last = value;
  }
  return found;
}

function sums(values: readonly number[]): Uint32Array {
  const found = new Uint32Array(values.length);
  let last = 0;
  for (const [index, value] of values.entries()) {
    last += value;
    found[index] = last;
  }
  return found;
}

/** Loaded when a table is opened: a program that runs well does not pay for it. */
function zlib(): Pick<typeof Zlib, "gzipSync" | "gunzipSync"> {
  return process.getBuiltinModule("node:zlib");
}
