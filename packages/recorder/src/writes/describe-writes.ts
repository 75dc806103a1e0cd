/**
 * Turns the value log into MUTATION records and the data of EXT `node.mutations`, scrubbed.
 *
 * Layout: docs/format.md, "MUTATION" and "Extensions". What a limit cuts off is counted.
 */
import type { MutationRecord, MutationValue } from "@orangebox/format";
import { type WriteSite, writeAt } from "@orangebox/instrument/sites";
import { numberKind, numberText } from "../graph/value-text.ts";
import type { LoadedModule, ModuleRegistry } from "../runtime/module-registry.ts";
import type { OpenSourceMap } from "../crash/source-maps.ts";
import { isCard } from "../scrub/card-numbers.ts";
import { REDACTED, type Scrubber } from "../scrub/scrubber.ts";
import { objectNumber, type ObjectType } from "./identity-table.ts";
import type { ThreadWrites } from "./thread-writes.ts";
import { MAX_TEXT_UNITS, VALUE } from "./value-log.ts";

/** What is described, and how much of it. */
export interface DescribeOptions {
  readonly modules: ModuleRegistry;
  readonly scrubber: Scrubber;
  /** The source map of a module that was compiled ahead. */
  readonly mapOf: (module: LoadedModule) => OpenSourceMap | undefined;
  /** Number of the first write, counted from the start of the thread. */
  readonly since: number;
  /** Most writes; the last ones. */
  readonly limit: number;
  /** Gives up at this time; what is left out are the oldest. */
  readonly deadlineAt: number;
  readonly now: () => number;
}

/** Writes as they go into a file. */
export interface DescribedWrites {
  readonly records: MutationRecord[];
  readonly notes: MutationNotes;
  /** Tells which objects of the graph are meant: the numbers of objects to their ids in the file. */
  nameObjects(idOfNumber: ReadonlyMap<number, number>): void;
  /** Hides what became known as a secret after the texts were written. */
  hideKnownSecrets(): void;
}

/** Data of EXT `node.mutations`: columns by `seq`, little-endian. */
export interface MutationNotes {
  count: number;
  /** Writes that were made before the first one of the file, and are not in it. */
  droppedBefore: number;
  /** Why: the log was overwritten, a limit of the file, the time was over. */
  dropped: { log: number; limit: number; deadline: number };
  /** Texts that the log had no more room for. */
  lostTexts: number;
  operators: string[];
  /** Four for each place: line, column, end line, end column, from 1. */
  places: number[];
  /** u16: index into `operators`. */
  operator: Uint8Array;
  /** u32: index into `places`, divided by 4. */
  place: Uint8Array;
  /** i32: the write of the same thing before it, or -1; its value was the old one. */
  before: Uint8Array;
  /** f64: number of the owner, 0 for variables. */
  owner: Uint8Array;
  /** f64: number of the value if it is an object, else 0. */
  object: Uint8Array;
  /** u32: index of the next event of the ring. */
  event: Uint8Array;
  /** Pairs: number of an object, its id in OBJECT. */
  objects: number[];
  /** Functions whose variables were written: activation, qualname. */
  activations: [number, string][];
}

interface Place {
  readonly module: LoadedModule;
  readonly write: WriteSite;
  readonly file: string;
  readonly qualname: string;
  readonly ownerQualname: string;
  readonly line: number;
  readonly index: number;
  readonly operator: number;
  readonly label: string;
  readonly key: string | undefined;
  readonly isSensitive: boolean;
}

const CHECK_EVERY = 256;
/** A text that was cut ends before a word this long, which might be the beginning of a secret. */
const MAX_CUT_WORD = 16;

/** Describes the last writes. May throw; the caller guards. */
export function describeWrites(writes: ThreadWrites, options: DescribeOptions): DescribedWrites {
  return new WriteDescriber(writes, options).describe();
}

