/**
 * What the probes of level `writes` call: `__obW`, `__obS`, `__obC` and a part of `__obF`.
 *
 * Every function gives the value of the expression back, whatever happens inside. The numbers of
 * methods are those of `WRITE_METHODS` in @orangebox/instrument.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion, typescript/unbound-method -- The columns have no holes; what is taken from the writer uses no receiver. */
import nodeTypes from "node:util/types";
import { WRITE_METHODS } from "@orangebox/instrument/sites";
import {
  ARRAY,
  charCodeAtOf,
  dataOf,
  entryOf,
  followData,
  isOwnMethod,
  MAP,
  mapSize,
  type ObjectIdentities,
  SET,
  setSize,
  type Shape,
  symbolText,
  TYPED,
  typedLength,
} from "./identity-table.ts";
import { MAX_TEXT_UNITS, VALUE, type ValueLog } from "./value-log.ts";

/** What is noted goes here; replay puts its own in place of the recorder's. */
export interface WriteSink {
  readonly log: ValueLog;
  readonly identities: ObjectIdentities;
  /** The head of the ring of events: dates the writes among them. */
  readonly head: Int32Array;
  /** When it is there, only properties of the objects in it are noted. */
  readonly watched: WatchList;
}

/** Objects whose properties are noted. */
export interface WatchList {
  isActive: boolean;
  has(value: unknown): boolean;
  /** What a watched object gets is watched too. */
  adopt(value: unknown): void;
}

/** The functions that stand in instrumented text at level `writes`. */
export interface WriteApi {
  /** `__obW`: a variable got a value. */
  readonly write: (id: number, frame: number, value: unknown) => unknown;
  /** `__obS`: a property got a value; the owner is known before it or after it. */
  readonly store: (
    id: number,
    frame: number,
    before: unknown,
    value: unknown,
    key?: unknown,
    after?: unknown,
  ) => unknown;
  /** `__obC`: a method was called that changes its owner. */
  readonly change: (
    id: number,
    frame: number,
    method: number,
    owner: unknown,
    result: unknown,
    key?: unknown,
  ) => unknown;
  /** `__obF.d`: a property was deleted. */
  readonly remove: WriteApi["store"];
  /** `__obF.u`: `++` or `--` behind a property; gives the old value back. */
  readonly update: (
    delta: number,
    id: number,
    frame: number,
    before: unknown,
    old: unknown,
    key?: unknown,
    after?: unknown,
  ) => unknown;
  /** `__obF.o`: its first argument. */
  readonly first: (value: unknown) => unknown;
  /** `__obF.q`: follows names through plain data. */
  readonly follow: (base: unknown, ...keys: string[]) => unknown;
}

/** Copied: the program may replace the methods of lists and texts. */
const { isArray } = Array;
const { isProxy } = nodeTypes;
const { max, min, trunc } = Math;
const METHODS: readonly string[] = [...WRITE_METHODS];
const IS_OF_OBJECT: readonly boolean[] = METHODS.map((name) => name.startsWith("Object."));

/** More removed or inserted elements of one call are not listed. */
const MAX_ELEMENTS = 32;
/** Of a call with a spread the number of arguments is not known. */
const UNKNOWN_COUNT = 15;
/** Texts up to this length are always looked at. */
const SHORT_TEXT = 256;
/** Longer ones never: looking at a rope makes a flat copy of it. */
const LONG_TEXT = 1 << 20;
/** Units of long texts that may be copied in any case, and for each write that is noted. */
const FREE_UNITS = 1 << 22;
const UNITS_PER_WRITE = 32;
/** Longer integers are not spelled out: that takes more than linear time. */
const HUGE_BIGINT = 1n << 512n;

/** How values, owners and keys get into the log. */
interface LogWriter {
  value(at: number, value: unknown): void;
  property(id: number, frame: number, owner: unknown, key: unknown): number;
}

