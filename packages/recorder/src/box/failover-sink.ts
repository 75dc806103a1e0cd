/**
 * Puts the bytes of one box into a file, and into another folder when the first one fails midway.
 *
 * The bytes stay in memory until the file has its name, so that nothing has to be made twice: by then
 * the values they came from may be gone. No file that exists is ever destroyed.
 */
import { basename, dirname, join } from "node:path";
import type { BoxIo } from "./box-io.ts";

/** A place to try. */
export interface BoxPlace {
  readonly path: string;
  /** Whether a file of that name may be replaced; else the new one gets a number. */
  readonly overwrite: boolean;
}

/** Thrown to the writer when no place is left; what can be kept is then kept by `keepPartial`. */
class NoPlaceLeft extends Error {
  override readonly name = "NoPlaceLeft";
}

interface OpenFile {
  readonly place: BoxPlace;
  readonly tempPath: string;
  readonly descriptor: number;
  /** Blocks that are whole in this file; the header counts as one. */
  blockCount: number;
}

/** The header and META. */
const WORTH_KEEPING = 2;
const MAX_NUMBER = 10_000;
const MAX_TEMP_ATTEMPTS = 100;

/** A sink for the recording writer; it ends with `finish` or `keepPartial`. */
export class FailoverSink {
  /** What failed, in order; empty when all went well. */
  readonly reasons: string[] = [];
  readonly #io: BoxIo;
  readonly #places: BoxPlace[];
  readonly #pid: number;
  readonly #chunks: Uint8Array[] = [];
  /** Closed files of places that failed, still under their temporary names. */
  readonly #abandoned: OpenFile[] = [];
  #file: OpenFile | undefined;
  #blockCount = 0;
  #failed = false;

  constructor(places: readonly BoxPlace[], pid: number, io: BoxIo) {
    this.#places = [...places];
    this.#pid = pid;
    this.#io = io;
  }

  /** Whether no place is left. */
  get failed(): boolean {
    return this.#failed;
  }

