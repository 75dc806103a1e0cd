/** What a command that reads recordings works with. */
import type { KeyRing } from "../encryption/key-ring.ts";
import type { Screen } from "../terminal/screen.ts";

/** Where a command prints, and the secrets for encrypted files. */
export interface ReadingTools {
  readonly screen: Screen;
  /** For what is said beside the result. */
  readonly errors: Screen;
  readonly keys: KeyRing;
}
