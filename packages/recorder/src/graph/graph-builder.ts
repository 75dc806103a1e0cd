/**
 * Hands out ids, keeps the queue and the budget, and makes the nodes that need no looking into.
 *
 * How an object is opened is decided in describe-value.ts.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import type { Scrubber } from "../scrub/scrubber.ts";
import { REDACTED } from "../scrub/scrubber.ts";
import { isCard } from "../scrub/card-numbers.ts";
import { EngineInternals } from "./engine-internals.ts";
import {
  append,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isArray,
  isArrayBufferView,
  isProxy,
  isWellFormed,
  SafeMap,
  sameValue,
  stringSlice,
  symbolDescription,
  toWellFormed,
  typedArrayLength,
  typedArrayName,
  item,
  putAt,
} from "./primordials.ts";
import { PrototypeBook } from "./prototype-facts.ts";
import type { BudgetCut, GraphNode, MapKeys, ObjectNote } from "./serialize-graph.ts";
import {
  bigintText,
  bytesLiteral,
  cutText,
  cutWithMark,
  latin1Of,
  numberKind,
  numberText,
} from "./value-text.ts";

export type Writable<T> = { -readonly [K in keyof T]: T[K] };
export interface Item {
  key: string | null;
  id: number;
}
export type OpenNode = Writable<GraphNode> & { items: Item[] };

/** All options, filled in. */
export interface Settings {
  readonly deadlineMs: number;
  readonly maxBytes: number;
  readonly maxString: number;
  readonly maxContainer: number;
  readonly maxDepth: number;
  readonly maxObjects: number;
  readonly reprLimit: number;
  readonly scrubber: Scrubber;
  readonly privatesOf: (value: object) => readonly (readonly [string, unknown])[] | undefined;
  readonly stackOf: (error: object) => string | undefined;
  readonly now: () => number;
}

interface KeyFacts {
  readonly text: string;
  readonly isSensitive: boolean;
}

/** Secrets that begin before a cut are still found when this much more is looked at. */
const LOOK_AHEAD = 512;
/** Longer primitives are not shared between places. */
const MAX_SHARED_TEXT = 32;
/** Shared texts; texts that repeat are met early. */
const MAX_SHARED_TEXTS = 4_000;
/** Whole numbers below this share a node. */
const SHARED_NUMBERS = 256;
const NO_ITEMS: Item[] = [];
const ArrayCopy = Array;
const Int32ArrayCopy = Int32Array;

/** Writes behind the end of a list in plain memory; the answer is the list, moved when it was full. */
function push(list: Int32Array, at: number, value: number): Int32Array {
  let room = list;
  if (at >= typedArrayLength(list)) {
    room = new Int32ArrayCopy(at * 2);
    for (let from = 0; from < at; from++) room[from] = item(list, from);
  }
  room[at] = value;
  return room;
}

export class GraphBuilder {
  readonly settings: Settings;
  readonly nodes: OpenNode[] = [];
  readonly objectNotes: Writable<ObjectNote>[] = [];
  readonly mapKeys: MapKeys[] = [];
  readonly notes: string[] = [];
  readonly book: PrototypeBook = new PrototypeBook();
  readonly internals: EngineInternals = new EngineInternals();
  readonly buffers: SafeMap<object, number> = new SafeMap<object, number>();
  readonly #ids = new SafeMap<unknown, number>();
  readonly #keys = new SafeMap<string, KeyFacts>();
  readonly #noted = new SafeMap<string, boolean>();
  readonly #noteOf = new SafeMap<number, Writable<ObjectNote>>();
  readonly #cuts = new SafeMap<string, { count: number; firstId: number }>();
  readonly #queue: unknown[] = [];
  #queued = 0;
  // Plain memory: the collector neither copies nor scans it.
  #queueIds: Int32Array = new Int32ArrayCopy(1024);
  #depths: Int32Array = new Int32ArrayCopy(1024);
  #parents: Int32Array = new Int32ArrayCopy(1024);
  readonly #texts = new SafeMap<string, number>();
  readonly #smallNumbers: (number | undefined)[] = [];
  #minusZero = -1;
  #truncated = -1;
  #hole = -1;
  #bytes = 0;
  #spent: "deadline" | "bytes" | undefined;
  /** The id of the node that is being opened; parent of what is met now. */
  #current = -1;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  // ---- ids -------------------------------------------------------------------------------------

