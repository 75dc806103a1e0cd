/**
 * Gives the ids of a text their final values.
 *
 * The instrumented text is cached with ids that count from 0; each process hands out ranges.
 */

import { idText } from "./edits.ts";
import type { Instrumented } from "./instrumented.ts";

const DIGITS = 8;

/** Returns the text with `base` added to every id; the kind in the upper bits stays. */
export function rebase(
  instrumented: Pick<Instrumented, "code" | "idOffsets">,
  base: number,
): string {
  const { code, idOffsets } = instrumented;
  if (base === 0) return code;
  const parts: string[] = [];
  let copied = 0;
  for (const offset of idOffsets) {
    const id = Number.parseInt(code.slice(offset, offset + DIGITS), 16);
    parts.push(code.slice(copied, offset - 2), idText(id + base));
    copied = offset + DIGITS;
  }
  parts.push(code.slice(copied));
  return parts.join("");
}
