/** Shows frames with their locals, and what lies between them. */
import type { Alias, FrameView, Inspection } from "@orangebox/analysis";

import type { Screen } from "../terminal/screen.ts";
import { textWidth } from "../terminal/text-width.ts";
import { countText, fit, localName, nameText, placeText, valueText } from "./shown-text.ts";

/** Most other names of an object beside its alias mark. */
const MAX_NAMES = 3;
const LOCAL_INDENT = 8;

/** What a frame is shown with. */
export interface FrameStyle {
  readonly screen: Screen;
  readonly aliases: ReadonlyMap<string, Alias>;
  /** Most locals; the rest is counted. */
  readonly maxLocals: number;
}

/** Gives the lines of one frame: the boundary before it, its place, its locals. */
export function frameLines(inspection: Inspection, frame: FrameView, style: FrameStyle): string[] {
  const { screen } = style;
  const head = `  #${frame.index} ${screen.style.bold(nameText(frame.qualname))}  (${placeText(inspection, frame)})`;
  const rest = frame.locals.length - style.maxLocals;
  return [
    ...boundaryLines(inspection, frame, screen),
    fit(screen, head),
    ...frame.notes.map((note) =>
      fit(screen, screen.style.yellow(`        note: ${nameText(note)}`)),
    ),
    ...frame.locals
      .slice(0, style.maxLocals)
      .map((local) => localLine(inspection, frame, { local, style })),
    ...(rest > 0 ? [screen.style.dim(`        … ${countText(rest, "more local")}`)] : []),
  ];
}

function boundaryLines(inspection: Inspection, frame: FrameView, screen: Screen): string[] {
  // Above the frame that failed there is nothing to be parted from.
  if (frame.boundary === undefined || frame.index === 0) return [];
  const { label, promise } = frame.boundary;
  const verb = frame.kind === "started-by" ? "started by" : "async:";
  const made =
    promise === undefined
      ? ""
      : ` (promise made ${promise.qualname === undefined ? "" : `in ${nameText(promise.qualname)} `}at ${placeText(inspection, promise)})`;
  return [fit(screen, screen.style.yellow(`  ── ${verb} ${nameText(label)}${made} ──`))];
}

function localLine(
  inspection: Inspection,
  frame: FrameView,
  at: { readonly local: FrameView["locals"][number]; readonly style: FrameStyle },
): string {
  const { local, style } = at;
  const { screen } = style;
  const name = localName(local.name);
  const alias = style.aliases.get(String(local.id));
  const mark = alias === undefined ? "" : ` ↔ ${aliasText(alias, frame, local.name)}`;
  const taken = LOCAL_INDENT + textWidth(name) + 3;
  const value = valueText(inspection, local.id, {
    screen,
    taken: taken + Math.min(textWidth(mark), 40),
  });
  return fit(screen, `        ${name} = ${value}${screen.style.cyan(mark)}`);
}

/** Lists the other names: `data in #1, sets.evening in #2`. */
function aliasText(alias: Alias, frame: FrameView, name: string): string {
  const others = alias.names.filter((other) => other.frame !== frame.index || other.path !== name);
  const shown = others.slice(0, MAX_NAMES).map((other) => {
    const path = nameText(other.path);
    return other.frame === frame.index ? path : `${path} in #${other.frame}`;
  });
  return others.length > MAX_NAMES
    ? `${shown.join(", ")} … ${others.length} names`
    : shown.join(", ");
}
