/**
 * Stands in for the recorder's own `require` in the bundle, where its packages are one file.
 */
import { eraseTypes } from "../../packages/instrument/src/index.ts";

export const ownRequire = (_id: string): { eraseTypes: typeof eraseTypes } => ({ eraseTypes });
