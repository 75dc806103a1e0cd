/** Works out the folders that a program started from here would record into. */
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** Where the recorder keeps things. All absolute. */
export interface RecorderFolders {
  readonly stateDir: string;
  readonly cacheDir: string;
  readonly outputDir: string;
}

/** Gives the folders that the environment names, else the defaults of docs/configuration.md. */
export function recorderFolders(
  environment: Readonly<Record<string, string | undefined>>,
): RecorderFolders {
  const out = environment["ORANGEBOX_OUT"] ?? "";
  const base = (variable: string, otherwise: string): string =>
    environment[variable] ?? join(homedir(), otherwise);
  return {
    stateDir: resolve(
      environment["ORANGEBOX_STATE_DIR"] ??
        join(base("XDG_STATE_HOME", ".local/state"), "orangebox"),
    ),
    cacheDir: resolve(
      environment["ORANGEBOX_CACHE_DIR"] ?? join(base("XDG_CACHE_HOME", ".cache"), "orangebox"),
    ),
    outputDir: resolve(out.endsWith(".flight") ? dirname(out) : out),
  };
}
