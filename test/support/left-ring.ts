/**
 * Reads the ring that a killed program left, with the recorder's own parts.
 */
import { readFileSync } from "node:fs";
import { deserialize } from "node:v8";
import { type FunctionSite, siteAt, type SiteTable } from "@orangebox/instrument/sites";
import { decodeEvents } from "../../packages/recorder/src/ring/decode-events.ts";
import type { CodeLocation, ResolvedSite } from "../../packages/recorder/src/ring/event-sink.ts";
import { readRing } from "../../packages/recorder/src/ring/read-ring.ts";

/** What a killed program's ring says about its end. */
export interface LeftRing {
  /** Names of the functions that were open, innermost first. */
  readonly open: readonly string[];
  /** Names of the functions of the last events, youngest first. */
  readonly last: readonly string[];
}

/** Reads a ring and says what was going on. */
export function readLeftRing(path: string): LeftRing {
  const ring = readRing(path);
  const codes = new Map<string, CodeLocation>();
  const resolve = (id: number): ResolvedSite | undefined => {
    const record = ring.sites.find(({ base, count }) => id > base && id <= base + count);
    if (record === undefined) return undefined;
    const table =
      "sites" in record
        ? (record.sites as SiteTable)
        : (deserialize(readFileSync(record.cacheFile)) as { tables: { sites: SiteTable } }).tables
            .sites;
    const site = siteAt(table, id - record.base);
    const owner = siteAt(table, site.function) as FunctionSite;
    const key = `${record.base}:${site.function}`;
    const code = codes.get(key) ?? {
      file: record.filename,
      qualname: owner.qualname,
      firstLine: owner.firstLine,
    };
    codes.set(key, code);
    return { kind: site.kind, line: site.line, column: site.column, code };
  };
  const decoded = decodeEvents(ring.events, {
    resolve,
    thread: ring.header?.threadId ?? 0,
    wrapped: ring.wrapped,
  });
  const last = [...decoded.events]
    .slice(-200)
    .toReversed()
    .map(({ codeId }) => decoded.codes.get(Number(codeId))?.qualname ?? "");
  return { open: decoded.open.map(({ code }) => code.qualname), last };
}
