/**
 * Makes the recording of a thread that is dead from its ring: events, the functions that were open,
 * those that waited, and how it ended. No variables: they died with the process.
 */
import { hostname } from "node:os";
import { type FrameRecord, sha1Hex, type SourceRecord } from "@orangebox/format";
import type { BoxContents } from "../box/box-contents.ts";
import { mapToOriginals } from "../crash/original-frames.ts";
import { siteResolver } from "../crash/resolve-sites.ts";
import { boundaryOf, DEATH_NAMESPACE, noteOf } from "../crash/waiting-frames.ts";
import { decodeEvents, type DecodedEvents } from "../ring/decode-events.ts";
import type { CodeLocation, ResolvedSite } from "../ring/event-sink.ts";
import type { RingContents } from "../ring/read-ring.ts";
import type { RingHeader } from "../ring/ring-layout.ts";
import { scrubberOf } from "../scrub/scrub-arguments.ts";
import type { Scrubber } from "../scrub/scrubber.ts";
import { VERSION } from "../version.ts";
import type { RunFacts } from "./about-run.ts";
import type { Death } from "./death.ts";
import { type LeftModules, leftModules, leftSource, readPresentSource } from "./left-modules.ts";

/** What a recording is made of. */
export interface DeadThread {
  readonly ring: RingContents;
  readonly header: RingHeader;
  readonly facts: RunFacts;
  readonly death: Death;
  /** Names the ring within its machine. */
  readonly ringName: string;
  /** When the end was seen; undefined when nobody saw it. */
  readonly endedAtMs: number | undefined;
  /** Whether the ring is from this machine, as far as that can be told. */
  readonly isFromHere: boolean;
  /** How long originals of compiled files may be opened. */
  readonly originalsMs: number;
}

const MAX_OPEN = 200;
const MAX_WAITING = 100;
const NO_VARIABLES = "no variables: they were lost with the process";

/** The recording of a thread that is dead. */
export interface RecoveredBox {
  readonly contents: BoxContents;
  /** How many functions were running. */
  readonly openCount: number;
}

/** Reads everything and puts it together. Never throws for what a damaged ring holds. */
export function recoveredBox(thread: DeadThread): RecoveredBox {
  const { events, contents } = describe(thread);
  return { contents, openCount: events.open.length };
}

function describe(thread: DeadThread): { events: DecodedEvents; contents: BoxContents } {
  const { ring, header, facts, death } = thread;
  const left = leftModules(ring.sites);
  const startedMs = performance.now();
  const originals = mapToOriginals([], {
    modules: left.modules,
    textWithProbes: () => "",
    loadedText: () => undefined,
    moduleText: leftSource,
    isInTime: () => performance.now() - startedMs < thread.originalsMs,
  });
  const resolve = guarded(
    siteResolver(left.modules, (module, id) => originals.siteOf(module, id)),
    left.problems,
  );
  const events = decodeEvents(ring.events, {
    thread: header.threadId,
    wrapped: ring.wrapped,
    resolve,
  });
  const frames = framesOf(events);
  const scrubber = scrubberOf(facts);
  const sources = readSources(frames, { left, textOf: (file) => originals.textOf(file), scrubber });
  const notes = [
    "the program could not write this recording; it was made from its ring after its end",
    `frames have ${NO_VARIABLES}`,
    ...notesOf(events, frames, facts),
    ...ring.problems,
    ...left.problems,
  ];
  const reason = death.how === "exit" ? "exit" : "killed";
  const contents: BoxContents = {
    flightVersion: `${VERSION}-orangebox`,
    createdUnixMs: Date.now(),
    meta: {
      pythonVersion: `node-${header.nodeVersion}`,
      platform: header.platform,
      argv: [...facts.argv],
      cwd: facts.cwd,
      flightVersion: `${VERSION}-orangebox`,
      extra: {
        runtime: "node",
        runtime_version: header.nodeVersion,
        v8_version: facts.v8,
        exec_argv: [...facts.execArgv],
        pid: header.pid,
        ppid: facts.ppid,
        thread_id: header.threadId,
        main_thread: header.threadId === 0,
        ...(thread.isFromHere ? { hostname_hash: sha1Hex(hostname()).slice(0, 16) } : {}),
        reason,
        commit: facts.commit,
        service: facts.service,
      },
    },
    manifest: {
      reason,
      startedUnixMs: header.createdUnixMs,
      ...(header.bootId === "" ? {} : { bootId: header.bootId }),
    },
    frames: frames.map(({ record }) => record),
    frameDetails: frames.map(({ detail }, frame) => ({ frame, ...detail })),
    asyncSegments: frames.flatMap(({ detail }, from) =>
      detail.boundary === undefined ? [] : [{ from, kind: "await", label: detail.boundary }],
    ),
    budget: { cuts: [], notes },
    sources,
    events,
    eventNotes: events.notes,
    runtime: {
      versions: { node: header.nodeVersion.replace(/^v/, ""), v8: facts.v8 },
      level: facts.level,
      ...(death.code === undefined ? {} : { exit: { code: death.code } }),
      recorder: {
        totalEvents: ring.firstIndex + ring.events.length,
        ringCapacity: header.capacity,
        modules: left.modules.size,
        mapping: "mapped",
        version: facts.version,
      },
      ring: { kind: "mapped" },
      notes,
    },
    more: [
      { ns: "node.links", version: 1, data: linksOf(header, facts) },
      { ns: DEATH_NAMESPACE, version: 1, data: deathData(thread, events) },
      { ns: "orangebox.redactions", version: 1, data: scrubber.report() },
    ],
  };
  return { events, contents };
}

