// esbuild's JavaScript half: the API, plugins that are called back, errors and their formatting.
import * as esbuild from "esbuild";

const seen = [];
const plugin = {
  name: "virtual",
  setup(build) {
    build.onStart(() => {
      seen.push("start");
    });
    build.onResolve({ filter: /^virtual:/ }, ({ path, importer }) => {
      seen.push(`resolve ${path} ${importer.split("/").at(-1)}`);
      return { path, namespace: "virtual", pluginData: { deep: [path] } };
    });
    build.onLoad({ filter: /.*/, namespace: "virtual" }, async ({ path, pluginData }) => {
      await null;
      if (process.argv[2] === "throws") throw new TypeError(`no ${path}`);
      return { contents: `export default ${JSON.stringify([path, pluginData])}`, loader: "js", warnings: [{ text: "virtual" }] };
    });
    build.onEnd(({ errors, warnings }) => {
      seen.push(`end ${errors.length} ${warnings.length}`);
    });
  },
};

const entry = process.argv[2] === "broken" ? "src/broken.ts" : "src/main.ts";
try {
  const result = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: "out",
    sourcemap: true,
    metafile: true,
    minify: true,
    target: "es2020",
    plugins: [plugin],
    logLevel: "silent",
  });
  console.log(Object.keys(result.metafile.outputs).length, result.warnings);
  console.log(await esbuild.analyzeMetafile(result.metafile));
} catch (error) {
  console.log(error.message, error.errors, error.stack.split("\n").length > 1);
  console.log((await esbuild.formatMessages(error.errors, { kind: "error", color: false })).join("\n"));
  process.exitCode = 1;
}
console.log(seen.toSorted());
console.log((await esbuild.transform("let x: number = 1n ** 2n; export { x }", { loader: "ts", format: "cjs", sourcemap: "inline" })).code);
console.log(esbuild.transformSync("<a b={c ?? d}/>", { loader: "jsx" }).code);
const context = await esbuild.context({ entryPoints: ["src/lazy.ts"], write: false, logLevel: "silent" });
for (let i = 0; i < 3; i++) console.log((await context.rebuild()).outputFiles.map(({ path, text }) => [path.split("/").at(-1), text]));
await context.dispose();
await esbuild.stop();
