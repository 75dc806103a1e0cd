/** `orangebox/rspack`: the build plugin. */
export { orangebox, type PluginOptions } from "@orangebox/plugin/rspack";