/** Makes the functions for one thread. */
export function createWriteApi(sink: WriteSink): WriteApi {
  const { log, head, watched } = sink;
  const { cursor, capacity, sites, frames, ticks, kinds, values } = log;
  const writer = createLogWriter(sink);
  const calls = new CallNotes(sink, writer);
  const { property, value: setValue } = writer;
  return {
    write: (id, frame, value) => {
      if (cursor[0] === capacity) log.turn();
      const at = cursor[0] as number;
      cursor[0] = at + 1;
      sites[at] = id;
      frames[at] = frame;
      ticks[at] = head[0] as number;
      if (typeof value === "number") {
        kinds[at] = VALUE.number;
        values[at] = value;
      } else setValue(at, value);
      return value;
    },
    store: (id, frame, before, value, key, after) => {
      try {
        const owner = before === undefined ? after : before;
        if (watched.isActive) {
          if (!watched.has(owner)) return value;
          watched.adopt(value);
        }
        setValue(property(id, frame, owner, key), value);
      } catch {
        // A full stack, for one: the program goes on, the write is not noted.
      }
      return value;
    },
    remove: (id, frame, before, result, key, after) => {
      try {
        const owner = before === undefined ? after : before;
        const isWanted = !watched.isActive || watched.has(owner);
        if (result === true && isWanted && owner !== undefined && owner !== null) {
          kinds[property(id, frame, owner, key)] = VALUE.deleted;
        }
      } catch {
        // As above.
      }
      return result;
    },
    update: (delta, id, frame, before, old, key, after) => {
      try {
        const owner = before === undefined ? after : before;
        if (watched.isActive && !watched.has(owner)) return old;
        const at = property(id, frame, owner, key);
        if (typeof old === "number") setValue(at, old + delta);
        else if (typeof old === "bigint") setValue(at, old + (delta > 0 ? 1n : -1n));
        else kinds[at] = VALUE.unknown;
      } catch {
        // As above.
      }
      return old;
    },
    change: (id, frame, method, owner, result, key) => {
      try {
        const changed = owner === undefined && isObjectMethod(method) ? result : owner;
        if (typeof changed !== "object" || changed === null) return result;
        if (watched.isActive && !watched.has(changed)) return result;
        calls.note({ id, frame, method, owner: changed, result, key });
      } catch {
        // As above.
      }
      return result;
    },
    first: (value) => value,
    follow: (base, ...keys) => {
      try {
        return followData(base, keys);
      } catch {
        return undefined;
      }
    },
  };
}

