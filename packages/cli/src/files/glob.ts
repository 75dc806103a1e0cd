/** Finds files by a pattern with `*`, `?`, `[…]`, `{…}` and `**`, for names the shell did not expand. */
import { readdirSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join, sep } from "node:path";

/** Most folder entries that are looked at. */
const MAX_ENTRIES = 200_000;

/** Tells whether a name is a pattern. */
export function isPattern(name: string): boolean {
  return /[*?[{]/.test(name);
}

/** Gives the files that match a pattern, in no particular order. Folders are not followed through links. */
export function matchFiles(pattern: string): string[] {
  const parts = pattern.split(sep === "/" ? /\/+/ : /[\\/]+/);
  const firstPattern = parts.findIndex(isPattern);
  const root = parts.slice(0, Math.max(0, firstPattern)).join("/");
  const start = pattern.startsWith("/") && root === "" ? "/" : root === "" ? "." : root;
  const matched: string[] = [];
  walk({ matched, left: MAX_ENTRIES }, start, parts.slice(Math.max(0, firstPattern)));
  // Several `**` find the same file on several ways.
  return [...new Set(matched)];
}

interface Walk {
  readonly matched: string[];
  left: number;
}

function walk(state: Walk, folder: string, parts: readonly string[]): void {
  const [part, ...rest] = parts;
  if (part === undefined) return;
  if (part === "**") walk(state, folder, rest.length === 0 ? ["*"] : rest);
  const test = part === "**" ? undefined : patternToRegExp(part);
  for (const entry of entriesOf(folder)) {
    state.left -= 1;
    if (state.left < 0) return;
    const path = folder === "." ? entry.name : join(folder, entry.name);
    if (test === undefined) {
      if (entry.isDirectory() && !entry.name.startsWith(".")) walk(state, path, parts);
      continue;
    }
    if (!test.test(entry.name) || (entry.name.startsWith(".") && !part.startsWith("."))) continue;
    if (rest.length > 0) {
      if (entry.isDirectory()) walk(state, path, rest);
    } else if (!entry.isDirectory()) state.matched.push(path);
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that cannot be read has no matches, as in a shell.
    return [];
  }
}

function patternToRegExp(part: string): RegExp {
  const body = part.replace(/\[!?[^\]]+\]|\{[^{}]*\}|\*+|\?|[^]/gu, (token) => {
    if (token.startsWith("*")) return ".*";
    if (token === "?") return ".";
    if (token.startsWith("[") && token.length > 2)
      return `[${token.slice(1, -1).replace(/^!/, "^").replace(/[\\[]/g, "\\$&")}]`;
    if (token.startsWith("{") && token.length > 1)
      return `(?:${token.slice(1, -1).split(",").map(escape).join("|")})`;
    return escape(token);
  });
  try {
    return new RegExp(`^${body}$`, "su");
  } catch {
    // Such as [z-a]: then it stands for itself.
    return new RegExp(`^${escape(part)}$`, "su");
  }
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) =>
    character === "-" ? "\\x2d" : `\\${character}`,
  );
}
