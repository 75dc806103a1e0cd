/**
 * The failure that decoders throw at each other inside this package.
 *
 * It never leaves the package: readers turn it into an entry of `problems`, and the public codec
 * functions say so where they let it through.
 */

/** What kind of failure stopped a decoder. */
export type UndecodableKind = "damaged" | "checksum" | "limit" | "malformed" | "unreadable";

/** Bytes that cannot be what they are supposed to be. */
export class Undecodable extends Error {
  readonly kind: UndecodableKind;

  constructor(kind: UndecodableKind, message: string) {
    super(message);
    this.name = "Undecodable";
    this.kind = kind;
  }
}
