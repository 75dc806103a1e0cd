/**
 * An open recording: answers questions about what is in the blocks, and decodes each when asked.
 *
 * Never throws for what a file contains; what is passed over is listed in `problems`.
 * Rules: docs/format.md, "Reading".
 */

import { BLOCK } from "../blocks/block-type.ts";
import { readEventRing } from "../blocks/event-ring.ts";
import type { EventRing } from "../blocks/event-ring.ts";
import { exceptionShape } from "../blocks/exception.ts";
import type { ExceptionRecord } from "../blocks/exception.ts";
import { readExtension } from "../blocks/extension.ts";
import type { Extension } from "../blocks/extension.ts";
import { frameShape } from "../blocks/frame.ts";
import type { FrameRecord } from "../blocks/frame.ts";
import { readMeta } from "../blocks/meta.ts";
import type { Meta } from "../blocks/meta.ts";
import { mutationShape } from "../blocks/mutation.ts";
import type { MutationRecord } from "../blocks/mutation.ts";
import { ObjectTable, readObjectTable } from "../blocks/object.ts";
import { readRecords } from "../blocks/record.ts";
import type { ReadPolicy, RecordShape } from "../blocks/record.ts";
import { sourceShape } from "../blocks/source.ts";
import type { SourceRecord } from "../blocks/source.ts";
import { tapeShape } from "../blocks/tape.ts";
import type { TapeRecord } from "../blocks/tape.ts";
import type { IdMap } from "../bytes/id.ts";
import { MsgpackCursor } from "../bytes/msgpack-cursor.ts";
import { Undecodable } from "../bytes/undecodable.ts";
import { MANIFEST_NAMESPACE, findMissingBlocks, readPlan } from "../extensions/manifest.ts";
import { SEAL_NAMESPACE } from "../extensions/seal.ts";
import type { Digest } from "../extensions/seal.ts";
import { findAliases } from "./aliases.ts";
import type { AliasPlace } from "./aliases.ts";
import type { BlockInfo, FoundBlocks } from "./find-blocks.ts";
import type { RecordingHeader } from "./header.ts";
import type { PayloadLoader, ReadContext } from "./payload-loader.ts";
import type { Problem } from "./problems.ts";
import { checkSeal } from "./check-seal.ts";
import type { SealState } from "./check-seal.ts";

/**
 * How whole a recording is:
 *
 * - `sealed`: closed properly, and all of it could be confirmed.
 * - `unsealed`: ends at the edge of a block, but was never closed: its writer may have been cut short.
 * - `partial`: ends inside a block, or in damage; what came before is here.
 * - `salvaged`: damaged in the middle; blocks behind the damage are here as well.
 */
export type RecordingStatus = "sealed" | "unsealed" | "partial" | "salvaged";

/** EXT blocks larger than this are not kept once they are decoded. */
const MAX_KEPT_EXTENSION_BYTES = 256 * 1024;
/** A manifest larger than this is not looked at when opening. */
const MAX_MANIFEST_BYTES = 64 * 1024;

/** Types whose blocks the typed queries decode. */
const DECODED: ReadonlySet<number> = new Set([
  BLOCK.META,
  BLOCK.SOURCE,
  BLOCK.EXCEPTION,
  BLOCK.FRAME,
  BLOCK.OBJECT,
  BLOCK.EVENT_RING,
  BLOCK.MUTATION,
  BLOCK.NONDET,
]);

/** An open recording. Made by `openRecording`; answers are remembered, so asking again is free. */
export class Recording {
  readonly header: RecordingHeader;
  /** Every block but INDEX, in file order. */
  readonly blocks: readonly BlockInfo[];
  /** Whether the blocks were found through the index. */
  readonly usedIndex: boolean;
  readonly #context: ReadContext;
  readonly #loader: PayloadLoader;
  readonly #found: FoundBlocks;
  readonly #answers = new Map<number, unknown>();
  readonly #extensions = new Map<BlockInfo, Extension>();
  /** Namespaces of the EXT blocks that were decoded; undefined when one could not be. */
  readonly #namespaces = new Map<BlockInfo, string | undefined>();
  #aliases: IdMap<readonly AliasPlace[]> | undefined;
  /** A block turned out to be damaged after the recording was opened. */
  #damagedLate = false;

  constructor(parts: {
    readonly header: RecordingHeader;
    readonly context: ReadContext;
    readonly loader: PayloadLoader;
    readonly found: FoundBlocks;
  }) {
    this.header = parts.header;
    this.blocks = parts.found.blocks;
    this.usedIndex = parts.found.usedIndex;
    this.#context = parts.context;
    this.#loader = parts.loader;
    this.#found = parts.found;
    this.#compareManifest();
  }

