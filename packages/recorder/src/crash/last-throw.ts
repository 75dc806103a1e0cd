/**
 * Finds the last `throw` of an error outside the recorded code: in Node's own code or a library.
 *
 * The stack says where an error was made. From there its value is followed through the frames, over
 * their text: thrown, kept and thrown later, returned to the next frame, caught and thrown again.
 */
import { readFileSync } from "node:fs";
import types from "node:util/types";
import { LINE_END, type ExcerptPlace } from "../stack/fatal-report.ts";
import type { StackLine } from "../stack/stack-lines.ts";
import { nodeModuleSource } from "../stack/stack-text.ts";
import { readCode, type CodeText } from "./code-text.ts";

/** The part of a file that has the functions of one frame. */
interface FrameCode {
  readonly code: CodeText;
  readonly text: string;
  /** Where the part begins in the text. */
  readonly from: number;
  /** The frame's place in the part. */
  readonly offset: number;
}

/** A place in a part of a file. */
interface Place {
  readonly line: StackLine;
  readonly frame: FrameCode;
  readonly offset: number;
}

/** Files of libraries that a stack has met, each read once. */
type Libraries = Map<string, { readonly text: string; readonly code: CodeText | undefined }>;

/** Where an error is on its way. */
type Step =
  | { readonly kind: "value" }
  | { readonly kind: "made" }
  | { readonly kind: "kept"; readonly key: readonly string[] }
  | { readonly kind: "thrown" };

const ERROR_NAME = /^(?:[A-Z]\w*)?(?:Error|Exception)$/;
/** What gives an object a stack that is none of the engine's errors. */
const CAPTURE = /^(?:Error)?captureStackTrace$/i;
/** Longer files of libraries are read in parts. */
const MAX_WHOLE = 60_000;
const MAX_FRAMES = 30;

/**
 * The place of the last throw on the way of an error out of code that is not recorded.
 *
 * @param lines The error's stack, from the frame where it was made, or last thrown.
 * @param isRecorded Whether a frame is of recorded code.
 * @param from Whether the error is known to be thrown in a recorded frame, the first.
 * @returns Undefined when the texts do not say it: then nothing outside moved the place.
 */
export function lastThrowOutside(
  lines: readonly StackLine[],
  isRecorded: (line: StackLine) => boolean,
  from: "made" | "thrown",
): ExcerptPlace | undefined {
  try {
    const place = follow(lines.slice(0, MAX_FRAMES), isRecorded, from);
    if (place === undefined || "frame" in place) return place && excerptPlace(place);
    const { scriptName, file, line, column } = place;
    return { scriptName, filename: file, line, column };
  } catch {
    return undefined;
  }
}

function follow(
  lines: readonly StackLine[],
  isRecorded: (line: StackLine) => boolean,
  from: "made" | "thrown",
): Place | StackLine | undefined {
  let step: Step = { kind: from === "made" ? "made" : "thrown" };
  let place: Place | undefined;
  const libraries: Libraries = new Map();
  for (const [index, line] of lines.entries()) {
    // What leaves an ES module's body goes on in a promise.
    if (line.isAsync || line.scriptName.startsWith("node:internal/modules/esm/")) break;
    if (isRecorded(line)) {
      // Native code made an error for the call that is there.
      if (step.kind === "made" && index > 0) return line;
      // A value that recorded code gets is thrown there, or was kept somewhere.
      if (step.kind !== "thrown") return undefined;
      continue;
    }
    const frame = frameCode(line, libraries);
    if (frame === undefined) {
      if (step.kind !== "thrown") return undefined;
      continue;
    }
    let offset = frame.offset;
    if (step.kind === "made" || step.kind === "value") {
      const next = stepFrom(frame, line, step.kind, index === 0);
      if (next === undefined) return undefined;
      if (next.kind !== "thrown") {
        step = next;
        continue;
      }
      const isAtCall = index === 0 && next.offset === frame.offset;
      const hidden = isAtCall ? hiddenThrow(frame, line) : undefined;
      place = hidden ?? { line, frame, offset: next.offset };
      offset = hidden === undefined ? next.offset : frame.offset;
      step = { kind: "thrown" };
    } else if (step.kind === "kept") {
      const found =
        frame.code.throwOfKey(step.key, frame.offset) ?? frame.code.throwOfMadeFrom(frame.offset);
      if (found === undefined) continue;
      place = { line, frame, offset: found };
      offset = found;
      step = { kind: "thrown" };
    }
    const caught = frame.code.afterThrowAt(offset);
    if (caught?.kind === "thrown") place = { line, frame, offset: caught.offset };
    else if (caught?.kind === "returned") step = { kind: "value" };
    else if (caught?.kind === "kept") step = { kind: "kept", key: caught.key };
  }
  return step.kind === "thrown" ? place : undefined;
}

