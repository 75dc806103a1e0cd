/**
 * Decides which names and which parts of texts must not leave the process, and keeps count.
 *
 * Names are matched by words, texts by detectors and by the exact secrets met under sensitive names.
 * Where values are met is the business of the callers.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
import {
  append,
  ownData,
  SafeMap,
  stringSlice,
  stringStartsWith,
  item,
} from "../graph/primordials.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { SensitiveNames } from "./sensitive-names.ts";
import type { NameRules } from "./sensitive-names.ts";
import { detectSecrets } from "./value-detectors.ts";
import type { DetectOptions } from "./key-value-pairs.ts";
import type { SecretSpan } from "./text-scan.ts";

/** What stands in the place of a secret. */
export const REDACTED = "<redacted>";

/** Hidden values of one place: where they stood and why they were hidden, never what they were. */
export interface Redaction {
  readonly where: string;
  readonly name?: string;
  readonly detector?: string;
  readonly count: number;
}

export interface ScrubberOptions {
  /** More sensitive names. A text matches inside the letters of a name in any spelling; a RegExp is searched for. */
  readonly patterns?: readonly (string | RegExp)[];
  /** Names that are never hidden for their name, in any spelling. */
  readonly allow?: readonly string[];
  /** The program's own rule about names; an error inside it counts as "hide". */
  readonly isSensitive?: (name: string) => boolean;
  /** The program's own rule about whole texts; true hides all of it, and so does an error. */
  readonly isSecretText?: (text: string) => boolean;
}

export interface Scrubber {
  isSensitiveName(name: string): boolean;
  /** Remembers a value met under a sensitive name, so that it is hidden everywhere else. Needs 6 characters. */
  remember(secret: string): void;
  /**
   * Hides the secret parts of a text by `<redacted>`.
   *
   * Linear in the length of the text. Call it for sources, argv and messages after the graph, when the
   * values of sensitive names are known.
   *
   * @param where Goes into the report. If it begins with `source`, only quoted values are hidden by key.
   */
  text(text: string, where: string): string;
  /** Hides only remembered values; for texts that went through `text` before the value was met. */
  known(text: string, where: string, isCut?: boolean): string;
  /** How many values are remembered. */
  readonly knownCount: number;
  /** Counts a value hidden for its name. */
  note(where: string, name: string): void;
  /** What was hidden so far, by place and reason. */
  report(): Redaction[];
}

/** Most different lines of the report; the rest is counted in one line. */
const MAX_REPORT = 1_000;
/** Longest name in the report. */
const MAX_REPORTED_NAME = 80;

/** Makes a scrubber; it remembers what it met, so use a new one for each recording. */
export function createScrubber(options: ScrubberOptions = {}): Scrubber {
  return new RuleScrubber(options);
}

interface Counted {
  readonly where: string;
  readonly name: string | undefined;
  readonly detector: string | undefined;
  count: number;
}

class RuleScrubber implements Scrubber {
  readonly #names: SensitiveNames;
  readonly #known = new KnownSecrets();
  readonly #counts = new SafeMap<string, Counted>();
  readonly #isSecretText: ((text: string) => boolean) | undefined;
  readonly #plain: DetectOptions;
  readonly #source: DetectOptions;

