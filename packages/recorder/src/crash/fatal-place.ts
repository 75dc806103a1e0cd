/**
 * Finds the place that Node's report would point at, had the program run without probes.
 */
import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import types from "node:util/types";
import type * as Instrument from "@orangebox/instrument";
import type { LoadedModule } from "../runtime/module-registry.ts";
import { functionToString } from "../runtime/primordials.ts";
import { ownRequire } from "../runtime/own-require.ts";
import type { Recorder } from "../recorder.ts";
import { excerptText, LINE_END, throwColumn, type ExcerptPlace } from "../stack/fatal-report.ts";
import { parseStackLines, type StackLine } from "../stack/stack-lines.ts";
import { nodeModuleSource } from "../stack/stack-text.ts";
import { scriptText } from "./engine-scripts.ts";
import { assertionThrow, hiddenApiThrow, lastThrowOutside } from "./last-throw.ts";

/**
 * The excerpt of the report, or undefined when Node's own is right.
 *
 * It is right when the error never passed a probe and was not made in instrumented code.
 */
export function fatalExcerpt(
  recorder: Recorder,
  error: unknown,
  fromPromise: boolean,
): string | undefined {
  // Node has put the excerpt of a syntax error into its stack and prints no second one.
  if (!fromPromise && hasOwnExcerpt(recorder, error)) {
    return recorder.runtime.unwindings.find(error) === undefined ? undefined : "";
  }
  const place = fromPromise
    ? placeOfMaking(recorder, error)
    : (placeOfThrow(recorder, error) ?? placeInProbes(recorder, error));
  return place === undefined ? undefined : excerptText(withLoadedText(recorder, place));
}

/**
 * The excerpt of the report for an error that we caught and have to report ourselves.
 *
 * Empty when nothing says where it was thrown: a value of a handler without probes that is no error.
 */
export function caughtExcerpt(recorder: Recorder, error: unknown): string {
  const known = fatalExcerpt(recorder, error, false);
  if (known !== undefined) return known;
  if (!types.isNativeError(error) || hasOwnExcerpt(recorder, error)) return "";
  const top = madeLine(recorder, error) ?? firstLine(recorder, error);
  const place = top === undefined ? undefined : placeOutside(top);
  return (place === undefined ? undefined : excerptText(place)) ?? "";
}

/** What Node runs and quotes is what another loader made, or has blanks in the place of types. */
function withLoadedText(recorder: Recorder, place: ExcerptPlace): ExcerptPlace {
  const module = recorder.modules.findByScript(place.scriptName);
  if (module === undefined || place.text !== undefined) return place;
  if (!module.isTyped) {
    const text = module.isUnmarked ? recorder.readSource(module) : module.tables.text;
    if (text === undefined) return place;
    return { ...place, text, inFile: module.positionInFile(place.line, place.column) };
  }
  const source = recorder.readSource(module);
  if (source === undefined) return place;
  const { eraseTypes } = ownRequire("@orangebox/instrument") as Pick<
    typeof Instrument,
    "eraseTypes"
  >;
  return { ...place, text: eraseTypes(source, module.filename) ?? source };
}

/**
 * Errors that come through a promise: Node points at where the error was made.
 *
 * The engine forgets that place when the stack is read, as the capture did.
 */
function placeOfMaking(recorder: Recorder, error: unknown): ExcerptPlace | undefined {
  if (!types.isNativeError(error)) return undefined;
  const made = madeLine(recorder, error);
  const inMade = made === undefined ? undefined : placeOutside(made);
  if (made !== undefined && inMade !== undefined) {
    return { ...inMade, line: made.line, column: made.column };
  }
  const top = firstLine(recorder, error);
  if (top === undefined) return undefined;
  const { scriptName, file, line, column } = top;
  // A text that Node cannot compile or link: the engine has kept that text's own place.
  if (scriptName.startsWith("node:internal/modules/") && error instanceof SyntaxError)
    return undefined;
  const module = recorder.modules.findByScript(scriptName);
  // Node's own mark is right where nothing is known of the file.
  if (module?.problem !== undefined) return undefined;
  if (module === undefined) {
    const place = placeOutside(top);
    return place === undefined ? undefined : { ...place, line, column };
  }
  return { scriptName, filename: file, line, column };
}