  /** See {@link RecordingStatus}. In a large file damage shows only when its block is asked for. */
  get status(): RecordingStatus {
    if (this.#found.salvaged || this.#damagedLate) return "salvaged";
    if (this.#found.partial) return "partial";
    return this.usedIndex ? "sealed" : "unsealed";
  }

  /** Whether anything in the file does not belong to a whole block. */
  get partial(): boolean {
    return this.#found.partial || this.#damagedLate;
  }

  /** What is wrong, in the order it was found; grows as blocks are decoded. */
  get problems(): readonly Problem[] {
    return this.#context.problems.list;
  }

  /** What was running; undefined when META is absent or makes no sense. */
  meta(): Meta | undefined {
    return this.#first(BLOCK.META, readMeta);
  }

  /** The chain of exceptions, the head first. */
  exceptions(): readonly ExceptionRecord[] {
    return this.#firstList(BLOCK.EXCEPTION, exceptionShape);
  }

  /** The stack; the frame that failed first. */
  frames(): readonly FrameRecord[] {
    return this.#firstList(BLOCK.FRAME, frameShape);
  }

  /** The object graph, by id. Large blocks take time here: everything is checked once. */
  objects(): ObjectTable {
    const read = (cursor: MsgpackCursor, policy: ReadPolicy, block: BlockInfo): ObjectTable => {
      const { table, findings } = readObjectTable(cursor, policy);
      const { problems } = this.#context;
      if (findings.duplicateIds > 0) {
        const message = `${findings.duplicateIds} nodes were replaced by later ones with their ids`;
        problems.add("duplicate-ids", message, block);
      }
      if (findings.danglingIds > 0) {
        const message = `${findings.danglingIds} edges lead to no node, e.g. to ${findings.danglingExample}`;
        problems.add("dangling-ids", message, block);
      }
      return table;
    };
    return this.#first(BLOCK.OBJECT, read) ?? ObjectTable.EMPTY;
  }

  /** Objects that several locals stand for, and which; scalars are left out. */
  aliases(): IdMap<readonly AliasPlace[]> {
    return (this.#aliases ??= findAliases(this.frames(), this.objects()));
  }

  /** The texts of all SOURCE blocks. */
  sources(): readonly SourceRecord[] {
    return this.#remember(BLOCK.SOURCE, () => {
      const sources: SourceRecord[] = [];
      for (const block of this.#blocksOf(BLOCK.SOURCE)) {
        for (const source of this.#decode(block, readSources) ?? []) sources.push(source);
      }
      return sources;
    });
  }

  /** The last events; undefined when there is no ring. */
  events(): EventRing | undefined {
    return this.#first(BLOCK.EVENT_RING, readEventRing);
  }

  /** The recorded writes, in order. */
  mutations(): readonly MutationRecord[] {
    return this.#firstList(BLOCK.MUTATION, mutationShape);
  }

  /** The tape, in order, with its metadata and control rows. */
  tape(): readonly TapeRecord[] {
    return this.#firstList(BLOCK.NONDET, tapeShape);
  }

  /** The EXT blocks, of one namespace if it is given, in file order. */
  extensions(namespace?: string): readonly Extension[] {
    const found: Extension[] = [];
    for (const block of this.#blocksOf(BLOCK.EXT)) {
      const isOther = this.#namespaces.has(block) && this.#namespaces.get(block) !== namespace;
      if (namespace !== undefined && isOther) continue;
      const extension = this.#extension(block);
      if (extension === undefined) continue;
      if (namespace === undefined || extension.ns === namespace) found.push(extension);
    }
    return found;
  }

  /** The decompressed bytes of any block; undefined when it is damaged. */
  payload(block: BlockInfo): Uint8Array | undefined {
    return this.#tryLoad(block);
  }

  /**
   * Decompresses and decodes everything, so that `problems` and `status` are final, and compares the
   * file with its seal. Costs O(file).
   *
   * @param options `digest`: a faster SHA-256.
   */
  verify(options: { readonly digest?: Digest } = {}): { readonly seal: SealState } {
    const seen = new Set<number>();
    let sealed: Extension | undefined;
    for (const block of this.blocks) {
      if (block.type === BLOCK.EXT) {
        const extension = this.#extension(block);
        if (extension?.ns === SEAL_NAMESPACE) sealed = extension;
      } else if (
        !DECODED.has(block.type) ||
        (block.type !== BLOCK.SOURCE && seen.has(block.type))
      ) {
        this.#tryLoad(block);
      }
      seen.add(block.type);
    }
    this.meta();
    this.exceptions();
    this.sources();
    this.events();
    this.mutations();
    this.tape();
    // Once more, now that the namespaces of all EXT blocks are known.
    this.#compareManifest();
    this.#findDanglingLocals();
    const seal = checkSeal(
      this.#context,
      this.#loader,
      { blocks: this.blocks, sealed },
      options.digest,
    );
    return { seal };
  }

  #findDanglingLocals(): void {
    const objects = this.objects();
    const locals = this.frames().flatMap((frame) => frame.locals);
    const dangling = locals.filter((local) => !objects.has(local.id));
    const [example] = dangling;
    if (example === undefined) return;
    const message = `${dangling.length} locals stand for no node, e.g. ${example.name}`;
    this.#context.problems.add("dangling-ids", message, { type: BLOCK.FRAME });
  }

  #compareManifest(): void {
    const second = this.blocks[1];
    if (second?.type !== BLOCK.EXT || second.compressedBytes > MAX_MANIFEST_BYTES) return;
    const extension = this.#extension(second);
    if (extension?.ns !== MANIFEST_NAMESPACE) return;
    const plan = readPlan(extension.data);
    if (plan === undefined) return;
    const found = this.blocks.map((block) => ({
      type: block.type,
      ns: this.#namespaces.get(block),
    }));
    const missing = findMissingBlocks(plan, found);
    for (const name of missing) {
      const message = `${name} was to be written, and is not there`;
      this.#context.problems.add("missing-block", message);
    }
  }

