/** Base64 without padding, as age writes it; browsers and Node agree on no other one. */

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Encodes bytes without padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let digit = 0; digit < Math.min(left, 3) + 1; digit++) {
      text += DIGITS.charAt((group >> (18 - 6 * digit)) & 63);
    }
  }
  return text;
}
