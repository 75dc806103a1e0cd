/** `orangebox/esbuild`: the build plugin. */
export { orangebox, type PluginOptions } from "@orangebox/plugin/esbuild";
