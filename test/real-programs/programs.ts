/**
 * The command-line programs of the campaign and what they are asked to do: ordinary work, and input
 * that makes them complain, fail or crash. The versions are pinned in `pinned/package.json`.
 */
export interface RealRun {
  /** The program and the run, as the table names it: `tsc: errors of types`. */
  readonly name: string;
  /** Path of the entry below `node_modules`; with `./` in front, a file of the inputs. */
  readonly entry: string;
  readonly args: readonly string[];
  /** The folder of `inputs/` that is copied into the work folder. */
  readonly inputs: string;
  /** A file of the inputs that is handed over on stdin. */
  readonly stdin?: string;
  readonly exitCode: number;
}

interface Program {
  readonly name: string;
  readonly entry: string;
  readonly inputs?: string;
}

function run(
  { name, entry, inputs = name }: Program,
  title: string,
  args: string,
  expected: { exitCode?: number; stdin?: string } = {},
): RealRun {
  const { exitCode = 0, stdin } = expected;
  return {
    name: `${name}: ${title}`,
    entry,
    inputs,
    args: args.split(" ").filter((arg) => arg !== ""),
    exitCode,
    ...(stdin === undefined ? {} : { stdin }),
  };
}

const tsc: Program = { name: "tsc", entry: "typescript/bin/tsc" };
const tscErrors: Program = { ...tsc, inputs: "tsc-errors" };
const eslint: Program = { name: "eslint", entry: "eslint/bin/eslint.js" };
const prettier: Program = { name: "prettier", entry: "prettier/bin/prettier.cjs" };
const rollup: Program = { name: "rollup", entry: "rollup/dist/bin/rollup" };
const webpack: Program = { name: "webpack", entry: "webpack/bin/webpack.js" };
const terser: Program = { name: "terser", entry: "terser/bin/terser" };
const uglify: Program = { name: "uglify-js", entry: "uglify-js/bin/uglifyjs", inputs: "terser" };
const babel: Program = { name: "babel", entry: "@babel/cli/bin/babel.js" };
const sass: Program = { name: "sass", entry: "sass/sass.js" };
const less: Program = { name: "less", entry: "less/bin/lessc" };
const postcss: Program = { name: "postcss", entry: "postcss-cli/index.js" };
const marked: Program = { name: "marked", entry: "marked/bin/marked.js" };
const yaml: Program = { name: "js-yaml", entry: "js-yaml/bin/js-yaml.mjs" };
const handlebars: Program = { name: "handlebars", entry: "handlebars/bin/handlebars" };
const ajv: Program = { name: "ajv", entry: "ajv-cli/dist/index.js" };
const mocha: Program = { name: "mocha", entry: "mocha/bin/mocha.js" };
const coffee: Program = { name: "coffee", entry: "coffeescript/bin/coffee" };
const jshint: Program = { name: "jshint", entry: "jshint/bin/jshint" };
const esbuild: Program = { name: "esbuild", entry: "./build.mjs" };
const svelte: Program = { name: "svelte", entry: "./compile.mjs" };
const vite: Program = { name: "vite", entry: "vite/bin/vite.js" };
const svgo: Program = { name: "svgo", entry: "svgo/bin/svgo.js" };

