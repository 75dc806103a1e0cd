/** `orangebox/vite`: the build plugin. */
export { orangebox, type PluginOptions } from "@orangebox/plugin/vite";