  #extension(block: BlockInfo): Extension | undefined {
    const known = this.#extensions.get(block);
    if (known !== undefined) return known;
    const { limits } = this.#context;
    const extension = this.#decode(block, (cursor) =>
      readExtension(cursor, { values: limits.extensionValues }),
    );
    this.#namespaces.set(block, extension?.ns);
    // Large ones are decoded again when they are asked for again, rather than kept for ever.
    const small = block.compressedBytes <= MAX_KEPT_EXTENSION_BYTES;
    if (extension !== undefined && small) this.#extensions.set(block, extension);
    return extension;
  }

  #blocksOf(type: number): BlockInfo[] {
    return this.blocks.filter((block) => block.type === type);
  }

  #firstList<T>(type: number, shape: RecordShape<T>): readonly T[] {
    return this.#first(type, (cursor, policy) => readRecords(cursor, shape, policy)) ?? [];
  }

  /** Decodes the first block of a type; when salvaging, the first that can be decoded. */
  #first<T>(
    type: number,
    read: (cursor: MsgpackCursor, policy: ReadPolicy, block: BlockInfo) => T,
  ): T | undefined {
    return this.#remember(type, () => {
      const blocks = this.#blocksOf(type);
      const [first, second] = blocks;
      if (first === undefined) return undefined;
      if (second !== undefined) {
        const message = `only the first of ${blocks.length} blocks of this type counts`;
        this.#context.problems.add("repeated-block", message, second);
      }
      for (const block of this.#context.salvage ? blocks : [first]) {
        const value = this.#decode(block, read);
        if (value !== undefined) return value;
      }
      return undefined;
    });
  }

  #remember<T>(type: number, answer: () => T): T {
    const known = this.#answers.get(type);
    if (known !== undefined) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each type has one caller.
      return (known as { value: T }).value;
    }
    const value = answer();
    this.#answers.set(type, { value });
    return value;
  }

  #decode<T>(
    block: BlockInfo,
    read: (cursor: MsgpackCursor, policy: ReadPolicy, block: BlockInfo) => T,
  ): T | undefined {
    const payload = this.#tryLoad(block);
    if (payload === undefined) return undefined;
    const { limits, problems, salvage } = this.#context;
    const depth = block.type === BLOCK.EXT ? limits.extensionDepth : limits.recordDepth;
    const cursor = new MsgpackCursor(payload, depth);
    const policy: ReadPolicy = { lenient: salvage, recordsLeft: limits.records, skipped: 0 };
    try {
      const value = read(cursor, policy, block);
      if (policy.skipped > 0) {
        const message = `${policy.skipped} records make no sense and were left out`;
        problems.add("skipped-records", message, block);
        // A list of which nothing is left is no better than a block that does not decode.
        if (Array.isArray(value) && value.length === 0) return undefined;
      } else if (cursor.left > 0 && block.type !== BLOCK.META) {
        problems.add("trailing-bytes", `${cursor.left} bytes follow the value`, block);
      }
      return value;
    } catch (error) {
      this.#noteFailure(error, block);
      return undefined;
    }
  }

  #tryLoad(block: BlockInfo): Uint8Array | undefined {
    try {
      return this.#loader.load(block);
    } catch (error) {
      if (error instanceof Undecodable && error.kind !== "limit") this.#damagedLate = true;
      this.#noteFailure(error, block);
      return undefined;
    }
  }

  #noteFailure(error: unknown, block: BlockInfo): void {
    const { problems } = this.#context;
    if (error instanceof Undecodable) problems.addFailure(error, block);
    else if (error instanceof RangeError) problems.add("limit", error.message, block);
    else throw error;
  }
}

function readSources(cursor: MsgpackCursor, policy: ReadPolicy): SourceRecord[] {
  return readRecords(cursor, sourceShape, policy);
}
