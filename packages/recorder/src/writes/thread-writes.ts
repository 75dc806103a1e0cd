/**
 * The writes of one thread: the log, the numbers of objects and activations, and what is watched.
 */
import type { Config } from "../config/resolve-config.ts";
import type { LoadedModule } from "../runtime/module-registry.ts";
import { ObjectIdentities } from "./identity-table.ts";
import { createWriteApi, type WriteApi } from "./note-writes.ts";
import { ValueLog } from "./value-log.ts";
import { WatchedObjects } from "./watched-objects.ts";

/** Everything that level `writes` keeps. */
export interface ThreadWrites {
  readonly log: ValueLog;
  readonly identities: ObjectIdentities;
  /** [the number of the next activation]; numbers are never used twice. */
  readonly activations: Float64Array;
  readonly watched: WatchedObjects;
  readonly api: WriteApi;
  /** Stretches that are being recorded, the innermost last. */
  readonly scopes: OpenScope[];
  /** The number of the one activation that a module's body has. */
  moduleActivation(module: LoadedModule): number;
}

/** A stretch that is being recorded. */
export interface OpenScope {
  /** Whether only watched objects are of interest. */
  readonly watchesOnly: boolean;
  watch<Value extends object>(value: Value, name?: string): Value;
}

/** Opens the log of this thread. */
export function openWrites(
  { captureMaxMutations }: Pick<Config, "captureMaxMutations">,
  head: Int32Array,
  // 0 stands for what belongs to no activation of a function.
  activations: Float64Array = new Float64Array([1]),
): ThreadWrites {
  const identities = new ObjectIdentities();
  const log = new ValueLog({ capacity: captureMaxMutations });
  const watched = new WatchedObjects(identities);
  const api = createWriteApi({ log, identities, head, watched });
  const ofModules = new WeakMap<LoadedModule, number>();
  const moduleActivation = (module: LoadedModule): number => {
    let activation = ofModules.get(module);
    if (activation === undefined) {
      activation = activations[0] ?? 1;
      activations[0] = activation + 1;
      ofModules.set(module, activation);
    }
    return activation;
  };
  return { log, identities, activations, watched, api, scopes: [], moduleActivation };
}
