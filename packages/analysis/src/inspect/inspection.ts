/**
 * Puts together what is told about a recording: how it ended, the chain of errors, the frames.
 *
 * Reads only the small blocks; objects, sources and events are decoded when something asks for
 * them. Everything is plain data or a function without side effects.
 */
import type { Id, Meta, Recording } from "@orangebox/format";

import { type DeathView, deathView } from "../extensions/death-details.ts";
import { extensionList, extensionMap } from "../extensions/extension-list.ts";
import { frameViews } from "../extensions/frame-details.ts";
import type { FrameView } from "../extensions/frame-details.ts";
import { countOf, fieldOf, idOf, listOf, textOf } from "../extensions/loose-fields.ts";
import { nodeSource } from "../values/node-source.ts";
import type { Language } from "../values/scalar-text.ts";
import type { PrintableObjects } from "../values/value-printer.ts";
import { exceptionViews } from "./exception-views.ts";
import type { ExceptionView } from "./exception-views.ts";
import { cutNotes, recorderNotes, redactionNotes } from "./left-out.ts";
import type { CutNote, RedactionNote } from "./left-out.ts";

/** The program that was recorded. Unknown parts are empty texts or undefined. */
export interface RuntimeView {
  /** `node`, `deno`, `bun`, `go`, `python` or another word. */
  readonly name: string;
  readonly version: string;
  readonly platform: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly pid: number | undefined;
  readonly threadId: number | undefined;
}

/** A program that leaves without an error. */
export interface ExitView {
  readonly code: string | undefined;
  /** Bytes that were written and not out yet; a pipe may lose them. */
  readonly pendingStdoutBytes: number;
  readonly pendingStderrBytes: number;
}

/** A recording, ready to be told about. */
export interface Inspection {
  readonly recording: Recording;
  /** Why the recording was written: `crash`, `capture`, `rejection`, `killed` …; or undefined. */
  readonly reason: string | undefined;
  readonly runtime: RuntimeView | undefined;
  /** Names the run: every thread of it writes the same one into its recordings. */
  readonly run: string | undefined;
  /** How the program was leaving, when it was recorded because it left. */
  readonly exit: ExitView | undefined;
  /** How the program ended, when it could not write the recording itself. */
  readonly death: DeathView | undefined;
  readonly exceptions: readonly ExceptionView[];
  readonly frames: readonly FrameView[];
  readonly cuts: readonly CutNote[];
  readonly redactions: readonly RedactionNote[];
  /** Remarks of the recorder. */
  readonly notes: readonly string[];
  /** The objects; decoded at the first call. */
  readonly values: () => PrintableObjects;
}

/**
 * Looks at a recording without decoding its objects, sources or events.
 *
 * Never throws for damage: what cannot be decoded is absent here and named in
 * `recording.problems`.
 */
export function inspectRecording(recording: Recording): Inspection {
  const meta = recording.meta();
  const runtime = meta === undefined ? undefined : runtimeView(meta);
  let values: PrintableObjects | undefined;
  return {
    recording,
    reason: reasonOf(recording, meta),
    runtime,
    run: textOf(fieldOf(extensionMap(recording, "node.links"), "run")),
    exit: exitView(recording),
    death: deathView(recording),
    exceptions: exceptionViews(recording),
    frames: frameViews(recording),
    cuts: cutNotes(recording),
    redactions: redactionNotes(recording),
    notes: recorderNotes(recording),
    values: () => (values ??= printableObjects(recording, languageOf(runtime))),
  };
}

function runtimeView(meta: Meta): RuntimeView {
  const [name, version] = splitRuntime(meta.pythonVersion);
  const pid = meta.extra["pid"];
  const threadId = meta.extra["thread_id"];
  return {
    name,
    version,
    platform: meta.platform,
    argv: meta.argv,
    cwd: meta.cwd,
    pid: typeof pid === "number" ? pid : undefined,
    threadId: typeof threadId === "number" ? threadId : undefined,
  };
}

/** META keeps `node-v22.15.0`, `go1.22` or, for Python, bare digits in one text. */
function splitRuntime(text: string): [name: string, version: string] {
  const dashed = /^(node|deno|bun|go)-(.*)$/su.exec(text);
  if (dashed !== null) return [dashed[1] ?? "", dashed[2] ?? ""];
  if (text.startsWith("go")) return ["go", text.slice(2)];
  return [/^\d/.test(text) ? "python" : "", text];
}

function exitView(recording: Recording): ExitView | undefined {
  const exit = fieldOf(extensionMap(recording, "node.runtime"), "exit");
  if (exit === undefined || exit === null) return undefined;
  const code = fieldOf(exit, "code");
  return {
    code: typeof code === "number" ? String(code) : textOf(code),
    pendingStdoutBytes: countOf(fieldOf(exit, "pendingStdoutBytes")) ?? 0,
    pendingStderrBytes: countOf(fieldOf(exit, "pendingStderrBytes")) ?? 0,
  };
}

function languageOf(runtime: RuntimeView | undefined): Language {
  const name = runtime?.name ?? "";
  return name === "python" || name === "go" ? "other" : "javascript";
}

function reasonOf(recording: Recording, meta: Meta | undefined): string | undefined {
  return (
    textOf(meta?.extra["reason"]) ??
    textOf(fieldOf(extensionMap(recording, "node.manifest"), "reason"))
  );
}

function printableObjects(recording: Recording, language: Language): PrintableObjects {
  let keys: Map<string, readonly Id[]> | undefined;
  return {
    objects: nodeSource(recording.objects()),
    language,
    mapKeys: (id) => (keys ??= readMapKeys(recording)).get(String(id)),
  };
}

/** Entries are `[id, [key ids]]` or `{id, keys}`. */
function readMapKeys(recording: Recording): Map<string, readonly Id[]> {
  const found = new Map<string, readonly Id[]>();
  for (const entry of extensionList(recording, "node.mapkeys")) {
    const [map, keys] = listOf(entry);
    const id = idOf(map ?? fieldOf(entry, "id"));
    const keyIds = listOf(keys ?? fieldOf(entry, "keys")).map(idOf);
    const known = keyIds.filter((key) => key !== undefined);
    // One bad id would shift all later keys to wrong values.
    if (id !== undefined && known.length === keyIds.length) found.set(String(id), known);
  }
  return found;
}
