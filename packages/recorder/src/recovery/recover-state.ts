/**
 * Recovers all rings of a state folder: the one that is configured, or one that is named.
 */
import { basename, join, resolve } from "node:path";
import { resolveConfigSafely } from "../config/resolve-config.ts";
import { ringFolders } from "../ring/ring-folder.ts";
import { recoverRings, type RingOutcome } from "./recover-rings.ts";

/** What to recover, and from where. */
export interface StateRecoveryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** A state folder, or the folder `rings` in it. Default: what is configured. */
  readonly folder?: string | undefined;
  readonly outputDir?: string | undefined;
  readonly dryRun: boolean;
}

/** What was found, and where it was looked for. */
export interface StateRecovery {
  readonly folders: readonly string[];
  readonly outcomes: readonly RingOutcome[];
}

/** Recovers what can be. Never throws. */
export function recoverState({
  env,
  cwd,
  folder,
  outputDir,
  dryRun,
}: StateRecoveryOptions): StateRecovery {
  const { config } = resolveConfigSafely({ env, cwd });
  const folders =
    folder === undefined
      ? ringFolders(config.stateDir)
      : [basename(folder) === "rings" ? resolve(cwd, folder) : join(resolve(cwd, folder), "rings")];
  const outcomes = recoverRings({
    folders,
    outputDir: outputDir === undefined ? undefined : resolve(cwd, outputDir),
    dryRun,
    encryptTo: config.encryptTo,
  });
  return { folders, outcomes };
}
