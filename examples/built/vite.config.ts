import { orangebox } from "orangebox/vite";
import { defineConfig } from "vite";

export default defineConfig({
  // The source map is read by the plugin, and nothing else needs it.
  build: { ssr: "main.ts", minify: true, sourcemap: "hidden" },
  plugins: [orangebox()],
});
