/** Knows encrypted boxes of this recorder without their key, by what their readable header says. */
import { AGE_BOX_STANZA } from "@orangebox/format";

const MARK_BYTES = 256;

/**
 * Reads the mark: the version of the recorder, and the token if there is one.
 *
 * @param start The beginning of an age file.
 * @returns Undefined when this recorder did not write it.
 */
export function boxMark(start: Uint8Array): string[] | undefined {
  const text = String.fromCharCode(...start.subarray(0, MARK_BYTES));
  const [arrow, type, ...mark] = text.split("\n")[1]?.split(" ") ?? [];
  return arrow === "->" && type === AGE_BOX_STANZA ? mark : undefined;
}
