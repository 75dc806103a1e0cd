/** How the benchmark and the campaign start a program recorded: the built recorder, all of its code. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The file for `node --require`; it loads `dist`, so `npm run build` comes first. */
export const registerFile: string = fileURLToPath(
  new URL("../packages/recorder/register.cjs", import.meta.url),
);

/** What the register file loads: without it nothing is recorded. */
export const builtRecorder: string = fileURLToPath(
  new URL("../packages/recorder/dist/register.js", import.meta.url),
);

export interface RecordedPlaces {
  /** Where recordings go. */
  readonly out: string;
  /** Where transformed modules are kept. */
  readonly cache: string;
}

/** The recorder's settings: every module is recorded, and nothing is left outside of the folders. */
export function recordedEnvironment({ out, cache }: RecordedPlaces): Record<string, string> {
  return {
    ORANGEBOX_INCLUDE: "**",
    ORANGEBOX_OUT: out,
    ORANGEBOX_CACHE_DIR: cache,
    ORANGEBOX_STATE_DIR: join(out, "state"),
  };
}
