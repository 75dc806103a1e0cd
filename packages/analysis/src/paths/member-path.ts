/** Writes the path from an object to one of its members, in the spelling that `parsePath` reads. */
import type { ObjectNode } from "@orangebox/format";

import { hasPositions, isMapNode } from "../values/node-kinds.ts";
import { clipText, quoteText } from "../values/visible-text.ts";

const KEY_LIMIT = 200;
const PLAIN_NAME = /^#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
const SYMBOL_NAME = /^Symbol(?:\.\w+|\([^()[\]]*\))$/u;
const SLOT_NAME = /^\[\[\w+\]\]$/;

/** Gives the path of item `index` of `owner`, whose own path is `ownerPath`. */
export function memberPath(ownerPath: string, owner: ObjectNode, index: number): string {
  const key = owner.items[index]?.key ?? null;
  if (hasPositions(owner) || key === null) return `${ownerPath}[${index}]`;
  if (SLOT_NAME.test(key)) return `${ownerPath}${key}`;
  if (isMapNode(owner)) return `${ownerPath}[${quoteText(clipText(key, KEY_LIMIT))}]`;
  if (PLAIN_NAME.test(key)) return `${ownerPath}.${key}`;
  if (SYMBOL_NAME.test(key)) return `${ownerPath}[${key}]`;
  return `${ownerPath}[${quoteText(clipText(key, KEY_LIMIT))}]`;
}
