/**
 * Names the build that texts with probes come from: a text of another build is never run.
 */
import { statSync } from "node:fs";
import { ownResolve } from "../runtime/own-require.ts";
import { VERSION } from "../version.ts";

/** The version, and when the transformer was built. */
export function recorderBuild(): string {
  try {
    const { mtimeMs } = statSync(ownResolve("@orangebox/instrument"));
    return `${VERSION}-${Math.trunc(mtimeMs).toString(36)}`;
  } catch {
    return VERSION;
  }
}
