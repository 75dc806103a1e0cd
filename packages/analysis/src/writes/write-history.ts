/**
 * Answers questions about the writes of a recording: the history of a variable, who changed an
 * object, and what the variables of each activation were at any moment.
 *
 * A variable belongs to one activation of a function, so recursion, closures and functions that
 * wait for each other are kept apart.
 */
import type { Id, MutationRecord, MutationValue, Recording } from "@orangebox/format";

import {
  type DroppedWrites,
  writeDetails,
  type WriteDetails,
  type WriteRange,
} from "../extensions/write-details.ts";
import { scalarText, type Language } from "../values/scalar-text.ts";
import { clipText, visibleText } from "../values/visible-text.ts";

/** One write. */
export interface WriteView {
  /** Position in the history, from 0. */
  readonly seq: number;
  readonly kind: string;
  /** The variable, or the text of the owner. */
  readonly name: string;
  /** The element or property; null for variables, and where it is not known. */
  readonly key: string | null;
  readonly value: MutationValue;
  readonly isDeleted: boolean;
  readonly file: string;
  readonly line: number;
  readonly range: WriteRange | undefined;
  /** The function that wrote. */
  readonly qualname: string;
  /** Activation that owns the variable, or that wrote. */
  readonly frame: Id;
  /** The function of that activation. */
  readonly frameFunction: string;
  readonly operator: string | undefined;
  /** Seq of the write whose value this one replaced. */
  readonly before: number | undefined;
  /** Numbers tell objects apart; ids are those of the object table, for what could still be reached. */
  readonly owner: ObjectReference | undefined;
  readonly object: ObjectReference | undefined;
}

/** An object that a write names. */
export interface ObjectReference {
  readonly number: number;
  readonly id: number | undefined;
}

/** Which writes are asked for; all that is given must hold. */
export interface WriteFilter {
  /** Variables of this name. */
  readonly variable?: string | undefined;
  /** Properties and elements of what has this name, or of the same object under another one. */
  readonly owner?: string | undefined;
  /** Properties and elements of the object with this id. */
  readonly objectId?: Id | undefined;
  /** The first and the last seq. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Variables of one activation at one moment. */
export interface ActivationState {
  readonly frame: Id;
  readonly qualname: string;
  /** The last write of each variable, by name. */
  readonly variables: ReadonlyMap<string, WriteView>;
}

/** The writes of one recording. Nothing is decoded before it is asked for. */
export class WriteHistory {
  readonly #recording: Recording;
  #decoded: { records: readonly MutationRecord[]; details: WriteDetails } | undefined;
  #variables: Map<string, Map<string, number[]>> | undefined;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** Writes of the file. */
  get count(): number {
    return this.#all.records.length;
  }

  get dropped(): DroppedWrites {
    return this.#all.details.dropped;
  }

  /** The write with this seq. */
  at(seq: number): WriteView | undefined {
    const { records, details } = this.#all;
    const record = records[seq];
    return record === undefined ? undefined : viewOf(record, seq, details);
  }

