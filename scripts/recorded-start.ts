/** How the benchmark and the campaigns start a program recorded: the built recorder, all of its code. */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The file for `node --require`; it loads `dist`, so `npm run build` comes first. */
export const registerFile: string = fileURLToPath(
  new URL("../packages/recorder/register.cjs", import.meta.url),
);

/** What the register file loads: without it nothing is recorded. */
export const builtRecorder: string = fileURLToPath(
  new URL("../packages/recorder/dist/register.js", import.meta.url),
);

/** The levels, from few probes to many. */
export const LEVELS = ["calls", "lines", "writes"] as const;

export type Level = (typeof LEVELS)[number];

export interface RecordedPlaces {
  /** Where recordings go. */
  readonly out: string;
  /** Where transformed modules are kept. */
  readonly cache: string;
  /** The recorder's own choice when it is left out. */
  readonly level?: Level | undefined;
}

/** The recorder's settings: every module is recorded, and nothing is left outside of the folders. */
export function recordedEnvironment({ out, cache, level }: RecordedPlaces): Record<string, string> {
  return {
    ...(level === undefined ? {} : { ORANGEBOX_LEVEL: level }),
    ORANGEBOX_INCLUDE: "**",
    ORANGEBOX_OUT: out,
    ORANGEBOX_CACHE_DIR: cache,
    ORANGEBOX_STATE_DIR: join(out, "state"),
  };
}

/** The environment of both runs of a comparison: nothing of ours, of npm's or of a terminal. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: "1", TZ: "UTC", LANG: "C.UTF-8" };
  for (const key of Object.keys(env)) {
    if (/^(?:NODE_|npm_|ORANGEBOX_|VITEST|FORCE_COLOR|CI$)/.test(key)) delete env[key];
  }
  return env;
}

/** The Node that `--node` names: a command, or a path from the folder where the campaign was started. */
export function nodeCommand(text: string): string {
  return /[\\/]/.test(text) ? resolve(text) : text;
}
