/**
 * The objects whose properties are watched, with the names they were given.
 */
import { isReference, SafeWeakMap } from "../runtime/primordials.ts";
import type { ObjectIdentities } from "./identity-table.ts";

/** While at least one object is watched, properties of others are not noted. */
export class WatchedObjects {
  isActive = false;
  readonly #identities: ObjectIdentities;
  readonly #watched: SafeWeakMap<object, true> = new SafeWeakMap();
  /** By number of the object. */
  readonly #names = new Map<number, string>();

  constructor(identities: ObjectIdentities) {
    this.#identities = identities;
  }

  watch(value: object, name: string | undefined): void {
    this.#watched.set(value, true);
    if (name !== undefined) this.#names.set(this.#identities.numberOf(value), name);
    this.isActive = true;
  }

  has(value: unknown): boolean {
    return isReference(value) && this.#watched.get(value) === true;
  }

  nameOf(number: number): string | undefined {
    return this.#names.get(number);
  }

  /** Notes everything again; names are kept. */
  stop(): void {
    this.isActive = false;
  }
}
