/** Joins the chain of errors with its details in EXT node.errors. Layout: docs/format.md, "Exceptions". */
import type { Id, Recording } from "@orangebox/format";

import { extensionList } from "../extensions/extension-list.ts";
import { placeOf } from "../extensions/frame-details.ts";
import type { Place } from "../extensions/frame-details.ts";
import { countOf, fieldOf, idOf, textOf } from "../extensions/loose-fields.ts";

/** One error of the chain; the first one is what was thrown. */
export interface ExceptionView {
  readonly type: string;
  readonly message: string;
  /** `head`, `cause`, `context`, `aggregate`, `suppressed` or another label. */
  readonly relation: string;
  readonly objectId: Id | undefined;
  readonly code: string | undefined;
  /** Stack text as the program would have printed it. */
  readonly stack: string | undefined;
  /** Where it was thrown or rejected, when that is known apart from the frames. */
  readonly place: Place | undefined;
}

/** Gives the chain of errors, head first. */
export function exceptionViews(recording: Recording): ExceptionView[] {
  const details = detailsByIndex(extensionList(recording, "node.errors"));
  return recording.exceptions().map(({ type, message, relation }, index) => {
    const detail = details.get(index);
    const code = fieldOf(detail, "code");
    return {
      type,
      message,
      relation,
      objectId: idOf(fieldOf(detail, "objectId") ?? fieldOf(detail, "object")),
      code: typeof code === "number" ? String(code) : textOf(code),
      stack: textOf(fieldOf(detail, "stack")),
      place: placeOf(fieldOf(detail, "thrown")),
    };
  });
}

/** Entries name their exception by index; entries without a name are in the order of the chain. */
function detailsByIndex(entries: readonly unknown[]): Map<number, unknown> {
  const found = new Map<number, unknown>();
  for (const [position, entry] of entries.entries()) {
    const index =
      countOf(fieldOf(entry, "exception")) ?? countOf(fieldOf(entry, "index")) ?? position;
    if (!found.has(index)) found.set(index, entry);
  }
  return found;
}
