/**
 * What a box (the recording of a failure) is made of, as plain data.
 *
 * The crash code fills this in; write-box.ts puts it on disk.
 */
import type {
  EventRingInput,
  ExceptionRecord,
  FrameRecord,
  Meta,
  MutationRecord,
  ObjectNode,
  SourceRecord,
  TapeRecord,
} from "@orangebox/format";

/** Everything that goes into one box. What is undefined or empty is not written. */
export interface BoxContents {
  /** Version of the recorder with its suffix: `0.1.0-orangebox`. */
  readonly flightVersion: string;
  readonly createdUnixMs: number;
  /** Already scrubbed, as everything else here. */
  readonly meta: Meta;
  /** Further keys of EXT `node.manifest`: reason, boot id, start time, clock anchor. */
  readonly manifest?: Readonly<Record<string, unknown>> | undefined;
  /** Head first, then the chain. */
  readonly exceptions?: readonly ExceptionRecord[] | undefined;
  /** Data of EXT `node.errors`, by exception index. */
  readonly errors?: unknown;
  /** The frame that failed first. */
  readonly frames?: readonly FrameRecord[] | undefined;
  /** Data of EXT `node.frames`, by frame index. */
  readonly frameDetails?: unknown;
  /** Data of EXT `node.async`, by frame index. */
  readonly asyncSegments?: unknown;
  /** Data of EXT `node.scopes`, by frame index. */
  readonly scopes?: unknown;
  /** Iterated once. */
  readonly objects?: Iterable<ObjectNode> | undefined;
  /** Data of EXT `node.objects`, by object id. */
  readonly objectNotes?: unknown;
  /** Data of EXT `node.mapkeys`, by object id. */
  readonly mapKeys?: unknown;
  /** Data of EXT `node.budget`: which limits were hit. */
  readonly budget?: unknown;
  /** Writes of a recorded scope, oldest first. */
  readonly mutations?: Iterable<MutationRecord> | undefined;
  /** Data of EXT `node.mutations`, by seq. */
  readonly mutationNotes?: unknown;
  /** Rows of NONDET: the tape, then the metadata rows (correlation, commit). */
  readonly tape?: readonly TapeRecord[] | undefined;
  /** One block each. A source with an empty name or text is not written. */
  readonly sources?: readonly SourceRecord[] | undefined;
  /** Data of EXT `node.sources`, by filename. */
  readonly sourceNotes?: unknown;
  /** Written even when it is empty: a box always has a ring. */
  readonly events?: EventRingInput | undefined;
  /** Data of EXT `node.events`, by tstamp. */
  readonly eventNotes?: unknown;
  /** Data of EXT `node.runtime`: versions, flags, memory, handles, counters. */
  readonly runtime?: unknown;
  /** Further EXT blocks, written behind `node.runtime`. */
  readonly more?: readonly ExtraBlock[] | undefined;
}

/** An EXT block of a namespace that {@link BoxContents} has no field for. */
interface ExtraBlock {
  readonly ns: string;
  readonly version: number;
  readonly data: unknown;
  /** Names of the blocks it annotates. */
  readonly annotates?: readonly string[];
}

/** One block of the plan. */
export type PlannedBlock =
  | {
      readonly type: "EXCEPTION" | "FRAME" | "OBJECT" | "MUTATION" | "NONDET" | "EVENT_RING";
    }
  | { readonly type: "SOURCE"; readonly source: SourceRecord }
  | ({ readonly type: "EXT" } & ExtraBlock);

/**
 * Lists the blocks of a box in the order of FF 15, the most telling first, so that a torn file keeps
 * what matters: all but META and the manifest in front and the seal behind.
 */
export function planBlocks(contents: BoxContents): PlannedBlock[] {
  const plan: PlannedBlock[] = [];
  const extension = (ns: string, data: unknown, annotates?: string): void => {
    if (data === undefined || data === null) return;
    const target = annotates === undefined ? {} : { annotates: [annotates] };
    plan.push({ type: "EXT", ns, version: 1, data, ...target });
  };
  if (isFilled(contents.exceptions)) plan.push({ type: "EXCEPTION" });
  extension("node.errors", contents.errors, "EXCEPTION");
  if (isFilled(contents.frames)) plan.push({ type: "FRAME" });
  extension("node.frames", contents.frameDetails, "FRAME");
  extension("node.async", contents.asyncSegments, "FRAME");
  extension("node.scopes", contents.scopes, "FRAME");
  if (contents.objects !== undefined) plan.push({ type: "OBJECT" });
  extension("node.objects", contents.objectNotes, "OBJECT");
  extension("node.mapkeys", contents.mapKeys, "OBJECT");
  extension("node.budget", contents.budget);
  if (contents.mutations !== undefined) plan.push({ type: "MUTATION" });
  extension("node.mutations", contents.mutationNotes, "MUTATION");
  if (isFilled(contents.tape)) plan.push({ type: "NONDET" });
  for (const source of contents.sources ?? []) {
    if (source.filename !== "" && source.text !== "") plan.push({ type: "SOURCE", source });
  }
  extension("node.sources", contents.sourceNotes, "SOURCE");
  plan.push({ type: "EVENT_RING" });
  extension("node.events", contents.eventNotes, "EVENT_RING");
  extension("node.runtime", contents.runtime);
  for (const { ns, version, data, annotates } of contents.more ?? []) {
    const target = annotates === undefined ? {} : { annotates };
    plan.push({ type: "EXT", ns, version, data, ...target });
  }
  return plan;
}

function isFilled(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > 0;
}
