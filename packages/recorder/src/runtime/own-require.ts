/** A `require` that starts from this package, wherever the program is. */
import { createRequire } from "node:module";

export const ownRequire: NodeJS.Require = createRequire(import.meta.url);
