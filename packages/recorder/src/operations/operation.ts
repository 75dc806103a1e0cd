/**
 * What a callback belongs to: the call that asked for it, and the frames that made that call.
 *
 * An operation travels with the asynchronous context. The frames around the call have returned
 * by the time a callback fails, so they leave their values here while they return: primitives
 * by value, objects weakly, at most eight frames, so that nothing is kept alive.
 */
import { isReference } from "../runtime/primordials.ts";

/** A value as an operation may keep it. */
export type WeakValue =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "weak"; readonly ref: WeakRef<object> };

/** A frame that was on the stack when the operation began. */
export interface StartingFrame {
  readonly id: number;
  readonly self: WeakValue;
  readonly locals: readonly WeakValue[];
}

/** One call to a callback-style boundary. */
export interface Operation {
  /** The name of the boundary, as in `fs.readFile`. */
  readonly boundary: string;
  /** The operation in whose callback this one began; the chain is cut after a few. */
  parent: Operation | undefined;
  readonly frames: StartingFrame[];
}

export const MAX_STARTING_FRAMES = 8;

/** Keeps a primitive by value and an object weakly. */
export function holdWeakly(value: unknown): WeakValue {
  return isReference(value) ? { kind: "weak", ref: new WeakRef(value) } : { kind: "value", value };
}

/**
 * Gives back what `holdWeakly` kept.
 *
 * @returns `{ collected: true }` when the object is gone.
 */
export function readWeakValue(held: WeakValue): { value: unknown; collected: boolean } {
  if (held.kind === "value") return { value: held.value, collected: false };
  const value = held.ref.deref();
  return { value, collected: value === undefined };
}

/** How many operations led to one, at most; a timer that starts itself again has no end. */
const MAX_CHAIN = 6;

/** Makes the record of a call, and cuts the chain behind it. */
export function beginOperation(boundary: string, parent: Operation | undefined): Operation {
  let oldest = parent;
  for (let i = 1; i < MAX_CHAIN && oldest !== undefined; i++) oldest = oldest.parent;
  if (oldest !== undefined) oldest.parent = undefined;
  return { boundary, parent, frames: [] };
}
