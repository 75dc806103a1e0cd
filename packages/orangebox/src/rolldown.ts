/** `orangebox/rolldown`: the build plugin. */
export { orangebox, type PluginOptions } from "@orangebox/plugin/rolldown";
