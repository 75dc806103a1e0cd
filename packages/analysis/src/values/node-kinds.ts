/** Says what the `kind` of an object node means. Kinds: docs/format.md, "Object graph". */
import { SCALAR_KINDS } from "@orangebox/format";
import type { ObjectNode } from "@orangebox/format";

/** Tells whether a repeated id of this kind is no evidence of aliasing. */
export function isScalarKind(kind: string): boolean {
  return SCALAR_KINDS.has(kind);
}

/** Tells whether the items of a node are positions (a list or set) instead of named members. */
export function hasPositions(node: ObjectNode): boolean {
  return (
    node.kind === "list" ||
    node.kind === "tuple" ||
    node.kind === "set" ||
    node.kind === "frozenset"
  );
}

/** Tells whether a node is a Map, whose keys need not be texts. */
export function isMapNode(node: ObjectNode): boolean {
  return node.kind === "dict" && node.typeName !== null && node.typeName !== "NullObject";
}

/** Tells whether a node stands for a variable that had no value yet. */
export function isUninitialized(node: ObjectNode): boolean {
  return node.typeName === "binding" && node.repr === "<uninitialized>";
}
