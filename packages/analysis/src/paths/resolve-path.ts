/**
 * Finds the object that a path expression means.
 *
 * A path begins with `frames[N].name`, `objects[ID]`, `exceptions[N]`, or the name of a local,
 * which is looked for in the frames from the crash outwards, or in one frame alone.
 */
import { FlightError } from "@orangebox/format";
import type { Id, ObjectNode } from "@orangebox/format";

import type { FrameView } from "../extensions/frame-details.ts";
import type { Inspection } from "../inspect/inspection.ts";
import { hasPositions, isMapNode } from "../values/node-kinds.ts";
import { keyText } from "../values/value-printer.ts";
import type { PrintableObjects } from "../values/value-printer.ts";
import { clipText, quoteText, visibleText } from "../values/visible-text.ts";
import { parsePath } from "./parse-path.ts";
import type { PathStep } from "./parse-path.ts";

/** What a path means. */
export interface ResolvedPath {
  readonly id: Id;
  /** The frame it starts from; undefined when it starts from an object or exception. */
  readonly frame: number | undefined;
  /** The path with its start written out. */
  readonly path: string;
}

/** Most names offered in a hint. */
const NAMES_OFFERED = 12;

/** Where a path may begin. */
export interface PathOptions {
  /** The only frame whose locals are looked at; negative from the outermost. */
  readonly frame?: number | undefined;
}

/**
 * Finds the object that `expression` means.
 *
 * @throws {FlightError} `FLIGHT_USAGE` if the text is no path.
 * @throws {FlightError} `FLIGHT_NOT_FOUND` if a step leads nowhere; the hint lists what is there.
 */
export function resolvePath(
  inspection: Inspection,
  expression: string,
  options: PathOptions = {},
): ResolvedPath {
  const steps = parsePath(expression);
  const start =
    options.frame === undefined
      ? findStart(inspection, steps)
      : startFromLocal(inspection, steps, options.frame);
  const values = inspection.values();
  let { id, path } = start;
  for (const step of steps.slice(start.used)) {
    id = follow(values, id, { step, path });
    path += stepText(step);
  }
  return { id, frame: start.frame, path };
}

interface Start extends ResolvedPath {
  /** How many steps the start took. */
  readonly used: number;
}

function findStart(inspection: Inspection, steps: readonly PathStep[]): Start {
  const [first, second] = steps;
  const name = first?.kind === "member" ? first.name : "";
  const index = second?.kind === "index" ? second.index : undefined;
  if (name === "frames" && index !== undefined) return startInFrame(inspection, steps, index);
  if (name === "objects" && index !== undefined)
    return { id: index, frame: undefined, path: `objects[${index}]`, used: 2 };
  if (name === "exceptions" && index !== undefined) return startAtException(inspection, index);
  for (const frame of inspection.frames) {
    const local = frame.locals.find((candidate) => candidate.name === name);
    if (local !== undefined)
      return { id: local.id, frame: frame.index, path: `frames[${frame.index}].${name}`, used: 1 };
  }
  const names = inspection.frames.flatMap((frame) => frame.locals.map((local) => local.name));
  throw notFound(`no frame has a local named ${quoteText(clipText(name, 100))}`, names);
}

/** Takes the first step for a local of one frame, whatever else it might mean. */
function startFromLocal(inspection: Inspection, steps: readonly PathStep[], index: number): Start {
  const frame = frameAt(inspection, index);
  const [first, second] = steps;
  const name = first?.kind === "member" ? first.name : "";
  const local = frame.locals.find((candidate) => candidate.name === name);
  if (local !== undefined) {
    const path = `frames[${frame.index}].${name}`;
    return { id: local.id, frame: frame.index, path, used: 1 };
  }
  if (second?.kind === "index" && ["frames", "objects", "exceptions"].includes(name)) {
    throw new FlightError(
      "FLIGHT_USAGE",
      `a path that begins with ${name}[${second.index}] cannot be looked for in frame ${index}`,
      "Leave --frame away, or begin with the name of a local.",
    );
  }
  const names = frame.locals.map((known) => known.name);
  throw notFound(
    `frame ${frame.index} has no local named ${quoteText(clipText(name, 100))}`,
    names,
  );
}

function frameAt(inspection: Inspection, index: number): FrameView {
  const frame = inspection.frames.at(index);
  if (frame !== undefined) return frame;
  throw notFound(
    `there is no frame ${index}; the recording has ${inspection.frames.length}`,
    inspection.frames.map((known) => `frames[${known.index}]`),
  );
}

