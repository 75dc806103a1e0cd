/** The command `flight inspect`: shows a recording, one part of it, or its JSON. */
import {
  inspectJson,
  inspectRecording,
  jsonId,
  jsonObjects,
  INSPECT_JSON_VERSION,
  resolvePath,
  searchRecording,
  visibleText,
} from "@orangebox/analysis";
import type { Inspection } from "@orangebox/analysis";
import { FlightError } from "@orangebox/format";
import type { Id } from "@orangebox/format";

import { findRecording } from "../files/find-recording.ts";
import type { ReadingTools } from "../files/reading-tools.ts";
import { jsonText } from "../terminal/json-text.ts";
import type { Screen } from "../terminal/screen.ts";
import { frameReport } from "./frame-report.ts";
import { getObject, objectLines } from "./object-lines.ts";
import { eventLines } from "./event-lines.ts";
import { reportLines } from "./report.ts";
import { searchLines } from "./search-lines.ts";

/** What is asked about a recording. */
export interface InspectOptions {
  readonly frame?: number;
  readonly object?: Id;
  readonly path?: string;
  readonly search?: string;
  readonly events?: number;
  readonly maxLocals: number;
  readonly allLocals?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

const DEFAULT_EVENT_COUNT = 10;
const MAX_HITS = 200;
const YES = 0;
const NO = 1;

/**
 * Shows a recording and gives the exit code.
 *
 * @throws {FlightError} for a file that cannot be read and for parts that are not there.
 */
export async function inspect(
  inputs: readonly string[],
  options: InspectOptions,
  { screen, errors, keys }: ReadingTools,
): Promise<number> {
  const { name, recording, warnings } = await findRecording(inputs, keys);
  for (const warning of warnings) errors.line(`warning: ${visibleText(warning)}`);
  const inspection = inspectRecording(recording);
  if (options.search !== undefined) return search(inspection, options, screen);
  const at = objectAsked(inspection, options);
  if (at !== undefined) return showObject(inspection, at, { options, screen });
  if (options.json === true) {
    const limits = options.events === undefined ? {} : { maxEvents: options.events };
    screen.line(jsonText(inspectJson(inspection, limits)));
    return YES;
  }
  print(screen, linesAsked(inspection, name, { options, screen }));
  return YES;
}

function linesAsked(
  inspection: Inspection,
  name: string,
  { options, screen }: { readonly options: InspectOptions; readonly screen: Screen },
): string[] {
  const maxLocals = options.allLocals === true ? Infinity : options.maxLocals;
  if (options.frame !== undefined) {
    const frame = inspection.frames.at(options.frame);
    if (frame === undefined)
      throw new FlightError(
        "FLIGHT_NOT_FOUND",
        `there is no frame ${options.frame}; the recording has ${inspection.frames.length}`,
        "Frames count from 0, the crash first.",
      );
    return frameReport(inspection, frame, { screen, verbose: options.verbose === true });
  }
  if (options.events !== undefined && options.verbose !== true)
    return eventLines(inspection, options.events, screen);
  return reportLines(inspection, name, {
    screen,
    maxLocals,
    eventCount: options.events ?? DEFAULT_EVENT_COUNT,
    verbose: options.verbose === true,
  });
}

function objectAsked(
  inspection: Inspection,
  options: InspectOptions,
): { id: Id; path: string } | undefined {
  if (options.path !== undefined)
    return resolvePath(inspection, options.path, { frame: options.frame });
  if (options.object === undefined) return undefined;
  return { id: options.object, path: `objects[${options.object}]` };
}

function showObject(
  inspection: Inspection,
  at: { readonly id: Id; readonly path: string },
  { options, screen }: { readonly options: InspectOptions; readonly screen: Screen },
): number {
  if (options.json !== true) {
    print(screen, objectLines(inspection, at, { screen, verbose: options.verbose === true }));
    return YES;
  }
  getObject(inspection, at.id);
  const { objects, omitted } = jsonObjects(inspection.values(), [at.id]);
  const document = {
    version: INSPECT_JSON_VERSION,
    path: at.path,
    id: jsonId(at.id),
    objects,
    omitted,
  };
  screen.line(jsonText(document));
  return YES;
}

function search(inspection: Inspection, options: InspectOptions, screen: Screen): number {
  const result = searchRecording(inspection, options.search ?? "", MAX_HITS);
  if (options.json === true) {
    const hits = result.hits.map(({ kind, where, text, objectId }) => ({
      kind,
      where,
      text,
      objectId: objectId === undefined ? null : jsonId(objectId),
    }));
    screen.line(jsonText({ version: INSPECT_JSON_VERSION, complete: result.complete, hits }));
  } else print(screen, searchLines(result, screen));
  return result.hits.length > 0 ? YES : NO;
}

function print(screen: Screen, lines: readonly string[]): void {
  for (const line of lines) screen.line(line);
}
