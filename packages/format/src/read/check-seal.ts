/**
 * Compares a file with its seal.
 *
 * Layout: docs/format.md, "node.seal".
 */

import { blockName } from "../blocks/block-type.ts";
import type { Extension } from "../blocks/extension.ts";
import { Undecodable } from "../bytes/undecodable.ts";
import { sha256 } from "../digest/sha256.ts";
import { SealBuilder, readSeal } from "../extensions/seal.ts";
import type { Digest, SealClaim } from "../extensions/seal.ts";
import type { BlockInfo } from "./find-blocks.ts";
import type { PayloadLoader, ReadContext } from "./payload-loader.ts";

/** `invalid`: the file is not what was sealed, or this reader does not understand the seal. */
export type SealState = "absent" | "valid" | "invalid";

/** Compares; what differs becomes a problem. */
export function checkSeal(
  context: ReadContext,
  loader: PayloadLoader,
  { blocks, sealed }: { blocks: readonly BlockInfo[]; sealed: Extension | undefined },
  digest: Digest = { sha256 },
): SealState {
  if (sealed === undefined) return "absent";
  const claim = sealed.version === 1 ? readSeal(sealed.data) : undefined;
  if (claim === undefined) {
    const message = `the seal (version ${sealed.version}) cannot be understood`;
    context.problems.add("seal-mismatch", message);
    return "invalid";
  }
  return compare(context, loader, { blocks, claim, digest }) ? "valid" : "invalid";
}

function compare(
  context: ReadContext,
  loader: PayloadLoader,
  { blocks, claim, digest }: { blocks: readonly BlockInfo[]; claim: SealClaim; digest: Digest },
): boolean {
  const { problems, source, bodyStart } = context;
  const byOffset = new Map(blocks.map((block) => [block.offset, block]));
  const builder = new SealBuilder(source.read(0, bodyStart), digest);
  let valid = true;
  for (const { type, offset, hash } of claim.blocks) {
    const block = byOffset.get(offset);
    const actual = block?.type === type ? addBlock(builder, loader, block) : undefined;
    if (actual === undefined || !equal(actual, hash)) {
      const what = actual === undefined ? "is not there" : "was altered";
      problems.add("seal-mismatch", `${blockName(type)} ${what} since the file was sealed`, {
        type,
        offset,
      });
      valid = false;
    }
  }
  // The seal itself is the last block: it cannot cover itself, but everything else it must.
  if (blocks.length !== claim.blocks.length + 1) {
    problems.add("seal-mismatch", "the seal does not cover exactly the blocks before it");
    valid = false;
  } else if (valid && !equal(builder.data().chain, claim.chain)) {
    problems.add("seal-mismatch", "the header was altered since the file was sealed");
    valid = false;
  }
  return valid;
}

function addBlock(
  builder: SealBuilder,
  loader: PayloadLoader,
  block: BlockInfo,
): Uint8Array | undefined {
  try {
    const { type, offset } = block;
    return builder.add({ type, offset, payload: loader.loadRaw(block) });
  } catch (error) {
    if (error instanceof Undecodable) return undefined;
    throw error;
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
