/**
 * How much a recording may make a reader do. Hostile files are ordinary input.
 *
 * A limit that is hit is an entry of `problems`, and the block counts as absent.
 */

/** Limits of a reader; all may be changed when opening a recording. */
export interface Limits {
  /** Decompressed bytes of one block. */
  readonly blockBytes: number;
  /** Decompressed bytes of all blocks together, each counted once. */
  readonly fileBytes: number;
  /** Window that a frame may ask for. */
  readonly windowBytes: number;
  /** Size of the header's map. */
  readonly headerBytes: number;
  /** How many blocks a file may have. */
  readonly blocks: number;
  /** How many records, with their parts, one block may hold. */
  readonly records: number;
  /** How many values one EXT block may hold. */
  readonly extensionValues: number;
  /** How deep the values of records may be nested. */
  readonly recordDepth: number;
  /** How deep the values of EXT blocks may be nested. */
  readonly extensionDepth: number;
  /** How many problems are listed. */
  readonly problems: number;
  /** Files up to this size are decompressed once when they are opened, to find damage. */
  readonly verifyOnOpenBytes: number;
}

const MIB = 1024 * 1024;

/** The limits of a reader that is not told others. */
export const DEFAULT_LIMITS: Limits = {
  blockBytes: 512 * MIB,
  fileBytes: 2048 * MIB,
  windowBytes: 128 * MIB,
  headerBytes: 16 * MIB,
  blocks: 1_000_000,
  records: 50_000_000,
  extensionValues: 5_000_000,
  recordDepth: 64,
  extensionDepth: 256,
  problems: 1000,
  verifyOnOpenBytes: 4 * MIB,
};
