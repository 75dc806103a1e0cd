/**
 * What a callback belongs to: the call that asked for it, and the frames that made that call.
 *
 * An operation travels with the asynchronous context. The frames around the call have returned
 * by the time a callback fails, so they leave their values here while they return: primitives
 * by value, objects weakly, at most eight frames. The youngest sixteen operations hold small
 * objects strongly as well, or a collection in between would empty the frames; a program that
 * waits for thousands of answers keeps no more than that, and one that can call `gc()` nothing.
 */
import types from "node:util/types";
import { isReference } from "../runtime/primordials.ts";

const { isArray } = Array;
const isArrayBufferView = ArrayBuffer.isView;

/** A value as an operation may keep it. */
export type WeakValue =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "weak";
      readonly ref: WeakRef<object>;
      /** Taken away when the operation is no longer among the youngest. */
      held: object | undefined;
    };

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

/** Arrays longer than this, and buffers, are held weakly from the start. */
const MAX_HELD_LENGTH = 1000;

/** A program that may ask for a collection (`--expose-gc`) can tell what is kept: nothing is then. */
const canCollect = typeof (globalThis as { gc?: unknown }).gc === "function";

/** Keeps a primitive by value and an object weakly; a small one also strongly, for a while. */
export function holdWeakly(value: unknown): WeakValue {
  if (!isReference(value)) return { kind: "value", value };
  const held = canCollect || isLarge(value) ? undefined : value;
  return { kind: "weak", ref: new WeakRef(value), held };
}

/** Lets go of what a frame held strongly. */
export function releaseFrame({ self, locals }: StartingFrame): void {
  if (self.kind === "weak") self.held = undefined;
  for (let i = 0; i < locals.length; i++) {
    const local = locals[i];
    if (local?.kind === "weak") local.held = undefined;
  }
}

function isLarge(value: object): boolean {
  if (isArrayBufferView(value) || types.isAnyArrayBuffer(value)) return true;
  return !types.isProxy(value) && isArray(value) && value.length > MAX_HELD_LENGTH;
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
