/**
 * Collects events in columns, gives functions their code ids, and notes what v1 kinds do not say.
 *
 * Knows nothing of event words; decode-events.ts does.
 */

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

/** One event as the format has it. */
export interface EventRow {
  readonly kind: number;
  readonly thread: number;
  readonly line: number;
  readonly codeId: number;
  readonly tstamp: number;
}

/** Events in columns; iterate it for rows. */
export interface EventColumns extends Iterable<EventRow> {
  readonly length: number;
  readonly kinds: Uint8Array;
  readonly lines: Uint32Array;
  readonly codeIds: Uint32Array;
  readonly thread: number;
  /** Of the first event; each later one has one more. */
  readonly firstTstamp: number;
}

/** Data of EXT `node.events`, version 1. */
export interface EventNotes {
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
  readonly events: EventColumns;
  readonly notes: EventNotes;
}

const FINE_KINDS = ["await", "yield", "resume", "resume-throw", "catch", "throw", "seen"] as const;
/** What an event is beyond its v1 kind. */
export type FineKind = (typeof FINE_KINDS)[number];

const MAX_COLUMN = 0xffff;

/** Stands for the function of a probe that nobody knows. */
export const UNKNOWN_CODE: CodeLocation = { file: "", qualname: "", firstLine: 0 };

/** Takes events in order and numbers them. One word makes at most three. */
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

  addFine(fine: FineKind, kind: number, code: CodeLocation, site: ResolvedSite | undefined): void {
    this.#at.push(this.#firstTstamp + this.#length);
    this.#fine.push(FINE_KINDS.indexOf(fine));
    this.add(kind, code, site);
  }

  add(kind: number, code: CodeLocation, site: ResolvedSite | undefined, line?: number): void {
    if (this.#length === this.#kinds.length) this.#grow();
    const index = this.#length++;
    this.#kinds[index] = kind;
    this.#lines[index] = line ?? site?.line ?? 0;
    this.#codes[index] = this.#codeId(code);
    this.#columns[index] = line === undefined ? Math.min(site?.column ?? 0, MAX_COLUMN) : 0;
  }

  finish(): CollectedEvents {
    const length = this.#length;
    const columns = new Uint8Array(length * 2);
    const view = new DataView(columns.buffer);
    for (let i = 0; i < length; i++) view.setUint16(i * 2, this.#columns[i] ?? 0, true);
    const codes = new Map<number, { file: string; qualname: string; firstLine: number }>();
    for (const [{ file, qualname, firstLine }, id] of this.#codeIds) {
      codes.set(id, { file, qualname, firstLine });
    }
    return {
      codes,
      events: new Columns(
        {
          kinds: this.#kinds.subarray(0, length),
          lines: this.#lines.subarray(0, length),
          codeIds: this.#codes.subarray(0, length),
        },
        this.#thread,
        this.#firstTstamp,
      ),
      notes: {
        kinds: FINE_KINDS,
        at: this.#at,
        kind: this.#fine,
        firstTstamp: this.#firstTstamp,
        columns,
      },
    };
  }

  /** Dense from 1; 0 is for events of unknown probes and has no entry. */
  #codeId(code: CodeLocation): number {
    if (code === UNKNOWN_CODE) return 0;
    const known = this.#codeIds.get(code);
    if (known !== undefined) return known;
    const id = this.#codeIds.size + 1;
    this.#codeIds.set(code, id);
    return id;
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

class Columns implements EventColumns {
  readonly kinds: Uint8Array;
  readonly lines: Uint32Array;
  readonly codeIds: Uint32Array;
  readonly thread: number;
  readonly firstTstamp: number;

  constructor(
    columns: Pick<EventColumns, "kinds" | "lines" | "codeIds">,
    thread: number,
    firstTstamp: number,
  ) {
    this.kinds = columns.kinds;
    this.lines = columns.lines;
    this.codeIds = columns.codeIds;
    this.thread = thread;
    this.firstTstamp = firstTstamp;
  }

  get length(): number {
    return this.kinds.length;
  }

  *[Symbol.iterator](): Generator<EventRow> {
    for (let i = 0; i < this.kinds.length; i++) {
      yield {
        kind: this.kinds[i] ?? 0,
        thread: this.thread,
        line: this.lines[i] ?? 0,
        codeId: this.codeIds[i] ?? 0,
        tstamp: this.firstTstamp + i,
      };
    }
  }
}