export const REAL_RUNS: readonly RealRun[] = [
  run(tsc, "a project", "-p ."),
  run({ ...tsc, inputs: "tsc-project" }, "a project of 251 files", "-p ."),
  run(tscErrors, "errors of types", "--noEmit --pretty --strict wrong.ts", { exitCode: 2 }),
  run(tscErrors, "errors of syntax", "--outDir out broken.ts", { exitCode: 2 }),
  run(tsc, "an unknown option", "--nonsense", { exitCode: 1 }),

  run(eslint, "problems", "bad.js", { exitCode: 1 }),
  run(eslint, "problems as JSON", "-f json bad.js syntax.js", { exitCode: 1 }),
  run(eslint, "fixes", "--fix fixable.js"),
  run(eslint, "a rule that throws", "-c throwing.config.mjs bad.js", { exitCode: 2 }),
  run(eslint, "no configuration", "-c missing.config.mjs bad.js", { exitCode: 2 }),

  run(
    prettier,
    "five languages",
    "--log-level warn --write ugly.ts page.md style.css data.json page.html",
  ),
  run(prettier, "stdin", "--stdin-filepath x.ts", { stdin: "ugly.ts" }),
  run(prettier, "a check that fails", "--check ugly.ts style.css", { exitCode: 1 }),
  run(prettier, "errors of syntax", "broken.js", { exitCode: 2 }),

  run(rollup, "a bundle with a lazy part", "src/main.js -d out -f es -m --silent"),
  run(rollup, "a missing export", "src/missing.js -f cjs --silent", { exitCode: 1 }),
  run(rollup, "errors of syntax", "src/broken.js -f iife --silent", { exitCode: 1 }),

  run(webpack, "for development", "-c webpack.config.cjs"),
  run(webpack, "for production", "-c production.config.cjs"),
  run(webpack, "errors of syntax", "-c broken.config.cjs", { exitCode: 1 }),
  run(webpack, "a configuration that throws", "-c throwing.config.cjs", { exitCode: 2 }),

  run(terser, "with a map", "input.js -c passes=3,unsafe -m --source-map -o out.js"),
  run(terser, "modern code", "modern.js --module -c -m --toplevel"),
  run(terser, "errors of syntax", "broken.js -c", { exitCode: 1 }),

  run(uglify, "with a map", "input.js -c passes=3 -m --toplevel --source-map -o out.js"),
  run(uglify, "errors of syntax", "broken.js -c", { exitCode: 1 }),

  run(babel, "old browsers", "src/modern.ts -x .ts -d out --quiet"),
  run(babel, "errors of syntax", "src/broken.ts -x .ts -d out", { exitCode: 1 }),

  run(esbuild, "a bundle with plugins", ""),
  run(esbuild, "a plugin that throws", "throws", { exitCode: 1 }),
  run(esbuild, "errors of syntax", "broken", { exitCode: 1 }),

  run(svelte, "components, warnings and errors", ""),

  run(vite, "a build", "build --logLevel warn"),
  run(vite, "a build for development", "build --logLevel warn --mode development"),
  run(vite, "a plugin that throws", "build --logLevel silent --mode throws", { exitCode: 1 }),
  run(vite, "an unknown command", "nonsense/folder --nonsense 1 --logLevel silent", {
    exitCode: 1,
  }),

  run(sass, "mixins and functions", "main.scss out.css"),
  run(sass, "an undefined variable", "undefined.scss", { exitCode: 65 }),
  run(sass, "errors of syntax", "broken.scss", { exitCode: 65 }),
  run(sass, "an error of its own", "--trace error.scss", { exitCode: 65 }),

  run(less, "mixins and loops", "--source-map main.less out.css"),
  run(less, "an undefined variable", "undefined.less", { exitCode: 1 }),

  run(postcss, "prefixes", "in.css -o out.css"),
  run(postcss, "a plugin that throws", "explode.css -o out.css", { exitCode: 1 }),
  run(postcss, "errors of syntax", "broken.css -o out.css", { exitCode: 1 }),

  run(marked, "a page", "-i page.md -o out.html --gfm"),
  run(marked, "a missing file", "-i missing.md", { exitCode: 1 }),

  run(yaml, "a document", "good.yaml"),
  run(yaml, "errors of syntax", "bad.yaml", { exitCode: 1 }),
  run(yaml, "a key twice", "--trace duplicate.yaml", { exitCode: 1 }),

  run(handlebars, "a template", "page.hbs -f out.js"),
  run(handlebars, "errors of syntax", "broken.hbs", { exitCode: 1 }),

  run(ajv, "valid data", "validate -s schema.json -d good.json"),
  run(ajv, "invalid data", "validate -s schema.json -d bad.json --all-errors", { exitCode: 1 }),
  run(ajv, "a broken schema", "compile -s broken-schema.json", { exitCode: 1 }),

  run(mocha, "tests that pass", "-R tap good.cjs"),
  run(mocha, "tests that fail", "-R tap bad.cjs", { exitCode: 6 }),
  run(mocha, "a file that does not load", "-R tap unloadable.cjs", { exitCode: 1 }),

  run(coffee, "compiles", "-c -m -o out main.coffee"),
  run(coffee, "runs a program", "main.coffee"),
  run(coffee, "runs a program that throws", "throws.coffee", { exitCode: 1 }),
  run(coffee, "errors of syntax", "broken.coffee", { exitCode: 1 }),

  run(jshint, "problems", "--verbose code.js", { exitCode: 2 }),

  run(svgo, "a drawing", "-q --multipass --pretty in.svg -o out.svg"),
  run(svgo, "errors of syntax", "broken.svg -o out.svg", { exitCode: 1 }),
];
