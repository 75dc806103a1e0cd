/**
 * The frames of the sample program `shop` when it crashes, as tests of its compiled forms compare them.
 */
import { relative } from "node:path";
import type { Recording } from "@orangebox/format";
import { expect } from "vitest";
import { removeRun, runRecorded } from "../support/recorded-run.ts";

/** What is compared of a frame. */
export interface Frame {
  readonly qualname: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly firstLine: number;
  readonly locals: Readonly<Record<string, string>>;
}

/** The frames of a box; files are named from the folder of the sources. */
export function framesOf(box: Recording, sources: string): Frame[] {
  const details = box.extensions("node.frames").flatMap(({ data }) => data as { column: number }[]);
  return box.frames().map(({ qualname, file, line, firstLine, locals }, index) => ({
    qualname,
    file: relative(sources, file),
    line,
    firstLine,
    column: details[index]?.column ?? 0,
    locals: Object.fromEntries(
      locals.map(({ name, id }) => {
        const node = box.objects().get(id);
        return [name, `${node?.kind} ${node?.repr ?? node?.length}`];
      }),
    ),
  }));
}

/** Runs a program that crashes, and opens its one box. */
export async function record(node: string, file: string): Promise<Recording> {
  const run = await runRecorded({
    node,
    file,
    // Several processes share two cores here.
    env: { ORANGEBOX_CAPTURE_DEADLINE_MS: "10000" },
  });
  removeRun(run);
  const [box] = run.boxes;
  if (box === undefined) throw new Error(`no box; stderr: ${run.stderr}`);
  expect(run.boxes).toHaveLength(1);
  return box;
}

/** Of the TypeScript sources in a box. */
export function sourceHashes(box: Recording): string[] {
  const sources = box.sources().filter(({ filename }) => filename.endsWith(".ts"));
  return sources.map(({ sha1 }) => sha1);
}
