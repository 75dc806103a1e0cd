/**
 * Takes over from the stub that built files bring along, when they started before the recorder.
 *
 * Functions that run keep the stub's memory and object for ever, so the recorder uses that memory
 * as its ring, and the stub passes calls on. The stub itself is in the build plugin.
 */
import type { PrivateReader, ProbeApi } from "../runtime/probe-runtime.ts";
import { getOwnPropertyDescriptor } from "../runtime/primordials.ts";
import type { WriteApi } from "../writes/note-writes.ts";
import { HEAD_WORDS, ringCapacity } from "../ring/ring-layout.ts";

/** What a stub keeps for a recorder that comes later: `__obF.stub`. */
export interface ProbeStub {
  readonly events: Int32Array;
  readonly head: Int32Array;
  /** [the number of the next activation] */
  readonly activations: Float64Array;
  /** Arguments of `t`: the script is what the engine calls the file. */
  readonly files: (readonly [base: number, note: string, script: string | undefined])[];
  /** Arguments of `m`. */
  readonly readers: (readonly [base: number, read: (index: number) => unknown])[];
  /** Arguments of `e`. */
  readonly ended: number[];
  readonly privates: WeakMap<object, PrivateReader>;
  /** Whether a file notes its writes. */
  wantsWrites: boolean;
  /** `Function.prototype.toString` as it was before the stub hid the probes. */
  readonly nativeText: () => string;
  /** Shows the probes again: the recorder hides them from now on. */
  readonly restore: () => void;
  /** Where the stub passes calls on to. */
  to: ProbeApi | undefined;
  writes: WriteApi | undefined;
}

/** The stub of this thread, if built files have brought one; it hides nothing any more. */
export function findStub(): ProbeStub | undefined {
  const runtime: unknown = getOwnPropertyDescriptor(globalThis, "__obF")?.value;
  const stub = (runtime as { readonly stub?: ProbeStub } | undefined)?.stub;
  if (!(stub?.events instanceof Int32Array) || !(stub.head instanceof Int32Array)) return undefined;
  const isUsable =
    stub.head.length >= HEAD_WORDS && ringCapacity(stub.events.length) === stub.events.length;
  if (!isUsable) return undefined;
  stub.restore();
  return stub;
}

/** Sends everything to the recorder: what was noted so far, and what comes. */
export function takeOver(stub: ProbeStub, api: ProbeApi, writes: WriteApi | undefined): void {
  stub.to = api;
  stub.writes = writes;
  for (const [base, note, script] of stub.files) api.t(base, note, script);
  for (const [base, read] of stub.readers) api.m(base, read);
  for (const base of stub.ended) api.e(base);
  stub.files.length = 0;
  stub.readers.length = 0;
  stub.ended.length = 0;
}
