/**
 * Bech32 (BIP 173), in which age writes keys: a prefix, `1`, and digits that end in a checksum.
 */

const DIGITS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_DIGITS = 6;
/** Far beyond any key; the rule's own 90 characters are too few for age. */
const MAX_LENGTH = 8192;

/**
 * Decodes a text of one case.
 *
 * @returns The prefix in lower case and the bytes, or undefined when the text is no Bech32: a
 * mistake in up to four characters is always found.
 */
export function decodeBech32(text: string): { prefix: string; bytes: Uint8Array } | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return undefined;
  const separator = lower.lastIndexOf("1");
  if (separator < 1 || lower.length - separator - 1 < CHECKSUM_DIGITS) return undefined;
  const prefix = lower.slice(0, separator);
  const words = Array.from(lower.slice(separator + 1), (digit) => DIGITS.indexOf(digit));
  if (words.includes(-1) || !/^[!-~]+$/.test(prefix)) return undefined;
  if (checksum([...prefixWords(prefix), ...words]) !== 1) return undefined;
  const bytes = joinBits(words.slice(0, -CHECKSUM_DIGITS));
  return bytes === undefined ? undefined : { prefix, bytes };
}

function prefixWords(prefix: string): number[] {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function checksum(words: readonly number[]): number {
  let sum = 1;
  for (const word of words) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ word;
    for (let bit = 0; bit < GENERATOR.length; bit++) {
      if ((top >>> bit) & 1) sum ^= GENERATOR[bit] ?? 0;
    }
  }
  return sum;
}

/** Makes bytes of groups of five bits; what is left over must be fewer than five zeros. */
function joinBits(words: readonly number[]): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((words.length * 5) / 8));
  let bits = 0;
  let bitCount = 0;
  let count = 0;
  for (const word of words) {
    bits = ((bits << 5) | word) & 0xfff;
    bitCount += 5;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[count++] = (bits >> bitCount) & 0xff;
  }
  const isClean = bitCount < 5 && (bits & ((1 << bitCount) - 1)) === 0;
  return isClean ? bytes : undefined;
}
