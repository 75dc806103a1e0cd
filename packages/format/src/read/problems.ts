/**
 * What a reader passed over, and why: the list that stands beside every result.
 */

import { blockName } from "../blocks/block-type.ts";
import type { Undecodable, UndecodableKind } from "../bytes/undecodable.ts";

/**
 * The kinds of problem:
 *
 * - `old-version`: the header says version 0.
 * - `no-footer`: index or trailer are missing or unusable, so the file was scanned.
 * - `cut`: the file ends, or stops making sense, inside a block.
 * - `damaged-block`: a payload does not decompress. `checksum`: it does, to something else.
 * - `undecodable-block`: a payload is not what its type promises.
 * - `unreadable`: the bytes could not be read from where the file is kept.
 * - `limit`: a limit was hit. `expansion`: the content is much larger than the file.
 * - `skipped-records`: records were left out of a list (salvage only).
 * - `repeated-block`: further blocks of a type of which only the first counts.
 * - `trailing-bytes`: bytes follow a value or a frame.
 * - `index-disagrees`: the index says something else than the file. `index-gap`: it omits bytes.
 * - `missing-block`: the manifest names a block that is not there.
 * - `duplicate-ids`, `dangling-ids`: of object nodes.
 * - `seal-mismatch`: the file is not what was sealed.
 */
export type ProblemKind =
  | "old-version"
  | "no-footer"
  | "cut"
  | "damaged-block"
  | "checksum"
  | "undecodable-block"
  | "unreadable"
  | "limit"
  | "expansion"
  | "skipped-records"
  | "repeated-block"
  | "trailing-bytes"
  | "index-disagrees"
  | "index-gap"
  | "missing-block"
  | "duplicate-ids"
  | "dangling-ids"
  | "seal-mismatch";

/** One thing that is wrong with a recording. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  /** Name of the block's type, if it is about one. */
  readonly blockType?: string;
  /** Where the block begins, or where the trouble is. */
  readonly offset?: number;
}

/** Where a problem is. */
export interface ProblemPlace {
  readonly type?: number;
  readonly offset?: number;
}

const KIND_OF_FAILURE: Readonly<Record<UndecodableKind, ProblemKind>> = {
  damaged: "damaged-block",
  checksum: "checksum",
  limit: "limit",
  malformed: "undecodable-block",
  unreadable: "unreadable",
};

/** Collects problems up to a limit, each once. */
export class ProblemLog {
  readonly list: Problem[] = [];
  readonly #known = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(kind: ProblemKind, message: string, place: ProblemPlace = {}): void {
    const { type, offset } = place;
    const key = `${kind} ${offset} ${message}`;
    if (this.list.length > this.#limit || this.#known.has(key)) return;
    if (this.list.length === this.#limit) {
      this.list.push({ kind: "limit", message: "further problems are not listed" });
      return;
    }
    this.#known.add(key);
    this.list.push({
      kind,
      message,
      ...(type === undefined ? {} : { blockType: blockName(type) }),
      ...(offset === undefined ? {} : { offset }),
    });
  }

  /** Adds the failure of a decoder. */
  addFailure(failure: Undecodable, place: ProblemPlace): void {
    const name = place.type === undefined ? "the block" : blockName(place.type);
    this.add(KIND_OF_FAILURE[failure.kind], `${name}: ${failure.message}`, place);
  }
}
