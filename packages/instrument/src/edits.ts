/**
 * Collects edits of a text in source order and applies them in one pass.
 *
 * Edits at the same offset keep the order in which they were added. Text that is only known later
 * (the head of a function) takes a slot first and is filled in afterwards.
 */

const ID_LENGTH = 10;

/**
 * Text to insert: a number is an id, a list is written one after the other.
 *
 * Joined only when the edits are applied: building strings for every probe of a large text cost
 * more than walking it.
 */
export type Piece = string | number | readonly Piece[];

/** A text with all edits applied. */
export interface EditedText {
  readonly code: string;
  /** Where the 8 digits of each id stand in `code`. */
  readonly idOffsets: Uint32Array;
  /** Runs of copied units: where they start in `code` … */
  readonly generated: Uint32Array;
  /** … and in the text that was edited. */
  readonly original: Uint32Array;
  /** Indexes of runs that are shown at a place where they do not stand. */
  readonly borrowed: readonly number[];
  readonly generatedLineStarts: Uint32Array;
  /** By how much the edits before each index lengthen the text; one element more than edits. */
  readonly growth: Int32Array;
}

/** An edit list; `slot` and `fill` belong together. */
export class EditList {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #texts: Piece[] = [];
  /** By index: where the text of an edit is said to come from, if not from where it stands. */
  #origins: Map<number, number> | undefined;
  /** By index: what the unit behind an edit is shown as. */
  #shown: Map<number, number> | undefined;
  #lastEnd = 0;

  get count(): number {
    return this.#starts.length;
  }

  insert(at: number, text: Piece): void {
    this.overwrite(at, at, text);
  }

  /** Inserts a text with one id in it. */
  insertId(at: number, before: string, id: number, after: string): void {
    this.overwrite(at, at, before);
    this.overwrite(at, at, id);
    this.overwrite(at, at, after);
  }

  /** Inserts a text whose first unit is shown as the place `origin`. */
  insertAs(at: number, text: Piece, origin: number): void {
    (this.#origins ??= new Map()).set(this.#starts.length, origin);
    this.overwrite(at, at, text);
  }

  /** Leaves the text as it is, but has its unit `at` shown as the place `origin`. */
  show(at: number, origin: number): void {
    (this.#shown ??= new Map()).set(this.#starts.length, origin);
    this.overwrite(at, at, "");
  }

  /** @throws {RangeError} if the edit is not behind all others: a mistake of the caller. */
  overwrite(start: number, end: number, text: Piece): void {
    if (start < this.#lastEnd) throw new RangeError(`Edit at ${start} behind ${this.#lastEnd}`);
    this.#lastEnd = end;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#texts.push(text);
  }

  /** @param origin The place as which the first unit of its text is shown. */
  slot(at: number, origin?: number): number {
    if (origin !== undefined) (this.#origins ??= new Map()).set(this.#starts.length, origin);
    this.overwrite(at, at, "");
    return this.#starts.length - 1;
  }

  fill(slot: number, text: Piece): void {
    this.#texts[slot] = text;
  }

  /** Applies what replaces text, and leaves out what is only inserted. */
  applyErasures(text: string): string {
    const parts: string[] = [];
    let copied = 0;
    for (let index = 0; index < this.#starts.length; index++) {
      const start = this.#starts[index] ?? 0;
      const end = this.#ends[index] ?? start;
      const piece = this.#texts[index];
      if (end === start || typeof piece !== "string") continue;
      parts.push(text.slice(copied, start), piece);
      copied = end;
    }
    parts.push(text.slice(copied));
    return parts.join("");
  }

  apply(text: string, lineStarts: readonly number[]): EditedText {
    const parts: string[] = [];
    const ids: number[] = [];
    const generated: number[] = [0];
    const original: number[] = [0];
    const borrowed: number[] = [];
    const generatedLineStarts = new Uint32Array(lineStarts.length);
    const growth = new Int32Array(this.#starts.length + 1);
    let line = 0;
    let copied = 0;
    let length = 0;
    /** The length at which text of the program ended that an edit stands behind. */
    let joint = -1;
    const write = (piece: Piece): void => {
      if (typeof piece === "string") {
        if (piece === "") return;
        if (
          length === joint &&
          isWord(text.charCodeAt(copied - 1)) &&
          isWord(piece.charCodeAt(0))
        ) {
          // `return(a)=1`, `case(b.c)++`: a name of ours must not touch the word before it.
          parts.push(" ");
          length++;
        }
        parts.push(piece);
        length += piece.length;
      } else if (typeof piece === "number") {
        parts.push(idText(piece));
        ids.push(length + 2);
        length += ID_LENGTH;
      } else {
        for (const inner of piece) write(inner);
      }
    };
    for (let index = 0; index < this.#starts.length; index++) {
      const start = this.#starts[index] ?? 0;
      const end = this.#ends[index] ?? start;
      // A line that begins exactly at an edit begins before the inserted text.
      for (let at = lineStarts[line]; at !== undefined && at <= start; at = lineStarts[++line]) {
        generatedLineStarts[line] = length + (at - copied);
      }
      if (start > copied) {
        parts.push(text.slice(copied, start));
        length += start - copied;
        copied = start;
        joint = length;
      }
      growth[index] = length - start;
      const before = length;
      const origin = this.#origins?.get(index);
      if (origin !== undefined) {
        if (length === joint && isWord(text.charCodeAt(copied - 1))) {
          parts.push(" ");
          length++;
        }
        // The first of them ends the run before.
        generated.push(length, length, length + 1);
        original.push(start, origin, start);
        borrowed.push(generated.length - 2, generated.length - 1);
      }
      write(this.#texts[index] ?? "");
      if (end > start) {
        // Erased types keep their line breaks, so a line inside them begins where it did.
        for (let at = lineStarts[line]; at !== undefined && at <= end; at = lineStarts[++line]) {
          generatedLineStarts[line] = before + Math.min(at - start, length - before);
        }
      }
      copied = end;
      const shown = this.#shown?.get(index);
      if (shown !== undefined) {
        generated.push(length, length, length + 1);
        original.push(start, shown, start + 1);
        borrowed.push(generated.length - 2);
        continue;
      }
      if (origin !== undefined) {
        generated.push(length);
        original.push(end);
      } else if (
        generated[generated.length - 1] === length ||
        original[original.length - 1] === end
      ) {
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
    growth[this.#starts.length] = length - copied;
    parts.push(text.slice(copied));
    return {
      code: parts.join(""),
      idOffsets: Uint32Array.from(ids),
      generated: Uint32Array.from(generated),
      original: Uint32Array.from(original),
      borrowed,
      generatedLineStarts,
      growth,
    };
  }
}

/** Whether a unit goes on a word, as far as the beginnings of inserted names are concerned. */
function isWord(unit: number): boolean {
  return (
    (unit > 96 && unit < 123) ||
    unit === 36 ||
    (unit > 64 && unit < 91) ||
    unit === 95 ||
    (unit > 47 && unit < 58)
  );
}

/** Writes an id the way `rebase` finds it. */
export function idText(id: number): string {
  return `0x${hexadecimal(id >>> 16)}${hexadecimal(id & 0xffff)}`;
}

const fourDigits: string[] = [];

function hexadecimal(value: number): string {
  return (fourDigits[value] ??= value.toString(16).padStart(4, "0"));
}
