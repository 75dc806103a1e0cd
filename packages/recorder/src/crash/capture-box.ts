/**
 * Makes a box from a live crash: frames, graph, exception chain, sources, events; then writes it.
 *
 * Everything is read without running the program's code and scrubbed before it is handed to the
 * writer. A part that fails is left out and noted; the rest is written.
 */
import { hostname, uptime } from "node:os";
import { isMainThread, threadId } from "node:worker_threads";
import { type FrameRecord, type Meta, type SourceRecord, sha1Hex } from "@orangebox/format";
import type { BoxContents } from "../box/box-contents.ts";
import { limitBoxes } from "../box/limit-boxes.ts";
import { writeBox } from "../box/write-box.ts";
import {
  buildExceptionChain,
  describeThrown,
  type ExceptionChain,
} from "../graph/exception-chain.ts";
import { serializeGraph, type GraphOptions, type GraphResult } from "../graph/serialize-graph.ts";
import { decodeEvents, type DecodedEvents } from "../ring/decode-events.ts";
import { snapshotEvents } from "../ring/read-ring.ts";
import { objectIs } from "../runtime/primordials.ts";
import type { Recorder } from "../recorder.ts";
import { scrubArguments, scrubberOf } from "../scrub/scrub-arguments.ts";
import { type Scrubber } from "../scrub/scrubber.ts";
import { VERSION } from "../version.ts";
import {
  type DescribedWrites,
  describeWrites,
  rememberSecrets,
} from "../writes/describe-writes.ts";
import { objectNumber } from "../writes/identity-table.ts";
import type { ThreadWrites } from "../writes/thread-writes.ts";
import { openSourceMap } from "./source-maps.ts";
import { collectFrames, type CollectedFrame } from "./collect-frames.ts";
import { useOriginalNames } from "../graph/prototype-facts.ts";
import { mapToOriginals, type MappedFrames } from "./original-frames.ts";
import { siteResolver } from "./resolve-sites.ts";
import {
  DEATH_NAMESPACE,
  unsettledDeath,
  waitingFrames,
  isTopLevelWaiting,
} from "./waiting-frames.ts";

/** The part of the deadline that looking at values gets in any case. */
const VALUES_PART = 0.4;

/** Until then originals of compiled files are opened: their names are worth more than the wait. */
const ORIGINALS_PART = 2;

/** What to record. */
export interface CaptureRequest {
  readonly error: unknown;
  readonly reason: string;
  /** The promise whose rejection nobody handled. */
  readonly promise?: unknown;
  /** An ES module's evaluation failed. */
  readonly moduleFailed?: boolean;
  /** Exact file; otherwise the configured folder and the usual name. */
  readonly path?: string | undefined;
  /** The frames are given instead of collected: a capture without an error. */
  readonly frames?: readonly CollectedFrame[];
  /** No error: the box has frames and a ring, but no exception. */
  readonly hasError?: boolean;
  /** Rate limits do not apply: the user asked for this one. */
  readonly isExplicit?: boolean;
  /** Beside the frames: more values that readers may want to see. */
  readonly values?: readonly unknown[];
  /** Only writes from this one on, all of them: a scope that was asked for. */
  readonly writesSince?: number;
  /** The frames are the functions that wait: nothing is left that could wake them. */
  readonly isUnsettled?: boolean;
  /** The program is leaving through `process.exit` or with a code. */
  readonly exit?: ExitFacts;
}

/** How a program leaves that nothing was thrown in. */
export interface ExitFacts {
  readonly code: number | string | undefined;
  /** What was written and is not out yet; a pipe loses it. */
  readonly pendingStdoutBytes: number;
  readonly pendingStderrBytes: number;
}

/** What became of it. */
export interface CaptureOutcome {
  readonly path: string | undefined;
  readonly problem?: string;
  /** Left out by the rate limit; nothing has to be said. */
  readonly isSuppressed?: boolean;
}

/** Captures and writes. May throw; the caller guards. */
export function captureBox(recorder: Recorder, request: CaptureRequest): CaptureOutcome {
  try {
    return captureNow(recorder, request);
  } finally {
    useOriginalNames(undefined);
  }
}