/** Lets the scrubber know the values of sensitive names before anything else is written. */
export function rememberSecrets(
  { log }: ThreadWrites,
  { modules, scrubber }: Pick<DescribeOptions, "modules" | "scrubber">,
): void {
  const sensitive = new Map<number, boolean>();
  for (let number = log.oldest; number < log.total; number++) {
    const at = number % log.capacity;
    if (log.kinds[at] !== VALUE.string) continue;
    const id = log.sites[at] ?? 0;
    let isSensitive = sensitive.get(id);
    if (isSensitive === undefined) {
      const module = modules.findById(id);
      const write =
        module === undefined ? undefined : writeAt(module.tables.sites, id - module.base);
      isSensitive = write !== undefined && isSensitiveWrite(write, scrubber);
      sensitive.set(id, isSensitive);
    }
    const length = log.sizes[at] ?? 0;
    const key = log.keyKinds[at] === VALUE.string ? keyTextAt(log, at) : undefined;
    if (!isSensitive && (key === undefined || !scrubber.isSensitiveName(key))) continue;
    const text = length <= MAX_TEXT_UNITS ? log.text(log.values[at] ?? 0, length) : undefined;
    if (text !== undefined) scrubber.remember(text);
  }
}

function keyTextAt(log: ThreadWrites["log"], at: number): string | undefined {
  return log.text(log.keys[at] ?? 0, log.keySizes[at] ?? 0);
}

