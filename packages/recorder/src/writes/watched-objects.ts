/**
 * The objects whose properties are watched, with the names they were given.
 *
 * Whatever a watched object holds is watched too, also what is put into it later.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- Values are unknown until a descriptor was asked. */
import nodeTypes from "node:util/types";
import { eachMapEntry, eachSetValue } from "../graph/primordials.ts";
import { isReference, SafeWeakMap } from "../runtime/primordials.ts";
import type { ObjectIdentities } from "./identity-table.ts";

const { getOwnPropertyDescriptor, hasOwn } = Object;
const { ownKeys } = Reflect;
const { isMap, isProxy, isSet } = nodeTypes;

/** Objects that one call of `watch` takes in; entries that it looks at in one of them. */
const MAX_OBJECTS = 10_000;
const MAX_ENTRIES = 10_000;

/** While it is active, properties of other objects are not noted. */
export class WatchedObjects {
  isActive = false;
  readonly #identities: ObjectIdentities;
  readonly #watched: SafeWeakMap<object, true> = new SafeWeakMap();
  /** By identity. */
  readonly #names = new Map<number, string>();

  constructor(identities: ObjectIdentities) {
    this.#identities = identities;
  }

  /** Watches an object and all that it holds; runs no accessor and no trap. */
  watch(value: object, name: string | undefined): void {
    if (name !== undefined) this.#names.set(this.#identities.of(value), name);
    this.adopt(value);
  }

  has(value: unknown): boolean {
    return isReference(value) && this.#watched.get(value) === true;
  }

  nameOf(identity: number): string | undefined {
    return this.#names.get(identity);
  }

  /** Watches what was put into a watched object. */
  adopt(value: unknown): void {
    const found: object[] = [];
    const add = (inner: unknown): void => {
      if (!isReference(inner) || this.has(inner) || found.length >= MAX_OBJECTS) return;
      this.#watched.set(inner, true);
      found[found.length] = inner;
    };
    add(value);
    for (let at = 0; at < found.length; at++) {
      const holder = found[at];
      if (holder === undefined || isProxy(holder) || typeof holder === "function") continue;
      const keys = ownKeys(holder);
      for (let index = 0; index < keys.length && index < MAX_ENTRIES; index++) {
        const property = getOwnPropertyDescriptor(holder, keys[index] ?? "");
        if (property !== undefined && hasOwn(property, "value")) add(property.value as unknown);
      }
      if (isMap(holder)) eachMapEntry(holder, MAX_ENTRIES, (_key, entry) => add(entry));
      else if (isSet(holder)) eachSetValue(holder, MAX_ENTRIES, add);
    }
  }
}