function captureNow(recorder: Recorder, request: CaptureRequest): CaptureOutcome {
  const startedMs = performance.now();
  const { config } = recorder;
  const notes: string[] = [];
  const attempt = <Result>(what: string, step: () => Result, otherwise: Result): Result => {
    try {
      return step();
    } catch (error) {
      notes.push(`${what}: ${error instanceof Error ? error.message : "failed"}`);
      return otherwise;
    }
  };
  const scrubber = scrubberOf(config);
  const { writes } = recorder;
  if (writes !== undefined) {
    attempt(
      "writes",
      () => rememberSecrets(writes, { modules: recorder.modules, scrubber }),
      undefined,
    );
  }
  const hasError = request.hasError !== false;
  const stack = hasError ? recorder.stackText.loadedStackOf(request.error) : undefined;
  const { frames: collected, leftOut } =
    request.frames === undefined
      ? attempt(
          "frames",
          () =>
            collectFrames(
              {
                error: request.error,
                stack,
                promise: request.promise,
                operation: recorder.carrier.current(),
                moduleFailed: request.moduleFailed === true,
              },
              recorder.modules,
              recorder.runtime,
            ),
          { frames: [], leftOut: 0 },
        )
      : { frames: request.frames, leftOut: 0 };
  if (leftOut > 0) notes.push(`${leftOut} frames are left out: the stack is too deep`);
  const { frames: mapped, siteOf } = attempt<Pick<MappedFrames, "frames" | "siteOf">>(
    "source maps",
    () => {
      const endMs = startedMs + config.captureDeadlineMs * ORIGINALS_PART;
      const originals = mapToOriginals(collected, {
        modules: recorder.modules,
        textWithProbes: (value) => recorder.textWithProbes(value),
        loadedText: (frame) => loadedText(recorder, frame),
        moduleText: (module) => recorder.readSource(module),
        isInTime: () => performance.now() < endMs,
      });
      useOriginalNames(originals.names);
      return originals;
    },
    { frames: collected, siteOf: () => undefined },
  );
  const print = fingerprint(mapped, request.error);
  if (request.isExplicit !== true && !recorder.gate.admit(print, Date.now())) {
    return { path: undefined, isSuppressed: true };
  }
  const events = attempt<DecodedEvents | undefined>(
    "events",
    () => readEvents(recorder, siteOf),
    undefined,
  );
  if (request.isUnsettled === true && !isTopLevelWaiting(events)) {
    return { path: undefined, isSuppressed: true };
  }
  const frames =
    request.isUnsettled === true && events !== undefined ? waitingFrames(events) : mapped;
  const handling = frames.find(
    (frame) => frame.handling !== undefined && !objectIs(frame.handling.value, request.error),
  )?.handling;
  const stacksOf = (error: object): { mapped?: string } => {
    const text = recorder.stackText.stackOf(error);
    return text === undefined ? {} : { mapped: text };
  };
  const chain = hasError
    ? attempt<ExceptionChain>(
        "exceptions",
        () =>
          buildExceptionChain(request.error, {
            ...(handling === undefined ? {} : { handling: handling.value }),
            scrub: scrubber,
            stacksOf,
          }),
        { rows: [{ type: "Error", message: "", relation: "head" }], notes: [], values: [] },
      )
    : { rows: [], notes: [], values: [] };
  const graph = attempt<GraphResult | undefined>(
    "objects",
    () =>
      serializeGraph(
        frames,
        [...chain.values, ...(request.values ?? [])],
        graphOptions(recorder, scrubber, startedMs),
      ),
    undefined,
  );
  const errors = hasError
    ? attempt(
        "errors",
        () =>
          buildExceptionChain(request.error, {
            ...(handling === undefined ? {} : { handling: handling.value }),
            scrub: scrubber,
            stacksOf,
            ...(graph === undefined ? {} : { idOf: graph.idOf }),
          }),
        chain,
      )
    : chain;
  const mutations =
    writes === undefined
      ? undefined
      : attempt<DescribedWrites | undefined>(
          "writes",
          () => readWrites(recorder, writes, { scrubber, graph, request }),
          undefined,
        );
  const sources = attempt("sources", () => readSources(recorder, frames, scrubber), []);
  const contents: BoxContents = {
    flightVersion: `${VERSION}-orangebox`,
    createdUnixMs: Date.now(),
    meta: attempt<Meta>("meta", () => describeRun(request.reason, scrubber, config), emptyMeta()),
    manifest: { reason: request.reason, startedUnixMs: recorder.startedAtMs },
    exceptions: errors.rows,
    errors: errors.notes,
    frames: frames.map((frame, index) => frameRecord(frame, graph, index)),
    frameDetails: frames.map(frameDetail),
    asyncSegments: frames.flatMap(asyncSegment),
    objects: graph?.nodes as BoxContents["objects"],
    objectNotes: graph?.objectNotes,
    mapKeys: graph?.mapKeys,
    budget: { cuts: graph?.budget ?? [], notes: [...notes, ...(graph?.notes ?? [])] },
    ...(mutations === undefined || mutations.notes.count === 0
      ? {}
      : { mutations: mutations.records, mutationNotes: mutations.notes }),
    sources,
    events: events === undefined ? undefined : { ...events, events: events.events },
    eventNotes: events?.notes,
    runtime: attempt("runtime", () => describeRuntime(recorder, request, startedMs, notes), {
      notes,
    }),
    more: [
      { ns: "node.links", version: 1, data: describeLinks(recorder) },
      ...(request.isUnsettled === true
        ? [{ ns: DEATH_NAMESPACE, version: 1, data: unsettledDeath(frames.length) }]
        : []),
      { ns: "orangebox.redactions", version: 1, data: scrubber.report() },
    ],
  };
  const result = writeBox(contents, {
    path: request.path ?? config.outputFile,
    dir: config.outputDir,
    pid: process.pid,
    prefix: request.reason === "scope" ? "flight-scope" : "flight",
    encryptTo: config.encryptTo,
  });
  if (result.path !== undefined && request.path === undefined && config.outputFile === undefined) {
    limitBoxes(config.outputDir, {
      maxBoxes: config.maxBoxes,
      maxBytes: config.maxBoxBytes,
      keep: result.path,
      nowMs: Date.now(),
    });
  }
  return {
    path: result.path,
    ...(result.problem === undefined ? {} : { problem: result.problem }),
  };
}

