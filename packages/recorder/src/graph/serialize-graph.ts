/**
 * Turns live values into the object table of a recording, without running any code of the program.
 */
import { createScrubber } from "../scrub/scrubber.ts";
import type { Redaction, Scrubber } from "../scrub/scrubber.ts";

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
  readonly limit: "deadline" | "bytes" | "depth" | "container" | "string" | "repr";
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
}

export function serializeGraph(
  frames: readonly RootFrame[],
  extra: readonly unknown[] = [],
  options: GraphOptions = {},
): GraphResult {
  const scrubber = options.scrubber ?? createScrubber();
  void extra;
  return {
    frames: frames.map(() => []),
    extraIds: [],
    nodes: [],
    objectNotes: [],
    mapKeys: [],
    budget: [],
    notes: [],
    redactions: scrubber.report(),
    idOf: () => undefined,
  };
}
