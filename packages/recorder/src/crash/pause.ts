/**
 * Takes the frames that are on the stack now, by one pause of the engine.
 *
 * For `capture()` without an error: no probe has seen these frames. The debugger is switched on
 * for this one moment and off again; a debugger of the user's that is attached is left alone.
 */
import type { Debugger, Runtime, Session as InspectorSession } from "node:inspector";
import { fileURLToPath } from "node:url";
import type { Recorder } from "../recorder.ts";
import type { CollectedFrame, CollectedLocal } from "./collect-frames.ts";

const MAX_FRAMES = 50;
const MAX_LOCALS = 200;
/** Where the engine hands live values over; not enumerable, removed at once. */
const SINK = "__obSink";
/** Names that the probes themselves declare. */
const PROBE_NAME = /^\$o+(?:[a-z]|\d+)$|^\$o+[RHF]$/;

/**
 * Pauses, collects, calls `use` with the frames, resumes.
 *
 * `use` runs while the engine is paused, so that no value can change in between. When the engine
 * cannot be paused it is called with no frames.
 */
export function pauseForFrames<Result>(
  recorder: Recorder,
  use: (frames: readonly CollectedFrame[]) => Result,
): Result {
  let result: { value: Result } | undefined;
  let session: InspectorSession | undefined;
  try {
    const inspector = process.getBuiltinModule("node:inspector");
    if (inspector.url() !== undefined) return use([]);
    session = new inspector.Session();
    session.connect();
    const open = session;
    // Call frames name their script by id only.
    const scripts = new Map<string, string>();
    open.on("Debugger.scriptParsed", ({ params }) => {
      scripts.set(params.scriptId, params.url);
    });
    open.on("Debugger.paused", ({ params }) => {
      if (result !== undefined) return;
      const frames = readFrames({ session: open, recorder, scripts }, params);
      result = { value: use(frames) };
    });
    open.post("Debugger.enable");
    open.post("Debugger.pause");
    pauseHere();
    open.post("Debugger.disable");
  } catch {
    // Then the box has no frames; what the recorder saw is in the ring.
  } finally {
    try {
      session?.disconnect();
    } catch {
      // It was never connected.
    }
  }
  return result === undefined ? use([]) : result.value;
}

/** The engine stops at the first statement behind `Debugger.pause`. */
function pauseHere(): void {
  void 0;
}

/** What reading a paused stack needs. */
interface PausedEngine {
  readonly session: InspectorSession;
  readonly recorder: Recorder;
  /** Names of scripts by id. */
  readonly scripts: ReadonlyMap<string, string>;
}

function readFrames(engine: PausedEngine, event: Debugger.PausedEventDataType): CollectedFrame[] {
  const frames: CollectedFrame[] = [];
  for (const call of event.callFrames) {
    if (frames.length >= MAX_FRAMES) break;
    try {
      const frame = readFrame(engine, call);
      if (frame !== undefined) frames.push(frame);
    } catch {
      // This frame cannot be read; the others can.
    }
  }
  return frames;
}

function readFrame(
  { session, recorder, scripts }: PausedEngine,
  call: Debugger.CallFrame,
): CollectedFrame | undefined {
  const scriptName = scripts.get(call.location.scriptId) ?? "";
  if (scriptName === "" || scriptName.startsWith("node:") || recorder.isOwnScript(scriptName)) {
    return undefined;
  }
  const module =
    recorder.modules.findByScript(scriptName) ?? recorder.modules.findByScript(pathOf(scriptName));
  const generated = {
    line: call.location.lineNumber + 1,
    column: (call.location.columnNumber ?? 0) + 1,
  };
  const place = module?.originalPosition(generated.line, generated.column) ?? generated;
  const start = call.functionLocation;
  const first =
    start === undefined
      ? place
      : (module?.originalPosition(start.lineNumber + 1, (start.columnNumber ?? 0) + 1) ?? {
          line: start.lineNumber + 1,
        });
  const isModule = call.scopeChain[0]?.type === "module" && call.functionName === "";
  return {
    file: pathOf(scriptName),
    qualname: isModule
      ? "<module>"
      : call.functionName === ""
        ? `<anonymous:${place.line}:${place.column}>`
        : call.functionName,
    line: place.line,
    column: place.column,
    firstLine: first.line,
    kind: "sync",
    isAsync: false,
    locals: readLocals(session, call),
    ...(module === undefined ? {} : { module }),
  };
}

function readLocals(session: InspectorSession, call: Debugger.CallFrame): CollectedLocal[] {
  const locals: CollectedLocal[] = [];
  const seen = new Set<string>();
  for (const scope of call.scopeChain) {
    if (scope.type === "global" || scope.type === "script") continue;
    const objectId = scope.object.objectId;
    if (objectId === undefined) continue;
    for (const [name, value] of readScope(session, objectId)) {
      if (locals.length >= MAX_LOCALS) return locals;
      if (seen.has(name) || PROBE_NAME.test(name)) continue;
      seen.add(name);
      locals.push({ name, value });
    }
    // The locals of outer functions are captured variables; the module's would be too many.
    if (scope.type === "module") break;
  }
  const self = readSelf(session, call.this);
  if (self !== undefined && self !== globalThis) locals.push({ name: "this", value: self });
  return locals;
}

/** The variables of a scope as live values, by name. */
function readScope(session: InspectorSession, objectId: string): [string, unknown][] {
  return through(
    session,
    objectId,
    "function(){ const s=globalThis.__obSink; for (const k of Object.keys(this)) s.push([k, this[k]]); }",
  ) as [string, unknown][];
}

function readSelf(session: InspectorSession, self: Runtime.RemoteObject): unknown {
  if (self.objectId === undefined) return undefined;
  return through(session, self.objectId, "function(){ globalThis.__obSink.push(this); }")[0];
}

/** Calls a function of ours on a remote object and collects what it puts into the sink. */
function through(
  session: InspectorSession,
  objectId: string,
  functionDeclaration: string,
): unknown[] {
  const sink: unknown[] = [];
  Object.defineProperty(globalThis, SINK, { value: sink, configurable: true, enumerable: false });
  try {
    session.post("Runtime.callFunctionOn", { objectId, functionDeclaration, silent: true });
  } finally {
    delete (globalThis as unknown as Record<string, unknown>)[SINK];
  }
  return sink;
}

function pathOf(scriptName: string): string {
  try {
    return scriptName.startsWith("file://") ? fileURLToPath(scriptName) : scriptName;
  } catch {
    return scriptName;
  }
}
