/**
 * Runs snippets plain and instrumented in real child processes and hands back both outcomes.
 *
 * One child per runtime and variant runs all snippets, so that hundreds of them stay quick.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Instrumented,
  instrument,
  type Language,
  type Level,
  type ModuleFormat,
  originalPosition,
  rebase,
} from "../../src/index.ts";

export interface Snippet {
  readonly name: string;
  readonly format: ModuleFormat;
  readonly language?: Language;
  readonly source: string;
  /** What the plain run executes when the runtime cannot read `source`. */
  readonly plain?: string;
}

export interface Outcome {
  readonly printed: string[];
  readonly failure?: { name: string; message: string; stack: string };
  readonly problems: string[];
}

export interface Compared {
  readonly snippet: Snippet;
  readonly plain: Outcome;
  /** With no operation waiting, and with one that makes every probe pass its locals. */
  readonly instrumented: Outcome[];
}

const STUB = fileURLToPath(new URL("stub-runtime.cjs", import.meta.url));
const RING_MASK = 0xffff;
const TIMEOUT_MS = 120_000;

/** The runtimes that are installed: this one, and others by their names on PATH. */
export const RUNTIMES: readonly string[] = findRuntimes();

/** Instruments a snippet, or fails the test with the reason. */
export function instrumentSnippet(snippet: Snippet, level: Level = "calls"): Instrumented {
  const result = instrument(snippet.source, {
    filename: `snippet.${snippet.language ?? "js"}`,
    format: snippet.format,
    language: snippet.language ?? "js",
    level,
    ringMask: RING_MASK,
  });
  if ("untouched" in result) throw new Error(`${snippet.name}: untouched, ${result.untouched}`);
  return result;
}

/** Runs every snippet on one runtime; stacks come back with original positions. */
export function runSnippets(
  runtime: string,
  snippets: readonly Snippet[],
  level: Level = "calls",
): Compared[] {
  const folder = mkdtempSync(join(tmpdir(), "instrument-"));
  try {
    const results = snippets.map((snippet) => instrumentSnippet(snippet, level));
    const plain = runBatch(runtime, join(folder, "plain"), snippets, undefined, false);
    const quiet = runBatch(runtime, join(folder, "quiet"), snippets, results, false);
    const waiting = runBatch(runtime, join(folder, "waiting"), snippets, results, true);
    return snippets.map((snippet, index) => ({
      snippet,
      plain: outcomeAt(plain, index),
      instrumented: [outcomeAt(quiet, index), outcomeAt(waiting, index)],
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runBatch(
  runtime: string,
  folder: string,
  snippets: readonly Snippet[],
  results: readonly Instrumented[] | undefined,
  waiting: boolean,
): Outcome[] {
  mkdirSync(folder, { recursive: true });
  let base = 0;
  const tasks = snippets.map((snippet, index) => {
    const path = join(folder, `s${index}.${snippet.format === "module" ? "mjs" : "cjs"}`);
    const result = results?.[index];
    writeFileSync(
      path,
      result === undefined ? (snippet.plain ?? snippet.source) : rebase(result, base),
    );
    const locals: Record<number, number> = {};
    for (const packed of result?.sites.functions ?? [])
      locals[packed.id] = packed.localNames.length;
    const writes = result?.sites.writes?.ids ?? [];
    const task = {
      path,
      format: snippet.format,
      base,
      owners: result?.sites.owners ?? [],
      locals,
      writes,
      computed: writes.filter((_, at) => result?.sites.writes?.keys[at] === -1),
    };
    base += result?.siteCount ?? 0;
    return task;
  });
  const file = join(folder, "tasks.json");
  writeFileSync(file, JSON.stringify({ tasks, waiting }));
  const child = spawnSync(runtime, ["--stack-size=500", STUB], {
    env: { ...process.env, STUB_TASKS: file },
    encoding: "utf8",
    timeout: TIMEOUT_MS,
  });
  if (child.status !== 0) throw new Error(`${runtime} ended with ${child.status}: ${child.stderr}`);
  // The child writes what this file describes; a wrong shape fails the comparison.
  const outcomes = JSON.parse(readFileSync(join(folder, "results.json"), "utf8")) as Outcome[];
  return outcomes.map((outcome, index) => {
    const failure = outcome.failure;
    if (failure === undefined) return outcome;
    return {
      ...outcome,
      failure: { ...failure, stack: normalize(failure.stack, folder, results?.[index]) },
    };
  });
}

/** Keeps the frames inside snippets, with original positions and without folders. */
function normalize(stack: string, folder: string, result: Instrumented | undefined): string {
  return stack
    .split("\n")
    .filter((line) => line.includes(folder))
    .map((line) =>
      line
        .replaceAll(folder, "")
        .replace(
          /\(?(?:file:\/\/)?[^\s(]*\/(s\d+\.[cm]js):(\d+):(\d+)\)?/,
          (_, name, at, column) => {
            const place = { line: Number(at), column: Number(column) };
            const original =
              result === undefined
                ? place
                : originalPosition(result.positions, place.line, place.column);
            return `${name}:${original.line}:${original.column}`;
          },
        ),
    )
    .join("\n");
}

function outcomeAt(outcomes: readonly Outcome[], index: number): Outcome {
  const outcome = outcomes[index];
  if (outcome === undefined) throw new Error(`no outcome of snippet ${index}`);
  return outcome;
}

function findRuntimes(): string[] {
  const found = [process.execPath];
  for (const name of ["n22", "n24", "n26"]) {
    try {
      const version = execFileSync(name, ["-p", "process.version"], { encoding: "utf8" }).trim();
      if (version !== process.version) found.push(name);
    } catch {
      // Not installed here: the runtimes that are installed are enough for the suite.
    }
  }
  return found;
}
