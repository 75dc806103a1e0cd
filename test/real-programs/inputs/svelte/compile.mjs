// Compiles each component for the browser and for the server, and shows warnings and errors.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { compile, compileModule, parse, preprocess, VERSION } from "svelte/compiler";
import { render } from "svelte/server";

console.log(VERSION);
for (const filename of readdirSync(".").filter((name) => name.endsWith(".svelte")).toSorted()) {
  const source = readFileSync(filename, "utf8");
  for (const generate of ["client", "server"]) {
    try {
      const { code } = await preprocess(source, { markup: ({ content }) => ({ code: content.replace("__TITLE__", "Title") }) }, { filename });
      const { js, css, warnings } = compile(code, { generate, filename, dev: generate === "client", rootDir: "." });
      writeFileSync(`${filename}.${generate}.mjs`, js.code);
      writeFileSync(`${filename}.${generate}.map`, JSON.stringify(js.map));
      console.log(filename, generate, js.code.length, css?.code, warnings.map(({ code, message, start }) => [code, message, start]));
    } catch (error) {
      console.log(filename, generate, error.name, error.code, error.message, error.position, error.frame);
      console.log(error.stack.split("\n").filter((line) => !line.includes("node:internal")).slice(0, 12).join("\n").replaceAll(/\(?file:.*\//g, ""));
    }
  }
  console.log(Object.keys(parse(source.includes("broken") ? "<p/>" : source, { modern: true })).join());
}
console.log(compileModule("export const count = $state(0); const double = $derived(count * 2); export const get = () => double;", { filename: "counter.svelte.js" }).js.code);
const App = (await import("./app.svelte.server.mjs")).default;
console.log(render(App, { props: { items: ["a", "<b>"], title: "T" } }));
