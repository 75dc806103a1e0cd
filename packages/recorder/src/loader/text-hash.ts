/**
 * A fast 128-bit hash of a text, for recognising a text that was seen before.
 *
 * Not cryptographic: it answers "is this still the file that was loaded", on a machine whose files
 * are its owner's. Loading Node's crypto for that would cost every start some milliseconds.
 */
const { imul } = Math;

/** 32 hexadecimal digits; about 400 MB/s. */
export function textHash(text: string): string {
  let a = 0x9e3779b9 ^ text.length;
  let b = 0x85ebca6b;
  let c = 0xc2b2ae35 ^ text.length;
  let d = 0x27d4eb2f;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = imul(a ^ unit, 0x85ebca77);
    b = imul(b ^ unit, 0xc2b2ae3d);
    c = imul(c ^ (unit + i), 0x27d4eb4f);
    d = imul(d ^ (unit + c), 0x165667b1);
  }
  a = imul(a ^ (a >>> 16), 0x85ebca6b) ^ imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = imul(b ^ (b >>> 16), 0x85ebca6b) ^ imul(c ^ (c >>> 13), 0xc2b2ae35);
  c = imul(c ^ (c >>> 16), 0x85ebca6b) ^ imul(d ^ (d >>> 13), 0xc2b2ae35);
  d = imul(d ^ (d >>> 16), 0x85ebca6b) ^ imul(a ^ (a >>> 13), 0xc2b2ae35);
  return [a, b, c, d].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