  /** @throws {NoPlaceLeft} when every place has failed. */
  write(bytes: Uint8Array): void {
    // The writer may use its buffer again.
    this.#chunks.push(bytes.slice());
    if (this.#file !== undefined && this.#try(this.#file, () => this.#send([bytes]))) return;
    this.#openNext();
  }

  /** Notes the end of a block. Every byte was handed to the system when it was written. */
  flush(): void {
    this.#blockCount++;
    if (this.#file !== undefined) this.#file.blockCount = this.#blockCount;
  }

  /**
   * Makes the file durable and gives it its name.
   *
   * @returns The path.
   * @throws {NoPlaceLeft} when every place has failed.
   */
  finish(): string {
    for (;;) {
      if (this.#file === undefined) this.#openNext();
      const file = this.#file;
      if (file === undefined) throw new NoPlaceLeft();
      let path: string | undefined;
      const named = this.#try(file, () => {
        this.#sync(file.descriptor);
        path = this.#publish(file);
      });
      if (!named || path === undefined) continue;
      this.#close(file);
      for (const other of this.#abandoned) this.#discard(other.tempPath);
      return path;
    }
  }

  /**
   * Keeps the longest of the torn files, when nothing else could be written.
   *
   * @returns Its path, or undefined when no file got as far as META.
   */
  keepPartial(): string | undefined {
    const best = this.#abandoned.toSorted((a, b) => b.blockCount - a.blockCount)[0];
    let kept: string | undefined;
    if (best !== undefined && best.blockCount >= WORTH_KEEPING) {
      try {
        kept = this.#publish(best);
      } catch (error) {
        // A temporary name is better than no file.
        this.#note(error);
        kept = best.tempPath;
      }
    }
    for (const file of this.#abandoned) {
      if (kept === undefined || file !== best) this.#discard(file.tempPath);
    }
    return kept;
  }

  /** Removes the torn files, when nothing else could be written. */
  dropPartial(): undefined {
    for (const file of this.#abandoned) this.#discard(file.tempPath);
  }

  /** Removes what is on disk; for a failure that is not one of the disk. */
  abandon(): void {
    if (this.#file !== undefined) this.#giveUp(this.#file);
  }

  /** Opens the next place that takes everything written so far. */
  #openNext(): void {
    for (;;) {
      const place = this.#places.shift();
      if (place === undefined) {
        this.#failed = true;
        throw new NoPlaceLeft();
      }
      let file: OpenFile;
      try {
        file = this.#open(place);
      } catch (error) {
        this.#note(error);
        continue;
      }
      this.#file = file;
      if (this.#try(file, () => this.#send(this.#chunks))) {
        file.blockCount = this.#blockCount;
        return;
      }
    }
  }

  #open(place: BoxPlace): OpenFile {
    const folder = dirname(place.path);
    this.#io.makeFolder(folder);
    for (let attempt = 0; ; attempt++) {
      const tempPath = join(folder, `.${basename(place.path)}.${this.#pid}-${attempt}.tmp`);
      try {
        return { place, tempPath, descriptor: this.#io.create(tempPath), blockCount: 0 };
      } catch (error) {
        if (codeOf(error) !== "EEXIST" || attempt >= MAX_TEMP_ATTEMPTS) throw error;
      }
    }
  }

  #send(chunks: readonly Uint8Array[]): void {
    const { descriptor } = this.#file ?? {};
    if (descriptor === undefined) return;
    for (const bytes of chunks) {
      for (let offset = 0; offset < bytes.length;) {
        const count = this.#io.write(descriptor, bytes, offset);
        if (!(count > 0)) throw new Error("the disk takes no more bytes");
        offset += count;
      }
    }
  }

  #sync(descriptor: number): void {
    try {
      this.#io.sync(descriptor);
    } catch (error) {
      // Some file systems cannot; the bytes are with the system all the same.
      if (!["EINVAL", "ENOSYS", "ENOTSUP", "EROFS"].includes(codeOf(error) ?? "")) throw error;
    }
  }

  /** Gives the file its name, or the next free number of it. */
  #publish({ place, tempPath }: OpenFile): string {
    if (place.overwrite) {
      this.#io.rename(tempPath, place.path);
      return place.path;
    }
    let canLink = true;
    for (let number = 0; number < MAX_NUMBER; number++) {
      const path = numbered(place.path, number);
      if (canLink) {
        try {
          this.#io.link(tempPath, path);
          this.#discard(tempPath);
          return path;
        } catch (error) {
          if (codeOf(error) === "EEXIST") continue;
          // No second names on this file system: looking first leaves a gap of microseconds.
          canLink = false;
        }
      }
      if (this.#io.exists(path)) continue;
      this.#io.rename(tempPath, path);
      return path;
    }
    throw new Error(`${place.path} and its numbered names are all taken`);
  }

  /** Runs a step; when it fails, the file is closed and put aside. */
  #try(file: OpenFile, step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      this.#note(error);
      this.#giveUp(file);
      return false;
    }
  }

  #giveUp(file: OpenFile): void {
    this.#file = undefined;
    this.#close(file);
    this.#abandoned.push(file);
  }

  #close({ descriptor }: OpenFile): void {
    this.#file = undefined;
    try {
      this.#io.close(descriptor);
    } catch (error) {
      // Some systems tell only now that a write failed; the file may lack its end.
      this.#note(error);
    }
  }

  #discard(path: string): void {
    try {
      this.#io.remove(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") this.#note(error);
    }
  }

  #note(error: unknown): void {
    const message = error instanceof Error ? error.message : "unknown error";
    if (!this.reasons.includes(message)) this.reasons.push(message);
  }
}

/** `crash.flight`, `crash-1.flight`, `crash-2.flight` …, and so with `crash.flight.age`. */
function numbered(path: string, number: number): string {
  if (number === 0) return path;
  const dot = basename(path.replace(/\.age$/, "")).lastIndexOf(".");
  const cut = dot <= 0 ? path.length : path.length - basename(path).length + dot;
  return `${path.slice(0, cut)}-${number}${path.slice(cut)}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