/** Functions over the columns of one log: as constants the engine needs no look-ups for them. */
function createLogWriter({ log, identities, head }: WriteSink): LogWriter {
  const { cursor, capacity, sites, frames, ticks, kinds, values, sizes } = log;
  const { owners, keyKinds, keys, keySizes, texts, textEnd } = log;
  const textMask = texts.length - 1;
  let readUnits = 0;

  const copyText = (text: string): number => {
    const start = textEnd[0] as number;
    const { length } = text;
    const count = length < MAX_TEXT_UNITS ? length : MAX_TEXT_UNITS;
    let to = start & textMask;
    for (let from = 0; from < count; from++) {
      texts[to] = charCodeAtOf(text, from);
      to = (to + 1) & textMask;
    }
    textEnd[0] = start + count;
    return start;
  };
  /** Whether a text may be looked at: that can cost a copy of all of it. */
  const mayRead = (length: number): boolean => {
    if (length <= SHORT_TEXT) return true;
    if (length > LONG_TEXT) return false;
    if (readUnits + length > FREE_UNITS + log.total * UNITS_PER_WRITE) return false;
    readUnits += length;
    return true;
  };
  const setText = (at: number, text: string, kind: number): void => {
    sizes[at] = text.length;
    if (mayRead(text.length)) {
      values[at] = copyText(text);
      kinds[at] = kind;
    } else kinds[at] = VALUE.unreadString;
  };
  const setObject = (at: number, value: object): void => {
    const identity = identities.of(value);
    values[at] = identity;
    sizes[at] = sizeOf(value, identities.shapeOf(identity));
    kinds[at] = VALUE.object;
  };
  const setValue = (at: number, value: unknown): void => {
    kinds[at] = VALUE.unknown;
    try {
      switch (typeof value) {
        case "number":
          values[at] = value;
          kinds[at] = VALUE.number;
          break;
        case "string":
          setText(at, value, VALUE.string);
          break;
        case "object":
          if (value === null) kinds[at] = VALUE.null;
          else setObject(at, value);
          break;
        case "function":
          setObject(at, value);
          break;
        case "boolean":
          kinds[at] = value ? VALUE.true : VALUE.false;
          break;
        case "undefined":
          kinds[at] = VALUE.undefined;
          break;
        case "bigint":
          setText(at, bigintText(value), VALUE.bigint);
          break;
        case "symbol":
          setText(at, symbolText(value), VALUE.symbol);
          break;
      }
    } catch {
      // A full stack, for one: the program goes on, the value stays unknown.
    }
  };
  const setKey = (at: number, key: unknown): void => {
    if (key === undefined) {
      keyKinds[at] = VALUE.unknown;
    } else if (typeof key === "number") {
      keyKinds[at] = VALUE.number;
      keys[at] = key;
    } else if (typeof key === "string" || typeof key === "symbol" || typeof key === "bigint") {
      const text =
        typeof key === "string" ? key : typeof key === "symbol" ? symbolText(key) : bigintText(key);
      keySizes[at] = text.length;
      keyKinds[at] = VALUE.unreadString;
      if (!mayRead(text.length)) return;
      keys[at] = copyText(text);
      keyKinds[at] = VALUE.string;
    } else if (typeof key === "boolean") {
      keyKinds[at] = key ? VALUE.true : VALUE.false;
    } else if (key === null) {
      keyKinds[at] = VALUE.null;
    } else {
      keyKinds[at] = VALUE.object;
      keys[at] = identities.of(key);
    }
  };
  return {
    value: setValue,
    property: (id, frame, owner, key) => {
      if (cursor[0] === capacity) log.turn();
      const at = cursor[0] as number;
      cursor[0] = at + 1;
      sites[at] = id;
      frames[at] = frame;
      ticks[at] = head[0] as number;
      kinds[at] = VALUE.unknown;
      if ((typeof owner === "object" && owner !== null) || typeof owner === "function") {
        owners[at] = identities.of(owner);
      } else owners[at] = 0;
      if (key === undefined) keyKinds[at] = VALUE.unknown;
      else setKey(at, key);
      return at;
    },
  };
}

/** How many entries an object has, or -1. */
function sizeOf(value: object, shape: number): number {
  if (shape === 0) return -1;
  if (shape === ARRAY) return (value as unknown[]).length | 0;
  if (shape === MAP) return mapSize(value);
  if (shape === SET) return setSize(value);
  return shape === TYPED ? typedLength(value) : -1;
}

function bigintText(value: bigint): string {
  return value < HUGE_BIGINT && value > -HUGE_BIGINT ? `${value}` : "<huge int>";
}

function isObjectMethod(method: number): boolean {
  return IS_OF_OBJECT[method & 31] === true;
}

interface NotedCall {
  readonly id: number;
  readonly frame: number;
  /** Index into `WRITE_METHODS`, 32 times the number of arguments, 512 when `key` is the first one. */
  readonly method: number;
  readonly owner: object;
  readonly result: unknown;
  readonly key: unknown;
}

/** Whether the probe could keep the first argument. */
function hasKey({ method }: NotedCall): boolean {
  return (method & 512) !== 0;
}

/** Turns calls of methods into the writes that they make. */
class CallNotes {
  readonly #log: ValueLog;
  readonly #identities: ObjectIdentities;
  readonly #writer: LogWriter;
  readonly #watched: WatchList;

  constructor({ log, identities, watched }: WriteSink, writer: LogWriter) {
    this.#watched = watched;
    this.#log = log;
    this.#identities = identities;
    this.#writer = writer;
  }

