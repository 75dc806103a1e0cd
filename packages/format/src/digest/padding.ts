/** How SHA-1 and SHA-256 end a message: a one bit, zeros, the length in bits. */

/** Returns the last one or two blocks of 64 bytes: `rest`, the padding and the length. */
export function padMessage(rest: Uint8Array, messageBytes: number): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(rest.length < 56 ? 64 : 128);
  padded.set(rest);
  padded[rest.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(messageBytes / 0x2000_0000));
  view.setUint32(padded.length - 4, messageBytes * 8);
  return padded;
}
