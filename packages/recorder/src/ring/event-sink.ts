/**
 * Collects events in columns, gives functions their code ids, and notes what v1 kinds do not say.
 *
 * Knows nothing of event words; decode-events.ts does.
 */
import { EventList } from "@orangebox/format";

/** A function, method, or module body. Must be the same object for every site of one function. */
export interface CodeLocation {
  readonly file: string;
  readonly qualname: string;
  readonly firstLine: number;
  /** Line of the first statement, when known. */
  readonly entryLine?: number;
  readonly async?: boolean;
  readonly generator?: boolean;
}

/** What a probe id stands for. */
export interface ResolvedSite {
  /** `function`, `statement`, `await`, `yield`, `throw`, `catch`, `birth` or `module`. */
  readonly kind: string;
  /** 1-based, in the original text. */
  readonly line: number;
  readonly column: number;
  readonly code: CodeLocation;
}

/** Data of EXT `node.events`, version 1. */
interface EventNotes {
  /** Names that `kind` counts into. */
  readonly kinds: readonly string[];
  /** `tstamp` of each event that is more than its v1 kind says, ascending. */
  readonly at: readonly number[];
  /** For each of those, an index into `kinds`. */
  readonly kind: readonly number[];
  readonly firstTstamp: number;
  /** 1-based column of every event, u16 little-endian, by `tstamp - firstTstamp`; 0 = unknown. */
  readonly columns: Uint8Array;
}

/** Everything that was collected. */
export interface CollectedEvents {
  readonly codes: ReadonlyMap<number, { file: string; qualname: string; firstLine: number }>;
  readonly events: EventList;
  readonly notes: EventNotes;
}

const FINE_KINDS = ["await", "yield", "resume", "resume-throw", "catch", "throw", "seen"] as const;
/** What an event is beyond its v1 kind. */
export type FineKind = (typeof FINE_KINDS)[number];

const MAX_COLUMN = 0xffff;

/** Stands for the function of a probe that nobody knows. */
const UNKNOWN_CODE: CodeLocation = { file: "", qualname: "", firstLine: 0 };

/** A probe, with what an event needs at hand. */
export interface Probe {
  /** Undefined when nobody knows the id. */
  readonly site: ResolvedSite | undefined;
  readonly code: CodeLocation;
  /** Dense from 1; 0 for unknown probes, which have no entry in `codes`. */
  readonly codeId: number;
  /** 1-based; 0 = unknown. */
  readonly line: number;
  readonly column: number;
}

/** Takes events in order and numbers them. */
export class EventSink {
  readonly #thread: number;
  readonly #firstTstamp: number;
  readonly #codeIds = new Map<CodeLocation, number>();
  readonly #at: number[] = [];
  readonly #fine: number[] = [];
  #kinds: Uint8Array;
  #lines: Uint32Array;
  #codes: Uint32Array;
  #columns: Uint16Array;
  #length = 0;

  constructor(wordCount: number, thread: number, firstTstamp: number) {
    this.#thread = thread & 0xffff;
    this.#firstTstamp = firstTstamp;
    const room = wordCount + 16;
    this.#kinds = new Uint8Array(room);
    this.#lines = new Uint32Array(room);
    this.#codes = new Uint32Array(room);
    this.#columns = new Uint16Array(room);
  }

  /** Makes a probe of a site; functions get their ids in the order they are first met. */
  probe(site: ResolvedSite | undefined): Probe {
    if (site === undefined) {
      return { site, code: UNKNOWN_CODE, codeId: 0, line: 0, column: 0 };
    }
    const { code, line, column } = site;
    let codeId = this.#codeIds.get(code);
    if (codeId === undefined) {
      codeId = this.#codeIds.size + 1;
      this.#codeIds.set(code, codeId);
    }
    return { site, code, codeId, line, column: Math.min(column, MAX_COLUMN) };
  }

  addFine(fine: FineKind, kind: number, probe: Probe): void {
    this.#at.push(this.#firstTstamp + this.#length);
    this.#fine.push(FINE_KINDS.indexOf(fine));
    this.add(kind, probe);
  }

  add(kind: number, probe: Probe): void {
    const index = this.#length;
    if (index === this.#kinds.length) this.#grow();
    this.#kinds[index] = kind;
    this.#lines[index] = probe.line;
    this.#codes[index] = probe.codeId;
    this.#columns[index] = probe.column;
    this.#length = index + 1;
  }

  /** Adds the start of a function, which is told at its first statement where that is known. */
  addEntry(kind: number, probe: Probe): void {
    const { entryLine } = probe.code;
    this.add(kind, entryLine === undefined ? probe : { ...probe, line: entryLine, column: 0 });
  }

  finish(): CollectedEvents {
    const length = this.#length;
    const columns = new Uint8Array(length * 2);
    const view = new DataView(columns.buffer);
    const events = new EventList(length);
    // One draft for all: the list copies it.
    const draft = { kind: 0, thread: this.#thread, line: 0, codeId: 0, tstamp: 0 };
    for (let i = 0; i < length; i++) {
      draft.kind = this.#kinds[i] ?? 0;
      draft.line = this.#lines[i] ?? 0;
      draft.codeId = this.#codes[i] ?? 0;
      draft.tstamp = this.#firstTstamp + i;
      events.push(draft);
      view.setUint16(i * 2, this.#columns[i] ?? 0, true);
    }
    const codes = new Map<number, { file: string; qualname: string; firstLine: number }>();
    for (const [{ file, qualname, firstLine }, id] of this.#codeIds) {
      codes.set(id, { file, qualname, firstLine });
    }
    const notes: EventNotes = {
      kinds: FINE_KINDS,
      at: this.#at,
      kind: this.#fine,
      firstTstamp: this.#firstTstamp,
      columns,
    };
    return { codes, events, notes };
  }

  #grow(): void {
    const room = this.#kinds.length * 2;
    this.#kinds = copyInto(new Uint8Array(room), this.#kinds);
    this.#lines = copyInto(new Uint32Array(room), this.#lines);
    this.#codes = copyInto(new Uint32Array(room), this.#codes);
    this.#columns = copyInto(new Uint16Array(room), this.#columns);
  }
}

function copyInto<Column extends Uint8Array | Uint16Array | Uint32Array>(
  target: Column,
  source: Column,
): Column {
  target.set(source);
  return target;
}