  constructor(options: ScrubberOptions) {
    this.#names = new SensitiveNames({
      patterns: (ownData(options, "patterns") ?? []) as readonly (string | RegExp)[],
      allow: (ownData(options, "allow") ?? []) as readonly string[],
      isSensitive: ownData(options, "isSensitive") as NameRules["isSensitive"],
    });
    // Read as own data: a missing option must not meet a getter on `Object.prototype`.
    this.#isSecretText = ownData(options, "isSecretText") as ScrubberOptions["isSensitive"];
    const isSensitiveName = (name: string): boolean => this.#names.isSensitive(name);
    this.#plain = { isSensitiveName, sourceText: false };
    this.#source = { isSensitiveName, sourceText: true };
  }

  get knownCount(): number {
    return this.#known.size;
  }

  isSensitiveName(name: string): boolean {
    return this.#names.isSensitive(name);
  }

  remember(secret: string): void {
    this.#known.remember(secret);
  }

  text(text: string, where: string): string {
    if (this.#isSecretText !== undefined && this.#isSecret(text)) {
      this.#count(where, undefined, "custom");
      return REDACTED;
    }
    const options = stringStartsWith(where, "source") ? this.#source : this.#plain;
    const spans = detectSecrets(text, options);
    // What is a secret in a message is one in the source line that made the message.
    for (let at = 0; at < spans.length; at++) {
      const { start, end } = item(spans, at);
      this.#known.remember(stringSlice(text, start, end));
    }
    const clean = this.#hide(text, spans, where);
    return this.#known.size === 0 ? clean : this.known(clean, where);
  }

  known(text: string, where: string, isCut: boolean = false): string {
    return this.#hide(text, this.#known.find(text, isCut), where);
  }

  note(where: string, name: string): void {
    const shown = stringSlice(name, 0, MAX_REPORTED_NAME);
    const clean = this.#hide(shown, detectSecrets(shown, this.#plain), where);
    this.#count(where, clean, undefined);
  }

  report(): Redaction[] {
    const list: Redaction[] = [];
    this.#counts.forEach((entry) => {
      const { where, name, detector } = entry;
      append(list, {
        where,
        ...(name === undefined ? {} : { name: this.#cleanName(name) }),
        ...(detector === undefined ? {} : { detector }),
        count: entry.count,
      });
    });
    return list;
  }

  #cleanName(name: string): string {
    return replaceSpans(name, this.#known.find(name, false));
  }

  #isSecret(text: string): boolean {
    try {
      return this.#isSecretText?.(text) === true;
    } catch {
      return true; // A broken rule must not open what it was meant to hide.
    }
  }

  #hide(text: string, spans: SecretSpan[], where: string): string {
    if (spans.length === 0) return text;
    for (let at = 0; at < spans.length; at++) {
      this.#count(where, undefined, item(spans, at).detector);
    }
    return replaceSpans(text, spans);
  }

  #count(where: string, name: string | undefined, detector: string | undefined): void {
    const key = `${where}\n${name ?? ""}\n${detector ?? ""}`;
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    if (this.#counts.size > MAX_REPORT) return;
    if (this.#counts.size === MAX_REPORT) {
      this.#counts.set(key, {
        where: "elsewhere",
        name: undefined,
        detector: undefined,
        count: 1,
      });
      return;
    }
    this.#counts.set(key, { where, name, detector, count: 1 });
  }
}

/** Puts `<redacted>` in the place of every span; overlapping spans become one. */
function replaceSpans(text: string, spans: SecretSpan[]): string {
  if (spans.length === 0) return text;
  sortByStart(spans);
  let clean = "";
  let from = 0;
  let at = 0;
  while (at < spans.length) {
    const { start } = item(spans, at);
    let { end } = item(spans, at);
    while (++at < spans.length && item(spans, at).start <= end) {
      if (item(spans, at).end > end) end = item(spans, at).end;
    }
    clean += stringSlice(text, from, start) + REDACTED;
    from = end;
  }
  return clean + stringSlice(text, from);
}

/** Merges by rounds: the array's own `sort` can be replaced by the program. */
function sortByStart(spans: SecretSpan[]): void {
  let source = spans;
  let target: SecretSpan[] = [];
  for (let width = 1; width < spans.length; width *= 2) {
    let out = 0;
    for (let low = 0; low < spans.length; low += 2 * width) {
      let left = low;
      const middle = low + width < spans.length ? low + width : spans.length;
      let right = middle;
      const high = low + 2 * width < spans.length ? low + 2 * width : spans.length;
      while (left < middle || right < high) {
        const takeLeft =
          right >= high || (left < middle && item(source, left).start <= item(source, right).start);
        const next = item(source, takeLeft ? left++ : right++);
        if (out === target.length) append(target, next);
        else target[out] = next;
        out++;
      }
    }
    const swap = source;
    source = target;
    target = swap;
  }
  if (source === spans) return;
  for (let at = 0; at < spans.length; at++) spans[at] = item(source, at);
}
