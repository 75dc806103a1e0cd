/**
 * Writes object nodes as short JavaScript-like previews: `[1, 2, … 1000000 items]`,
 * `{id: 42, plan: "gold"}`, `Account {owner: {…}, #pin: <redacted>}`.
 *
 * Never follows a cycle, never writes more than the limits allow, never shows a character that
 * acts on a display. A missing node prints as `<missing>`.
 */
import type { Id, ObjectNode } from "@orangebox/format";

import { hasPositions, isMapNode } from "./node-kinds.ts";
import type { NodeSource } from "./node-source.ts";
import { scalarText } from "./scalar-text.ts";
import type { Language } from "./scalar-text.ts";
import { clipText, quoteText, visibleText } from "./visible-text.ts";

/** How much of a value is written. */
export interface PreviewLimits {
  /** Most UTF-16 units of the whole preview; a longer one ends in `…`. */
  readonly maxLength: number;
  /** How many containers deep; deeper ones print as `{…}` or `[…]`. */
  readonly maxDepth: number;
  /** Most items of one container. */
  readonly maxItems: number;
}

/** What a printer needs to know of a recording. */
export interface PrintableObjects {
  readonly objects: NodeSource;
  readonly language: Language;
  /** Gives the ids of the key objects of a Map, in item order. */
  readonly mapKeys: (id: Id) => readonly Id[] | undefined;
}

