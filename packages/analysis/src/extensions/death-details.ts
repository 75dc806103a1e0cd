/**
 * Reads what EXT orangebox.death says of a program that could not write its recording itself.
 *
 * Layout: docs/format.md, "orangebox.death".
 */
import type { Recording } from "@orangebox/format";

import { extensionMap } from "./extension-list.ts";
import { countOf, fieldOf, textOf } from "./loose-fields.ts";

/** How a program ended; what nobody knows is undefined. */
export interface DeathView {
  /** `signal`, `exit`, `restart` (of the machine), `unknown`, or a word of a later version. */
  readonly how: string;
  readonly signal: string | undefined;
  readonly code: number | undefined;
  /** One word, such as `abort-called`; `unknown` when nobody can tell. */
  readonly cause: string;
  /** The same as a sentence. */
  readonly text: string;
  /** False when functions may have been open that are not among the frames. */
  readonly isStackWhole: boolean;
  /** How many activations waited for something. */
  readonly waitingCount: number | undefined;
}

/** Gives the death of a recording; undefined when the program wrote it itself. */
export function deathView(recording: Recording): DeathView | undefined {
  const death = extensionMap(recording, "orangebox.death");
  const how = textOf(fieldOf(death, "how"));
  if (how === undefined) return undefined;
  return {
    how,
    signal: textOf(fieldOf(death, "signal")),
    code: countOf(fieldOf(death, "code")),
    cause: textOf(fieldOf(death, "cause")) ?? "unknown",
    text: textOf(fieldOf(death, "text")) ?? how,
    isStackWhole: fieldOf(death, "isStackWhole") !== false,
    waitingCount: countOf(fieldOf(death, "waitingCount")),
  };
}
