/** What recording costs a large program, everything instrumented: the TypeScript compiler itself. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPinned } from "../../scripts/install-pinned.ts";
import type { Benchmark, Case } from "../benchmark.ts";
import { programPath, reportedSample } from "../run-program.ts";
import { root } from "../variants.ts";

const FILES = 40;
/** Where the compiler is installed. */
export const compilerFolder: string = join(root, ".cache/programs");

function sourceText(index: number): string {
  const previous =
    index === 0 ? "" : `import type { Order${index - 1} } from "./f${index - 1}.js";\n`;
  const functions = Array.from(
    { length: 30 },
    (_, number) => `
export function pick${number}<Key extends keyof Order${index}>(order: Order${index}, key: Key): Order${index}[Key] {
  const values = Object.entries(order).map(([name, value]) => ({ name, value }));
  const found = values.find(({ name }) => name === key) ?? { name: "", value: undefined };
  switch (found.name) {
    case "id": return order[key];
    case "lines": return order.lines.reduce((sum, line) => sum + line.price * ${number}, 0) > 0 ? order[key] : order[key];
    default: return found.value as Order${index}[Key];
  }
}`,
  );
  return `${previous}
export interface Order${index} {
  readonly id: number;
  readonly lines: readonly { readonly price: number; readonly name: string }[];
  readonly previous?: ${index === 0 ? "never" : `Order${index - 1}`};
}
${functions.join("\n")}
`;
}

function compile(name: string, cached: boolean): Case {
  return {
    name,
    measure: (variant, context) =>
      reportedSample(variant, {
        program: programPath(context, "compile.cjs"),
        args: [
          join(compilerFolder, "node_modules/typescript/lib/_tsc.js"),
          "-p",
          join(context.shared, "project"),
          "--outDir",
          join(context.folder, "built"),
        ],
        context,
        cached,
        root: compilerFolder,
      }),
  };
}

export const big: Benchmark = {
  name: "big",
  title: "A 6 MB program",
  about: `The TypeScript 5.9 compiler, all of it recorded, checks and compiles a generated project of ${FILES} files; whole process.`,
  rounds: 5,
  peers: ["lines", "writes", "sentry", "inspector", "istanbul"],
  metrics: [
    {
      key: "wallMs",
      title: "start to exit",
      unit: "ms",
      goal: { kind: "ratio", atMost: 1.35 },
      goals: { writes: { kind: "ratio", atMost: 6 } },
    },
  ],
  cases: [compile("cached", true), compile("cold", false)],
  prepare: async (shared): Promise<void> => {
    installPinned(join(root, "bench/programs"), compilerFolder);
    const folder = join(shared, "project");
    mkdirSync(folder, { recursive: true });
    for (let index = 0; index < FILES; index++) {
      writeFileSync(join(folder, `f${index}.ts`), sourceText(index));
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: { strict: true, target: "es2022", module: "nodenext", types: [] },
      }),
    );
  },
};
