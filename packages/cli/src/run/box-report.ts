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
  /** Threads that wrote a recording. */
  readonly writers: readonly { readonly pid: number; readonly threadId: number }[];
  /** Where the rings of the program, its children and their threads are, or were. */
  readonly rings: readonly string[];
  /** Why there is no ring that outlives its process. */
  readonly noRings: readonly string[];
}

/** Most lines that are read; each thread that starts leaves one. */
const MAX_LINES = 200_000;

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
  const rings = new Set<string>();
  const noRings = new Set<string>();
  const writers: { pid: number; threadId: number }[] = [];
  for (const line of linesOf(path).slice(0, MAX_LINES)) {
    const { pid, threadId, ...news } = parseLine(line);
    if (news.path !== undefined) paths.add(news.path);
    if (news.path !== undefined && pid !== undefined) {
      writers.push({ pid, threadId: threadId ?? 0 });
    }
    if (news.problem !== undefined) problems.add(news.problem);
    if (news.ring !== undefined) rings.add(news.ring);
    if (news.noRing !== undefined) noRings.add(news.noRing);
  }
  return {
    paths: [...paths],
    problems: [...problems],
    writers,
    rings: [...rings],
    noRings: [...noRings],
  };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    // No file: nothing was recorded.
    return [];
  }
}

interface ReportLine {
  readonly path?: string;
  readonly problem?: string;
  readonly ring?: string;
  readonly noRing?: string;
  readonly pid?: number;
  readonly threadId?: number;
}

const TEXTS: readonly string[] = ["path", "problem", "ring", "noRing"];
const NUMBERS: readonly string[] = ["pid", "threadId"];

function parseLine(line: string): ReportLine {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter(
        ([name, field]) =>
          (TEXTS.includes(name) && typeof field === "string") ||
          (NUMBERS.includes(name) && typeof field === "number"),
      ),
    );
  } catch {
    // The last line of a program that was killed while writing it.
    return {};
  }
}
