/**
 * Gives every file of a build ids of its own, the same ones as long as its text is the same.
 */
import { FIRST_BUILT_ID, LAST_ID, textHash } from "@orangebox/recorder/choice";

/** So many places are tried before a file is left alone. */
const MAX_TRIES = 64;

/** The ids of one build. */
export class IdRanges {
  readonly #bases = new Map<string, number>();
  readonly #taken: { readonly base: number; readonly end: number }[] = [];

  /**
   * Takes `siteCount` ids where the hash of `key` says, or where it says next if they are taken.
   *
   * @returns The base: ids count from the one behind it. Undefined when no place was free.
   */
  take(key: string, siteCount: number): number | undefined {
    // A development server asks again for what has not changed.
    const known = this.#bases.get(`${siteCount} ${key}`);
    if (known !== undefined) return known;
    const room = LAST_ID - FIRST_BUILT_ID - siteCount;
    if (room < 1) return undefined;
    let hash = textHash(key);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const base = FIRST_BUILT_ID + (Number.parseInt(hash.slice(0, 7), 16) % room);
      const end = base + siteCount;
      if (this.#taken.every((range) => end <= range.base || base >= range.end)) {
        this.#taken.push({ base, end });
        this.#bases.set(`${siteCount} ${key}`, base);
        return base;
      }
      hash = textHash(hash);
    }
    return undefined;
  }
}