/** How an error goes on that is the value of the expression at which a frame is. */
function stepFrom(
  frame: FrameCode,
  line: StackLine,
  kind: "made" | "value",
  isFirst: boolean,
): Exclude<Step, { kind: "thrown" }> | { kind: "thrown"; offset: number } | undefined {
  const word = frame.code.wordAt(frame.offset) ?? "";
  const isMaking =
    (word === "new" && (!isFirst || frame.code.makesErrorAt(frame.offset, isOfNode(line)))) ||
    word === "super" ||
    CAPTURE.test(word) ||
    word === "ReflectConstruct" ||
    (ERROR_NAME.test(word) && frame.code.isCallAt(frame.offset));
  const use = frame.code.useAt(frame.offset);
  if (kind === "made" && !isMaking) {
    const isCall = frame.code.isCallAt(frame.offset);
    if (isCall && use.kind === "thrown") return use;
    // What is no making of an error threw one: the engine, native code, or a frame that is hidden.
    if (isFirst || !isCall || !isHidden(word, frame.text)) {
      return { kind: "thrown", offset: frame.offset };
    }
  }
  if (use.kind === "thrown") return use;
  if (line.isConstructor && (kind === "made" || isFirst)) return { kind: "made" };
  if (use.kind === "returned") return { kind: "value" };
  return use.kind === "kept" ? use : undefined;
}

function isOfNode(line: StackLine): boolean {
  return line.scriptName.startsWith("node:");
}

/** Node's checks of arguments take their own frames off the stack, and throw in the function that does. */
function hiddenThrow(frame: FrameCode, line: StackLine): Place | undefined {
  const name = frame.code.wordAt(frame.offset);
  if (name === undefined || !isOfNode(line)) return undefined;
  if (!frame.code.isCallAt(frame.offset) || !isHidden(name, frame.text)) return undefined;
  return placeIn("internal/errors", "hideStackFrames");
}

/** Whether a module of Node calls a function by this name that takes itself off the stack. */
function isHidden(name: string, text: string): boolean {
  if (makesHidden(name, text)) return true;
  // `const { a, b: c } = require('internal/x')`
  const alias = new RegExp(`\\b(\\w+)\\s*:\\s*${name}\\b`).exec(text)?.[1];
  const known = alias ?? name;
  for (const [, id] of text.matchAll(/\}\s*=\s*require\('([^']+)'\)/g)) {
    const source = id === undefined ? undefined : nodeModuleSource(id);
    if (source?.includes(known) === true && makesHidden(known, source)) return true;
  }
  return false;
}

function makesHidden(name: string, text: string): boolean {
  const word = name.replaceAll("$", "\\$");
  return new RegExp(
    `\\b${word}\\s*=\\s*(?:assignFunctionName\\([^,(]*,\\s*)?hideStackFrames\\(`,
  ).test(text);
}

/**
 * The `throw` of an error of a function of Node's API that takes itself off the stack.
 *
 * @param called The name by which the function was called.
 */
export function hiddenApiThrow(error: object, called: string): ExcerptPlace | undefined {
  try {
    const { code } = error as Readonly<Record<string, unknown>>;
    if (typeof code !== "string" || !code.startsWith("ERR_") || called === "") return undefined;
    if (!HIDDEN_API.some((id) => makesHidden(called, nodeModuleSource(id) ?? ""))) return undefined;
    const place = placeIn("internal/errors", "hideStackFrames");
    return place === undefined ? undefined : excerptPlace(place);
  } catch {
    return undefined;
  }
}

/** Modules of Node whose API has functions that take themselves off the stack. */
const HIDDEN_API: readonly string[] = ["_http_outgoing", "fs", "util", "buffer"];

/**
 * The `throw` of an error of `node:assert`, which takes its own frames off the stack.
 *
 * @param called The name by which the function was called.
 */
