/** Types of browsers that the declarations of age-encryption name, and that Node's do not have. */
import type { webcrypto } from "node:crypto";

declare global {
  interface CryptoKey extends webcrypto.CryptoKey {}
  /** Of passkeys, which are not used here. */
  interface AuthenticationExtensionsPRFValues {}
}
