/**
 * EXT `node.seal`: a SHA-256 of every block, and a chain over all of them.
 *
 * Version 1 has no checksum over a file; with this a reader can tell an altered file from a whole
 * one. It is not a signature: whoever alters the file can seal it again.
 * Layout: docs/format.md, "node.seal".
 */

export const SEAL_NAMESPACE = "node.seal";

/** A SHA-256 that is handed in. */
export interface Digest {
  /** Returns the 32 bytes of the SHA-256 of `bytes`. */
  sha256(bytes: Uint8Array): Uint8Array;
}

/** A block as the seal sees it: the payload is what stands in the file, still compressed. */
export interface SealedBlock {
  readonly type: number;
  readonly offset: number;
  readonly payload: Uint8Array;
}

/** Collects hashes while blocks are written or read. */
export class SealBuilder {
  readonly #digest: Digest;
  readonly #blocks: [number, number, Uint8Array][] = [];
  #chain: Uint8Array;

  /** Begins the chain with the whole header: magic, version, length and map. */
  constructor(header: Uint8Array, digest: Digest) {
    this.#digest = digest;
    this.#chain = Uint8Array.from(digest.sha256(header));
  }

  /** Adds the next block and returns its hash. */
  add({ type, offset, payload }: SealedBlock): Uint8Array {
    // Copied, since a digest may hand out memory that it uses again.
    const hash = Uint8Array.from(this.#digest.sha256(payload));
    this.#blocks.push([type, offset, hash]);
    const link = new Uint8Array(69);
    link.set(this.#chain);
    link[32] = type;
    new DataView(link.buffer).setUint32(33, payload.length, true);
    link.set(hash, 37);
    this.#chain = Uint8Array.from(this.#digest.sha256(link));
    return hash;
  }

  /** The data of the block. */
  data(): { algorithm: "sha256"; blocks: [number, number, Uint8Array][]; chain: Uint8Array } {
    return { algorithm: "sha256", blocks: [...this.#blocks], chain: this.#chain };
  }
}

/** What a seal says, as far as this reader understands it. */
export interface SealClaim {
  readonly blocks: readonly { type: number; offset: number; hash: Uint8Array }[];
  readonly chain: Uint8Array;
}

/** Reads the data of the block; undefined when it is of another kind. */
export function readSeal(data: unknown): SealClaim | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  if (!("algorithm" in data) || data.algorithm !== "sha256") return undefined;
  if (!("blocks" in data) || !Array.isArray(data.blocks)) return undefined;
  if (!("chain" in data) || !(data.chain instanceof Uint8Array)) return undefined;
  const blocks: { type: number; offset: number; hash: Uint8Array }[] = [];
  for (const entry of data.blocks) {
    if (!Array.isArray(entry)) return undefined;
    const type: unknown = entry[0];
    const offset: unknown = entry[1];
    const hash: unknown = entry[2];
    if (typeof type !== "number" || typeof offset !== "number") return undefined;
    if (!(hash instanceof Uint8Array)) return undefined;
    blocks.push({ type, offset, hash });
  }
  return { blocks, chain: data.chain };
}
