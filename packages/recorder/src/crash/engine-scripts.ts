/**
 * Finds the texts that only the engine has: those of `eval`, `new Function` and `node:vm`.
 *
 * The debugger is switched on for one moment; a debugger of the user's that is attached is left alone.
 */
import type { Session as InspectorSession } from "node:inspector";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { LINE_END } from "../stack/fatal-report.ts";

/** A place in a script, as a stack names it. */
interface ScriptPlace {
  /** Empty for a text without a name. */
  readonly url: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/** Most scripts of one name whose texts are looked at. */
const MAX_TEXTS = 200;
/** Where a text may begin: `lineOffset` of `node:vm` may say anything. */
const MAX_START_LINE = 100_000;

/**
 * Gives the text of the script that a place is in, with empty lines before it where it begins later.
 *
 * Undefined when no script has such a place, when several have different lines there, or when the
 * engine cannot be asked.
 */
export function scriptText(place: ScriptPlace): string | undefined {
  let session: InspectorSession | undefined;
  try {
    const inspector = process.getBuiltinModule("node:inspector");
    if (inspector.url() !== undefined) return undefined;
    session = new inspector.Session();
    session.connect();
    const open = session;
    // The debugger gives paths as URLs.
    const fileUrl = isAbsolute(place.url) ? pathToFileURL(place.url).href : place.url;
    const scripts: { id: string; startLine: number }[] = [];
    open.on("Debugger.scriptParsed", ({ params }) => {
      const { url, scriptId: id, startLine } = params;
      const isNamed = url === place.url || url === fileUrl;
      const isLikely = isNamed && startLine >= 0 && startLine <= MAX_START_LINE;
      if (isLikely && scripts.length < MAX_TEXTS) scripts.push({ id, startLine });
    });
    open.post("Debugger.enable");
    const byLine = new Map<string, string>();
    for (const { id, startLine } of scripts) {
      const text = "\n".repeat(startLine) + textOf(open, id);
      const line = text.split(LINE_END, place.line)[place.line - 1];
      if (line !== undefined && place.column <= line.length) byLine.set(line, text);
    }
    open.post("Debugger.disable");
    return byLine.size === 1 ? [...byLine.values()][0] : undefined;
  } catch {
    // The permission model, or a Node without an inspector.
    return undefined;
  } finally {
    try {
      session?.disconnect();
    } catch {
      // It was never connected.
    }
  }
}

function textOf(session: InspectorSession, scriptId: string): string {
  let text = "";
  session.post("Debugger.getScriptSource", { scriptId }, (error, found) => {
    if (error === null) text = found.scriptSource;
  });
  return text;
}
