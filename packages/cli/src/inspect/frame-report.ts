/** Shows one frame: its source with values beside the code, and all its locals. */
import { findAliases } from "@orangebox/analysis";
import type { FrameView, Inspection } from "@orangebox/analysis";

import type { Screen } from "../terminal/screen.ts";
import { frameLines } from "./frame-lines.ts";
import { sourceLines } from "./source-lines.ts";

const WINDOW = { before: 8, after: 8 };
const MAX_LOCALS = 500;
const MAX_FRAMES_FOR_ALIASES = 1000;

/** Gives the lines of one frame in detail. */
export function frameReport(
  inspection: Inspection,
  frame: FrameView,
  { screen, verbose }: { readonly screen: Screen; readonly verbose: boolean },
): string[] {
  const frames = inspection.frames.slice(0, MAX_FRAMES_FOR_ALIASES);
  const aliases = findAliases(frames, inspection.values());
  const maxLocals = verbose ? Infinity : MAX_LOCALS;
  const source = sourceLines(inspection, frame, { screen, size: WINDOW });
  return [
    ...frameLines(inspection, frame, { screen, aliases, maxLocals }),
    ...(source.length === 0
      ? [screen.style.dim("        (the source was not recorded)")]
      : ["", ...source]),
  ];
}
