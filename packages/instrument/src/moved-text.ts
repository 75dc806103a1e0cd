/**
 * Builds a text out of pieces of another one and remembers where each piece is from.
 *
 * Unlike edits, pieces may be moved: what a compiler does. The result is what a decoded source map
 * would be, with offsets.
 */

/** A text and where its runs come from. */
export interface CompiledText {
  readonly text: string;
  readonly compiled: Uint32Array;
  readonly original: Uint32Array;
}

/** Collects pieces in the order of the text that is made. */
export class MovedText {
  readonly #source: string;
  readonly #parts: string[] = [];
  readonly #compiled: number[] = [];
  readonly #original: number[] = [];
  #length = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Takes a piece of the source. */
  take(start: number, end: number): void {
    if (end <= start) return;
    this.#run(start);
    this.#add(this.#source.slice(start, end));
  }

  /** Writes new text, which is shown as the place `origin`. */
  write(text: string, origin: number): void {
    if (text === "") return;
    this.#run(origin);
    this.#add(text);
    // All of it is shown as that place, whatever comes next.
    this.#run(origin);
  }

  #run(origin: number): void {
    this.#compiled.push(this.#length);
    this.#original.push(origin);
  }

  #add(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }

  finish(): CompiledText {
    this.#run(this.#source.length);
    return {
      text: this.#parts.join(""),
      compiled: Uint32Array.from(this.#compiled),
      original: Uint32Array.from(this.#original),
    };
  }
}
