/**
 * Writes a box to disk, block by block, in a process that may be dying.
 *
 * Synchronous, never throws, leaves no temporary file behind. Order of the blocks: docs/format.md,
 * "Writing rules". What happens when the disk fails is in failover-sink.ts.
 */
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BLOCK, type Codec, type RecordingSink, RecordingWriter } from "@orangebox/format";
import { type BoxContents, type PlannedBlock, planBlocks } from "./box-contents.ts";
import { type BoxIo, diskIo } from "./box-io.ts";
import { EncryptingSink } from "./encrypting-sink.ts";
import { type BoxPlace, FailoverSink } from "./failover-sink.ts";
import { nodeCodec, nodeDigest } from "./node-codec.ts";

/** Where a box goes. */
export interface BoxTarget {
  /**
   * The exact file. Without it the name is `<prefix>-<pid>-<ms>.flight` in `dir`, and `.age` behind
   * it when the box is encrypted.
   */
  readonly path?: string | undefined;
  /** Whether a file that is there may be replaced, by the last rename. Default: no, add a number. */
  readonly overwrite?: boolean;
  readonly dir: string;
  readonly pid: number;
  /** `flight`, `flight-scope`, `flight-killed` or `flight-run`. */
  readonly prefix: string;
  /** The moment in the name. Default: when the box was made. */
  readonly nameUnixMs?: number;
  /** Tried when `dir` fails. Default: the folder `orangebox` in the system's temporary folder. */
  readonly fallbackDir?: string;
  /** Public keys that the box is encrypted to; when that fails there is no box. Default: none. */
  readonly encryptTo?: readonly string[];
  /** A word in the readable header of an encrypted box, by which it is found again. */
  readonly token?: string;
  /** Whether no file is better than one that is cut short. */
  readonly isWholeOnly?: boolean;
}

/** What a box is written with; each has the obvious default. */
export interface BoxTools {
  readonly io?: BoxIo;
  readonly codec?: Codec;
}

/**
 * What became of a box.
 *
 * With a path and a problem there is a file, but not the one that was asked for, or not all of it:
 * the problem is one line that says which.
 */
export type BoxResult =
  | {
      readonly path: string;
      readonly whole: boolean;
      readonly problem?: string;
      /** The disk took only the beginning. */
      readonly isCut?: true;
    }
  | { readonly path?: undefined; readonly problem: string };

/** Writes a box. Never throws. */
export function writeBox(box: BoxContents, target: BoxTarget, tools: BoxTools = {}): BoxResult {
  const sink = new FailoverSink(placesOf(box, target), target.pid, tools.io ?? diskIo);
  const skipped: string[] = [];
  try {
    const recipients = target.encryptTo ?? [];
    const encrypting =
      recipients.length === 0
        ? undefined
        : new EncryptingSink(sink, {
            recipients,
            flightVersion: box.flightVersion,
            token: target.token,
          });
    const writer = openWriter(box, encrypting ?? sink, tools.codec ?? nodeCodec());
    writeBlocks(box, { writer, skipped, hasFailed: () => sink.failed });
    encrypting?.end();
    return result(sink.finish(), sink, skipped);
  } catch (error) {
    if (!sink.failed) {
      sink.reasons.push(messageOf(error));
      sink.abandon();
    }
    const path = target.isWholeOnly === true ? sink.dropPartial() : sink.keepPartial();
    const problem = sink.reasons.join("; ") || "unknown error";
    if (path === undefined) return { problem: `no box was written: ${problem}` };
    return { path, whole: false, problem: `the box is cut short: ${problem}`, isCut: true };
  }
}

/** Gives the name of a box without a path of its own. */
function boxName({ prefix, pid, encryptTo = [] }: BoxTarget, unixMs: number): string {
  return `${prefix}-${pid}-${unixMs}.flight${encryptTo.length === 0 ? "" : ".age"}`;
}

/** Gives the folder that is tried when the wanted one fails. */
function defaultFallbackDir(): string {
  return join(tmpdir(), `orangebox-${process.getuid?.() ?? "user"}`);
}

function placesOf(box: BoxContents, target: BoxTarget): BoxPlace[] {
  const name = boxName(target, target.nameUnixMs ?? box.createdUnixMs);
  const fallback = {
    path: join(target.fallbackDir ?? defaultFallbackDir(), name),
    overwrite: false,
  };
  const wanted = { path: resolve(target.dir, target.path ?? name), overwrite: false };
  if (target.path !== undefined) wanted.overwrite = target.overwrite === true;
  return [wanted, fallback];
}

function openWriter(box: BoxContents, sink: RecordingSink, codec: Codec): RecordingWriter {
  const { flightVersion, createdUnixMs } = box;
  return new RecordingWriter(sink, { flightVersion, createdUnixMs, codec, digest: nodeDigest() });
}

interface Writing {
  readonly writer: RecordingWriter;
  /** Gets a line for each block that could not be encoded. */
  readonly skipped: string[];
  /** Whether no place is left to write to. */
  readonly hasFailed: () => boolean;
}

function writeBlocks(box: BoxContents, { writer, skipped, hasFailed }: Writing): void {
  const plan = planBlocks(box);
  const attempt = (name: string, write: () => void): void => {
    try {
      write();
    } catch (error) {
      if (hasFailed()) throw error;
      // One block that cannot be encoded must not cost the others.
      skipped.push(`${name} is missing: ${messageOf(error)}`);
    }
  };
  attempt("META", () => writer.meta(box.meta));
  attempt("node.manifest", () => writer.manifest(plannedTypes(plan), box.manifest));
  for (const block of plan) {
    attempt(block.type === "EXT" ? block.ns : block.type, () => writeBlock(writer, block, box));
  }
  attempt("node.seal", () => writer.seal());
  writer.close();
}

function writeBlock(writer: RecordingWriter, block: PlannedBlock, box: BoxContents): void {
  switch (block.type) {
    case "EXCEPTION":
      return writer.exceptions(box.exceptions ?? []);
    case "FRAME":
      return writer.frames(box.frames ?? []);
    case "OBJECT":
      return writer.objects(box.objects ?? []);
    case "MUTATION":
      return writer.mutations(box.mutations ?? []);
    case "NONDET":
      return writer.tape(box.tape ?? []);
    case "SOURCE":
      return writer.source(block.source);
    case "EVENT_RING":
      return writer.events(box.events ?? { codes: [], events: [], wrapped: false });
    case "EXT":
      return writer.extension(block.ns, block.version, block.data, block.annotates);
  }
}

function plannedTypes(plan: readonly PlannedBlock[]): { type: number; ns?: string }[] {
  const types = plan.map((block) =>
    block.type === "EXT" ? { type: BLOCK.EXT, ns: block.ns } : { type: BLOCK[block.type] },
  );
  const front = [{ type: BLOCK.META }, { type: BLOCK.EXT, ns: "node.manifest" }];
  return [...front, ...types, { type: BLOCK.EXT, ns: "node.seal" }];
}

function result(path: string, sink: FailoverSink, skipped: readonly string[]): BoxResult {
  const lines = [...skipped];
  if (sink.reasons.length > 0) lines.unshift(`written to ${path}: ${sink.reasons.join("; ")}`);
  const whole = skipped.length === 0;
  return lines.length === 0 ? { path, whole } : { path, whole, problem: lines.join("; ") };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
