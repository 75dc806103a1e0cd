/**
 * A fast 128-bit hash of a text, for recognising a text that was seen before.
 *
 * Not cryptographic: it answers "is this still the file that was loaded", on a machine whose files
 * are its owner's. Loading Node's crypto for that would cost every start some milliseconds. It is
 * taken over the bytes as they are on disk, four at a time, so that a cached file is not decoded.
 */
const { imul } = Math;

/** 32 hexadecimal digits of a text; those of its UTF-8 bytes, if it can be written as such. */
export function textHash(text: string): string {
  if (text.isWellFormed()) return bytesHash(Buffer.from(text, "utf8"));
  return bytesHash(Buffer.from(`utf16le ${text}`, "utf16le"));
}

/** 32 hexadecimal digits; about 2 GB/s. */
export function bytesHash(bytes: Uint8Array): string {
  const { length } = bytes;
  const wordCount = length >>> 2;
  const isAligned = (bytes.byteOffset & 3) === 0;
  const words = isAligned
    ? new Int32Array(bytes.buffer, bytes.byteOffset, wordCount)
    : new Int32Array(Uint8Array.from(bytes).buffer, 0, wordCount);
  let a = 0x9e3779b9 ^ length;
  let b = 0x85ebca6b;
  let c = 0xc2b2ae35 ^ length;
  let d = 0x27d4eb2f;
  let at = 0;
  // Four chains, so that the multiplications overlap; each step can be undone, so none forgets.
  for (; at + 3 < wordCount; at += 4) {
    a = imul(a ^ (words[at] ?? 0), 0x85ebca77);
    a ^= a >>> 15;
    b = imul(b ^ (words[at + 1] ?? 0), 0xc2b2ae3d);
    b ^= b >>> 15;
    c = imul(c ^ (words[at + 2] ?? 0), 0x27d4eb4f);
    c ^= c >>> 15;
    d = imul(d ^ (words[at + 3] ?? 0), 0x165667b1);
    d ^= d >>> 15;
  }
  for (; at < wordCount; at++) {
    a = imul(a ^ (words[at] ?? 0), 0x85ebca77);
    a ^= a >>> 15;
  }
  for (let rest = wordCount << 2; rest < length; rest++) {
    b = imul(b ^ (bytes[rest] ?? 0), 0xc2b2ae3d);
    b ^= b >>> 15;
  }
  // Every chain goes into every word, twice around.
  for (let round = 0; round < 2; round++) {
    a = imul(a ^ d ^ (a >>> 16), 0x85ebca6b) + b;
    b = imul(b ^ a ^ (b >>> 13), 0xc2b2ae35) + c;
    c = imul(c ^ b ^ (c >>> 16), 0x85ebca6b) + d;
    d = imul(d ^ c ^ (d >>> 13), 0xc2b2ae35) + a;
  }
  return hexadecimal(a) + hexadecimal(b) + hexadecimal(c) + hexadecimal(d);
}

function hexadecimal(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
