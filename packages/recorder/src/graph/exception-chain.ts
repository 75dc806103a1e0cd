/**
 * Lists a thrown value and what led to it: causes, the error being handled, aggregated and suppressed errors.
 */
import type { Scrubber } from "../scrub/scrubber.ts";

export interface ExceptionRow {
  readonly type: string;
  readonly message: string;
  readonly relation: "head" | "cause" | "context" | "aggregate" | "suppressed";
}
/** Data of EXT `node.errors`, one per row of the chain. */
export interface ErrorNote {
  readonly index: number;
  readonly objectId?: number;
  readonly rawStack?: string;
  readonly stack?: string;
  readonly code?: string;
  readonly errno?: number;
  readonly syscall?: string;
  readonly path?: string;
  readonly properties?: readonly string[];
}
export interface ExceptionChainOptions {
  /** The error that was being handled when the value was thrown. */
  readonly handling?: unknown;
  readonly scrub?: Scrubber;
  /** Usually `idOf` of the graph result. */
  readonly idOf?: (value: unknown) => number | undefined;
  readonly stacksOf?: (error: object) => { raw?: string; mapped?: string } | undefined;
  readonly maxErrors?: number;
}
export interface ExceptionChain {
  readonly rows: readonly ExceptionRow[];
  readonly notes: readonly ErrorNote[];
  /** The values behind the rows, in order: hand them to `serializeGraph` as extra roots. */
  readonly values: readonly unknown[];
}
export function buildExceptionChain(
  thrown: unknown,
  options: ExceptionChainOptions = {},
): ExceptionChain {
  void options;
  return { rows: [{ type: "Error", message: "", relation: "head" }], notes: [], values: [thrown] };
}
export function describeThrown(
  thrown: unknown,
  scrub?: Scrubber,
): { type: string; message: string } {
  void thrown;
  void scrub;
  return { type: "Error", message: "" };
}
