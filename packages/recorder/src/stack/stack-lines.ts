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

/** A stack is as long as `Error.stackTraceLimit` says; a hostile text may be longer. */
const MAX_LINES = 200;

/**
 * All lines that name a place. Lines of natives without one are left out.
 *
 * @param evals Whether lines of `eval` and `new Function` are wanted. Those of one text have a file
 * of their own, `<eval:N>`, numbered from the innermost.
 */
export function parseStackLines(
  stack: string,
  evals: "without evals" | "with evals" = "without evals",
): StackLine[] {
  const texts: string[] = [];
  const lines: StackLine[] = [];
  for (const text of stack.slice(0, 100_000).split("\n")) {
    if (!text.startsWith("    at ")) continue;
    let rest = text.slice("    at ".length);
    const isAsync = rest.startsWith("async ");
    if (isAsync) rest = rest.slice("async ".length);
    const isConstructor = rest.startsWith("new ");
    if (isConstructor) rest = rest.slice("new ".length);
    const bracket = rest.endsWith(")") ? rest.indexOf(" (") : -1;
    const name = bracket < 0 ? "" : rest.slice(0, bracket);
    const where = bracket < 0 ? rest : rest.slice(bracket + 2, -1);
    const place = readPlace(where) ?? (evals === "with evals" ? readEval(where, texts) : undefined);
    if (place === undefined) continue;
    lines.push({
      ...place,
      name: name === "Object.<anonymous>" ? "" : name,
      isAsync,
      isConstructor,
    });
    if (lines.length >= MAX_LINES) break;
  }
  return lines;
}

/** `eval at f (script:line:column), <anonymous>:line:column`, or `<anonymous>` with a place. */
function readEval(
  text: string,
  texts: string[],
): Pick<StackLine, "file" | "scriptName" | "line" | "column"> | undefined {
  const [, origin, line, column] = /^(.*<anonymous>):(\d{1,9}):(\d{1,9})$/s.exec(text) ?? [];
  if (origin === undefined) return undefined;
  if (!texts.includes(origin)) texts.push(origin);
  const file = `<eval:${texts.indexOf(origin) + 1}>`;
  return { file, scriptName: file, line: Number(line), column: Number(column) };
}

/** `script:line:column`; undefined for natives and evals. */
function readPlace(
  text: string,
): Pick<StackLine, "file" | "scriptName" | "line" | "column"> | undefined {
  const last = text.lastIndexOf(":");
  const middle = text.lastIndexOf(":", last - 1);
  const line = Number(text.slice(middle + 1, last));
  const column = Number(text.slice(last + 1));
  const scriptName = text.slice(0, Math.max(middle, 0));
  if (!Number.isInteger(line) || !Number.isInteger(column) || scriptName === "") return undefined;
  if (scriptName.startsWith("eval at ") || scriptName === "<anonymous>") return undefined;
  try {
    const file = scriptName.startsWith("file://") ? fileURLToPath(scriptName) : scriptName;
    return { file, scriptName, line, column };
  } catch {
    return undefined;
  }
}
