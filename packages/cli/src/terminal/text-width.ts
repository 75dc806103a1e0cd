/** Measures and cuts text in terminal columns: wide characters take two, combining marks none. */

/** Characters that never take a column of their own. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]+$/u;
/** East Asian wide and fullwidth characters, and what is drawn as an emoji. */
const WIDE =
  /[\u1100-\u115f\u231a\u231b\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const ASCII = /^[\x20-\x7e]*$/;
// The sequences that our own palette writes; recorded text never holds one.
// oxlint-disable-next-line no-control-regex
const STYLE = /(\x1b\[[\d;]*m)/g;

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Gives how many columns a text takes; style sequences take none. */
export function textWidth(text: string): number {
  const plain = text.replace(STYLE, "");
  if (ASCII.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of segmenter.segment(plain)) width += graphemeWidth(segment);
  return width;
}

/** Cuts a text to at most `columns`; a cut text ends in `…`. Style sequences are kept. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let left = Math.max(0, columns - 1);
  let full = false;
  const parts = text.split(STYLE).map((part, index) => {
    if (index % 2 === 1) return part;
    if (full) return "";
    let kept = "";
    for (const { segment } of segmenter.segment(part)) {
      left -= graphemeWidth(segment);
      if (left < 0) {
        full = true;
        return `${kept}…`;
      }
      kept += segment;
    }
    return kept;
  });
  return parts.join("");
}

function graphemeWidth(grapheme: string): number {
  if (ASCII.test(grapheme)) return grapheme.length;
  if (ZERO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
