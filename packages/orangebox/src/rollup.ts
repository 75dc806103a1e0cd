/** `orangebox/rollup`: the build plugin. */
export { orangebox, type PluginOptions } from "@orangebox/plugin/rollup";