function graphOptions(recorder: Recorder, scrubber: Scrubber, startedMs: number): GraphOptions {
  const { config, runtime } = recorder;
  return {
    // What was spent before the graph counts as well; a part is always left for the values.
    deadlineMs: Math.max(
      config.captureDeadlineMs * VALUES_PART,
      config.captureDeadlineMs - (performance.now() - startedMs),
    ),
    maxBytes: config.captureMaxBytes,
    maxString: config.maxString,
    maxContainer: config.maxContainer,
    maxDepth: config.maxDepth,
    reprLimit: config.reprLimit,
    scrubber,
    privatesOf: (value) => runtime.privatesOf(value),
    stackOf: (error) => recorder.stackText.stackOf(error),
  };
}

/** The writes of this thread, with the ids of objects that the graph holds too. */
function readWrites(
  recorder: Recorder,
  writes: ThreadWrites,
  at: { scrubber: Scrubber; graph: GraphResult | undefined; request: CaptureRequest },
): DescribedWrites {
  const { config, modules } = recorder;
  const { scrubber, graph, request } = at;
  const isScope = request.writesSince !== undefined;
  const described = describeWrites(writes, {
    modules,
    scrubber,
    mapOf: (module) => {
      const text = recorder.readSource(module);
      return text === undefined
        ? undefined
        : openSourceMap(module.filename, text, module.tables.map);
    },
    since: request.writesSince ?? 0,
    limit: config.captureMaxMutations,
    // A scope that was asked for is written whole; a dying process has no such time.
    deadlineAt: isScope ? Infinity : performance.now() + config.captureDeadlineMs,
    now: () => performance.now(),
  });
  const idOfNumber = new Map<number, number>();
  graph?.forEachObject((value, id) => {
    const identity = writes.identities.known(value);
    if (identity !== 0) idOfNumber.set(objectNumber(identity), id);
  });
  described.nameObjects(idOfNumber);
  described.hideKnownSecrets();
  return described;
}

function readEvents(recorder: Recorder, siteOf: MappedFrames["siteOf"]): DecodedEvents {
  const { events: words, wrapped } = snapshotEvents(recorder.ring);
  return decodeEvents(words, {
    thread: isMainThread ? 0 : threadId,
    wrapped,
    resolve: siteResolver(recorder.modules, siteOf),
  });
}

function frameRecord(
  frame: CollectedFrame,
  graph: GraphResult | undefined,
  index: number,
): FrameRecord {
  return {
    file: frame.file,
    qualname: frame.qualname,
    line: frame.line,
    firstLine: frame.firstLine,
    locals: (graph?.frames[index] ?? []).map(({ name, id }) => ({ name, id })),
  };
}

/** Data of EXT `node.frames`, one entry a frame. */
function frameDetail(frame: CollectedFrame, index: number): Record<string, unknown> {
  return {
    frame: index,
    column: frame.column,
    kind: frame.kind,
    async: frame.isAsync,
    ...(frame.boundary === undefined ? {} : { boundary: frame.boundary }),
    ...(frame.note === undefined ? {} : { note: frame.note }),
  };
}