const DEFAULT_LIMITS: PreviewLimits = { maxLength: 200, maxDepth: 3, maxItems: 20 };
const NAME_LIMIT = 100;
const IDENTIFIER = /^(?:#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*|0|[1-9]\d{0,14})$/u;
/** Keys that the recorder writes for slots that are no properties. */
const SLOT = /^\[\[\w+\]\]$/;
const SYMBOL_KEY = /^Symbol(?:\.\w+|\(.*\))$/su;

/** State of one preview: what may still be written, and which containers are open. */
interface Printing {
  readonly from: PrintableObjects;
  readonly limits: PreviewLimits;
  readonly open: Set<string>;
  left: number;
}

/** Writes a preview of the object with this id. */
export function previewValue(
  from: PrintableObjects,
  id: Id,
  limits: Partial<PreviewLimits> = {},
): string {
  const all = { ...DEFAULT_LIMITS, ...limits };
  const printing: Printing = { from, limits: all, open: new Set(), left: all.maxLength };
  return clipText(print(printing, id, 0), all.maxLength);
}

/** Writes a property name as it would stand in an object literal. */
export function keyText(key: string): string {
  const clipped = clipText(key, NAME_LIMIT);
  if (IDENTIFIER.test(clipped) || SLOT.test(clipped)) return clipped;
  if (SYMBOL_KEY.test(clipped)) return `[${visibleText(clipped)}]`;
  return quoteText(clipped);
}

function print(printing: Printing, id: Id, depth: number): string {
  const node = printing.from.objects.get(id);
  const text = node === undefined ? "<missing>" : printNode(printing, node, depth);
  printing.left -= text.length;
  return text;
}

function printNode(printing: Printing, node: ObjectNode, depth: number): string {
  const limit = Math.max(printing.left, 16);
  const scalar = scalarText(node, printing.from.language, limit);
  if (scalar !== undefined) return scalar;
  const prefix = prefixOf(node);
  if (isLeaf(node)) return prefix === "" ? emptyText(node) : prefix;
  const key = String(node.id);
  if (printing.open.has(key)) return "↺";
  const [start, end] = hasPositions(node) ? brackets(node) : ["{", "}"];
  const gap = prefix === "" ? "" : " ";
  if (isEmpty(node)) return `${prefix}${gap}${start}${end}`;
  if (depth >= printing.limits.maxDepth || printing.left <= 0) {
    const amount =
      node.length === null || !hasPositions(node) ? "…" : `… ${itemCount(node.length)}`;
    return `${prefix}${gap}${start}${amount}${end}`;
  }
  printing.open.add(key);
  const head = node.kind === "ndarray" ? node.items.find((item) => item.key === "head") : undefined;
  if (head !== undefined) {
    const text = `${prefix}${gap}head ${print(printing, head.id, depth + 1)}`;
    printing.open.delete(key);
    return text;
  }
  const items = itemTexts(printing, node, depth);
  printing.open.delete(key);
  return `${prefix}${gap}${start}${items.join(", ")}${end}`;
}

function itemTexts(printing: Printing, node: ObjectNode, depth: number): string[] {
  const keys = isMapNode(node) ? printing.from.mapKeys(node.id) : undefined;
  const texts: string[] = [];
  let shown = 0;
  for (const [index, item] of node.items.entries()) {
    if (shown >= printing.limits.maxItems || (printing.left <= 0 && shown > 0)) break;
    texts.push(itemText(printing, { node, keyId: keys?.[index], item }, depth + 1));
    printing.left -= 2;
    shown += 1;
  }
  const rest = restText(node, shown);
  if (rest !== undefined) texts.push(rest);
  return texts;
}

/** Says how many items there are when not all of them are shown. */
function restText(node: ObjectNode, shown: number): string | undefined {
  const total = node.length ?? node.items.length;
  if (hasPositions(node) || isMapNode(node)) {
    return BigInt(total) > BigInt(shown) ? `… ${itemCount(total)}` : undefined;
  }
  return node.items.length > shown || node.truncated ? "…" : undefined;
}

function itemCount(count: Id): string {
  return `${count} ${Number(count) === 1 ? "item" : "items"}`;
}

function isEmpty(node: ObjectNode): boolean {
  return node.items.length === 0 && !node.truncated && Number(node.length ?? 0) === 0;
}

function itemText(
  printing: Printing,
  at: {
    readonly node: ObjectNode;
    readonly keyId: Id | undefined;
    readonly item: ObjectNode["items"][number];
  },
  depth: number,
): string {
  const { node, item, keyId } = at;
  if (hasPositions(node)) return print(printing, item.id, depth);
  if (isMapNode(node)) {
    const key = keyId === undefined ? keyText(item.key ?? "") : print(printing, keyId, depth);
    return `${key} => ${print(printing, item.id, depth)}`;
  }
  const name = keyText(item.key ?? "");
  printing.left -= name.length + 2;
  return `${name}: ${print(printing, item.id, depth)}`;
}

function brackets(node: ObjectNode): [string, string] {
  if (node.kind === "tuple") return ["(", ")"];
  return node.kind === "list" ? ["[", "]"] : ["{", "}"];
}

/** Tells whether everything there is to say about a node stands in its prefix. */
function isLeaf(node: ObjectNode): boolean {
  if (hasPositions(node) || node.kind === "dict") return false;
  if (node.items.length === 0) return true;
  // Their own text says more than their fields do.
  return node.typeName === "Date" || node.typeName === "RegExp" || isErrorText(node);
}

function isErrorText(node: ObjectNode): boolean {
  return (
    node.kind === "object" &&
    node.repr !== null &&
    node.items.some((item) => item.key === "stack" || item.key === "message") &&
    !/\{…?\}$/.test(node.repr)
  );
}

/** What stands in front of the brackets: the class, or the node's own text where that says more. */
function prefixOf(node: ObjectNode): string {
  const type = node.typeName === null ? "" : visibleText(clipText(node.typeName, NAME_LIMIT));
  if (hasPositions(node)) return type === "" ? collectionName(node) : type;
  if (node.kind === "dict") return type === "NullObject" ? "[null prototype]" : type;
  const own = node.repr === null ? "" : visibleText(clipText(node.repr, 200));
  // `Order {…}` only repeats the class; the fields follow anyway.
  const bare = own.replace(/ ?\{…?\}$/u, "");
  if (node.items.length === 0 && own !== "") return own;
  if (bare !== "") return bare;
  return type;
}

function collectionName(node: ObjectNode): string {
  if (node.kind === "set") return "Set";
  return node.kind === "frozenset" ? "frozenset" : "";
}

function emptyText(node: ObjectNode): string {
  const kind = visibleText(clipText(node.kind, NAME_LIMIT));
  return node.length === null ? kind : `${kind}[${node.length}]`;
}
