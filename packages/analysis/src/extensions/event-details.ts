/**
 * Reads EXT node.events: what events are beyond their kind, and their columns.
 *
 * The recorder writes it in columns, for all events at once; entries for single events,
 * `[tstamp, {…}]` or `{tstamp, …}`, are read as well.
 */
import type { Id, Recording } from "@orangebox/format";

import { extensionList, extensionMap } from "./extension-list.ts";
import { countOf, fieldOf, listOf, textOf } from "./loose-fields.ts";

/** Answers by the tstamp of an event. */
export interface EventDetails {
  /** What it is beyond its kind, such as `await` or `resume`. */
  detail(tstamp: Id): string | undefined;
  /** From 1. */
  column(tstamp: Id): number | undefined;
}

/** Bytes of one column number. */
const COLUMN_BYTES = 2;

/** Gives what is known of the events of a recording. */
export function eventDetails(recording: Recording): EventDetails {
  const data = extensionMap(recording, "node.events");
  const details = singleEntries(extensionList(recording, "node.events"));
  const kinds = listOf(fieldOf(data, "kinds"));
  const fine = listOf(fieldOf(data, "kind"));
  for (const [index, tstamp] of listOf(fieldOf(data, "at")).entries()) {
    const detail = textOf(kinds[countOf(fine[index]) ?? -1]);
    if (detail !== undefined) details.set(String(tstamp), detail);
  }
  const columns = fieldOf(data, "columns");
  const first = countOf(fieldOf(data, "firstTstamp")) ?? 0;
  return {
    detail: (tstamp) => details.get(String(tstamp)),
    column(tstamp) {
      if (!(columns instanceof Uint8Array)) return undefined;
      const at = (Number(tstamp) - first) * COLUMN_BYTES;
      const column = (columns[at] ?? 0) + ((columns[at + 1] ?? 0) << 8);
      return column === 0 ? undefined : column;
    },
  };
}

function singleEntries(entries: readonly unknown[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of entries) {
    const [first, second] = listOf(entry);
    const tstamp = first ?? fieldOf(entry, "tstamp");
    const data = first === undefined ? entry : second;
    const detail = textOf(fieldOf(data, "kind")) ?? textOf(fieldOf(data, "detail"));
    if ((typeof tstamp === "number" || typeof tstamp === "bigint") && detail !== undefined)
      found.set(String(tstamp), detail);
  }
  return found;
}
