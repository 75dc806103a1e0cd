/**
 * OBJECT: the nodes of the object graph, found by id.
 *
 * One pass over the block checks it and notes where each node begins; a node becomes a JavaScript
 * object only when it is asked for, so a table of a million nodes costs a few megabytes.
 * Layout: docs/format.md, "OBJECT".
 */

import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Id } from "../bytes/id.ts";
import { normalizeId } from "../bytes/id.ts";
import { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { readRecord, readTupleHead, skipBadRecord, takeRecord } from "./record.ts";
import type { ReadPolicy, RecordShape } from "./record.ts";

/** An edge to another node: the key is null in lists and sets. */
export interface ObjectItem {
  key: string | null;
  id: Id;
}

/** One object of the recorded program. */
export interface ObjectNode {
  id: Id;
  /** `none`, `int`, `str`, `list`, `dict`, `object` … or any other word: an adapter's. */
  kind: string;
  repr: string | null;
  typeName: string | null;
  length: Id | null;
  truncated: boolean;
  items: readonly ObjectItem[];
}

/** Kinds whose ids say nothing about aliasing, since equal scalars may share one. */
export const SCALAR_KINDS: ReadonlySet<string> = new Set([
  "none",
  "bool",
  "int",
  "float",
  "str",
  "bytes",
  "redacted",
  "truncated",
]);

const FIELDS = 7;

const objectShape: RecordShape<ObjectNode> = {
  names: ["id", "kind", "repr", "type_name", "length", "truncated", "items"],
  requiredMask: 0b1100011,
  create: () => ({
    id: 0,
    kind: "",
    repr: null,
    typeName: null,
    length: null,
    truncated: false,
    items: [],
  }),
  readField(cursor, draft, index, policy) {
    switch (index) {
      case 0:
        draft.id = cursor.id();
        break;
      case 1:
        draft.kind = cursor.string();
        break;
      case 2:
        draft.repr = cursor.nullableString();
        break;
      case 3:
        draft.typeName = cursor.nullableString();
        break;
      case 4:
        draft.length = cursor.tryNil() ? null : cursor.id();
        break;
      case 5:
        draft.truncated = cursor.boolean();
        break;
      default:
        draft.items = readItems(cursor, policy);
    }
  },
};

function readItems(cursor: MsgpackCursor, policy: ReadPolicy): ObjectItem[] {
  const count = cursor.arrayHead();
  const items: ObjectItem[] = [];
  for (let i = 0; i < count; i++) {
    takeRecord(policy);
    readTupleHead(cursor, 2);
    items.push({ key: cursor.nullableString(), id: cursor.id() });
  }
  return items;
}

export function writeObject(writer: ByteWriter, node: ObjectNode): void {
  writer.arrayHead(FIELDS);
  writer.id(node.id);
  writer.string(node.kind);
  writer.nullableString(node.repr);
  writer.nullableString(node.typeName);
  if (node.length === null) writer.nil();
  else writer.id(node.length);
  writer.boolean(node.truncated);
  const items = node.items;
  writer.arrayHead(items.length);
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (item === undefined) throw new TypeError("the items of a node must not have holes");
    writer.arrayHead(2);
    writer.nullableString(item.key);
    writer.id(item.id);
  }
}

/** What the pass over an OBJECT block noticed besides the nodes. */
export interface ObjectFindings {
  /** Ids that more than one node has; the last node counts. */
  readonly duplicateIds: number;
  /** Edges that lead to no node. */
  readonly danglingIds: number;
  /** One id that leads nowhere. */
  readonly danglingExample: Id | undefined;
}

/** Where the node of each id begins: eight to twelve bytes a node when ids are small and dense. */
class NodeIndex {
  /** Offset + 1 by id, 0 for none. */
  readonly #dense: Uint32Array;
  readonly #sparse = new Map<Id, number>();
  readonly #order = new NumberList();
  #size = 0;

  /** Makes an index for about `count` nodes. */
  constructor(count: number) {
    this.#dense = new Uint32Array(count * 2);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a node; tells whether it replaces an earlier one. */
  add(id: Id, offset: number): boolean {
    const known = this.find(id) !== undefined;
    if (typeof id === "number" && id < this.#dense.length) this.#dense[id] = offset + 1;
    else this.#sparse.set(id, offset);
    this.#order.push(offset);
    if (!known) this.#size++;
    return known;
  }

  find(id: Id): number | undefined {
    const key = normalizeId(id);
    if (typeof key === "number" && key < this.#dense.length) {
      const found = this.#dense[key] ?? 0;
      return found === 0 ? undefined : found - 1;
    }
    return this.#sparse.get(key);
  }

  /** Where all nodes begin, in file order. */
  offsets(): Iterable<number> {
    return this.#order.values();
  }
}

/** A long list of numbers below 2^32 in little memory. */
class NumberList {
  #numbers: Uint32Array<ArrayBuffer> = new Uint32Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.length++] = value;
  }

  values(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }
}

/** The nodes of a recording, by id. Iterates over the nodes in file order. */
export class ObjectTable {
  static readonly EMPTY: ObjectTable = new ObjectTable(new Uint8Array(0), new NodeIndex(0), 0);

