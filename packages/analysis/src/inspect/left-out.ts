/** Tells what the recorder left out: limits that were hit, and values that were hidden. */
import type { Recording } from "@orangebox/format";

import { extensionList, extensionMap } from "../extensions/extension-list.ts";
import { countOf, fieldOf, listOf, textOf } from "../extensions/loose-fields.ts";

/** A limit that was hit while capturing. */
export interface CutNote {
  readonly limit: string;
  /** How many values it cut; undefined when not counted. */
  readonly count: number | undefined;
  readonly where: string | undefined;
}

/** Values of one place that were hidden before they reached the file. */
export interface RedactionNote {
  readonly where: string;
  readonly name: string | undefined;
  readonly detector: string | undefined;
  readonly count: number;
}

/** Gives the limits that were hit, as EXT node.budget tells in `cuts` or in a bare list. */
export function cutNotes(recording: Recording): CutNote[] {
  const entries = [
    ...listOf(fieldOf(extensionMap(recording, "node.budget"), "cuts")),
    ...extensionList(recording, "node.budget"),
  ];
  return entries.flatMap((entry) => {
    const limit = textOf(fieldOf(entry, "limit"));
    if (limit === undefined) return [];
    const count = countOf(fieldOf(entry, "count"));
    const where = textOf(fieldOf(entry, "where")) ?? textOf(fieldOf(entry, "first"));
    return [{ limit, count, where }];
  });
}

/** Gives the recorder's own remarks on what it could not do. */
export function recorderNotes(recording: Recording): string[] {
  const budget = fieldOf(extensionMap(recording, "node.budget"), "notes");
  const runtime = fieldOf(extensionMap(recording, "node.runtime"), "notes");
  // The recorder says in both what went wrong while it captured.
  const notes = new Set([...listOf(budget), ...listOf(runtime)]);
  return [...notes].filter((note) => typeof note === "string");
}

/** Gives what was hidden and where, equal notes added up. */
export function redactionNotes(recording: Recording): RedactionNote[] {
  const entries = [
    ...extensionList(recording, "orangebox.redactions"),
    ...extensionList(recording, "node.redactions"),
    ...listOf(fieldOf(extensionMap(recording, "orangebox.redactions"), "redactions")),
    ...listOf(fieldOf(extensionMap(recording, "node.budget"), "redactions")),
  ];
  const notes = new Map<string, RedactionNote>();
  for (const entry of entries) {
    const where = textOf(fieldOf(entry, "where")) ?? "";
    const name = textOf(fieldOf(entry, "name"));
    const detector = textOf(fieldOf(entry, "detector"));
    const count = countOf(fieldOf(entry, "count")) ?? 1;
    const key = JSON.stringify([where, name, detector]);
    const before = notes.get(key)?.count ?? 0;
    notes.set(key, { where, name, detector, count: before + count });
  }
  return [...notes.values()];
}
