/** `orangebox/webpack`: the build plugin. */
export { orangebox, type PluginOptions } from "@orangebox/plugin/webpack";
