/**
 * Remembers exact secrets met under sensitive names, and hides them wherever else they occur.
 *
 * A few secrets are searched one by one; many are searched together with a filter over six characters.
 */
import {
  append,
  charCodeAt,
  SafeMap,
  SafeSet,
  stringIndexOf,
  stringSlice,
  stringStartsWith,
  item,
} from "../graph/primordials.ts";
import { secretSpellings } from "../graph/value-text.ts";
import { NO_SPANS } from "./text-scan.ts";
import type { SecretSpan } from "./text-scan.ts";

/** Shorter values are too common to be hidden by their text. */
const SHORTEST = 6;
/** Longer values are remembered by their first part. */
const LONGEST = 4096;
const MOST = 50_000;
const FEW = 12;
const FILTER_BITS = 1 << 16;
const START_BITS = 1 << 13;

export class KnownSecrets {
  readonly #exact = new SafeSet<string>();
  readonly #list: string[] = [];
  readonly #byStart = new SafeMap<string, string[]>();
  readonly #filter = new Uint8Array(FILTER_BITS);
  readonly #starts = new Uint8Array(START_BITS);

  get size(): number {
    return this.#list.length;
  }

  remember(secret: string): void {
    if (secret.length < SHORTEST || this.#list.length >= MOST) return;
    const kept = secret.length > LONGEST ? stringSlice(secret, 0, LONGEST) : secret;
    if (this.#exact.has(kept) || isDull(kept)) return;
    const spellings = secretSpellings(kept);
    for (let at = 0; at < spellings.length; at++) this.#add(item(spellings, at));
  }

  #add(secret: string): void {
    if (secret.length < SHORTEST || this.#exact.has(secret)) return;
    this.#exact.add(secret);
    append(this.#list, secret);
    const start = stringSlice(secret, 0, SHORTEST);
    const same = this.#byStart.get(start);
    if (same === undefined) this.#byStart.set(start, [secret]);
    else append(same, secret);
    this.#filter[hashAt(secret, 0)] = 1;
    const pair = charCodeAt(secret, 0) * 31 + charCodeAt(secret, 1);
    this.#starts[pair & (START_BITS - 1)] = 1;
  }

  /** Parts of `text` that are known secrets, or at a cut end the beginning of one. */
  find(text: string, isCut: boolean): SecretSpan[] {
    if (this.#list.length === 0 || text.length < SHORTEST || !this.#mayHold(text)) return NO_SPANS;
    const spans: SecretSpan[] = [];
    if (this.#list.length <= FEW) this.#findEach(text, spans);
    else this.#findTogether(text, spans);
    if (isCut) this.#findCut(text, spans);
    return spans;
  }

  /** Whether two neighbours in the text begin any secret; most texts end here. */
  #mayHold(text: string): boolean {
    const last = text.length - SHORTEST;
    let code = charCodeAt(text, 0);
    for (let at = 0; at <= last; at++) {
      const next = charCodeAt(text, at + 1);
      if (this.#starts[(code * 31 + next) & (START_BITS - 1)] !== 0) return true;
      code = next;
    }
    return false;
  }

  #findEach(text: string, spans: SecretSpan[]): void {
    for (let which = 0; which < this.#list.length; which++) {
      const secret = item(this.#list, which);
      if (secret.length > text.length) continue;
      let at = stringIndexOf(text, secret);
      while (at >= 0) {
        append(spans, { start: at, end: at + secret.length, detector: "known-secret" });
        at = stringIndexOf(text, secret, at + secret.length);
      }
    }
  }

  #findTogether(text: string, spans: SecretSpan[]): void {
    const last = text.length - SHORTEST;
    for (let at = 0; at <= last; at++) {
      if (this.#filter[hashAt(text, at)] === 0) continue;
      const same = this.#byStart.get(stringSlice(text, at, at + SHORTEST));
      if (same === undefined) continue;
      let longest = 0;
      for (let which = 0; which < same.length; which++) {
        const secret = item(same, which);
        if (secret.length > longest && stringStartsWith(text, secret, at)) longest = secret.length;
      }
      if (longest === 0) continue;
      append(spans, { start: at, end: at + longest, detector: "known-secret" });
      at += longest - 1;
    }
  }

  /** A text cut in the middle of a secret still shows its beginning. */
  #findCut(text: string, spans: SecretSpan[]): void {
    const first = text.length > LONGEST ? text.length - LONGEST : 0;
    for (let at = first; at <= text.length - SHORTEST; at++) {
      if (this.#filter[hashAt(text, at)] === 0) continue;
      const same = this.#byStart.get(stringSlice(text, at, at + SHORTEST));
      if (same === undefined) continue;
      const tail = stringSlice(text, at);
      for (let which = 0; which < same.length; which++) {
        if (stringStartsWith(item(same, which), tail)) {
          append(spans, { start: at, end: text.length, detector: "known-secret" });
          return;
        }
      }
    }
  }
}

function hashAt(text: string, at: number): number {
  let hash = charCodeAt(text, at);
  for (let next = 1; next < SHORTEST; next++) hash = (hash * 31 + charCodeAt(text, at + next)) | 0;
  return (hash ^ (hash >>> 16)) & (FILTER_BITS - 1);
}

/** Whether a value is no secret by itself: one repeated character, or a word of the language. */
function isDull(value: string): boolean {
  if (value === "<redacted>" || value === "undefined" || value === "function") return true;
  if (value === "string" || value === "number" || value === "object" || value === "boolean")
    return true;
  const first = charCodeAt(value, 0);
  for (let at = 1; at < value.length; at++) if (charCodeAt(value, at) !== first) return false;
  return true;
}
