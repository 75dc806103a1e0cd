/**
 * Fails when a package imports something that `layers.json` does not allow.
 *
 * Reads the text of the imports only; `import type` and dynamic imports count as imports too. Also
 * refuses `node:` modules in packages that run in browsers, relative imports that leave their
 * package, and a drawing in `ARCHITECTURE.md` whose table differs from `layers.json`.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isBuiltin } from "node:module";

const BROWSER_SAFE = new Set(["format", "instrument", "analysis", "viewer"]);
const IMPORT_PATTERN = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"'\n]+)["']/g;

const layers = JSON.parse(readFileSync("layers.json", "utf8")) as Record<string, string[]>;
const packages = globSync("packages/*/package.json").map((path) => dirname(path).slice(9));
const problems: string[] = [];

for (const name of packages) {
  const allowed = layers[name];
  if (allowed === undefined) problems.push(`packages/${name}: layers.json does not list it`);
  else checkPackage(name, allowed);
}
checkDocument();

function checkPackage(name: string, allowed: readonly string[]): void {
  for (const file of globSync(`packages/${name}/src/**/*.{ts,cts,mts}`)) {
    if (file.endsWith(".test.ts")) continue;
    for (const [, specifier = ""] of withoutComments(readFileSync(file, "utf8")).matchAll(
      IMPORT_PATTERN,
    )) {
      checkImport({ name, allowed, file, specifier });
    }
  }
}

/** Examples in comments import what they like. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

interface Import {
  readonly name: string;
  readonly allowed: readonly string[];
  readonly file: string;
  readonly specifier: string;
}

function checkImport({ name, allowed, file, specifier }: Import): void {
  const target = /^(?:@orangebox\/)([a-z-]+)/.exec(specifier)?.[1];
  if (target !== undefined && target !== name && !allowed.includes(target)) {
    problems.push(
      `${file}: ${name} may not import ${specifier}; it may import: ${allowed.join(", ") || "nothing"}`,
    );
  }
  if (BROWSER_SAFE.has(name) && isBuiltin(specifier)) {
    problems.push(`${file}: ${name} runs in browsers and may not import ${specifier}`);
  }
  if (specifier.startsWith(".")) {
    const inside = relative(`packages/${name}/src`, join(dirname(file), specifier));
    if (inside.startsWith("..") && !inside.endsWith("package.json")) {
      problems.push(`${file}: ${specifier} leaves the package; import it by its name`);
    }
  }
}

/** ARCHITECTURE.md repeats the rows of layers.json for its readers: `| recorder | format, … |`. */
function checkDocument(): void {
  if (!existsSync("ARCHITECTURE.md")) return;
  const rows = new Map<string, string>();
  for (const [, name = "", targets = ""] of readFileSync("ARCHITECTURE.md", "utf8").matchAll(
    /^\| `([a-z]+)`\s*\| ([^|]*?)\s*\|/gm,
  )) {
    rows.set(name, targets);
  }
  for (const [name, allowed] of Object.entries(layers)) {
    const expected = allowed.join(", ") || "–";
    if (rows.get(name) !== expected) {
      problems.push(
        `ARCHITECTURE.md: the row of ${name} says "${rows.get(name) ?? ""}", layers.json "${expected}"`,
      );
    }
  }
}

if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
