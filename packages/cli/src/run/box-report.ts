/** Reads what the recorder left for us to say: one JSON line per recording or problem. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The file that the program and its children add lines to. */
export interface BoxReport {
  readonly path: string;
  /** Gives what was said so far, each thing once. */
  readonly read: () => BoxNews;
  readonly remove: () => void;
}

/** What was recorded, in order, and what went wrong. */
export interface BoxNews {
  readonly paths: readonly string[];
  readonly problems: readonly string[];
}

/** Most lines that are read. */
const MAX_LINES = 10_000;

/** Makes the place for a report, in a folder that only this user can read. */
export function openBoxReport(): BoxReport {
  const folder = mkdtempSync(join(tmpdir(), "flight-"));
  const path = join(folder, "report.jsonl");
  return {
    path,
    read: () => readNews(path),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readNews(path: string): BoxNews {
  const paths = new Set<string>();
  const problems = new Set<string>();
  for (const line of linesOf(path).slice(0, MAX_LINES)) {
    const news = parseLine(line);
    if (news.path !== undefined) paths.add(news.path);
    if (news.problem !== undefined) problems.add(news.problem);
  }
  return { paths: [...paths], problems: [...problems] };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    // No file: nothing was recorded.
    return [];
  }
}

function parseLine(line: string): { path?: string; problem?: string } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return {};
    return {
      ...("path" in value && typeof value.path === "string" ? { path: value.path } : {}),
      ...("problem" in value && typeof value.problem === "string"
        ? { problem: value.problem }
        : {}),
    };
  } catch {
    // The last line of a program that was killed while writing it.
    return {};
  }
}
