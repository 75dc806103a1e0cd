/**
 * Fails when a package imports something that `layers.json` does not allow.
 *
 * Reads the text of the imports only; types and tests count as imports too.
 */
import { globSync, readFileSync } from "node:fs";

const layers = JSON.parse(readFileSync("layers.json", "utf8")) as Record<string, string[]>;
const importPattern = /\bfrom\s+"(@orangebox\/([a-z-]+)[^"]*|node:[^"]+|\.[^"]+)"/g;
const browserSafe = new Set(["format", "instrument", "analysis", "viewer"]);
const problems: string[] = [];

for (const [name, allowed] of Object.entries(layers)) {
  for (const file of globSync(`packages/${name}/src/**/*.ts`)) {
    if (file.endsWith(".test.ts")) continue;
    for (const match of readFileSync(file, "utf8").matchAll(importPattern)) {
      const [, specifier = "", target] = match;
      if (target !== undefined && target !== name && !allowed.includes(target)) {
        problems.push(
          `${file}: ${name} may not import ${specifier}; it may import: ${allowed.join(", ") || "nothing"}`,
        );
      }
      if (specifier.startsWith("node:") && browserSafe.has(name)) {
        problems.push(`${file}: ${name} runs in browsers and may not import ${specifier}`);
      }
    }
  }
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
