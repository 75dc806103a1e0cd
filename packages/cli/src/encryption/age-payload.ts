/**
 * Reads an age file at any place, chunk by chunk; nothing is given out that is not authentic.
 *
 * Finding the key of the file is not done here. Layout: docs/format.md, "Encrypted recordings".
 */
import {
  AGE_CHUNK_BYTES,
  AGE_NONCE_BYTES,
  AGE_TAG_BYTES,
  ageChunkNonce,
  FlightError,
} from "@orangebox/format";
import type { ByteSource } from "@orangebox/format";
import { createDecipheriv, hkdfSync } from "node:crypto";

/** An age file whose key is known. */
export interface AgeFile {
  readonly name: string;
  readonly source: ByteSource;
  readonly headerBytes: number;
  readonly fileKey: Uint8Array;
}

/** What an age file holds. */
export interface AgePayload extends ByteSource {
  /** The last chunk is missing: what is here is authentic, but not all. */
  readonly isCut: boolean;
}

const SEALED_CHUNK_BYTES = AGE_CHUNK_BYTES + AGE_TAG_BYTES;
const KEY_BYTES = 32;
const CHACHA = { authTagLength: AGE_TAG_BYTES } as const;
/** Chunks that are kept decrypted: readers ask for small neighbouring ranges. */
const KEPT_CHUNKS = 16;
/** How a recording that was closed ends: "TLGF". */
const RECORDING_END = [0x54, 0x4c, 0x47, 0x46];

/**
 * Opens what an age file holds; decrypts its last chunk to see whether it is whole.
 *
 * @throws {FlightError} `FLIGHT_ALTERED`; `FLIGHT_CUT` when not one chunk is whole. `read` throws
 * `FLIGHT_ALTERED` for a chunk that is not authentic.
 */
export function openAgePayload(file: AgeFile): AgePayload {
  const chunks = new Chunks(file);
  const sizeBytes = chunks.wholeBytes();
  return {
    sizeBytes,
    isCut: chunks.isCut,
    read: (offset, length) => chunks.read(offset, Math.min(length, sizeBytes - offset)),
  };
}

class Chunks {
  readonly #file: AgeFile;
  readonly #key: Uint8Array;
  readonly #start: number;
  readonly #sizeBytes: number;
  readonly #kept = new Map<number, Uint8Array>();
  #lastIndex: number;
  #isCut = false;

  constructor(file: AgeFile) {
    this.#file = file;
    const { source, headerBytes, fileKey } = file;
    this.#start = headerBytes + AGE_NONCE_BYTES;
    this.#sizeBytes = source.sizeBytes - this.#start;
    if (this.#sizeBytes < AGE_TAG_BYTES) throw cut(file.name, "it has no data");
    const nonce = source.read(headerBytes, AGE_NONCE_BYTES);
    this.#key = new Uint8Array(hkdfSync("sha256", fileKey, nonce, "payload", KEY_BYTES));
    this.#lastIndex = Math.ceil(this.#sizeBytes / SEALED_CHUNK_BYTES) - 1;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Finds out how many bytes can be had; leaves out what the last chunk lacks. */
  wholeBytes(): number {
    const index = this.#lastIndex;
    const last = this.#open(index, "last");
    if (last !== undefined) {
      if (last.length === 0 && index > 0) throw altered(this.#file.name, "it has an empty chunk");
      this.#keep(index, last);
      return index * AGE_CHUNK_BYTES + last.length;
    }
    // Whole, but not the last: cut exactly behind a chunk.
    const sealed = this.#sealed(index);
    const isWhole = sealed.length === SEALED_CHUNK_BYTES;
    if (isWhole && this.#open(index, "before-last") !== undefined) {
      this.#isCut = true;
      return (index + 1) * AGE_CHUNK_BYTES;
    }
    if (index > 0 && this.#open(index - 1, "last") !== undefined) {
      throw altered(this.#file.name, "something was added at its end");
    }
    if (this.#endsAsRecording(index, sealed)) throw altered(this.#file.name, "its last chunk");
    this.#isCut = true;
    this.#lastIndex = index - 1;
    if (index === 0) throw cut(this.#file.name, "not one chunk is whole");
    return index * AGE_CHUNK_BYTES;
  }

  read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, length));
    for (let filled = 0; filled < length;) {
      const index = Math.floor((offset + filled) / AGE_CHUNK_BYTES);
      const chunk = this.#chunk(index);
      const part = chunk
        .subarray(offset + filled - index * AGE_CHUNK_BYTES)
        .subarray(0, length - filled);
      if (part.length === 0) return bytes.subarray(0, filled);
      bytes.set(part, filled);
      filled += part.length;
    }
    return bytes;
  }

  #chunk(index: number): Uint8Array {
    const known = this.#kept.get(index);
    if (known !== undefined) return known;
    const isLast = index === this.#lastIndex && !this.#isCut;
    const chunk = this.#open(index, isLast ? "last" : "before-last");
    if (chunk === undefined) throw altered(this.#file.name, `its chunk ${index}`);
    this.#keep(index, chunk);
    return chunk;
  }

  #keep(index: number, chunk: Uint8Array): void {
    if (this.#kept.size >= KEPT_CHUNKS) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#kept.set(index, chunk);
  }

  #sealed(index: number): Uint8Array {
    const at = index * SEALED_CHUNK_BYTES;
    const length = Math.min(SEALED_CHUNK_BYTES, this.#sizeBytes - at);
    return this.#file.source.read(this.#start + at, length);
  }

  /** @returns Undefined when the chunk is not authentic in this place. */
  #open(index: number, place: "last" | "before-last"): Uint8Array | undefined {
    const sealed = this.#sealed(index);
    if (sealed.length < AGE_TAG_BYTES) return undefined;
    const nonce = ageChunkNonce(index, place);
    const decipher = createDecipheriv("chacha20-poly1305", this.#key, nonce, CHACHA);
    decipher.setAuthTag(sealed.subarray(-AGE_TAG_BYTES));
    const chunk = decipher.update(sealed.subarray(0, -AGE_TAG_BYTES));
    try {
      decipher.final();
      return chunk;
    } catch {
      return undefined;
    }
  }

  /** Looks at the end of a chunk that is not authentic, only to say what is wrong with it. */
  #endsAsRecording(index: number, sealed: Uint8Array): boolean {
    if (sealed.length < AGE_TAG_BYTES + RECORDING_END.length) return false;
    const nonce = ageChunkNonce(index, "last");
    const decipher = createDecipheriv("chacha20-poly1305", this.#key, nonce, CHACHA);
    const end = decipher.update(sealed.subarray(0, -AGE_TAG_BYTES)).subarray(-RECORDING_END.length);
    return RECORDING_END.every((byte, at) => end[at] === byte);
  }
}

/** The error for a file whose bytes are not those that were written. */
export function altered(name: string, what: string, cause?: unknown): FlightError {
  return new FlightError(
    "FLIGHT_ALTERED",
    `${name} was altered after it was encrypted: ${what}`,
    "Fetch the file again from where it was made; what is in it cannot be trusted.",
    cause === undefined ? {} : { cause },
  );
}

/** The error for a file whose end is missing. */
export function cut(name: string, what: string): FlightError {
  return new FlightError(
    "FLIGHT_CUT",
    `the end of ${name} is missing: ${what}`,
    "Fetch the file again from where it was made.",
  );
}