/** Whether a script has probes, and tables that tell of them. */
function isKnown(recorder: Recorder, scriptName: string): boolean {
  const module = recorder.modules.findByScript(scriptName);
  return module !== undefined && module.problem === undefined;
}

/** An error that left no function with probes, and yet was made in a file that has some. */
function placeInProbes(recorder: Recorder, error: unknown): ExcerptPlace | undefined {
  const top = types.isNativeError(error) ? firstLine(recorder, error) : undefined;
  const isOurs = top !== undefined && isKnown(recorder, top.scriptName);
  return isOurs ? placeOfMaking(recorder, error) : undefined;
}

/** Errors that unwound the stack: Node points at the `throw`, or at the failing expression. */
function placeOfThrow(recorder: Recorder, error: unknown): ExcerptPlace | undefined {
  const frames = recorder.runtime.unwindings.find(error)?.frames ?? [];
  // An ES module that `require` runs fails through a promise, although Node then throws.
  if (frames.some(({ id }) => recorder.modules.findById(id)?.hasFailed === true)) {
    return placeOfMaking(recorder, error);
  }
  const innermost = lastThrow(recorder, frames);
  if (innermost === undefined) return undefined;
  const module = recorder.modules.findById(innermost.id);
  if (module === undefined) return undefined;
  const site = module.site(innermost.id);
  const here = (line: number, column: number): ExcerptPlace => ({
    scriptName: module.scriptName,
    filename: module.filename,
    line,
    column,
  });
  const isRecorded = (line: StackLine): boolean => isKnown(recorder, line.scriptName);
  const lines = stackLines(recorder, error);
  const top = lines[0];
  // A library that called the frame may have caught the error and thrown it again.
  if (site.kind === "throw") {
    const index = lines.findIndex((line) => isAt(module, line, site));
    const callers = index < 0 ? [] : lines.slice(index);
    return lastThrowOutside(callers, isRecorded, "thrown") ?? here(site.line, site.column);
  }
  const made = types.isNativeError(error) ? madeLine(recorder, error) : undefined;
  if (made !== undefined) return placeOutside(made) ?? here(site.line, site.column);
  if (top === undefined) return here(site.line, site.column);
  if (isEmitted(error as object)) return placeOfEmit() ?? here(site.line, site.column);
  if (isAt(module, top, site)) {
    const called = calledName(recorder, module, top);
    return (
      assertionThrow(error as object, called) ??
      hiddenApiThrow(error as object, called) ??
      lastThrowOutside(lines, isRecorded, "thrown") ??
      here(top.line, top.column)
    );
  }
  return (
    lastThrowOutside(lines, isRecorded, "made") ?? placeOutside(top) ?? here(site.line, site.column)
  );
}

/** The name of the function that is called at a place. */
function calledName(recorder: Recorder, module: LoadedModule, { line, column }: StackLine): string {
  const text = recorder.readSource(module)?.split(LINE_END, line)[line - 1];
  return /^[\w$]+/.exec(text?.slice(column - 1) ?? "")?.[0] ?? "";
}

/** The frame in which the last throw happened; the ones before belong to earlier throws. */
function lastThrow(
  recorder: Recorder,
  frames: readonly { readonly id: number }[],
): { readonly id: number } | undefined {
  for (let i = frames.length - 1; i > 0; i--) {
    const frame = frames[i];
    if (
      frame !== undefined &&
      recorder.modules.findById(frame.id)?.site(frame.id).kind === "throw"
    ) {
      return frame;
    }
  }
  return frames[0];
}

function firstLine(recorder: Recorder, error: unknown): StackLine | undefined {
  return stackLines(recorder, error)[0];
}

function stackLines(recorder: Recorder, error: unknown): StackLine[] {
  const stack = recorder.stackText.loadedStackOf(error);
  return stack === undefined ? [] : parseStackLines(stack);
}

/** The innermost line of a stack, if it is one of `eval` or `new Function`. */
function madeLine(recorder: Recorder, error: unknown): StackLine | undefined {
  const stack = recorder.stackText.loadedStackOf(error);
  const top = stack === undefined ? undefined : parseStackLines(stack, "with evals")[0];
  return top?.file.startsWith(MADE_FILE) === true ? top : undefined;
}

