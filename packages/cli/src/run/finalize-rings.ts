/**
 * Makes the recordings of those that died under `flight run` without writing one: the program, the
 * recorded processes that it started, and their threads.
 *
 * Where nothing failed there is none: a program that ends with code 0, and one that is told to end
 * while none of its functions runs, such as a server at Ctrl-C.
 */
import type * as Recovery from "@orangebox/recorder/recovery";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { BoxNews } from "./box-report.ts";
import type { Ending } from "./run-command.ts";

/** What waits for the end of a program. */
export interface RingFinalizer {
  /** Recovers what the children of the program leave while it runs; `pid` is the program's. */
  watch(pid: number | undefined): void;
  /**
   * Recovers what was left, once the program has ended.
   *
   * @returns What the program and its children told, and what was recovered. Never throws.
   */
  finish(pid: number | undefined, ending: Ending): Promise<BoxNews>;
}

/** The program starts undisturbed; then this process loads its part, to have it at hand. */
const LOAD_AFTER_MS = 300;
/** A program that runs as long may run for days and leave a full ring: the engine compiles for it. */
const WARM_UP_AFTER_MS = 2000;
/** Processes that the same signal meant may take this long to be gone. */
const OTHERS_MS = 50;
/** Originals of compiled files are opened as long; the end of the command waits for it. */
const ORIGINALS_MS = 500;
/** Counts processes of this group that the system killed for want of memory. */
const MEMORY_EVENTS = "/sys/fs/cgroup/memory.events";

/** How often the rings of children are looked at while the program runs. */
const LOOK_EVERY_MS = 1000;

/**
 * Prepares for the end of a program that starts now.
 *
 * @param readNews What the program and its children have told so far.
 */
export function openFinalizer(readNews: () => BoxNews): RingFinalizer {
  const killsBefore = memoryKills();
  const outcomes: Recovery.RingOutcome[] = [];
  let isEnded = false;
  /** Children that die while the program lives: a server may run for months. */
  const look = async (pid: number | undefined): Promise<void> => {
    const children = childRings(readNews(), pid);
    if (children.length === 0) return;
    const recovery = await load();
    // The program may have ended meanwhile; then everything is recovered at once.
    if (isEnded) return;
    const done = recoverWith(recovery, { rings: children, news: readNews() });
    outcomes.push(...done.filter(({ kind }) => kind === "recovered"));
  };
  const timers = [
    setTimeout(() => void load(), LOAD_AFTER_MS).unref(),
    setTimeout(() => void load().then(({ warmUp }) => warmUp()), WARM_UP_AFTER_MS).unref(),
  ];
  return {
    watch(pid) {
      const quietly = (): void => {
        look(pid).catch(() => undefined);
      };
      timers.push(setInterval(quietly, LOOK_EVERY_MS).unref());
    },
    async finish(pid, ending) {
      isEnded = true;
      for (const timer of timers) clearTimeout(timer);
      const news = readNews();
      const endingOf = (header: { readonly pid: number }): Recovery.ProcessEnding | undefined =>
        header.pid === pid ? withMemory(ending, killsBefore) : undefined;
      try {
        const recovery = await load();
        const recover = (rings: readonly string[]): Recovery.RingOutcome[] =>
          recoverWith(recovery, { rings, news, endingOf });
        const first = recover(news.rings);
        const living = first.filter(({ kind }) => kind === "alive").map(({ ring }) => ring);
        if (living.length > 0) await sleep(OTHERS_MS);
        return withOutcomes(news, [...outcomes, ...first, ...recover(living)], ending);
      } catch (error) {
        const reason = error instanceof Error ? error.message : "unknown error";
        return { ...news, problems: [...news.problems, `nothing was recovered: ${reason}`] };
      }
    },
  };
}

interface Work {
  readonly rings: readonly string[];
  readonly news: BoxNews;
  readonly endingOf?: Recovery.RecoveryOptions["endingOf"];
}

function recoverWith(
  recovery: typeof Recovery,
  { rings, news, endingOf }: Work,
): Recovery.RingOutcome[] {
  return recovery.recoverRings({
    rings,
    ...(endingOf === undefined ? {} : { endingOf }),
    isWanted: (thread) => isWanted(thread, { news, isRequest: recovery.isRequest }),
    originalsMs: ORIGINALS_MS,
  });
}

/** Rings that are there and not of the program itself, whose end is still to be told. */
function childRings({ rings }: BoxNews, pid: number | undefined): string[] {
  return rings.filter((ring) => !basename(ring).startsWith(`${pid ?? ""}-`) && existsSync(ring));
}

let loading: Promise<typeof Recovery> | undefined;

function load(): Promise<typeof Recovery> {
  return (loading ??= import("@orangebox/recorder/recovery"));
}

/** Whether the end of a thread is worth a recording. */
function isWanted(
  { header, facts, ending, openCount }: Recovery.ThreadSummary,
  { news, isRequest }: { readonly news: BoxNews; readonly isRequest: typeof Recovery.isRequest },
): boolean {
  const { pid, threadId } = header;
  if (!facts.dumpOnCrash) return false;
  // It has said itself why it ended.
  const hasTold = news.writers.some((writer) => writer.pid === pid && writer.threadId === threadId);
  if (hasTold && ending?.kind !== "signal") return false;
  if (ending?.kind === "exit") {
    // Its workers were stopped by that, in the middle of something or not.
    return ending.code !== 0 && (threadId === 0 || openCount > 0);
  }
  return !isRequest(ending) || openCount > 0 || facts.onExit;
}

function withMemory(ending: Ending, killsBefore: number | undefined): Recovery.ProcessEnding {
  if (ending.kind === "exit" || ending.signal !== "SIGKILL") return ending;
  const kills = memoryKills();
  const isMore = kills !== undefined && killsBefore !== undefined && kills > killsBefore;
  return { ...ending, systemOutOfMemory: isMore };
}

function memoryKills(): number | undefined {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync(MEMORY_EVENTS, "utf8"))?.[1];
    return count === undefined ? undefined : Number(count);
  } catch {
    // Not Linux, or control groups of the first version.
    return undefined;
  }
}

function withOutcomes(
  news: BoxNews,
  outcomes: readonly Recovery.RingOutcome[],
  ending: Ending,
): BoxNews {
  const paths = [...news.paths];
  const problems = [...news.problems];
  for (const { kind, path, problem, ring } of outcomes) {
    if (path !== undefined) paths.push(path);
    if (problem === undefined) continue;
    problems.push(
      kind === "left" ? `${problem}; ${ring} stays, flight recover tries again` : problem,
    );
  }
  const isKilled = ending.kind === "signal" && ending.signal !== "SIGINT";
  if (isKilled && news.rings.length === 0 && paths.length === 0) problems.push(...news.noRings);
  return { ...news, paths, problems };
}