  /** The id of a value; new objects are queued for `depth`. */
  idFor(value: unknown, depth: number): number {
    switch (typeof value) {
      case "object":
        if (value === null) return this.#shared(value, "none", "null", null);
        return this.#enqueue(value, depth);
      case "function":
      case "symbol":
        return this.#enqueue(value, depth);
      case "string":
        return this.#stringId(value);
      case "number":
        return this.#numberId(value);
      case "boolean":
        return this.#shared(value, "bool", value ? "True" : "False", null);
      case "bigint":
        return this.#bigintId(value);
      case "undefined":
      default:
        return this.#shared(undefined, "none", "undefined", null);
    }
  }

  idOf(value: unknown): number | undefined {
    if (typeof value === "string") return this.#texts.get(value);
    if (typeof value === "number" && !sameValue(value, -0)) return this.#smallNumbers[value];
    return this.#ids.get(value);
  }

  forEachObject(visit: (value: object, id: number) => void): void {
    this.#ids.forEach((id, value) => {
      const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
      if (isObject) visit(value, id);
    });
  }

  #enqueue(value: unknown, depth: number): number {
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    if (this.nodes.length >= this.settings.maxObjects) return this.#cutOff();
    const id = this.#reserve();
    this.#ids.set(value, id);
    append(this.#queue, value);
    this.#queueIds = push(this.#queueIds, this.#queued, id);
    this.#depths = push(this.#depths, this.#queued++, depth);
    return id;
  }

  #reserve(): number {
    const id = this.nodes.length;
    append(this.nodes, PENDING);
    this.#parents = push(this.#parents, id, this.#current);
    return id;
  }

  /** One node for everything beyond the limit of objects. */
  #cutOff(): number {
    this.cut("count", this.#current);
    if (this.#truncated < 0) this.#truncated = this.leaf("truncated", "<truncated>", null, true);
    return this.#truncated;
  }

  #shared(value: unknown, kind: string, repr: string, typeName: string | null): number {
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    const id = this.leaf(kind, repr, typeName);
    this.#ids.set(value, id);
    return id;
  }

  #numberId(value: number): number {
    if (sameValue(value, -0)) {
      // A Map takes -0 for 0, so this one is kept apart.
      if (this.#minusZero < 0) this.#minusZero = this.leaf("float", "-0.0", null);
      return this.#minusZero;
    }
    // Small whole numbers repeat; others rarely do, and a Map of them costs more than their nodes.
    const isSmall = value >= 0 && value < SHARED_NUMBERS && value % 1 === 0;
    if (isSmall) {
      const known = this.#smallNumbers[value];
      if (known !== undefined) return known;
    }
    const kind = numberKind(value);
    const text = numberText(value);
    if (kind === "int" && value > 2e12 && isCard(text)) return this.redactedText("card");
    const id = this.leaf(kind, text, null);
    if (isSmall) {
      while (this.#smallNumbers.length <= value) append(this.#smallNumbers, undefined);
      this.#smallNumbers[value] = id;
    }
    return id;
  }

  #bigintId(value: bigint): number {
    const text = bigintText(value);
    if (isCard(text)) return this.redactedText("card");
    const limit = this.settings.maxString;
    const id = this.leaf("int", cutText(text, limit), "bigint", text.length > limit);
    if (text.length > limit) this.cut("string", id);
    return id;
  }

  #stringId(value: string): number {
    const shares = value.length <= MAX_SHARED_TEXT;
    if (shares) {
      const known = this.#texts.get(value);
      if (known !== undefined) return known;
    }
    const id = this.#reserve();
    this.fillString(id, value, null);
    if (shares && this.#texts.size < MAX_SHARED_TEXTS) this.#texts.set(value, id);
    return id;
  }

  fillString(id: number, value: string, typeName: string | null): void {
    const limit = this.settings.maxString;
    const isCut = value.length > limit;
    let text = isCut ? stringSlice(value, 0, limit + LOOK_AHEAD) : value;
    text = this.settings.scrubber.text(text, "text");
    if (isCut) {
      text = cutText(text, limit);
      this.cut("string", id);
    }
    if (!isWellFormed(text)) {
      text = toWellFormed(text);
      this.noteFact(id, "illFormed", true);
    }
    this.fill(id, "str", text, typeName, value.length, isCut, NO_ITEMS);
  }

  // ---- nodes -----------------------------------------------------------------------------------

  /** A new node without items. */
  leaf(
    kind: string,
    repr: string | null,
    typeName: string | null,
    truncated: boolean = false,
  ): number {
    const id = this.#reserve();
    this.fill(id, kind, repr, typeName, null, truncated, NO_ITEMS);
    return id;
  }

  /** A new list node of values, for what adapters of ours compute. */
  list(values: readonly unknown[], depth: number): number {
    const id = this.#reserve();
    const items: Item[] = [];
    for (let at = 0; at < values.length; at++) {
      append(items, { key: null, id: this.idFor(values[at], depth) });
    }
    this.fill(id, "list", null, null, values.length, false, items);
    return id;
  }

  fill(
    id: number,
    kind: string,
    repr: string | null,
    typeName: string | null,
    length: number | null,
    truncated: boolean,
    items: Item[],
  ): void {
    this.#bytes += 24 + (repr === null ? 0 : repr.length) + 16 * items.length;
    this.nodes[id] = { id, kind, repr, typeName, length, truncated, items: exact(items) };
  }

  hole(): number {
    if (this.#hole < 0) this.#hole = this.leaf("none", "<empty>", null);
    return this.#hole;
  }

  /** A fresh node in the place of a value hidden for its name; remembers the value. */
  redacted(where: string, name: string, value: unknown): number {
    this.settings.scrubber.note(where, name);
    this.#remember(value);
    return this.leaf("redacted", REDACTED, null);
  }

  /** A fresh node in the place of a value hidden for its form. */
  redactedText(detector: string): number {
    this.settings.scrubber.note("number", detector);
    return this.leaf("redacted", REDACTED, null);
  }

  #remember(value: unknown): void {
    const { scrubber } = this.settings;
    if (typeof value === "string") scrubber.remember(value);
    if (typeof value !== "object" || value === null || isProxy(value)) return;
    if (isArray(value)) {
      for (let at = 0; at < value.length && at < 50; at++) {
        const found = getOwnPropertyDescriptor(value, at);
        if (found !== undefined && hasOwn(found, "value") && typeof found.value === "string") {
          scrubber.remember(found.value);
        }
      }
    } else if (isArrayBufferView(value) && typedArrayName(value) === "Uint8Array") {
      const size = typedArrayLength(value);
      if (size >= 6 && size <= 1024) {
        const text = latin1Of(value as Uint8Array, size);
        scrubber.remember(text);
        scrubber.remember(stringSlice(bytesLiteral(text), 2, -1));
      }
    }
  }

  // ---- texts -----------------------------------------------------------------------------------

  /** Text and sensitivity of a property name or a string key of a Map. */
  key(name: string): KeyFacts {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const { scrubber, reprLimit } = this.settings;
    const facts = {
      text: this.shortText(name, "key"),
      isSensitive: scrubber.isSensitiveName(name),
    };
    if (name.length <= reprLimit) this.#keys.set(name, facts);
    return facts;
  }

  /** Scrubs, cuts at the limit for summaries, and makes well-formed. */
  shortText(text: string, where: string): string {
    const { scrubber, reprLimit } = this.settings;
    const seen = text.length > reprLimit ? stringSlice(text, 0, reprLimit + LOOK_AHEAD) : text;
    const clean = cutWithMark(scrubber.text(seen, where), reprLimit);
    const cut = seen.length < text.length && clean.length <= reprLimit ? `${clean}…` : clean;
    return isWellFormed(cut) ? cut : toWellFormed(cut);
  }

  /** `Symbol(description)`, scrubbed. */
  symbolText(symbol: symbol): string {
    const description = symbolDescription(symbol);
    return this.shortText(`Symbol(${description ?? ""})`, "symbol");
  }

  // ---- notes -----------------------------------------------------------------------------------

  /** Adds one fact to what EXT `node.objects` says about an object. */
  noteFact(id: number, fact: string, value: unknown): void {
    let note = this.#noteOf.get(id);
    if (note === undefined) {
      note = { id };
      this.#noteOf.set(id, note);
      append(this.objectNotes, note);
    }
    note[fact] = value;
  }

  /** Adds a name to a list fact; at most 50 names, they are for reading. */
  noteName(id: number, fact: string, name: string): void {
    const list = this.#noteOf.get(id)?.[fact] as string[] | undefined;
    if (list === undefined) this.noteFact(id, fact, [name]);
    else if (list.length < 50) append(list, name);
  }

  note(text: string): void {
    if (this.#noted.has(text) || this.notes.length >= 50) return;
    this.#noted.set(text, true);
    append(this.notes, text);
  }

  // ---- budget ----------------------------------------------------------------------------------

  /** Counts that a limit was hit at a node. */
  cut(limit: BudgetCut["limit"], id: number): void {
    const known = this.#cuts.get(limit);
    if (known === undefined) this.#cuts.set(limit, { count: 1, firstId: id });
    else known.count++;
  }

  /** Opens everything that is queued, near things first, until the budget is spent. */
  drain(open: (value: unknown, id: number, depth: number) => void, endsAt: number): void {
    const { now, maxBytes } = this.settings;
    for (let head = 0; head < this.#queue.length; head++) {
      const id = item(this.#queueIds, head);
      if (this.#spent === undefined) {
        if (this.#bytes >= maxBytes) this.#spent = "bytes";
        else if ((head & 7) === 0 && now() >= endsAt) this.#spent = "deadline";
      }
      if (this.#spent !== undefined) {
        this.cut(this.#spent, id);
        this.nodes[id] = placeholder(id);
        continue;
      }
      this.#current = id;
      const value = this.#queue[head];
      this.#queue[head] = undefined;
      try {
        open(value, id, item(this.#depths, head));
      } catch (error) {
        this.fill(
          id,
          "object",
          `<describe failed: ${failureName(error)}>`,
          null,
          null,
          true,
          NO_ITEMS,
        );
      }
    }
    this.#current = -1;
  }

  /** What was cut, in the order in which it first happened. */
  budget(frames: readonly { readonly name: string; readonly id: number }[][]): BudgetCut[] {
    const list: BudgetCut[] = [];
    this.#cuts.forEach((cut, limit) => {
      append(list, {
        limit: limit as BudgetCut["limit"],
        count: cut.count,
        first: this.#pathOf(cut.firstId, frames),
        firstId: cut.firstId < 0 ? 0 : cut.firstId,
      });
    });
    return list;
  }

  #pathOf(id: number, frames: readonly { readonly name: string; readonly id: number }[][]): string {
    let path = "";
    let at = id;
    for (let steps = 0; at >= 0 && steps < 64; steps++) {
      const parent = item(this.#parents, at);
      if (parent < 0) break;
      path = `${this.#stepText(parent, at)}${path}`;
      at = parent;
    }
    for (let frame = 0; frame < frames.length; frame++) {
      const locals = item(frames, frame);
      for (let which = 0; which < locals.length; which++) {
        const local = item(locals, which);
        if (local.id === at) return `frames[${frame}].${local.name}${path}`;
      }
    }
    return path === "" ? "<root>" : path;
  }

  #stepText(parent: number, child: number): string {
    const items = item(this.nodes, parent).items;
    for (let at = 0; at < items.length; at++) {
      const { key, id } = item(items, at);
      if (id === child) return key === null ? `[${at}]` : `.${key}`;
    }
    return ".…";
  }

  /** Hides secrets that were met by name after other texts with the same value had been written. */
  hideKnownSecrets(): void {
    const { scrubber } = this.settings;
    if (scrubber.knownCount === 0) return;
    const keys = new SafeMap<string, string>();
    for (let at = 0; at < this.nodes.length; at++) {
      const node = item(this.nodes, at);
      const { kind } = node;
      if (node.repr !== null && node.repr.length >= 6 && kind !== "redacted") {
        node.repr = scrubber.known(node.repr, "text", node.truncated);
      }
      if (node.typeName !== null && node.typeName.length >= 6) {
        node.typeName = scrubber.known(node.typeName, "type");
      }
      for (let which = 0; which < node.items.length; which++) {
        const edge = item(node.items, which);
        if (edge.key === null || edge.key.length < 6) continue;
        let clean = keys.get(edge.key);
        if (clean === undefined) {
          clean = scrubber.known(edge.key, "key", true);
          keys.set(edge.key, clean);
        }
        edge.key = clean;
      }
    }
    this.#hideInNotes();
  }

  #hideInNotes(): void {
    for (let at = 0; at < this.objectNotes.length; at++) {
      cleanTexts(item(this.objectNotes, at), this.settings.scrubber, 0);
    }
    for (let at = 0; at < this.notes.length; at++) {
      this.notes[at] = this.settings.scrubber.known(item(this.notes, at), "note");
    }
  }
}

/** Notes are plain data of ours, so they can be walked without care. */
function cleanTexts(
  data: Record<string, unknown> | unknown[],
  scrubber: Scrubber,
  depth: number,
): void {
  const target = data as Record<string, unknown>;
  for (const key in target) {
    if (!hasOwn(target, key)) continue;
    const value = target[key];
    if (typeof value === "string") target[key] = scrubber.known(value, "note");
    else if (typeof value === "object" && value !== null && depth < 4) {
      cleanTexts(value as Record<string, unknown>, scrubber, depth + 1);
    }
  }
}

/** A copy without spare room: an array that grew by appending holds 17 slots at least. */
function exact(items: Item[]): Item[] {
  const size = items.length;
  if (size === 0) return NO_ITEMS;
  if (size > 16) return items;
  const copy = new ArrayCopy<Item>(size);
  for (let at = 0; at < size; at++) putAt(copy, at, item(items, at));
  return copy;
}

const PENDING: OpenNode = {
  id: -1,
  kind: "truncated",
  repr: "<truncated>",
  typeName: null,
  length: null,
  truncated: true,
  items: NO_ITEMS,
};

function placeholder(id: number): OpenNode {
  return {
    id,
    kind: "truncated",
    repr: "<truncated>",
    typeName: null,
    length: null,
    truncated: true,
    items: NO_ITEMS,
  };
}

const rangeErrorPrototype: object = RangeError.prototype;
const typeErrorPrototype: object = TypeError.prototype;

/** Our own failures are errors of this realm; anything else has no name here. */
function failureName(error: unknown): string {
  if (typeof error !== "object" || error === null || isProxy(error)) return typeof error;
  const prototype: unknown = getPrototypeOf(error);
  if (prototype === rangeErrorPrototype) return "RangeError";
  return prototype === typeErrorPrototype ? "TypeError" : "Error";
}