function isAt(
  module: LoadedModule,
  top: StackLine,
  site: { line: number; endLine: number },
): boolean {
  return module.scriptName === top.scriptName && top.line >= site.line && top.line <= site.endLine;
}

/** Thrown by a library, by Node itself or in a text that was made: the line is read from there. */
function placeOutside(top: StackLine): ExcerptPlace | undefined {
  const text = textOutside(top);
  const lines = text?.split(LINE_END, top.line + MAX_LINES_TO_THROW) ?? [];
  const line = lines[top.line - 1];
  if (text === undefined || line === undefined) return undefined;
  const later = laterThrow(lines, top) ?? { line: top.line, column: throwColumn(line, top) };
  const isMade = top.file.startsWith(MADE_FILE);
  return {
    scriptName: isMade ? "<anonymous_script>" : top.scriptName,
    filename: isMade ? undefined : top.file,
    text,
    ...later,
  };
}

function textOutside({ scriptName, file, line, column }: StackLine): string | undefined {
  if (scriptName.startsWith("node:")) return nodeModuleSource(scriptName.slice("node:".length));
  try {
    if (isAbsolute(file)) return readFileSync(file, "utf8");
  } catch {
    // No such file: a text that was made, with a name.
  }
  return scriptText({ url: file.startsWith(MADE_FILE) ? "" : scriptName, line, column });
}

/** How the files of nameless texts begin, in the lines of a stack. */
const MADE_FILE = "<eval:";

/** `const err = new Error(…); err.code = …; throw err;`: the report points at the `throw`. */
function laterThrow(
  lines: readonly string[],
  { line, column }: StackLine,
): { line: number; column: number } | undefined {
  const made = /([\w$]+)\s*=\s*$/.exec(lines[line - 1]?.slice(0, column - 1) ?? "")?.[1];
  if (made === undefined) return undefined;
  const thrown = new RegExp(`\\bthrow\\s+${made.replaceAll("$", "\\$")}\\b`);
  for (let at = line; at <= lines.length; at++) {
    const found = thrown.exec(lines[at - 1]?.slice(at === line ? column : 0) ?? "");
    if (found !== null) return { line: at, column: found.index + 1 + (at === line ? column : 0) };
  }
  return undefined;
}

/** How far behind its making an error is looked for in a `throw`. */
const MAX_LINES_TO_THROW = 24;

/** Node marks an error that it threw because nobody listened for it. */
function isEmitted(error: object): boolean {
  return Object.getOwnPropertySymbols(error).some(
    (key) => key.description === "kEnhanceStackBeforeInspector",
  );
}

/** `file:line`, the line, carets, an empty line: in front of the message. */
function hasOwnExcerpt(recorder: Recorder, error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const stack = recorder.stackText.stackOf(error) ?? stackOfContext(error);
  const lines = stack?.split("\n", 5) ?? [];
  return /:\d+$/.test(lines[0] ?? "") && /^\s*\^*\s*$/.test(lines[2] ?? "") && lines[3] === "";
}

/** `emitter.emit("error")` without a listener throws inside `node:events`. */
function placeOfEmit(): ExcerptPlace | undefined {
  const text = nodeModuleSource("events");
  const lines = text?.split("\n") ?? [];
  const index = lines.findIndex((line) => line.includes("throw er; // Unhandled 'error' event"));
  if (text === undefined || index < 0) return undefined;
  const column = (lines[index]?.indexOf("throw") ?? 0) + 1;
  return { scriptName: "node:events", filename: undefined, text, line: index + 1, column };
}

/** The stack of an error of another context, whose getter is that context's. */
function stackOfContext(error: Error): string | undefined {
  const { get } = Object.getOwnPropertyDescriptor(error, "stack") ?? {};
  const ours = Object.getOwnPropertyDescriptor(new Error("a stack's getter"), "stack")?.get;
  if (get === undefined || ours === undefined) return undefined;
  // A bound function of the program reads the same, but is of its own context.
  if (Object.getPrototypeOf(get) === Function.prototype) return undefined;
  if (functionToString(get) !== functionToString(ours)) return undefined;
  try {
    const stack: unknown = Reflect.apply(get, error, []);
    return typeof stack === "string" ? stack : undefined;
  } catch {
    return undefined;
  }
}
