/**
 * Turns live values into the object table of a recording, without running any code of the program.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import { createScrubber } from "../scrub/scrubber.ts";
import type { Redaction, Scrubber } from "../scrub/scrubber.ts";
import { describeValue } from "./describe-value.ts";
import { readOwnStack } from "./error-stack.ts";
import { GraphBuilder } from "./graph-builder.ts";
import type { Settings } from "./graph-builder.ts";
import { append, inspectPrototypes, ownData, item } from "./primordials.ts";

export interface RootLocal {
  readonly name: string;
  readonly value?: unknown;
  readonly state?: "uninitialized" | "collected";
}
export interface RootFrame {
  readonly locals: readonly RootLocal[];
}
export interface GraphOptions {
  /** Time for the whole graph, in milliseconds of `now`. */
  readonly deadlineMs?: number;
  /** Cost of all nodes: 24 + length of the repr + 16 per item. */
  readonly maxBytes?: number;
  /** Longest text of a string value, in UTF-16 units. */
  readonly maxString?: number;
  /** Most items of one node. */
  readonly maxContainer?: number;
  /** Containers at this depth are not opened; roots have depth 0. */
  readonly maxDepth?: number;
  /** Longest summary or key text, in UTF-16 units. */
  readonly reprLimit?: number;
  /** Most nodes of the whole graph; what is beyond shares one `<truncated>` node. */
  readonly maxObjects?: number;
  readonly scrubber?: Scrubber;
  /** Private fields, as read by code that was compiled into the class. */
  readonly privatesOf?: (
    value: object,
  ) => readonly (readonly [name: string, value: unknown])[] | undefined;
  /** Text of an error's stack; must not run code of the program. */
  readonly stackOf?: (error: object) => string | undefined;
  readonly now?: () => number;
}
export interface GraphNode {
  readonly id: number;
  readonly kind: string;
  readonly repr: string | null;
  readonly typeName: string | null;
  readonly length: number | null;
  readonly truncated: boolean;
  readonly items: readonly { readonly key: string | null; readonly id: number }[];
}
/** Data of EXT `node.objects`: one map per object, only the keys that apply. */
export interface ObjectNote {
  readonly id: number;
  readonly [fact: string]: unknown;
}
/** Data of EXT `node.mapkeys`. */
export interface MapKeys {
  readonly id: number;
  readonly keys: readonly number[];
}
/** Data of EXT `node.budget`: every limit that was hit. */
export interface BudgetCut {
  readonly limit: "deadline" | "bytes" | "count" | "depth" | "container" | "string";
  readonly count: number;
  /** Path of the first place, e.g. `frames[0].cart.lines`. */
  readonly first: string;
  readonly firstId: number;
}
export interface GraphResult {
  readonly frames: readonly (readonly { readonly name: string; readonly id: number }[])[];
  readonly extraIds: readonly number[];
  readonly nodes: readonly GraphNode[];
  readonly objectNotes: readonly ObjectNote[];
  readonly mapKeys: readonly MapKeys[];
  readonly budget: readonly BudgetCut[];
  /** What could not be looked at, in plain words. */
  readonly notes: readonly string[];
  readonly redactions: readonly Redaction[];
  /** The id of an object, function, symbol or short primitive that is in the graph. */
  idOf(value: unknown): number | undefined;
  /** Calls `visit` for every object and function of the graph. */
  forEachObject(visit: (value: object, id: number) => void): void;
}

interface Named {
  readonly name: string;
  readonly id: number;
}

const now = performance.now.bind(performance);
/** Opening stops here; the rest of the time is for placeholders and for hiding what was met late. */
const OPENING_SHARE = 0.8;

/**
 * Serializes the locals of frames, crash first, and then some more values.
 *
 * Opens objects breadth-first: all locals, then what they hold, and so on, so that near things come
 * first when the budget ends. Runs no code of the program but registered adapters. Never throws: an
 * object that cannot be described gets a node that says so. Ids are dense, from 0.
 *
 * @param extra Values beside the locals, such as the errors of a chain.
 */
export function serializeGraph(
  frames: readonly RootFrame[],
  extra: readonly unknown[] = [],
  options: GraphOptions = {},
): GraphResult {
  inspectPrototypes();
  const settings = settingsOf(options);
  const endsAt = settings.now() + settings.deadlineMs * OPENING_SHARE;
  const graph = new GraphBuilder(settings);
  const named: Named[][] = [];
  for (let at = 0; at < frames.length; at++) {
    append(named, frameLocals(graph, item(frames, at)));
  }
  const extraIds: number[] = [];
  for (let at = 0; at < extra.length; at++) append(extraIds, graph.idFor(extra[at], 0));
  try {
    graph.drain((value, id, depth) => describeValue(graph, value, id, depth), endsAt);
  } finally {
    graph.internals.close();
  }
  for (let at = 0; at < graph.internals.notes.length; at++) {
    graph.note(item(graph.internals.notes, at));
  }
  const budget = graph.budget(named);
  graph.hideKnownSecrets();
  return {
    frames: named,
    extraIds,
    nodes: graph.nodes,
    objectNotes: graph.objectNotes,
    mapKeys: graph.mapKeys,
    budget: hideInBudget(budget, settings.scrubber),
    notes: graph.notes,
    redactions: settings.scrubber.report(),
    idOf: (value) => graph.idOf(value),
    forEachObject: (visit) => graph.forEachObject(visit),
  };
}

function settingsOf(options: GraphOptions): Settings {
  // Read as own data: a missing option must not meet a getter on `Object.prototype`.
  const given = <K extends keyof GraphOptions>(name: K): GraphOptions[K] =>
    ownData(options, name) as GraphOptions[K];
  return {
    deadlineMs: given("deadlineMs") ?? 250,
    maxBytes: given("maxBytes") ?? 20 * 1024 * 1024,
    maxString: given("maxString") ?? 10_240,
    maxContainer: given("maxContainer") ?? 200,
    maxDepth: given("maxDepth") ?? 6,
    maxObjects: given("maxObjects") ?? 500_000,
    reprLimit: given("reprLimit") ?? 200,
    scrubber: given("scrubber") ?? createScrubber(),
    privatesOf: given("privatesOf") ?? (() => undefined),
    stackOf: given("stackOf") ?? readOwnStack,
    now: given("now") ?? now,
  };
}

function frameLocals(graph: GraphBuilder, frame: RootFrame): Named[] {
  const list: Named[] = [];
  for (let at = 0; at < frame.locals.length; at++) {
    const local = item(frame.locals, at);
    append(list, { name: local.name, id: localId(graph, local) });
  }
  return list;
}

function localId(graph: GraphBuilder, local: RootLocal): number {
  const state = ownData(local, "state");
  const value = ownData(local, "value");
  if (state === "uninitialized") return graph.leaf("object", "<uninitialized>", "binding");
  if (state === "collected") return graph.leaf("object", "<collected>", "binding");
  if (graph.key(local.name).isSensitive) return graph.redacted("local", local.name, value);
  return graph.idFor(value, 0);
}

/** Paths are made of keys, and a key can hold a secret that was met later. */
function hideInBudget(cuts: BudgetCut[], scrubber: Scrubber): BudgetCut[] {
  const list: BudgetCut[] = [];
  for (let at = 0; at < cuts.length; at++) {
    const { limit, count, first, firstId } = item(cuts, at);
    append(list, { limit, count, first: scrubber.known(first, "budget"), firstId });
  }
  return list;
}
