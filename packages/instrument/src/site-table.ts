/**
 * Packs the sites of a text into columns and reads them back.
 *
 * Ids count from 1 inside a text. The order of locals follows the flight format, 16.3; `this` is
 * not in the table, because the runtime knows it.
 */

import type {
  FunctionSite,
  Local,
  LocalRole,
  PackedFunction,
  PackedWrites,
  Position,
  Site,
  SiteKind,
  SiteTable,
  VisibleLocal,
  WriteKind,
  WriteSite,
} from "./instrumented.ts";

/** Meaning of the numbers in `SiteTable.kinds`. */
export const SITE_KINDS: readonly SiteKind[] = [
  "function",
  "statement",
  "await",
  "yield",
  "throw",
  "catch",
  "birth",
  "module",
  "class",
  "write",
];

/** Meaning of the numbers in `PackedWrites.kinds`. */
export const WRITE_KINDS: readonly WriteKind[] = ["local", "property", "method"];

/** Methods that change their owner; probes call them by their index here. */
export const WRITE_METHODS: readonly string[] = [
  "push",
  "pop",
  "shift",
  "unshift",
  "splice",
  "sort",
  "reverse",
  "fill",
  "copyWithin",
  "set",
  "add",
  "delete",
  "clear",
  "Object.assign",
  "Object.defineProperty",
  "Object.defineProperties",
];

/** Meaning of the first of the five numbers of a local. */
export const LOCAL_ROLES: readonly LocalRole[] = [
  "parameter",
  "variable",
  "function",
  "class",
  "catch",
  "closure",
  "arguments",
];

const NUMBERS_PER_LOCAL = 5;

/**
 * Decodes the site with id `k` (counted from 1, before rebasing).
 *
 * @throws {RangeError} if the table has no such id.
 */
export function siteAt(sites: SiteTable, k: number): Site | FunctionSite {
  const kind = SITE_KINDS[sites.kinds[k - 1] ?? -1];
  const start = sites.starts[k - 1];
  const end = sites.ends[k - 1];
  if (kind === undefined || start === undefined || end === undefined) {
    throw new RangeError(`There is no site ${k}; the table has 1 to ${sites.kinds.length}`);
  }
  const { line, column } = positionOf(sites.lineStarts, start);
  const endLine = positionOf(sites.lineStarts, end).line;
  const site = { function: sites.owners[k - 1] ?? 0, start, end, line, column, endLine };
  if (kind !== "function" && kind !== "module" && kind !== "class") return { kind, ...site };
  const packed = findFunction(sites, k);
  if (packed === undefined) throw new RangeError(`Site ${k} has no function in the table`);
  return {
    kind,
    ...site,
    qualname: packed.qualname,
    name: packed.name,
    async: (packed.flags & 1) !== 0,
    generator: (packed.flags & 2) !== 0,
    arrow: (packed.flags & 4) !== 0,
    firstLine: line,
    locals: packed.localNames.map((_, index) => localAt(packed, index)),
    captures: packed.captures,
    generatedLength: packed.generatedLength,
  };
}

/**
 * Lists what can be seen from the place `k`: parameters, then the bindings of the innermost scope
 * first, then closure variables, then `arguments`; shadowed ones are left out.
 *
 * @throws {RangeError} if the table has no such id.
 */
export function visibleLocals(sites: SiteTable, k: number): VisibleLocal[] {
  const start = sites.starts[k - 1];
  const owner = findFunction(sites, sites.owners[k - 1] ?? 0);
  if (start === undefined || owner === undefined) {
    throw new RangeError(`There is no site ${k}; the table has 1 to ${sites.kinds.length}`);
  }
  const innermost = new Map<string, { index: number; local: Local; rank: number }>();
  for (let index = 0; index < owner.localNames.length; index++) {
    const local = localAt(owner, index);
    const everywhere = local.role === "closure" || local.role === "arguments";
    if (!everywhere && (start < local.from || start >= local.to)) continue;
    const rank = everywhere ? -1 : local.depth;
    const known = innermost.get(local.name);
    if (known === undefined || known.rank < rank) innermost.set(local.name, { index, local, rank });
  }
  return [...innermost.values()]
    .toSorted((a, b) => groupOf(a.local) - groupOf(b.local) || b.rank - a.rank || a.index - b.index)
    .map(({ index, local }) => ({
      index,
      local,
      initialized: local.declared === 0 || start >= local.declared,
    }));
}

