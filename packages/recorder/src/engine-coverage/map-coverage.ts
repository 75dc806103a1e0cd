/**
 * Maps what the engine counted in a text with probes back to the text without them.
 *
 * The engine gives each function a tree of ranges with counts. Ranges of probes vanish, the others
 * get original offsets, and the tree is brought into the form in which the engine gives it: no range
 * counts what its parent counts, and neighbours that count the same are one.
 */
import { lastAtMost, type PositionData, type SiteTable } from "@orangebox/instrument/sites";

/** A range of the engine: UTF-16 offsets, the end excluded. */
export interface CoverageRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** A function of the engine; its first range is the whole function. */
export interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly CoverageRange[];
  readonly isBlockCoverage: boolean;
}

/** Names that the engine took from an assignment of a probe. */
const PROBE_NAME = /^\$o|^__ob[RHF]$/;

/** What is known of a script before it got probes. */
export interface OriginalScript {
  readonly text: string;
  readonly sites: SiteTable;
  readonly positions: PositionData;
  /** Units that Node adds behind the text of the file. */
  readonly addedLength: number;
}

/** Maps all functions of one script, in their order. */
export function mapFunctions(
  functions: readonly FunctionCoverage[],
  script: OriginalScript,
): FunctionCoverage[] {
  const { positions } = script;
  const textLength = script.text.length + script.addedLength;
  const mapped: FunctionCoverage[] = [];
  for (const [index, given] of functions.entries()) {
    const [root, ...inner] = given.ranges;
    if (root === undefined) continue;
    const whole = mapRange(root, positions);
    const isScript = index === 0 && root.startOffset === 0;
    const outer = isScript ? { ...whole, startOffset: 0, endOffset: textLength } : whole;
    // Functions that are probes have no text in the original.
    if (!isScript && outer.startOffset >= outer.endOffset) continue;
    if (isOnlyOurBlock(given.functionName, outer, script)) continue;
    mapped.push({
      functionName: PROBE_NAME.test(given.functionName) ? "" : given.functionName,
      ranges: normalize(
        outer,
        inner
          .map((range) => withoutTail(mapRange(range, positions), script))
          .filter((range) => !isBehindLast(range, script)),
      ),
      isBlockCoverage: given.isBlockCoverage,
    });
  }
  return mapped;
}

/** A class with private fields gets a static block of ours; older engines give it the whole class. */
function isOnlyOurBlock(name: string, range: CoverageRange, { text }: OriginalScript): boolean {
  if (name !== "<static_initializer>") return false;
  return !/\bstatic\b/.test(text.slice(range.startOffset, range.endOffset));
}

function mapRange({ startOffset, endOffset, count }: CoverageRange, positions: PositionData) {
  return {
    startOffset: originalOffset(positions, startOffset),
    endOffset: originalOffset(positions, endOffset),
    count,
  };
}

/** Where a unit of the text with probes stands in the original; inserted text, where it was put. */
function originalOffset({ generated, original, map }: PositionData, offset: number): number {
  const between = translate(generated, original, offset);
  return map === undefined ? between : translate(map.compiled, map.original, between);
}

function translate(from: Uint32Array, to: Uint32Array, offset: number): number {
  const run = lastAtMost(from, offset);
  const translated = (to[run] ?? 0) + Math.max(0, offset - (from[run] ?? 0));
  const next = to[run + 1];
  return next !== undefined && next >= (to[run] ?? 0) ? Math.min(translated, next) : translated;
}

/**
 * Whether a range counts what comes behind the last statement of a block, where nothing does.
 *
 * The engine leaves such ranges out; behind a probe at the end of the block it does not. It has them
 * behind a loop over an iterator, which is no statement of its own to it.
 */
function isBehindLast({ startOffset, endOffset }: CoverageRange, script: OriginalScript): boolean {
  const { text, sites } = script;
  const before = text[startOffset - 1];
  if (before !== ";" && before !== "}") return false;
  if (!/^[\s;]*\}?$/.test(text.slice(startOffset, endOffset))) return false;
  for (let k = 0; k < sites.ends.length; k++) {
    if (sites.ends[k] !== startOffset) continue;
    const statement = text.slice(sites.starts[k], startOffset);
    if (/^(?:[\w$]+\s*:\s*)*for\b[^;{]*?\bof\b/.test(statement)) return false;
  }
  return true;
}

/** The same where the range of a last statement was made one with what is behind it. */
function withoutTail(range: CoverageRange, script: OriginalScript): CoverageRange {
  const { startOffset, endOffset } = range;
  const text = script.text.slice(startOffset, endOffset);
  const tail = /(?<=[;}])\s*\}$/.exec(text);
  if (tail === null || tail.index === 0 || !endsOuterBlock(text)) return range;
  const end = startOffset + tail.index;
  const isSpurious = isBehindLast({ ...range, startOffset: end }, script);
  return isSpurious ? { ...range, endOffset: end } : range;
}

/** Whether the last brace closes a block that began before the text. */
function endsOuterBlock(text: string): boolean {
  let depth = 0;
  for (const unit of text) {
    if (unit === "{") depth++;
    else if (unit === "}") depth--;
  }
  return depth < 0;
}

interface Node extends CoverageRange {
  readonly children: Node[];
}

/**
 * Brings mapped ranges of one function into the engine's form, by the engine's steps: neighbours in
 * the list that count the same become one, then a range that counts what its parent counts goes.
 */
function normalize(whole: CoverageRange, inner: readonly CoverageRange[]): CoverageRange[] {
  const sorted = inner
    .filter(({ startOffset, endOffset }) => startOffset < endOffset)
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const merged: CoverageRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && isSame(last, range)) merged.pop();
    const before = merged.at(-1);
    if (before?.endOffset === range.startOffset && before.count === range.count) {
      merged[merged.length - 1] = { ...before, endOffset: range.endOffset };
    } else merged.push(range);
  }
  const root: Node = { ...whole, children: [] };
  const open: Node[] = [root];
  for (const range of merged) {
    while (open.length > 1 && (open.at(-1)?.endOffset ?? 0) <= range.startOffset) open.pop();
    const parent = open.at(-1) ?? root;
    const endOffset = Math.min(range.endOffset, parent.endOffset);
    if (range.startOffset >= endOffset) continue;
    const node: Node = { ...range, endOffset, children: [] };
    // What is inside of it is looked at as if it were the parent's.
    if (node.count !== parent.count && !(node.count === 0 && parent.count === 0)) {
      parent.children.push(node);
      open.push(node);
    }
  }
  return flatten(root);
}

/** The inner one of two equal ranges is the more exact. */
function isSame(one: CoverageRange, other: CoverageRange): boolean {
  return one.startOffset === other.startOffset && one.endOffset === other.endOffset;
}

function flatten({ startOffset, endOffset, count, children }: Node): CoverageRange[] {
  return [{ startOffset, endOffset, count }, ...children.flatMap(flatten)];
}