  /** Names of all variables, in the order of their first write. */
  variables(): string[] {
    const names = new Set<string>();
    for (const record of this.#all.records) if (record.kind === "local") names.add(record.name);
    return [...names];
  }

  /** Names of all owners of properties and elements, in the order of their first write. */
  owners(): string[] {
    const names = new Set<string>();
    for (const record of this.#all.records) if (record.kind !== "local") names.add(record.name);
    return [...names];
  }

  /**
   * Finds the writes that a filter lets through.
   *
   * @yields Them, oldest first.
   */
  *find(filter: WriteFilter): Generator<WriteView> {
    const { records } = this.#all;
    const last = Math.min(filter.until ?? Infinity, records.length - 1);
    const matches = this.#matcher(filter);
    for (let seq = Math.max(0, filter.since ?? 0); seq <= last; seq++) {
      const record = records[seq];
      if (record === undefined || !matches(record, seq)) continue;
      const view = this.at(seq);
      if (view !== undefined) yield view;
    }
  }

  /** The variables of every activation right after the write `seq`, the latest activation first. */
  stateAt(seq: number): ActivationState[] {
    const states: { readonly state: ActivationState; readonly last: number }[] = [];
    for (const names of this.#byActivation.values()) {
      const variables = new Map<string, WriteView>();
      let last = -1;
      for (const [name, writes] of names) {
        const found = lastAtMost(writes, seq);
        const view = found === undefined ? undefined : this.at(found);
        if (view === undefined) continue;
        variables.set(name, view);
        last = Math.max(last, view.seq);
      }
      const [first] = variables.values();
      if (first === undefined) continue;
      const { frame, frameFunction } = first;
      states.push({ state: { frame, qualname: frameFunction, variables }, last });
    }
    return states.toSorted((a, b) => b.last - a.last).map(({ state }) => state);
  }

  get #all(): { records: readonly MutationRecord[]; details: WriteDetails } {
    return (this.#decoded ??= {
      records: this.#recording.mutations(),
      details: writeDetails(this.#recording),
    });
  }

  /** Seqs of the writes of each variable, by activation and name. */
  get #byActivation(): Map<string, Map<string, number[]>> {
    if (this.#variables !== undefined) return this.#variables;
    const frames = new Map<string, Map<string, number[]>>();
    for (const [seq, record] of this.#all.records.entries()) {
      if (record.kind !== "local") continue;
      const frame = String(record.frame);
      const names = frames.get(frame) ?? new Map<string, number[]>();
      frames.set(frame, names);
      const writes = names.get(record.name);
      if (writes === undefined) names.set(record.name, [seq]);
      else writes.push(seq);
    }
    return (this.#variables = frames);
  }

  #matcher(filter: WriteFilter): (record: MutationRecord, seq: number) => boolean {
    const { variable, owner, objectId } = filter;
    const { details } = this.#all;
    const wanted = objectId === undefined ? undefined : details.numberOf(Number(objectId));
    const owners = owner === undefined ? undefined : this.#objectsCalled(owner);
    return (record, seq) => {
      if (variable !== undefined && (record.kind !== "local" || record.name !== variable)) {
        return false;
      }
      if (owner !== undefined) {
        if (record.kind === "local") return false;
        const number = details.owner(seq);
        const isSame = number !== undefined && owners?.has(number) === true;
        if (record.name !== owner && !isSame) return false;
      }
      if (objectId === undefined) return true;
      return wanted !== undefined && record.kind !== "local" && details.owner(seq) === wanted;
    };
  }

  /** Numbers of the objects that went by a name: as an owner, or as the value of a variable. */
  #objectsCalled(name: string): Set<number> {
    const { records, details } = this.#all;
    const numbers = new Set<number>();
    for (const [seq, record] of records.entries()) {
      if (record.name !== name) continue;
      const number = record.kind === "local" ? details.object(seq) : details.owner(seq);
      if (number !== undefined) numbers.add(number);
    }
    return numbers;
  }
}

/** Writes what was written as one line: `cache[17]`, `order.price`, `total`. */
export function writeTarget({ kind, name, key }: Pick<WriteView, "kind" | "name" | "key">): string {
  const shown = visibleText(clipText(name, 200));
  if (kind === "local") return shown;
  const text = key === null ? "…" : visibleText(clipText(key, 200));
  return kind === "item" || key === null ? `${shown}[${text}]` : `${shown}.${text}`;
}

/** Writes a value on one line, the way the language of the recording spells it. */
export function writeValueText(value: MutationValue, language: Language): string {
  const { kind, repr, typeName, length } = value;
  const size = length === null ? "" : String(length);
  switch (kind) {
    case "deleted":
      return "<deleted>";
    case "list":
      return `${typeName === null ? "" : `${visibleText(typeName)} `}[…] (${size || "?"})`;
    case "dict":
      return typeName === null || size === "" ? "{…}" : `${visibleText(typeName)}(${size}) {…}`;
    case "set":
      return `${visibleText(typeName ?? "Set")}(${size || "?"}) {…}`;
    default: {
      const node = { id: 0, kind, repr, typeName, length, truncated: false, items: [] };
      const text = scalarText(node, language, 200);
      return text ?? visibleText(clipText(repr ?? typeName ?? kind, 200));
    }
  }
}

function viewOf(record: MutationRecord, seq: number, details: WriteDetails): WriteView {
  const reference = (number: number | undefined): ObjectReference | undefined =>
    number === undefined ? undefined : { number, id: details.objectId(number) };
  const { kind, name, key, value, file, line, qualname, frame } = record;
  return {
    seq,
    kind,
    name,
    key,
    value,
    isDeleted: value.kind === "deleted",
    file,
    line,
    range: details.range(seq),
    qualname,
    frame,
    frameFunction: details.functionOf(String(frame)) ?? qualname,
    operator: details.operator(seq),
    before: details.before(seq),
    owner: reference(details.owner(seq)),
    object: reference(details.object(seq)),
  };
}

/** The greatest number of an ascending list that is not above `limit`. */
function lastAtMost(ascending: readonly number[], limit: number): number | undefined {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return ascending[low - 1];
}
