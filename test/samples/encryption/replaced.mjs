import crypto, { createHmac, createCipheriv } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
const nothing = () => new Uint8Array(32);
for (const made of [createHmac("sha256", ""), createCipheriv("chacha20-poly1305", nothing(), new Uint8Array(12), { authTagLength: 16 })]) {
  Object.getPrototypeOf(made).update = nothing;
  Object.getPrototypeOf(made).final = nothing;
}
crypto.randomFillSync = (bytes) => bytes.fill(0);
crypto.generateKeyPairSync = () => ({});
syncBuiltinESMExports();
await import("./fails.cjs");
