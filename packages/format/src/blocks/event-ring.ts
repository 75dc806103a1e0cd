/**
 * EVENT_RING: the last events before the end, and the functions they happened in.
 *
 * Events are kept in columns, 23 bytes each, and become objects one at a time.
 * Layout: docs/format.md, "EVENT_RING".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Id } from "../bytes/id.ts";
import { IdMap } from "../bytes/id.ts";
import type { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { Undecodable } from "../bytes/undecodable.ts";
import { readRecord, skipBadRecord, takeRecord } from "./record.ts";
import type { ReadPolicy, RecordShape } from "./record.ts";

/** A function that events mention. */
export interface CodeRecord {
  file: string;
  qualname: string;
  firstLine: number;
}

/** One event. */
export interface EventRecord {
  /** 1 start, 2 return, 3 line, 4 raise, 5 reraise, 6 unwind; others are legal. */
  kind: number;
  thread: number;
  /** From 1; 0 is unknown. */
  line: number;
  codeId: Id;
  /** Orders events; does not measure time. */
  tstamp: Id;
}

/** What EVENT_RING holds. */
export interface EventRing {
  readonly codes: IdMap<CodeRecord>;
  /** Oldest first, as in the file. */
  readonly events: EventList;
  /** True when older events were overwritten. */
  readonly wrapped: boolean;
}

/** What a writer is given: codes by id, and events oldest first. */
export interface EventRingInput {
  readonly codes: Iterable<readonly [Id, CodeRecord]>;
  readonly events: Iterable<EventRecord>;
  readonly wrapped: boolean;
}

const MAX_U32 = 0xffff_ffff;

const codeShape: RecordShape<CodeRecord> = {
  names: ["file", "qualname", "first_line"],
  requiredMask: 0b111,
  create: () => ({ file: "", qualname: "", firstLine: 0 }),
  readField(cursor, draft, index) {
    if (index === 0) draft.file = cursor.string();
    else if (index === 1) draft.qualname = cursor.string();
    else draft.firstLine = cursor.unsigned(MAX_U32);
  },
};

const eventShape: RecordShape<EventRecord> = {
  names: ["kind", "thread", "line", "code_id", "tstamp"],
  requiredMask: 0b11111,
  create: () => ({ kind: 0, thread: 0, line: 0, codeId: 0, tstamp: 0 }),
  readField(cursor, draft, index) {
    switch (index) {
      case 0:
        draft.kind = cursor.unsigned(0xff);
        break;
      case 1:
        draft.thread = cursor.unsigned(0xffff);
        break;
      case 2:
        draft.line = cursor.unsigned(MAX_U32);
        break;
      case 3:
        draft.codeId = cursor.id();
        break;
      default:
        draft.tstamp = cursor.id();
    }
  },
};

interface RingDraft {
  codes: IdMap<CodeRecord>;
  events: EventList;
  wrapped: boolean;
}

const ringShape: RecordShape<RingDraft> = {
  names: ["codes", "events", "wrapped"],
  requiredMask: 0b111,
  create: () => ({ codes: new IdMap(new Map()), events: new EventList(0), wrapped: false }),
  readField(cursor, draft, index, policy) {
    if (index === 0) draft.codes = readCodes(cursor, policy);
    else if (index === 1) draft.events = readEvents(cursor, policy);
    else draft.wrapped = cursor.boolean();
  },
};

/** Reads the ring at the cursor. */
export function readEventRing(cursor: MsgpackCursor, policy: ReadPolicy): EventRing {
  return readRecord(cursor, ringShape, policy);
}

function readCodes(cursor: MsgpackCursor, policy: ReadPolicy): IdMap<CodeRecord> {
  const codes = new Map<Id, CodeRecord>();
  if (!cursor.isMap()) throw cursor.unexpected("a map of functions");
  const count = cursor.mapHead();
  for (let i = 0; i < count; i++) {
    const id = cursor.id();
    codes.set(id, readRecord(cursor, codeShape, policy));
  }
  return new IdMap(codes);
}