export function assertionThrow(error: object, called: string): ExcerptPlace | undefined {
  try {
    const { code, operator, expected, message } = error as Readonly<Record<string, unknown>>;
    if (code !== "ERR_ASSERTION" || typeof operator !== "string") return undefined;
    const names = assertionFunctions(operator, called, expected, String(message));
    for (const name of [...names, "innerFail"]) {
      for (const id of ["assert", "internal/assert/utils"]) {
        const place = placeIn(id, name);
        if (place !== undefined) return excerptPlace(place);
      }
    }
    return undefined;
  } catch {
    return undefined;
  }
}

/** The function of `node:assert` that throws for an operator, where it is not the common one. */
function assertionFunctions(
  operator: string,
  called: string,
  expected: unknown,
  message: string,
): readonly string[] {
  if (operator === "fail" || operator === "ifError") return [operator];
  if (operator === "match" || operator === "doesNotMatch") return ["internalMatch"];
  if (operator === "==" && called !== "equal") return ["innerOk"];
  if (
    (operator === "throws" || operator === "rejects") &&
    !message.startsWith("Missing expected")
  ) {
    const isCheck = typeof expected === "function" || types.isRegExp(expected);
    return [isCheck ? "expectedException" : "compareExceptionKey"];
  }
  return [];
}

/** The last `throw` within a function of a module of Node, other than those for wrong arguments. */
function placeIn(id: string, name: string): Place | undefined {
  const text = nodeModuleSource(id);
  const start = text === undefined ? -1 : text.search(new RegExp(`\\bfunction ${name}\\(`));
  if (text === undefined || start < 0) return undefined;
  const scriptName = `node:${id}`;
  const before = text.slice(0, start).split(LINE_END);
  const line: StackLine = {
    name,
    file: scriptName,
    scriptName,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    isAsync: false,
    isConstructor: false,
  };
  const frame = partAround(text, start);
  const offset = frame?.code.throwIn(name);
  return frame === undefined || offset === undefined ? undefined : { line, frame, offset };
}

function frameCode(line: StackLine, libraries: Libraries): FrameCode | undefined {
  if (isOfNode(line)) {
    const text = nodeModuleSource(line.scriptName.slice("node:".length));
    const start = text === undefined ? undefined : offsetOf(text, line.line, line.column);
    if (text === undefined || start === undefined) return undefined;
    return partAround(text, start);
  }
  let library = libraries.get(line.file);
  if (library === undefined) {
    const text = readFileSync(line.file, "utf8");
    library = { text, code: text.length > MAX_WHOLE ? undefined : readCode(text) };
    libraries.set(line.file, library);
  }
  const { text, code } = library;
  const offset = offsetOf(text, line.line, line.column);
  if (offset === undefined) return undefined;
  return code === undefined ? partAround(text, offset) : { code, text, from: 0, offset };
}

function offsetOf(text: string, line: number, column: number): number | undefined {
  const ends = new RegExp(LINE_END, "g");
  for (let i = 1; i < line; i++) if (ends.exec(text) === null) return undefined;
  return ends.lastIndex + column - 1;
}

/** In formatted code, as Node's own, what begins at the left margin is a unit of it. */
function partAround(text: string, offset: number): FrameCode | undefined {
  const begins = /\n[\w$][^\n]*(?:[{(=,]|=>)\n/g;
  let from = 0;
  const before = text.slice(0, text.indexOf("\n", offset) + 1);
  for (let found = begins.exec(before); found !== null; found = begins.exec(before)) {
    from = found.index + 1;
    begins.lastIndex = found.index + found[0].length - 1;
  }
  const end = /\n[)}\]][^\n]*\n/g;
  end.lastIndex = offset;
  const to = end.exec(text) === null ? text.length : end.lastIndex;
  const part = readCode(text.slice(from, to));
  if (part !== undefined) return { code: part, text, from, offset: offset - from };
  const code = readCode(text);
  return code === undefined ? undefined : { code, text, from: 0, offset };
}

function excerptPlace({ line, frame, offset }: Place): ExcerptPlace {
  const lines = frame.text.slice(0, frame.from + offset).split(LINE_END);
  return {
    scriptName: line.scriptName,
    filename: line.file,
    text: frame.text,
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
  };
}
