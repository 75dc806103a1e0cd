/**
 * Collects edits of a text in source order and applies them in one pass.
 *
 * Edits at the same offset keep the order in which they were added. Text that is only known later
 * (the head of a function) takes a slot first and is filled in afterwards.
 */

const ID_PREFIX = "0x";
const ID_LENGTH = 10;

/** A text with all edits applied. */
export interface EditedText {
  readonly code: string;
  /** Where the 8 digits of each id stand in `code`. */
  readonly idOffsets: Uint32Array;
  /** Runs of copied units: where they start in `code` … */
  readonly generated: Uint32Array;
  /** … and in the text that was edited. */
  readonly original: Uint32Array;
  readonly generatedLineStarts: Uint32Array;
}

/** An edit list; `slot` and `fill` belong together. */
export class EditList {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #texts: string[] = [];
  #lastEnd = 0;

  get count(): number {
    return this.#starts.length;
  }

  insert(at: number, text: string): void {
    this.overwrite(at, at, text);
  }

  /** @throws {RangeError} if the edit is not behind all others: a mistake of the caller. */
  overwrite(start: number, end: number, text: string): void {
    if (start < this.#lastEnd) throw new RangeError(`Edit at ${start} behind ${this.#lastEnd}`);
    this.#lastEnd = end;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#texts.push(text);
  }

  slot(at: number): number {
    this.overwrite(at, at, "");
    return this.#starts.length - 1;
  }

  fill(slot: number, text: string): void {
    this.#texts[slot] = text;
  }

  /** By how much the edits before each index lengthen the text; one element more than edits. */
  growth(): Int32Array {
    const growth = new Int32Array(this.#starts.length + 1);
    let sum = 0;
    for (let index = 0; index < this.#starts.length; index++) {
      growth[index] = sum;
      sum +=
        (this.#texts[index] ?? "").length - ((this.#ends[index] ?? 0) - (this.#starts[index] ?? 0));
    }
    growth[this.#starts.length] = sum;
    return growth;
  }

  apply(text: string, lineStarts: readonly number[]): EditedText {
    const parts: string[] = [];
    const ids: number[] = [];
    const generated: number[] = [0];
    const original: number[] = [0];
    const generatedLineStarts = new Uint32Array(lineStarts.length);
    let line = 0;
    let copied = 0;
    let length = 0;
    for (let index = 0; index < this.#starts.length; index++) {
      const start = this.#starts[index] ?? 0;
      const inserted = this.#texts[index] ?? "";
      const end = this.#ends[index] ?? start;
      // A line that begins exactly at an edit begins before the inserted text.
      for (let at = lineStarts[line]; at !== undefined && at <= start; at = lineStarts[++line]) {
        generatedLineStarts[line] = length + (at - copied);
      }
      if (start > copied) {
        parts.push(text.slice(copied, start));
        length += start - copied;
      }
      if (inserted !== "") {
        collectIds(inserted, length, ids);
        parts.push(inserted);
      }
      if (end > start) {
        // Erased types keep their line breaks, so a line inside them begins where it did.
        for (let at = lineStarts[line]; at !== undefined && at <= end; at = lineStarts[++line]) {
          generatedLineStarts[line] = length + Math.min(at - start, inserted.length);
        }
      }
      length += inserted.length;
      copied = end;
      if (generated[generated.length - 1] === length || original[original.length - 1] === end) {
        generated[generated.length - 1] = length;
        original[original.length - 1] = end;
      } else {
        generated.push(length);
        original.push(end);
      }
    }
    for (; line < lineStarts.length; line++) {
      generatedLineStarts[line] = length + ((lineStarts[line] ?? 0) - copied);
    }
    parts.push(text.slice(copied));
    return {
      code: parts.join(""),
      idOffsets: Uint32Array.from(ids),
      generated: Uint32Array.from(generated),
      original: Uint32Array.from(original),
      generatedLineStarts,
    };
  }
}

/** Writes an id the way `rebase` finds it. */
export function idText(id: number): string {
  return ID_PREFIX + hexadecimal(id >>> 16) + hexadecimal(id & 0xffff);
}

const fourDigits: string[] = [];

function hexadecimal(value: number): string {
  return (fourDigits[value] ??= value.toString(16).padStart(4, "0"));
}

function collectIds(inserted: string, offset: number, ids: number[]): void {
  for (let at = inserted.indexOf(ID_PREFIX); at !== -1; at = inserted.indexOf(ID_PREFIX, at)) {
    // A name of the program may hold "0x" too, but an id never follows a letter or digit.
    const isId = at === 0 || !isNameUnit(inserted.charCodeAt(at - 1));
    if (isId) ids.push(offset + at + ID_PREFIX.length);
    at += isId ? ID_LENGTH : ID_PREFIX.length;
  }
}

function isNameUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === 36 ||
    unit === 95 ||
    unit >= 128
  );
}
