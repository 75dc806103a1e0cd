/**
 * Prints what Node prints when an error ends the process, with the original source line.
 *
 * Node takes the excerpt from the engine's message: the line of the instrumented text, at the
 * place where a probe threw the error on. Where that would show, we print the report ourselves,
 * to the byte as Node does, and leave; everywhere else Node prints.
 */
import { readFileSync, writeSync } from "node:fs";
import { basename } from "node:path";
import types from "node:util/types";
import { isReference } from "../runtime/primordials.ts";
import { mappedExcerpt } from "./mapped-excerpt.ts";
import type { StackLine } from "./stack-lines.ts";

/** Where the excerpt points. */
export interface ExcerptPlace {
  /** As the engine prints it: a path or a URL. */
  readonly scriptName: string;
  /** Absolute path of the file that has the line; undefined with `text`. */
  readonly filename: string | undefined;
  /** The whole text, where it is not that of the file: modules of Node, erased types. */
  readonly text?: string | undefined;
  /** Where the place is in the file, if that is not `text`: the source map is that of the file. */
  readonly inFile?: { readonly line: number; readonly column: number } | undefined;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

// An ES import of node:util would open process.stderr, which makes a pipe non-blocking.
const { inspect } = process.getBuiltinModule("node:util");

/** Flags under which Node's own report differs in ways that we do not imitate. */
const OTHER_REPORTS =
  /--(?:trace-uncaught|no-extra-info-on-fatal-exception|abort-on-uncaught-exception|report-uncaught-exception)/;

/** What ends a line for the engine. */
export const LINE_END: RegExp = /\r\n|[\n\r\u2028\u2029]/;

/** Node cuts the line with the caret; in a longer line there is none. */
const MAX_UNDERLINE = 1020;

/** Whether Node's report has the plain form here. */
export function hasPlainReport(): boolean {
  return !OTHER_REPORTS.test(`${process.execArgv.join(" ")} ${process.env["NODE_OPTIONS"] ?? ""}`);
}

/**
 * The excerpt: place, source line, caret.
 *
 * @returns Undefined when the line cannot be read.
 */
export function excerptText(place: ExcerptPlace): string | undefined {
  let text = place.text;
  try {
    text ??= place.filename === undefined ? undefined : readFileSync(place.filename, "utf8");
  } catch {
    return undefined;
  }
  const line = text?.split(LINE_END, place.line)[place.line - 1];
  if (line === undefined) return undefined;
  const mapped = mappedExcerpt(place);
  if (mapped !== undefined) return mapped;
  let pad = "";
  const width = Math.min(place.column - 1, MAX_UNDERLINE);
  for (let i = 0; i < width; i++) pad += line[i] === "\t" ? "\t" : " ";
  const underline = `${pad}^`.slice(0, MAX_UNDERLINE);
  return `${place.scriptName}:${place.line}\n${line}\n${underline}\n`;
}

/**
 * The whole report for a value that nobody caught.
 *
 * @param excerpt As `excerptText` gives it; empty when the stack has one already.
 */
export function fatalReport(thrown: unknown, excerpt: string): string {
  const end = `\n\nNode.js ${process.version}\n`;
  if (types.isNativeError(thrown)) {
    enhance(thrown);
    return `${excerpt}${excerpt === "" ? "" : "\n"}${inspectThrown(thrown)}${end}`;
  }
  if (isReference(thrown)) return `\n${excerpt}${inspectThrown(thrown)}${end}`;
  const text = typeof thrown === "symbol" ? "" : String(thrown);
  const program = basename(process.argv0, ".exe");
  return `\n${excerpt}${text}\n(Use \`${program} --trace-uncaught ...\` to show where the exception was thrown)${end}`;
}

/** An `error` event without a listener says in its stack where it was emitted. */
function enhance(error: Error): void {
  const symbol = Object.getOwnPropertySymbols(error).find(
    (key) => key.description === "kEnhanceStackBeforeInspector",
  );
  if (symbol === undefined) return;
  const make = (error as unknown as Record<symbol, unknown>)[symbol];
  if (typeof make !== "function") return;
  try {
    const text: unknown = Reflect.apply(make, error, [error]);
    if (typeof text === "string") error.stack = text;
  } catch {
    // Node prints the plain stack then.
  }
}

function inspectThrown(thrown: unknown): string {
  try {
    return inspect(thrown, {
      colors: shouldColorize(),
      customInspect: false,
      depth: Math.max(inspect.defaultOptions.depth ?? 0, 5),
    });
  } catch {
    return String((thrown as { stack?: unknown }).stack);
  }
}

function shouldColorize(): boolean {
  if (process.env["FORCE_COLOR"] !== undefined) return process.stderr.getColorDepth?.() > 2;
  if (!process.stderr.isTTY) return false;
  return typeof process.stderr.getColorDepth === "function"
    ? process.stderr.getColorDepth() > 2
    : true;
}

/** Writes all of it to stderr, also to a full pipe. */
export function writeToStderr(text: string): void {
  const bytes = Buffer.from(text);
  let offset = 0;
  let attempts = 0;
  while (offset < bytes.length && attempts < 10_000) {
    try {
      offset += writeSync(2, bytes, offset);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      attempts++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/**
 * Where the engine says an error was thrown that was made at `top`: at the `throw` before `new`.
 */
export function throwColumn(lineText: string, top: StackLine): number {
  const before = lineText.slice(0, top.column - 1);
  const match = /\bthrow\s+$/.exec(before);
  return match === null ? top.column : match.index + 1;
}
