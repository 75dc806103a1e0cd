/** Shows the last events, newest first, set in by the depth of their calls. */
import { recentEvents } from "@orangebox/analysis";
import type { EventView, Inspection } from "@orangebox/analysis";

import type { Screen } from "../terminal/screen.ts";
import { fit, nameText, placeText } from "./shown-text.ts";

const MAX_INDENT = 40;
const KIND_COLUMNS = 8;

/** Gives the lines of the last `limit` events. */
export function eventLines(inspection: Inspection, limit: number, screen: Screen): string[] {
  const events = recentEvents(inspection.recording, limit);
  const shallowest = events.reduce((depth, event) => Math.min(depth, event.depth), Infinity);
  const severalThreads = new Set(events.map((event) => event.thread)).size > 1;
  return events
    .toReversed()
    .map((event) =>
      fit(screen, eventLine(inspection, event, { screen, shallowest, severalThreads })),
    );
}

function eventLine(
  inspection: Inspection,
  event: EventView,
  at: {
    readonly screen: Screen;
    readonly shallowest: number;
    readonly severalThreads: boolean;
  },
): string {
  const indent = " ".repeat(Math.min(2 * (event.depth - at.shallowest), MAX_INDENT));
  const kind = event.kind === "unknown" ? `kind ${event.code}` : event.kind;
  const detail = event.detail === undefined ? "" : ` ${nameText(event.detail)}`;
  const thread = at.severalThreads ? `[${event.thread}] ` : "";
  const name = nameText(event.qualname === "" ? "?" : event.qualname);
  const place = event.file === "" ? "?" : placeText(inspection, event);
  const text = `    ${thread}${kind.padEnd(KIND_COLUMNS)} ${indent}${name}  (${place})${detail}`;
  return event.kind === "raise" || event.kind === "unwind" ? at.screen.style.red(text) : text;
}
