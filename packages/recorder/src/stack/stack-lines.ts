/**
 * Reads the lines of a V8 stack text.
 */
import { fileURLToPath } from "node:url";

/** One line below the message. */
export interface StackLine {
  /** As printed, without "at ", "async " and "new "; empty for a module's own body. */
  readonly name: string;
  /** Absolute path, or the name the engine printed (`node:fs`). */
  readonly file: string;
  /** The name as printed: a path or a URL. */
  readonly scriptName: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  readonly isAsync: boolean;
  readonly isConstructor: boolean;
}

const LINE = /^\s+at (async )?(new )?(?:(.*?) \()?((?:file:\/\/|node:|[A-Za-z]:[\\/]|\/)?[^()]*?):(\d+):(\d+)\)?$/;
/** A stack is as long as `Error.stackTraceLimit` says; a hostile text may be longer. */
const MAX_LINES = 200;

/** All lines that name a place. Lines of evals and of natives without one are left out. */
export function parseStackLines(stack: string): StackLine[] {
  const lines: StackLine[] = [];
  for (const text of stack.slice(0, 100_000).split("\n")) {
    if (!text.startsWith("    at ")) continue;
    const match = LINE.exec(text);
    if (match === null) continue;
    const [, async, constructor, name = "", scriptName = "", line = "0", column = "0"] = match;
    let file = scriptName;
    if (scriptName.startsWith("file://")) {
      try {
        file = fileURLToPath(scriptName);
      } catch {
        continue;
      }
    }
    lines.push({
      name: name === "Object.<anonymous>" ? "" : name,
      file,
      scriptName,
      line: Number(line),
      column: Number(column),
      isAsync: async !== undefined,
      isConstructor: constructor !== undefined,
    });
    if (lines.length >= MAX_LINES) break;
  }
  return lines;
}
