/** Recovery of rings: for `flight run` and `flight recover`, never loaded in a recorded program. */
export { type Death, isRequest, type ProcessEnding } from "./death.ts";
export {
  type RecoveryOptions,
  recoverRings,
  type RingOutcome,
  type ThreadSummary,
} from "./recover-rings.ts";
export { recoverState, type StateRecovery, type StateRecoveryOptions } from "./recover-state.ts";
export { warmUp } from "./warm-up.ts";
