/** What the smallest probes cost, written by hand: goals below that cannot be reached. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Benchmark, Case, MeasureContext } from "../benchmark.ts";
import { writeForm } from "../forms.ts";
import { reportedSample } from "../run-program.ts";
import { type Form, FORMS, isForm, root, type Variant } from "../variants.ts";
import { big, compilerFolder } from "./big.ts";

/** Programs by the files that get probes. */
const PROBED = ["throws.mjs", "awaits.mjs", "handle-order.mjs"];

/** The folder with the programs as a variant runs them. */
function folderOf({ name }: Variant, context: Pick<MeasureContext, "shared">): string {
  return join(context.shared, isForm(name) ? `form-${FORMS.indexOf(name)}` : "programs");
}

function program(name: string, file: string): Case {
  return {
    name,
    measure: (variant, context) =>
      reportedSample(variant, { program: join(folderOf(variant, context), file), context }),
  };
}

const compiler: Case = {
  name: "the TypeScript compiler",
  measure: async (variant, context) => {
    const { wallMs = 0 } = await reportedSample(variant, {
      program: join(context.shared, "programs/compile.cjs"),
      args: [
        join(
          isForm(variant.name) ? folderOf(variant, context) : compilerFolder,
          "node_modules/typescript/lib/_tsc.js",
        ),
        "-p",
        join(context.shared, "project"),
        "--outDir",
        join(context.folder, "built"),
      ],
      context,
      root: compilerFolder,
    });
    return { compileMs: wallMs };
  },
};

export const bounds: Benchmark = {
  name: "bounds",
  title: "The smallest probes",
  about:
    "Probes written by hand into every function, beside the recorder's: one store at the entry; another at each return; `try {…} finally {}`; `try {…} catch (e) { throw e }`. None of them keeps a value or could find a frame.",
  rounds: 7,
  peers: FORMS,
  metrics: [
    { key: "usWarm", title: "throw and catch", unit: "us" },
    { key: "msFor300k", title: "300,000 awaits", unit: "ms" },
    { key: "nsPerRequest", title: "a request", unit: "ns" },
    { key: "compileMs", title: "start to exit", unit: "ms" },
  ],
  cases: [
    program("throw and catch", "throws.mjs"),
    program("awaits", "awaits.mjs"),
    program("a request handler", "handler.mjs"),
    compiler,
  ],
  prepare: async (shared): Promise<void> => {
    await big.prepare?.(shared);
    for (const [index, form] of FORMS.entries()) {
      const folder = join(shared, `form-${index}`);
      cpSync(join(root, "bench/programs"), folder, { recursive: true });
      for (const file of PROBED) {
        const path = join(folder, file);
        writeFileSync(path, writeForm(file, readFileSync(path, "utf8"), form));
      }
      writeCompiler(join(folder, "node_modules/typescript/lib"), form);
    }
  },
};

/** The compiler with probes, beside links to the files that it reads. */
function writeCompiler(folder: string, form: Form): void {
  const from = join(compilerFolder, "node_modules/typescript/lib");
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== "_tsc.js") symlinkSync(join(from, name), join(folder, name));
  }
  symlinkSync(join(from, "../package.json"), join(folder, "../package.json"));
  const text = readFileSync(join(from, "_tsc.js"), "utf8");
  writeFileSync(join(folder, "_tsc.js"), writeForm("_tsc.js", text, form));
}
