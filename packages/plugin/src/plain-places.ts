/**
 * Writes down where text was inserted into a file, short enough to stand in the file itself.
 *
 * The stub reads it when the file runs without a recorder: `String(fn)` and stack traces are then
 * those of the file without probes. Lines and columns are those of the file as long as its head
 * was not there (`__obR` in place of the stub). Numbers are in the digits of source maps.
 */
import { digits, type Insertions, unsignedDigits } from "./source-map.ts";

const MARKER = /\/\*__ob:0x([0-9a-f]{8})\*\//g;
/** The engine counts lines by these as well. */
const OTHER_LINE_ENDS = /\r(?!\n)|[\u2028\u2029]/;

/**
 * Describes the insertions in `code`.
 *
 * By line, parted by `;`, numbers in turn: units that are the file's, units that were inserted. Then,
 * behind a line break, three numbers for each marker of a function: its id and line, as differences to
 * those of the one before, and its column.
 *
 * @returns Undefined when the insertions alone do not lead back to `text`.
 */
export function describePlaces(
  text: string,
  code: string,
  { generated, original }: Pick<Insertions, "generated" | "original">,
): string | undefined {
  if (OTHER_LINE_ENDS.test(text)) return undefined;
  const lines: number[][] = [[]];
  let plain = "";
  addTo(lines, INSERTED, generated[0] ?? 0);
  for (let run = 0; run < generated.length; run++) {
    const from = generated[run] ?? 0;
    const length = (original[run + 1] ?? text.length) - (original[run] ?? 0);
    const own = code.slice(from, from + length);
    plain += own;
    for (const [index, piece] of own.split("\n").entries()) {
      if (index > 0) lines.push([]);
      addTo(lines, COPIED, piece.length);
    }
    addTo(lines, INSERTED, (generated[run + 1] ?? code.length) - from - length);
  }
  if (plain !== text) return undefined;
  // A line without insertions needs no numbers.
  const texts = lines.map((line) => (line.length > 1 ? line.map(unsignedDigits).join("") : ""));
  return `${texts.join(";")}\n${describeMarkers(code)}`;
}

const COPIED = 0;
const INSERTED = 1;

/** Numbers of a line take turns: the file's own units, inserted ones, own ones … */
function addTo(
  lines: readonly number[][],
  kind: typeof COPIED | typeof INSERTED,
  count: number,
): void {
  const line = lines[lines.length - 1];
  if (line === undefined || count === 0) return;
  if (line.length % 2 === kind) line.push(count);
  else if (line.length > 0) line.push((line.pop() ?? 0) + count);
  else line.push(0, count);
}

function describeMarkers(code: string): string {
  let text = "";
  let lastId = 0;
  let lastLine = 0;
  let line = 0;
  let lineStart = 0;
  for (const { index, 1: word = "" } of code.matchAll(MARKER)) {
    for (let end = code.indexOf("\n", lineStart); end >= 0 && end < index;) {
      line++;
      lineStart = end + 1;
      end = code.indexOf("\n", lineStart);
    }
    const id = Number.parseInt(word, 16);
    // Ids ascend as their functions begin, but a parameter's function has its marker first.
    text +=
      digits(id - lastId) + unsignedDigits(line - lastLine) + unsignedDigits(index - lineStart);
    lastId = id;
    lastLine = line;
  }
  return text;
}