function readEvents(cursor: MsgpackCursor, policy: ReadPolicy): EventList {
  const count = cursor.arrayHead();
  // An event takes at least six bytes, so a false count cannot reserve more than a few times the file.
  const events = new EventList(Math.min(count, Math.ceil(cursor.left / 6)));
  const draft = eventShape.create();
  for (let i = 0; i < count; i++) {
    const start = cursor.offset;
    try {
      if (cursor.peek() === 0x95) {
        takeRecord(policy);
        cursor.offset++;
        draft.kind = cursor.unsigned(0xff);
        draft.thread = cursor.unsigned(0xffff);
        draft.line = cursor.unsigned(MAX_U32);
        draft.codeId = cursor.id();
        draft.tstamp = cursor.id();
        events.push(draft);
      } else {
        events.push(readRecord(cursor, eventShape, policy));
      }
    } catch (error) {
      if (!skipBadRecord(cursor, start, error, policy)) break;
    }
  }
  return events;
}

/** A read-only list of events that makes each object when it is asked for. */
export class EventList {
  #kinds: Uint8Array;
  #threads: Uint16Array;
  #lines: Uint32Array;
  readonly #codeIds: IdColumn;
  readonly #tstamps: IdColumn;
  #length = 0;

  /** Makes an empty list with room for `capacity` events. */
  constructor(capacity: number) {
    this.#kinds = new Uint8Array(capacity);
    this.#threads = new Uint16Array(capacity);
    this.#lines = new Uint32Array(capacity);
    this.#codeIds = new IdColumn(capacity);
    this.#tstamps = new IdColumn(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of `event`; throws `Undecodable` beyond the capacity. */
  push(event: EventRecord): void {
    const at = this.#length;
    if (at >= this.#kinds.length) throw new Undecodable("malformed", "there are too many events");
    this.#kinds[at] = event.kind;
    this.#threads[at] = event.thread;
    this.#lines[at] = event.line;
    this.#codeIds.set(at, event.codeId);
    this.#tstamps.set(at, event.tstamp);
    this.#length = at + 1;
  }

  /** The event at `index`, from the end when negative. */
  at(index: number): EventRecord | undefined {
    const at = index < 0 ? this.#length + index : index;
    if (at < 0 || at >= this.#length || !Number.isInteger(at)) return undefined;
    return {
      kind: this.#kinds[at] ?? 0,
      thread: this.#threads[at] ?? 0,
      line: this.#lines[at] ?? 0,
      codeId: this.#codeIds.get(at),
      tstamp: this.#tstamps.get(at),
    };
  }

  /** The kind of the event at `index` without making an object; 0 outside the list. */
  kindAt(index: number): number {
    return index < this.#length ? (this.#kinds[index] ?? 0) : 0;
  }

  /** The events from `start` to before `end`, as `Array.prototype.slice` counts. */
  slice(start: number = 0, end: number = this.#length): EventRecord[] {
    const from = start < 0 ? Math.max(0, this.#length + start) : start;
    const to = end < 0 ? this.#length + end : Math.min(end, this.#length);
    const events: EventRecord[] = [];
    for (let i = from; i < to; i++) {
      const event = this.at(i);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  *[Symbol.iterator](): Iterator<EventRecord> {
    for (let i = 0; i < this.#length; i++) {
      const event = this.at(i);
      if (event !== undefined) yield event;
    }
  }
}

/** Ids in a column: exact numbers in place, the rare larger ones beside it. */
class IdColumn {
  readonly #numbers: Float64Array;
  readonly #large = new Map<number, bigint>();

  constructor(capacity: number) {
    this.#numbers = new Float64Array(capacity);
  }

  set(index: number, id: Id): void {
    if (typeof id === "number") this.#numbers[index] = id;
    else this.#large.set(index, id);
  }

  get(index: number): Id {
    const large = this.#large.size > 0 ? this.#large.get(index) : undefined;
    return large ?? this.#numbers[index] ?? 0;
  }
}

export function writeEventRing(writer: ByteWriter, ring: EventRingInput): void {
  const codes = [...ring.codes];
  writer.arrayHead(3);
  writer.mapHead(codes.length);
  for (const [id, code] of codes) {
    writer.id(id);
    writer.arrayHead(3);
    writer.string(code.file);
    writer.string(code.qualname);
    writer.unsigned(code.firstLine);
  }
  writeEvents(writer, ring.events);
  writer.boolean(ring.wrapped);
}

function writeEvents(writer: ByteWriter, events: Iterable<EventRecord>): void {
  const list = Array.isArray(events) || events instanceof EventList ? events : [...events];
  writer.arrayHead(list.length);
  for (const event of list) {
    writer.arrayHead(5);
    writer.unsigned(event.kind);
    writer.unsigned(event.thread);
    writer.unsigned(event.line);
    writer.id(event.codeId);
    writer.id(event.tstamp);
  }
}
