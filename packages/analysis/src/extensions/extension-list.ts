/** Gives the data of one EXT namespace, over all its blocks. Layout: docs/format.md, "EXT". */
import type { Recording } from "@orangebox/format";

/** The newest version of a namespace that is understood here. */
const KNOWN_VERSION = 1;

/** Gives the lists of all blocks of a namespace as one list, in file order. */
export function extensionList(recording: Recording, namespace: string): unknown[] {
  const entries: unknown[] = [];
  for (const data of dataOf(recording, namespace)) {
    if (!Array.isArray(data)) continue;
    for (const entry of data) entries.push(entry);
  }
  return entries;
}

/** Gives the data of the first block of a namespace whose data is a map, or undefined. */
export function extensionMap(recording: Recording, namespace: string): unknown {
  return dataOf(recording, namespace).find(
    (data) => typeof data === "object" && data !== null && !Array.isArray(data),
  );
}

function dataOf(recording: Recording, namespace: string): unknown[] {
  return recording
    .extensions(namespace)
    .filter((extension) => extension.version <= KNOWN_VERSION)
    .map((extension) => extension.data);
}