  readonly #payload: Uint8Array;
  readonly #index: NodeIndex;
  readonly #maxDepth: number;

  constructor(payload: Uint8Array, index: NodeIndex, maxDepth: number) {
    this.#payload = payload;
    this.#index = index;
    this.#maxDepth = maxDepth;
  }

  /** How many different ids there are. */
  get size(): number {
    return this.#index.size;
  }

  /** Decodes the node with this id; a new object each time. */
  get(id: Id): ObjectNode | undefined {
    const offset = this.#index.find(id);
    return offset === undefined ? undefined : this.#decode(offset);
  }

  has(id: Id): boolean {
    return this.#index.find(id) !== undefined;
  }

  *ids(): Generator<Id> {
    for (const node of this) yield node.id;
  }

  *[Symbol.iterator](): Generator<ObjectNode> {
    for (const offset of this.#index.offsets()) {
      const node = this.#decode(offset);
      // An earlier node of an id that occurs twice does not count.
      if (this.#index.find(node.id) === offset) yield node;
    }
  }

  #decode(offset: number): ObjectNode {
    const cursor = new MsgpackCursor(this.#payload, this.#maxDepth, offset);
    return readRecord(cursor, objectShape, { lenient: true, recordsLeft: Infinity, skipped: 0 });
  }
}

/** Checks the list of nodes at the cursor and makes a table of it. */
export function readObjectTable(
  cursor: MsgpackCursor,
  policy: ReadPolicy,
): { table: ObjectTable; findings: ObjectFindings } {
  const count = cursor.arrayHead();
  // A node takes at least eight bytes, so a false count cannot reserve more than the payload's size.
  const index = new NodeIndex(Math.min(count, Math.ceil(cursor.left / 8)));
  const targets = new IdList();
  let duplicateIds = 0;
  for (let i = 0; i < count; i++) {
    const start = cursor.offset;
    const targetsBefore = targets.length;
    try {
      if (index.add(scanNode(cursor, policy, targets), start)) duplicateIds++;
    } catch (error) {
      targets.length = targetsBefore;
      if (!skipBadRecord(cursor, start, error, policy)) break;
    }
  }
  const dangling = targets.findMissing(index);
  return {
    table: new ObjectTable(cursor.bytes, index, cursor.maxDepth),
    findings: { duplicateIds, danglingIds: dangling.count, danglingExample: dangling.example },
  };
}

/** Passes over a node after checking it; returns its id and notes where its edges lead. */
function scanNode(cursor: MsgpackCursor, policy: ReadPolicy, targets: IdList): Id {
  if (cursor.peek() !== (0x90 | FIELDS)) {
    const node = readRecord(cursor, objectShape, policy);
    for (const item of node.items) targets.push(item.id);
    return node.id;
  }
  takeRecord(policy);
  cursor.offset++;
  const id = cursor.id();
  cursor.skipString();
  if (!cursor.tryNil()) cursor.skipString();
  if (!cursor.tryNil()) cursor.skipString();
  if (!cursor.tryNil()) cursor.id();
  cursor.boolean();
  const count = cursor.arrayHead();
  policy.recordsLeft -= count;
  for (let i = 0; i < count; i++) {
    if (cursor.peek() === 0x92) cursor.offset++;
    else readTupleHead(cursor, 2);
    if (!cursor.tryNil()) cursor.skipString();
    targets.push(cursor.id());
  }
  return id;
}

/** The targets of all edges. */
class IdList {
  readonly #small = new NumberList();
  /** Ids that do not fit 32 bits; rare enough for a set. */
  readonly #large = new Set<Id>();

  get length(): number {
    return this.#small.length;
  }

  /** Forgets what was added last. */
  set length(length: number) {
    this.#small.length = length;
  }

  push(id: Id): void {
    if (typeof id === "bigint" || id > 0xffff_ffff) this.#large.add(id);
    else this.#small.push(id);
  }

  findMissing(known: NodeIndex): { count: number; example: Id | undefined } {
    let count = 0;
    let example: Id | undefined;
    for (const ids of [this.#small.values(), this.#large]) {
      for (const id of ids) {
        if (known.find(id) !== undefined) continue;
        count++;
        example ??= id;
      }
    }
    return { count, example };
  }
}
