/**
 * Writes a recording from front to back: header, blocks in the order of the calls, index, trailer.
 *
 * Nothing is ever patched backwards, so whatever has reached the sink is a legal recording at any
 * moment. Naming, creating and renaming files is left to the caller.
 * Rules: docs/format.md, "Writing".
 */

import { BLOCK, blockName } from "../blocks/block-type.ts";
import { writeEventRing } from "../blocks/event-ring.ts";
import type { EventRingInput } from "../blocks/event-ring.ts";
import { writeException } from "../blocks/exception.ts";
import type { ExceptionRecord } from "../blocks/exception.ts";
import { writeExtension } from "../blocks/extension.ts";
import { writeFrame } from "../blocks/frame.ts";
import type { FrameRecord } from "../blocks/frame.ts";
import { writeIndexEntry } from "../blocks/index-block.ts";
import type { IndexEntry } from "../blocks/index-block.ts";
import { writeMeta } from "../blocks/meta.ts";
import type { Meta } from "../blocks/meta.ts";
import { writeMutation } from "../blocks/mutation.ts";
import type { MutationRecord } from "../blocks/mutation.ts";
import { writeObject } from "../blocks/object.ts";
import type { ObjectNode } from "../blocks/object.ts";
import { writeSource } from "../blocks/source.ts";
import type { SourceRecord } from "../blocks/source.ts";
import { writeTapeRow } from "../blocks/tape.ts";
import type { TapeRecord } from "../blocks/tape.ts";
import { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../codec.ts";
import { sha1Hex } from "../digest/sha1.ts";
import { sha256 } from "../digest/sha256.ts";
import { FlightError } from "../errors.ts";
import { MANIFEST_NAMESPACE, manifestData } from "../extensions/manifest.ts";
import type { PlannedBlock } from "../extensions/manifest.ts";
import { SEAL_NAMESPACE, SealBuilder } from "../extensions/seal.ts";
import type { Digest } from "../extensions/seal.ts";
import { storedFrame } from "../zstd/stored-frame.ts";
import { encodeHeader } from "./header.ts";

/** Where the bytes go. Both functions may throw; the writer then is broken for good. */
export interface RecordingSink {
  /** Takes bytes that follow all earlier ones. Must not keep the array: its memory is used again. */
  write(bytes: Uint8Array): void;
  /** Called after each block. */
  flush?(): void;
}

/** Options of a {@link RecordingWriter}. */
export interface WriterOptions {
  /** Version of the recorder, for the header and META. */
  readonly flightVersion: string;
  /** Wall clock at the start of the recording; 0 when unusable. */
  readonly createdUnixMs: number;
  /** Compresses payloads; without one they are stored. */
  readonly codec?: Codec;
  /** A faster SHA-256, for the seal. */
  readonly digest?: Digest;
  /** Set to false to save the hashing when {@link RecordingWriter.seal} will not be called. */
  readonly sealable?: boolean;
}

/** A {@link Meta} to be written: the version and the extra keys may be left out. */
export type MetaInput = Omit<Meta, "extra" | "flightVersion"> &
  Partial<Pick<Meta, "extra" | "flightVersion">>;

/** A {@link SourceRecord} to be written: the hash may be left out. */
export type SourceInput = Omit<SourceRecord, "sha1"> & Partial<Pick<SourceRecord, "sha1">>;

const MAX_PAYLOAD = 0xffff_ffff;
/** Heads are joined to payloads up to this size, to save a call of the sink. */
const JOIN_BYTES = 64 * 1024;
/** Room in front of a list for the largest head, when the count is known only afterwards. */
const LIST_GAP = 5;
const TRAILER_MAGIC = Uint8Array.of(0x54, 0x4c, 0x47, 0x46);

/** Blocks of which readers look at the first only. */
const ONCE: ReadonlySet<number> = new Set([
  BLOCK.META,
  BLOCK.EXCEPTION,
  BLOCK.FRAME,
  BLOCK.OBJECT,
  BLOCK.EVENT_RING,
  BLOCK.MUTATION,
  BLOCK.NONDET,
]);

/**
 * Writes one recording.
 *
 * Every method writes one block at once. Empty lists are written like others: to follow the habit
 * of leaving such blocks out, do not call the method.
 *
 * All methods throw `FlightError` `FLIGHT_WRITE` when the sink fails, `FLIGHT_BLOCK_TOO_LARGE` for a
 * block of 4 GiB or more (nothing of it is written), and `TypeError` for calls out of order.
 */
export class RecordingWriter {
  readonly #sink: RecordingSink;
  readonly #options: WriterOptions;
  readonly #index: IndexEntry[] = [];
  readonly #written = new Set<number>();
  readonly #seal: SealBuilder | undefined;
  readonly #buffer = new ByteWriter(64 * 1024);
  #offset = 0;
  #state: "open" | "sealed" | "closed" | "broken" = "open";

  /** Writes the header at once. */
  constructor(sink: RecordingSink, options: WriterOptions) {
    this.#sink = sink;
    this.#options = options;
    const header = encodeHeader(options);
    if (options.sealable !== false) {
      this.#seal = new SealBuilder(header, options.digest ?? { sha256 });
    }
    this.#send(header);
    this.#flush();
  }

  /** How many bytes have been handed to the sink. */
  get bytesWritten(): number {
    return this.#offset;
  }

  /** Writes META; should be the first block. */
  meta(meta: MetaInput): void {
    const { flightVersion } = this.#options;
    const whole = { flightVersion, extra: {}, ...meta };
    this.#block(BLOCK.META, (out) => writeMeta(out, whole));
  }

  /**
   * Writes EXT `node.manifest`; must be the second block to be of use.
   *
   * @param planned The blocks that the file will hold in the end, in order, META and this included.
   * @param data Further keys: `reason`, `startedUnixMs`, `bootId`, `clock`.
   */
  manifest(planned: readonly PlannedBlock[], data: Readonly<Record<string, unknown>> = {}): void {
    this.extension(MANIFEST_NAMESPACE, 1, manifestData(planned, data));
  }

  /** Writes EXCEPTION, the head first. */
  exceptions(rows: Iterable<ExceptionRecord>): void {
    this.#list(BLOCK.EXCEPTION, rows, writeException);
  }

  /** Writes FRAME, the frame that failed first. */
  frames(rows: Iterable<FrameRecord>): void {
    this.#list(BLOCK.FRAME, rows, writeFrame);
  }

  /** Writes OBJECT. */
  objects(nodes: Iterable<ObjectNode>): void {
    this.#list(BLOCK.OBJECT, nodes, writeObject);
  }

  /** Writes one SOURCE block; works out the SHA-1 when it is not given. */
  source(source: SourceInput): void {
    const whole = { ...source, sha1: source.sha1 ?? sha1Hex(source.text) };
    this.#list(BLOCK.SOURCE, [whole], writeSource);
  }

  /** Writes EVENT_RING, the oldest event first. */
  events(ring: EventRingInput): void {
    this.#block(BLOCK.EVENT_RING, (out) => writeEventRing(out, ring));
  }

  /** Writes MUTATION. */
  mutations(rows: Iterable<MutationRecord>): void {
    this.#list(BLOCK.MUTATION, rows, writeMutation);
  }

  /** Writes NONDET. */
  tape(rows: Iterable<TapeRecord>): void {
    this.#list(BLOCK.NONDET, rows, writeTapeRow);
  }

  /**
   * Writes an EXT block; should follow the block it annotates.
   *
   * @param data Anything that `encodeMsgpack` takes; maps with string keys throughout.
   * @param annotates Names of the blocks it speaks of, as `FRAME`.
   */
  extension(ns: string, version: number, data: unknown, annotates?: readonly string[]): void {
    this.#block(BLOCK.EXT, (out) => writeExtension(out, { ns, version, data, annotates }));
  }

  /** Writes a block whose payload is encoded already, of any type but INDEX. */
  rawBlock(type: number, payload: Uint8Array): void {
    if (!Number.isInteger(type) || type < 0 || type > 0xff || type === BLOCK.INDEX) {
      throw new TypeError(`${type} cannot be the type of a block`);
    }
    this.#assertOpen();
    this.#payload(type, payload);
  }

  /** Writes EXT `node.seal` over everything before it; only {@link close} may follow. */
  seal(): void {
    if (this.#seal === undefined) throw new TypeError("the writer was opened with sealable: false");
    this.extension(SEAL_NAMESPACE, 1, this.#seal.data());
    this.#state = "sealed";
  }

  /** Writes the index and the trailer. The sink itself is not closed. */
  close(): void {
    if (this.#state !== "sealed") this.#assertOpen();
    const out = this.#buffer;
    out.reset();
    out.arrayHead(this.#index.length);
    for (const entry of this.#index) writeIndexEntry(out, entry);
    const frame = this.#compress(out.written());
    const totalBytes = 5 + frame.length;
    this.#send(blockBytes(BLOCK.INDEX, frame));
    const trailer = new Uint8Array(8);
    new DataView(trailer.buffer).setUint32(0, totalBytes, true);
    trailer.set(TRAILER_MAGIC, 4);
    this.#send(trailer);
    this.#flush();
    this.#state = "closed";
  }

  #list<T>(type: number, rows: Iterable<T>, write: (out: ByteWriter, row: T) => void): void {
    this.#prepare(type);
    const out = this.#buffer;
    out.reset(LIST_GAP);
    let count = 0;
    for (const row of rows) {
      write(out, row);
      count++;
    }
    const head = new ByteWriter(8);
    head.arrayHead(count);
    const from = LIST_GAP - head.length;
    const payload = out.written(from);
    payload.set(head.written());
    this.#payload(type, payload);
  }

  #block(type: number, write: (out: ByteWriter) => void): void {
    this.#prepare(type);
    this.#buffer.reset();
    write(this.#buffer);
    this.#payload(type, this.#buffer.written());
  }

  #prepare(type: number): void {
    this.#assertOpen();
    if (ONCE.has(type) && this.#written.has(type)) {
      throw new TypeError(`${blockName(type)} was written already; readers look at the first only`);
    }
  }

  #payload(type: number, payload: Uint8Array): void {
    const frame = this.#compress(payload);
    const payloadBytes = frame.length;
    if (payloadBytes > MAX_PAYLOAD) {
      throw new FlightError(
        "FLIGHT_BLOCK_TOO_LARGE",
        `block ${blockName(type)} has ${payloadBytes} bytes; the format allows ${MAX_PAYLOAD}`,
        "Record less, or split the recording into several files.",
      );
    }
    const offset = this.#offset;
    if (payloadBytes <= JOIN_BYTES) {
      this.#send(blockBytes(type, frame));
    } else {
      this.#send(blockHead(type, payloadBytes));
      this.#send(frame);
    }
    this.#flush();
    this.#index.push({ type, offset, payloadBytes });
    this.#written.add(type);
    this.#seal?.add({ type, offset, payload: frame });
  }

  #compress(payload: Uint8Array): Uint8Array {
    const { codec } = this.#options;
    try {
      return codec?.compress?.(payload) ?? storedFrame(payload);
    } catch {
      // A block that takes more room is better than no block, above all while a program is dying.
      return storedFrame(payload);
    }
  }

  #send(bytes: Uint8Array): void {
    try {
      this.#sink.write(bytes);
    } catch (error) {
      throw this.#broken(error);
    }
    this.#offset += bytes.length;
  }

  #flush(): void {
    try {
      this.#sink.flush?.();
    } catch (error) {
      throw this.#broken(error);
    }
  }

  #broken(cause: unknown): FlightError {
    this.#state = "broken";
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new FlightError(
      "FLIGHT_WRITE",
      `writing the recording failed at byte ${this.#offset}: ${reason}`,
      "Check that the disk has room and the folder can be written. What was written can be opened.",
      { cause },
    );
  }

  #assertOpen(): void {
    if (this.#state !== "open") throw new TypeError(`the recording is ${this.#state}`);
  }
}

function blockHead(type: number, payloadBytes: number): Uint8Array {
  const head = new Uint8Array(5);
  head[0] = type;
  new DataView(head.buffer).setUint32(1, payloadBytes, true);
  return head;
}

function blockBytes(type: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(5 + payload.length);
  bytes.set(blockHead(type, payload.length));
  bytes.set(payload, 5);
  return bytes;
}