function startInFrame(inspection: Inspection, steps: readonly PathStep[], index: number): Start {
  const frame = frameAt(inspection, index);
  const step = steps[2];
  const names = frame.locals.map((local) => local.name);
  if (step?.kind !== "member") {
    throw new FlightError(
      "FLIGHT_USAGE",
      `frames[${index}] is a frame, not a value`,
      `Name one of its locals: ${offered(names)}.`,
    );
  }
  const local = frame.locals.find((candidate) => candidate.name === step.name);
  if (local === undefined)
    throw notFound(`frame ${frame.index} has no local named ${keyText(step.name)}`, names);
  const path = `frames[${frame.index}].${local.name}`;
  return { id: local.id, frame: frame.index, path, used: 3 };
}

function startAtException(inspection: Inspection, index: number): Start {
  const id = inspection.exceptions.at(index)?.objectId;
  if (id === undefined)
    throw notFound(
      `no object was recorded for exception ${index}`,
      inspection.exceptions.flatMap((known, at) =>
        known.objectId === undefined ? [] : [`exceptions[${at}]`],
      ),
    );
  return { id, frame: undefined, path: `exceptions[${index}]`, used: 2 };
}

function follow(
  values: PrintableObjects,
  id: Id,
  at: { readonly step: PathStep; readonly path: string },
): Id {
  const { step, path } = at;
  const node = values.objects.get(id);
  if (node === undefined) throw notFound(`${path} (object ${id}) is not in the recording`, []);
  if (step.kind === "slot") return followSlot(values, node, { name: step.name, path });
  const name = step.kind === "index" ? String(step.index) : step.name;
  return hasPositions(node) && /^-?\d{1,15}$/.test(name)
    ? followPosition(node, Number(name), path)
    : followName(values, node, { name, path });
}

function followPosition(node: ObjectNode, index: number, path: string): Id {
  const total = Number(node.length ?? node.items.length);
  const position = index < 0 ? total + index : index;
  const item = node.items[position];
  if (item !== undefined && item.key === null) return item.id;
  const recorded = node.items.length;
  throw new FlightError(
    "FLIGHT_NOT_FOUND",
    position >= 0 && position < total
      ? `${path}[${index}] was not recorded: only the first ${recorded} of ${total} items were`
      : `${path} has ${total} items; there is no [${index}]`,
    recorded === 0 ? "It is empty." : `Take an index from 0 to ${recorded - 1}.`,
  );
}

function followName(
  values: PrintableObjects,
  node: ObjectNode,
  at: { readonly name: string; readonly path: string },
): Id {
  const index = node.items.findIndex((item) => item.key === at.name);
  const item = node.items[index];
  if (item !== undefined) return item.id;
  const keys = isMapNode(node) ? values.mapKeys(node.id) : undefined;
  const byKey = keys?.findIndex((keyId) => values.objects.get(keyId)?.repr === at.name) ?? -1;
  const found = node.items[byKey];
  if (found !== undefined) return found.id;
  const cut = node.truncated ? "; not all of its members were recorded" : "";
  throw notFound(
    `${at.path} has no member ${keyText(at.name)}${cut}`,
    node.items.slice(0, NAMES_OFFERED).map((known) => known.key ?? ""),
  );
}

/** `[[Key0]]` of a Map is the key object of its first entry; other slots are items. */
function followSlot(
  values: PrintableObjects,
  node: ObjectNode,
  at: { readonly name: string; readonly path: string },
): Id {
  const key = `[[${at.name}]]`;
  const item = node.items.find((candidate) => candidate.key === key);
  if (item !== undefined) return item.id;
  const entry = /^Key(\d{1,9})$/.exec(at.name)?.[1];
  const keyId = entry === undefined ? undefined : values.mapKeys(node.id)?.[Number(entry)];
  if (keyId !== undefined) return keyId;
  throw notFound(
    `${at.path} has no ${key}`,
    node.items.map((known) => known.key ?? "").filter((known) => known.startsWith("[[")),
  );
}

function stepText(step: PathStep): string {
  if (step.kind === "index") return `[${step.index}]`;
  if (step.kind === "slot") return `[[${step.name}]]`;
  const name = keyText(step.name);
  if (name.startsWith('"')) return `[${name}]`;
  return name.startsWith("[") ? name : `.${name}`;
}

function notFound(message: string, names: readonly string[]): FlightError {
  const hint = names.length === 0 ? "Nothing is recorded there." : `There is: ${offered(names)}.`;
  return new FlightError("FLIGHT_NOT_FOUND", message, hint);
}

function offered(names: readonly string[]): string {
  const different = [...new Set(names)];
  const shown = different.slice(0, NAMES_OFFERED).map((name) => visibleText(clipText(name, 60)));
  return different.length > NAMES_OFFERED ? `${shown.join(", ")} …` : shown.join(", ");
}