  note(call: NotedCall): void {
    const name = METHODS[call.method & 31];
    if (name === undefined) return;
    if (isObjectMethod(call.method)) {
      this.#objectCall(call);
      return;
    }
    const type = this.#identities.typeOf(this.#identities.of(call.owner));
    const { shape } = type;
    if (shape === "object" || shape === "function" || shape === "proxy") return;
    if (isOwnMethod(call.owner, type, name)) return;
    if (shape === "array") this.#arrayCall(call, name);
    else if (shape === "typed") this.#whole(call);
    else this.#collectionCall(call, name, shape);
  }

  #collectionCall(call: NotedCall, name: string, shape: Shape): void {
    const { key, owner, result } = call;
    if (name === "set") {
      if (shape !== "map" && shape !== "weakmap") return;
      if (hasKey(call)) this.#item(call, key, entryOf(owner, shape, key));
      else this.#unknown(call);
    } else if (name === "add") {
      if (shape !== "set" && shape !== "weakset") return;
      if (hasKey(call)) this.#item(call, key, key);
      else this.#unknown(call);
    } else if (name === "delete") {
      if (result === true) this.#deleted(call, key);
    } else if (name === "clear") {
      this.#deleted(call, undefined);
    }
  }

  #arrayCall(call: NotedCall, name: string): void {
    const { result } = call;
    const owner = call.owner as unknown[];
    const count = (call.method >> 5) & 15;
    switch (name) {
      case "push":
        if (count === UNKNOWN_COUNT || typeof result !== "number") this.#whole(call);
        else if (count === 1 && hasKey(call)) this.#item(call, result - 1, call.key);
        else this.#elements(call, result - count, count);
        return;
      case "unshift":
        if (count === UNKNOWN_COUNT) this.#whole(call);
        else this.#elements(call, 0, count);
        return;
      case "pop":
        if (result !== undefined || owner.length > 0) this.#deleted(call, owner.length);
        return;
      case "shift":
        if (result !== undefined || owner.length > 0) this.#deleted(call, 0);
        return;
      case "splice":
        this.#splice(call, count);
        return;
      case "sort":
      case "reverse":
      case "fill":
      case "copyWithin":
        this.#whole(call);
        return;
      default:
    }
  }

  #splice(call: NotedCall, count: number): void {
    const { result, key } = call;
    if (count === UNKNOWN_COUNT || typeof key !== "number") {
      this.#whole(call);
      return;
    }
    const removed = isArray(result) ? result.length : 0;
    const inserted = max(0, count - 2);
    const lengthBefore = (call.owner as unknown[]).length - inserted + removed;
    const wished = trunc(key) || 0;
    const from = wished < 0 ? max(0, lengthBefore + wished) : min(wished, lengthBefore);
    for (let index = inserted; index < removed && index < inserted + MAX_ELEMENTS; index++) {
      this.#deleted(call, from + index);
    }
    this.#elements(call, from, inserted);
  }

  #objectCall(call: NotedCall): void {
    if (typeof call.key !== "string") {
      this.#whole(call);
      return;
    }
    const found = isProxy(call.owner) ? undefined : dataOf(call.owner, call.key);
    const at = this.#writer.property(call.id, call.frame, call.owner, call.key);
    if (found !== undefined) this.#writer.value(at, found.value);
  }

  #elements(call: NotedCall, from: number, count: number): void {
    for (let index = from; index < from + count && index < from + MAX_ELEMENTS; index++) {
      const found = dataOf(call.owner, index);
      this.#item(call, index, found?.value);
    }
  }

  #item({ id, frame, owner }: NotedCall, key: unknown, value: unknown): void {
    if (this.#watched.isActive) this.#watched.adopt(value);
    this.#writer.value(this.#writer.property(id, frame, owner, key), value);
  }

  #deleted({ id, frame, owner }: NotedCall, key: unknown): void {
    this.#log.kinds[this.#writer.property(id, frame, owner, key)] = VALUE.deleted;
  }

  /** An entry of which neither key nor value is known. */
  #unknown({ id, frame, owner }: NotedCall): void {
    this.#writer.property(id, frame, owner, undefined);
  }

  /** The owner as it is now stands for a change of many of its elements. */
  #whole(call: NotedCall): void {
    this.#item(call, undefined, call.owner);
  }
}
