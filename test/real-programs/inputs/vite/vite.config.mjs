import { defineConfig } from "vite";

export default defineConfig(({ command, mode }) => ({
  define: { __MODE__: JSON.stringify(`${command} ${mode}`) },
  build: { outDir: "out", minify: mode === "production", sourcemap: true, rollupOptions: { output: { entryFileNames: "[name].js" } } },
  plugins: [
    {
      name: "virtual",
      resolveId: (id) => (id === "virtual:list" ? "\0virtual:list" : undefined),
      load: (id) => (id === "\0virtual:list" ? "export default [1, 2, 3];" : undefined),
      transform(code, id) {
        if (id.endsWith("main.ts") && mode === "throws") this.error(new RangeError("thrown by a plugin"), 3);
        return id.endsWith(".txt") ? { code: `export default ${JSON.stringify(code)}`, map: null } : undefined;
      },
      transformIndexHtml: (html) => html.replace("<!-- here -->", "<p>here</p>"),
    },
  ],
}));