/** Whether what is written goes by a name that hides its value. */
function isSensitiveWrite({ name, key }: WriteSite, scrubber: Scrubber): boolean {
  if (key !== undefined && scrubber.isSensitiveName(key)) return true;
  // The owner of `secrets.first = …` hides what is in it.
  return name.split(/[^\w$#]+/).some((part) => part !== "" && scrubber.isSensitiveName(part));
}

class WriteDescriber {
  readonly #writes: ThreadWrites;
  readonly #options: DescribeOptions;
  readonly #places = new Map<number, Place | undefined>();
  readonly #maps = new Map<LoadedModule, OpenSourceMap | undefined>();
  readonly #operators = new Map<string, number>();
  readonly #ranges: number[] = [];
  readonly #cleanTexts = new Map<string, string>();
  readonly #activations = new Map<number, string>();
  #lostTexts = 0;

  constructor(writes: ThreadWrites, options: DescribeOptions) {
    this.#writes = writes;
    this.#options = options;
  }

  describe(): DescribedWrites {
    const { log } = this.#writes;
    const { since, limit, deadlineAt, now } = this.#options;
    const from = Math.max(log.oldest, since, log.total - limit);
    const dropped = {
      log: Math.max(0, log.oldest - since),
      limit: Math.max(0, from - Math.max(log.oldest, since)),
      deadline: 0,
    };
    // Newest first: what the time does not reach are the oldest.
    const records: MutationRecord[] = [];
    const slots: number[] = [];
    for (let number = log.total - 1; number >= from; number--) {
      if ((records.length & (CHECK_EVERY - 1)) === 0 && now() > deadlineAt) {
        dropped.deadline = number + 1 - from;
        break;
      }
      const at = number % log.capacity;
      const record = this.#record(at);
      if (record === undefined) continue;
      records.push(record);
      slots.push(at);
    }
    records.reverse();
    slots.reverse();
    for (let seq = 0; seq < records.length; seq++) {
      const record = records[seq];
      if (record !== undefined) record.seq = seq;
    }
    const notes = this.#notes(records, slots, dropped);
    return {
      records,
      notes,
      nameObjects: (idOfNumber) => this.#nameObjects(notes, slots, idOfNumber),
      hideKnownSecrets: () => this.#hideKnownSecrets(records, notes),
    };
  }

  #record(at: number): MutationRecord | undefined {
    const { log } = this.#writes;
    const place = this.#placeOf(log.sites[at] ?? 0);
    if (place === undefined) return undefined;
    const { write, file, qualname, line, label } = place;
    const frame = this.#frameOf(log.frames[at] ?? 0, place);
    if (write.kind === "local") {
      const value = this.#value(at, place.isSensitive, label);
      return { seq: 0, kind: "local", name: label, key: null, value, file, qualname, line, frame };
    }
    const key = place.key ?? this.#keyText(at);
    const isSensitive =
      place.isSensitive || (key !== null && this.#options.scrubber.isSensitiveName(key));
    const value = this.#value(at, isSensitive, key ?? label);
    const kind = this.#isItem(at, write) ? "item" : "attr";
    const given = this.#writes.watched.nameOf(log.owners[at] ?? 0);
    const name = given === undefined ? label : this.#clean(given, "name");
    return { seq: 0, kind, name, key: this.#shown(key), value, file, qualname, line, frame };
  }

  #shown(key: string | null): string | null {
    return key === null ? null : this.#clean(key, "key");
  }

  /** Elements of lists and entries of collections are items, the rest are attributes. */
  #isItem(at: number, write: WriteSite): boolean {
    if (write.kind === "method") return !write.operator.startsWith("Object.");
    const { shape } = this.#writes.identities.typeOf(this.#writes.log.owners[at] ?? 0);
    if (shape !== "array" && shape !== "typed") return false;
    return write.key === undefined ? true : /^(?:0|[1-9]\d*)$/.test(write.key);
  }

  /** The activation; variables of a module belong to its only one. */
  #frameOf(frame: number, { module, write, ownerQualname }: Place): number {
    if (frame !== 0) {
      if (write.kind === "local") this.#activations.set(frame, ownerQualname);
      return frame;
    }
    const known = this.#writes.moduleActivation(module);
    this.#activations.set(known, "<module>");
    return known;
  }

  #keyText(at: number): string | null {
    const { log } = this.#writes;
    switch (log.keyKinds[at] ?? VALUE.unknown) {
      case VALUE.number:
        return String(log.keys[at] ?? 0);
      case VALUE.string:
        return this.#textOf(log.keys[at] ?? 0, log.keySizes[at] ?? 0);
      case VALUE.unreadString:
        return "<text>";
      case VALUE.true:
        return "true";
      case VALUE.false:
        return "false";
      case VALUE.null:
        return "null";
      case VALUE.object:
        return `<object ${objectNumber(log.keys[at] ?? 0)}>`;
      default:
        return null;
    }
  }

  #value(at: number, isSensitive: boolean, name: string): MutationValue {
    const { log } = this.#writes;
    const kind = log.kinds[at] ?? VALUE.unknown;
    if (kind === VALUE.deleted) return plain("deleted", "<deleted>");
    if (isSensitive) {
      this.#options.scrubber.note("write", name);
      return plain("redacted", REDACTED);
    }
    const number = log.values[at] ?? 0;
    const size = log.sizes[at] ?? 0;
    switch (kind) {
      case VALUE.undefined:
        return plain("none", "undefined");
      case VALUE.null:
        return plain("none", "null");
      case VALUE.false:
        return plain("bool", "False");
      case VALUE.true:
        return plain("bool", "True");
      case VALUE.number:
        return this.#number(number);
      case VALUE.string:
        return { ...plain("str", this.#stringText(number, size)), length: size };
      case VALUE.unreadString:
        return { ...plain("str", "…"), length: size };
      case VALUE.bigint: {
        const text = this.#textOf(number, size);
        if (isCard(text)) return plain("redacted", REDACTED);
        return { ...plain("int", text), typeName: "bigint" };
      }
      case VALUE.symbol:
        return {
          ...plain("object", this.#clean(this.#textOf(number, size), "symbol")),
          typeName: "symbol",
        };
      case VALUE.object:
        return this.#object(this.#writes.identities.typeOf(number), size);
      default:
        return plain("truncated", "<unknown>");
    }
  }

  #number(value: number): MutationValue {
    const text = numberText(value);
    if (value > 2e12 && isCard(text)) {
      this.#options.scrubber.note("number", "card");
      return plain("redacted", REDACTED);
    }
    return plain(numberKind(value), text);
  }

  #object({ name, shape }: ObjectType, size: number): MutationValue {
    const type = this.#clean(name, "type");
    const length = size < 0 ? null : size;
    switch (shape) {
      case "array":
        return { kind: "list", repr: null, typeName: type === "Array" ? null : type, length };
      case "map":
        return { kind: "dict", repr: null, typeName: type, length };
      case "set":
        return { kind: "set", repr: null, typeName: type === "Set" ? null : type, length };
      case "typed": {
        const kind = type === "Buffer" ? "bytes" : "ndarray";
        return { kind, repr: `${type}(${size})`, typeName: type, length };
      }
      case "function":
        return { kind: "object", repr: "[function]", typeName: "Function", length: null };
      case "proxy":
        return { kind: "object", repr: "Proxy", typeName: "Proxy", length: null };
      case "weakmap":
      case "weakset":
      case "object":
        break;
    }
    if (shape === "object" && type === "Object") {
      return { kind: "dict", repr: null, typeName: null, length: null };
    }
    return { kind: "object", repr: `${type} {…}`, typeName: type, length: null };
  }

  /** A text of the log, clean; where it was cut, without a last word that may begin a secret. */
  #stringText(start: number, size: number): string {
    const text = this.#textOf(start, size);
    if (size <= MAX_TEXT_UNITS) return this.#clean(text, "write");
    const tail = /[^\s,;:=&"'<>()[\]{}]*$/.exec(text)?.[0] ?? "";
    const kept = tail.length > MAX_CUT_WORD ? text.slice(0, text.length - tail.length) : text;
    return `${this.#clean(kept, "write")}…`;
  }

  #textOf(start: number, size: number): string {
    const text = this.#writes.log.text(start, size);
    if (text !== undefined) return text;
    this.#lostTexts++;
    return "…";
  }

  /** Texts repeat: each is searched once. */
  #clean(text: string, where: string): string {
    const known = this.#cleanTexts.get(text);
    if (known !== undefined) return known;
    const clean = this.#options.scrubber.text(text, where).toWellFormed();
    this.#cleanTexts.set(text, clean);
    return clean;
  }

  #placeOf(id: number): Place | undefined {
    if (this.#places.has(id)) return this.#places.get(id);
    const place = this.#findPlace(id);
    this.#places.set(id, place);
    return place;
  }

  #findPlace(id: number): Place | undefined {
    const module = this.#options.modules.findById(id);
    if (module === undefined) return undefined;
    const { sites } = module.tables;
    const write = writeAt(sites, id - module.base);
    if (write === undefined) return undefined;
    const { file, range } = this.#rangeOf(module, id);
    this.#ranges.push(...range);
    const { scrubber } = this.#options;
    return {
      module,
      write,
      file,
      qualname: module.owner(id).qualname,
      ownerQualname: module.qualnameOf(write.owner),
      line: range[0],
      index: this.#ranges.length / 4 - 1,
      operator: this.#operatorIndex(write.operator),
      label: this.#clean(write.name, "name"),
      key: write.key,
      isSensitive: isSensitiveWrite(write, scrubber),
    };
  }

  /** Where a site is in the original text, also of a file that was compiled ahead. */
  #rangeOf(
    module: LoadedModule,
    id: number,
  ): { file: string; range: [number, number, number, number] } {
    const { line, column, end } = module.site(id);
    const last = module.positionAt(end);
    const map = this.#mapOf(module);
    const from = map?.find(line, column);
    if (map === undefined || from === undefined) {
      return { file: module.filename, range: [line, column, last.line, last.column] };
    }
    const to = map.find(last.line, last.column);
    const isBehind =
      to !== undefined &&
      to.file === from.file &&
      (to.line > from.line || (to.line === from.line && to.column >= from.column));
    const until = isBehind ? to : from;
    return { file: from.file, range: [from.line, from.column, until.line, until.column] };
  }

  #mapOf(module: LoadedModule): OpenSourceMap | undefined {
    if (!this.#maps.has(module)) this.#maps.set(module, this.#options.mapOf(module));
    return this.#maps.get(module);
  }

  #operatorIndex(operator: string): number {
    const known = this.#operators.get(operator);
    if (known !== undefined) return known;
    const index = this.#operators.size;
    this.#operators.set(operator, index);
    return index;
  }

  #notes(
    records: readonly MutationRecord[],
    slots: readonly number[],
    dropped: MutationNotes["dropped"],
  ): MutationNotes {
    const { log } = this.#writes;
    const { length } = records;
    const columns = {
      operator: new DataView(new ArrayBuffer(length * 2)),
      place: new DataView(new ArrayBuffer(length * 4)),
      before: new DataView(new ArrayBuffer(length * 4)),
      owner: new DataView(new ArrayBuffer(length * 8)),
      object: new DataView(new ArrayBuffer(length * 8)),
      event: new DataView(new ArrayBuffer(length * 4)),
    };
    const last = new Map<string, number>();
    for (let seq = 0; seq < length; seq++) {
      const record = records[seq];
      const at = slots[seq] ?? 0;
      const place = this.#placeOf(log.sites[at] ?? 0);
      if (record === undefined || place === undefined) continue;
      const owner = record.kind === "local" ? 0 : objectNumber(log.owners[at] ?? 0);
      const target = targetOf(record, place, owner);
      columns.before.setInt32(
        seq * 4,
        (target === undefined ? undefined : last.get(target)) ?? -1,
        true,
      );
      if (target !== undefined) last.set(target, seq);
      columns.operator.setUint16(seq * 2, place.operator, true);
      columns.place.setUint32(seq * 4, place.index, true);
      columns.owner.setFloat64(seq * 8, owner, true);
      const isObject = log.kinds[at] === VALUE.object && record.value.kind !== "redacted";
      columns.object.setFloat64(seq * 8, isObject ? objectNumber(log.values[at] ?? 0) : 0, true);
      columns.event.setUint32(seq * 4, (log.ticks[at] ?? 0) >>> 0, true);
    }
    return {
      count: length,
      droppedBefore: dropped.log + dropped.limit + dropped.deadline,
      dropped,
      lostTexts: this.#lostTexts,
      operators: [...this.#operators.keys()],
      places: this.#ranges,
      operator: bytes(columns.operator),
      place: bytes(columns.place),
      before: bytes(columns.before),
      owner: bytes(columns.owner),
      object: bytes(columns.object),
      event: bytes(columns.event),
      objects: [],
      activations: [...this.#activations],
    };
  }

  #nameObjects(
    notes: MutationNotes,
    slots: readonly number[],
    idOfNumber: ReadonlyMap<number, number>,
  ): void {
    const { log } = this.#writes;
    const named = new Set<number>();
    const name = (number: number): void => {
      const id = idOfNumber.get(number);
      if (number === 0 || id === undefined || named.has(number)) return;
      named.add(number);
      notes.objects.push(number, id);
    };
    for (const at of slots) {
      if (this.#placeOf(log.sites[at] ?? 0)?.write.kind !== "local")
        name(objectNumber(log.owners[at] ?? 0));
      if (log.kinds[at] === VALUE.object) name(objectNumber(log.values[at] ?? 0));
    }
  }

  #hideKnownSecrets(records: readonly MutationRecord[], notes: MutationNotes): void {
    const { scrubber } = this.#options;
    if (scrubber.knownCount === 0) return;
    const known = new Map<string, string>();
    const hide = (text: string): string => {
      if (text.length < 6) return text;
      let clean = known.get(text);
      if (clean === undefined) {
        clean = scrubber.known(text, "write", text.endsWith("…"));
        known.set(text, clean);
      }
      return clean;
    };
    for (const record of records) {
      record.name = hide(record.name);
      if (record.key !== null) record.key = hide(record.key);
      const { value } = record;
      if (value.repr !== null && value.kind !== "redacted") value.repr = hide(value.repr);
      if (value.typeName !== null) value.typeName = hide(value.typeName);
    }
    for (const activation of notes.activations) activation[1] = hide(activation[1]);
  }
}

function bytes({ buffer }: DataView): Uint8Array {
  return new Uint8Array(buffer);
}

/** What tells two writes of the same thing; undefined where it is not known which thing it is. */
function targetOf(
  { frame, key, kind }: MutationRecord,
  { write, label }: Place,
  owner: number,
): string | undefined {
  if (kind === "local") return `${frame} ${write.owner} ${label}`;
  return owner === 0 || key === null ? undefined : `${owner}.${key}`;
}

function plain(kind: string, repr: string): MutationValue {
  return { kind, repr, typeName: null, length: null };
}
