/**
 * `orangebox()` for Vite.
 */
import { type RollupPlugin, rollupPlugin } from "./rollup.ts";
import { chooseFiles, type PluginOptions } from "./options.ts";

export type { PluginOptions } from "./options.ts";

/** The plugin, as far as Vite knows it. */
export interface VitePlugin extends RollupPlugin {
  readonly enforce: "post";
}

/**
 * Makes the plugin for Vite.
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` naming the option that is unknown or has a bad value.
 */
export function orangebox(options: PluginOptions = {}): VitePlugin {
  return { ...rollupPlugin(chooseFiles(options, process.cwd())), enforce: "post" };
}