/** What the place `k` writes; undefined if it is no place of a write. */
export function writeAt({ writes }: SiteTable, k: number): WriteSite | undefined {
  if (writes === undefined) return undefined;
  const index = lastAtMost(writes.ids, k);
  if (writes.ids[index] !== k) return undefined;
  const key = writes.keys[index] ?? -1;
  return {
    kind: WRITE_KINDS[writes.kinds[index] ?? 0] ?? "local",
    name: writes.texts[writes.names[index] ?? -1] ?? "",
    key: key < 0 ? undefined : writes.texts[key],
    operator: writes.texts[writes.operators[index] ?? -1] ?? "",
    owner: writes.owners[index] ?? 0,
  };
}

/** Finds the line and column of an offset by binary search in the starts of lines. */
export function positionOf(lineStarts: ArrayLike<number>, offset: number): Position {
  const line = lastAtMost(lineStarts, offset);
  return { line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1 };
}

/** Index of the last element that is not greater than `value`, or 0. */
export function lastAtMost(ascending: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Collects sites while a text is walked. Ids are given in the order of the calls. */
export class SiteTableBuilder {
  readonly #kinds: number[] = [];
  readonly #owners: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #functions: PackedFunction[] = [];
  readonly #writes = new WriteTableBuilder();

  get count(): number {
    return this.#kinds.length;
  }

  /** Adds a site and returns its id; owner 0 means that the site owns itself. */
  add(kind: number, owner: number, start: number, end: number): number {
    const id = this.#kinds.push(kind);
    this.#owners.push(owner === 0 ? id : owner);
    this.#starts.push(start);
    this.#ends.push(end);
    return id;
  }

  addFunction(packed: PackedFunction): void {
    this.#functions.push(packed);
  }

  /** Says what the site with this id writes; in the order of the ids. */
  addWrite(id: number, write: WriteSite): void {
    this.#writes.add(id, write);
  }

  finish(lineStarts: readonly number[]): SiteTable {
    return {
      version: 1,
      kinds: this.#kinds,
      owners: this.#owners,
      starts: this.#starts,
      ends: this.#ends,
      lineStarts,
      functions: this.#functions.toSorted((a, b) => a.id - b.id),
      ...this.#writes.finish(),
    };
  }
}

/** Collects what places write; names and operators repeat, so each is kept once. */
class WriteTableBuilder {
  readonly #ids: number[] = [];
  readonly #kinds: number[] = [];
  readonly #names: number[] = [];
  readonly #keys: number[] = [];
  readonly #operators: number[] = [];
  readonly #owners: number[] = [];
  readonly #texts = new Map<string, number>();

  add(id: number, { kind, name, key, operator, owner }: WriteSite): void {
    this.#ids.push(id);
    this.#kinds.push(WRITE_KINDS.indexOf(kind));
    this.#names.push(this.#text(name));
    this.#keys.push(key === undefined ? -1 : this.#text(key));
    this.#operators.push(this.#text(operator));
    this.#owners.push(owner);
  }

  finish(): { writes?: PackedWrites } {
    if (this.#ids.length === 0) return {};
    return {
      writes: {
        ids: this.#ids,
        kinds: this.#kinds,
        names: this.#names,
        keys: this.#keys,
        operators: this.#operators,
        owners: this.#owners,
        texts: [...this.#texts.keys()],
      },
    };
  }

  #text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const index = this.#texts.size;
    this.#texts.set(text, index);
    return index;
  }
}

function findFunction(sites: SiteTable, id: number): PackedFunction | undefined {
  const { functions } = sites;
  let low = 0;
  let high = functions.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const candidate = functions[middle];
    if (candidate === undefined || candidate.id === id) return candidate;
    if (candidate.id < id) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

function localAt(packed: PackedFunction, index: number): Local {
  const at = index * NUMBERS_PER_LOCAL;
  const numbers = packed.localNumbers;
  return {
    name: packed.localNames[index] ?? "",
    role: LOCAL_ROLES[numbers[at] ?? 1] ?? "variable",
    from: numbers[at + 1] ?? 0,
    to: numbers[at + 2] ?? 0,
    declared: numbers[at + 3] ?? 0,
    depth: numbers[at + 4] ?? 0,
  };
}

function groupOf(local: Local): number {
  if (local.role === "parameter") return 0;
  if (local.role === "closure") return 2;
  return local.role === "arguments" ? 3 : 1;
}
