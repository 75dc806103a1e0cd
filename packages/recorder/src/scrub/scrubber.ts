/**
 * Decides which names and which parts of texts must not leave the process.
 *
 * Names are matched by words, texts by detectors and by the exact secrets met under sensitive names.
 */

/** One hidden value: where it stood and why it was hidden, never what it was. */
export interface Redaction {
  readonly where: string;
  readonly name?: string;
  readonly detector?: string;
  readonly count: number;
}

export interface ScrubberOptions {
  /** More sensitive names: a text is matched by words like the built-in ones, a RegExp against the whole name. */
  readonly patterns?: readonly (string | RegExp)[];
  /** Names that are never hidden by name, in any spelling. */
  readonly allow?: readonly string[];
  /** The program's own rule; an error inside it counts as "hide". */
  readonly isSensitive?: (name: string) => boolean;
}

export interface Scrubber {
  isSensitiveName(name: string): boolean;
  /** Remembers a value met under a sensitive name, so that `text` hides it everywhere else. */
  remember(secret: string): void;
  /** Hides the secret parts of a text by `<redacted>`. */
  text(text: string, where: string): string;
  /** Counts a value hidden by name. */
  note(where: string, name: string): void;
  report(): Redaction[];
}

export function createScrubber(options: ScrubberOptions = {}): Scrubber {
  void options;
  return {
    isSensitiveName: () => false,
    remember: () => undefined,
    text: (text) => text,
    note: () => undefined,
    report: () => [],
  };
}