/** Data of EXT `orangebox.death`. */
function deathData(
  { ring, header, death, ringName, endedAtMs }: DeadThread,
  { open, suspended }: DecodedEvents,
): Record<string, unknown> {
  const lastAnchor = ring.anchors.at(-1);
  return {
    ...death,
    recovered: true,
    ring: ringName,
    ...(header.bootId === "" ? {} : { bootId: header.bootId }),
    ...(endedAtMs === undefined ? {} : { endedUnixMs: endedAtMs }),
    ...(lastAnchor === undefined ? {} : { lastSeenUnixMs: lastAnchor.atMs }),
    openCount: open.length,
    waitingCount: suspended.reduce((sum, { count }) => sum + count, 0),
    // Outer functions that were entered before the oldest event are not among the frames.
    isStackWhole: !ring.wrapped,
  };
}

function linksOf({ pid, threadId }: RingHeader, facts: RunFacts): Record<string, unknown> {
  const { run } = facts;
  const parent =
    threadId !== 0
      ? { process: pid, thread: 0, run }
      : facts.parent === undefined
        ? { process: facts.ppid }
        : { process: facts.parent, run };
  return { run, process: pid, thread: threadId, parent };
}

interface LeftFrame {
  readonly record: FrameRecord;
  readonly detail: {
    readonly column: number;
    readonly kind: "sync" | "async";
    readonly async: boolean;
    readonly boundary?: string;
    readonly note?: string;
  };
}

function framesOf({ open, suspended }: DecodedEvents): LeftFrame[] {
  const running = open.slice(0, MAX_OPEN).map(({ code, site }, index) =>
    frameOf(code, site, {
      kind: "sync",
      note: [
        ...(index === 0 ? [NO_VARIABLES] : []),
        ...(isEntry(site) ? ["the line is where it was entered; where it was is not known"] : []),
      ].join("; "),
    }),
  );
  // The youngest first; each place is a task of its own, as far as events can tell.
  const waiting = suspended
    .toReversed()
    .slice(0, MAX_WAITING)
    .map(({ code, site, count }) =>
      frameOf(code, site, {
        kind: "async",
        boundary: boundaryOf(site?.kind),
        note: noteOf(count),
      }),
    );
  return [...running, ...waiting];
}

function frameOf(
  code: CodeLocation,
  site: ResolvedSite | undefined,
  detail: { readonly kind: "sync" | "async"; readonly boundary?: string; readonly note: string },
): LeftFrame {
  const { note, ...rest } = detail;
  const isKnown = site !== undefined;
  const name = isKnown ? code.qualname : "<unknown>";
  return {
    record: {
      file: code.file,
      qualname: code.async === true ? `async ${name}` : name,
      line: site?.line ?? 0,
      firstLine: code.firstLine,
      locals: [],
    },
    detail: {
      column: site?.column ?? 0,
      async: code.async === true,
      ...rest,
      ...(note === "" && isKnown ? {} : { note: isKnown ? note : "its table is lost" }),
    },
  };
}

function isEntry(site: ResolvedSite | undefined): boolean {
  return site?.kind === "function" || site?.kind === "module";
}

function notesOf(
  { open, suspended, unresolvedCount, wrapped }: DecodedEvents,
  frames: readonly LeftFrame[],
  { version }: RunFacts,
): string[] {
  const leftOut = open.length + suspended.length - frames.length;
  return [
    ...(wrapped
      ? [
          "the ring wrapped: functions entered before the oldest event, and waiting since, are not in it",
        ]
      : []),
    ...(leftOut > 0 ? [`${leftOut} frames are left out`] : []),
    ...(unresolvedCount > 0 ? [`${unresolvedCount} events have no names`] : []),
    ...(version !== undefined && version !== VERSION
      ? [`recorded by version ${version}, recovered by ${VERSION}`]
      : []),
  ];
}

function readSources(
  frames: readonly LeftFrame[],
  {
    left,
    textOf,
    scrubber,
  }: {
    readonly left: LeftModules;
    readonly textOf: (file: string) => string | undefined;
    readonly scrubber: Scrubber;
  },
): SourceRecord[] {
  const modules = new Map([...left.modules].map((module) => [module.filename, module]));
  const sources: SourceRecord[] = [];
  for (const file of new Set(frames.map(({ record }) => record.file))) {
    if (file === "") continue;
    const module = modules.get(file);
    const text =
      module === undefined ? (textOf(file) ?? readPresentSource(file)) : leftSource(module);
    if (text === undefined) left.problems.push(`${file} has changed since: its text is left out`);
    if (text === undefined || text === "") continue;
    const clean = scrubber.text(text, `source ${file}`);
    sources.push({ filename: file, sha1: sha1Hex(clean), text: clean });
  }
  return sources;
}

/** A damaged table must not cost the events of other modules. */
function guarded(
  resolve: (id: number) => ResolvedSite | undefined,
  problems: string[],
): (id: number) => ResolvedSite | undefined {
  let isTold = false;
  return (id) => {
    try {
      return resolve(id);
    } catch (error) {
      if (!isTold) {
        const reason = error instanceof Error ? error.message : "unknown error";
        problems.push(`some events have no names: ${reason}`);
      }
      isTold = true;
      return undefined;
    }
  };
}