/** Data of EXT `node.async`: where the way to the crash crossed an asynchronous boundary. */
function asyncSegment(frame: CollectedFrame, index: number): Record<string, unknown>[] {
  if (frame.boundary === undefined) return [];
  return [
    {
      from: index,
      kind: frame.kind === "started-by" ? "callback" : "await",
      label: frame.boundary,
      ...(frame.promise === undefined ? {} : { promise: { ...frame.promise } }),
    },
  ];
}

/** The text of a frame's file as it was loaded, before probes. */
function loadedText(recorder: Recorder, { module, file }: CollectedFrame): string | undefined {
  return module === undefined ? recorder.readAnySource(file) : recorder.readSource(module);
}

/** The original text of every file in the frames, scrubbed. */
function readSources(
  recorder: Recorder,
  frames: readonly CollectedFrame[],
  scrubber: Scrubber,
): SourceRecord[] {
  const sources = new Map<string, SourceRecord>();
  for (const frame of frames) {
    if (sources.has(frame.file)) continue;
    const text =
      frame.sourceText ??
      (frame.module === undefined || frame.generated !== undefined
        ? recorder.readAnySource(frame.file)
        : recorder.readSource(frame.module));
    if (text === undefined || text === "") continue;
    const clean = scrubber.text(text, `source ${frame.file}`);
    sources.set(frame.file, { filename: frame.file, sha1: sha1Hex(clean), text: clean });
  }
  return [...sources.values()];
}

function describeRun(reason: string, scrubber: Scrubber, config: Recorder["config"]): Meta {
  return {
    pythonVersion: `node-${process.version}`,
    platform: `${process.platform}/${process.arch}`,
    argv: scrubArguments(process.argv, scrubber),
    cwd: workingFolder(),
    flightVersion: `${VERSION}-orangebox`,
    extra: {
      runtime: "node",
      runtime_version: process.version,
      v8_version: process.versions.v8,
      exec_argv: scrubArguments(process.execArgv, scrubber),
      pid: process.pid,
      ppid: process.ppid,
      thread_id: threadId,
      main_thread: isMainThread,
      hostname_hash: sha1Hex(hostname()).slice(0, 16),
      reason,
      ...(config.commit === undefined ? {} : { commit: config.commit }),
      ...(config.service === undefined ? {} : { service: config.service }),
    },
  };
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "";
  }
}

function emptyMeta(): Meta {
  return {
    pythonVersion: `node-${process.version}`,
    platform: `${process.platform}/${process.arch}`,
    argv: [],
    cwd: "",
    flightVersion: `${VERSION}-orangebox`,
    extra: { runtime: "node" },
  };
}

/** Data of EXT `node.runtime`. */
function describeRuntime(
  recorder: Recorder,
  request: CaptureRequest,
  startedMs: number,
  notes: readonly string[],
): Record<string, unknown> {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return {
    versions: { ...process.versions },
    level: recorder.config.level,
    memory: { rss, heapUsed, heapTotal, external },
    uptimeSeconds: process.uptime(),
    systemUptimeSeconds: uptime(),
    ...(request.exit === undefined ? {} : { exit: { ...request.exit } }),
    activeResources: process.getActiveResourcesInfo().slice(0, 200),
    recorder: { ...recorder.stats(), captureMs: performance.now() - startedMs },
    ring: recorder.ring.mapping.kind === "memory" ? recorder.ring.mapping : { kind: "mapped" },
    untouched: recorder.untouched.slice(0, 50),
    notes: [...notes, ...recorder.ring.problems],
  };
}

/** Data of EXT `node.links`: which run, process and thread this is, and whose child. */
function describeLinks(recorder: Recorder): Record<string, unknown> {
  return {
    run: recorder.runId,
    process: process.pid,
    thread: threadId,
    parent: isMainThread
      ? recorder.parent === undefined
        ? { process: process.ppid }
        : { process: recorder.parent, run: recorder.runId }
      : { process: process.pid, thread: 0, run: recorder.runId },
  };
}

/** Cheap identity of a crash, for the rate limit only; the real one is fp1 in `analysis`. */
function fingerprint(frames: readonly CollectedFrame[], error: unknown): string {
  const places = frames.slice(0, 5).map((frame) => `${frame.file}:${frame.qualname}:${frame.line}`);
  return [describeThrown(error).type, ...places].join("|");
}
