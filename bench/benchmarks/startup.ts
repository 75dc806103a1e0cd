/** What recording adds to the start: an empty program, and a generated one of 300 modules. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Benchmark, Case } from "../benchmark.ts";
import { writeForm } from "../forms.ts";
import { programPath, reportedSample } from "../run-program.ts";

const MODULES = 300;
const FUNCTIONS_PER_MODULE = 24;

/** Ordinary code of about 8 kB: functions, a class, async functions, closures. */
function moduleText(index: number): string {
  const parts: string[] = [];
  for (const target of [2 * index + 1, 2 * index + 2]) {
    if (target < MODULES) parts.push(`import { total as total${target} } from "./m${target}.mjs";`);
  }
  for (let number = 0; number < FUNCTIONS_PER_MODULE; number++) {
    parts.push(`
export function rule${number}(order, options = {}) {
  const { limit = ${number + 10}, names = [] } = options;
  const found = [];
  for (const [position, line] of order.lines.entries()) {
    if (line.quantity * line.price > limit) found.push({ position, line });
    else if (names.includes(line.name)) continue;
  }
  return found.map(({ line }) => ({ ...line, rule: "rule ${number}" }));
}`);
  }
  parts.push(`
class Store${index} {
  #orders = new Map();
  add(order) { this.#orders.set(order.id, order); return this; }
  async find(id) { await undefined; return this.#orders.get(id); }
}
export const store = new Store${index}();
export function total(order) {
  let sum = ${index};
  for (const line of order.lines) sum += line.price;
  return sum;
}
`);
  return parts.join("\n");
}

function application(name: string, cached: boolean): Case {
  return {
    name,
    measure: (variant, context) =>
      reportedSample(variant, { program: join(context.shared, "app/main.mjs"), context, cached }),
  };
}

export const startup: Benchmark = {
  name: "startup",
  title: "Start",
  about: `Until the last line of the program, from the start of the process. The larger program has ${MODULES} modules of about 12 kB each, all recorded; "cold" has an empty cache. Two bounds by hand: a loader hook that does nothing, and one that hands out texts with the smallest probes from files, both with the engine's code cache.`,
  rounds: 7,
  peers: ["a hook", "longer texts", "sentry", "inspector", "istanbul", "appmap"],
  metrics: [
    { key: "readyMs", title: "ready", unit: "ms" },
    { key: "wallMs", title: "start to exit", unit: "ms" },
  ],
  cases: [
    {
      name: "empty program",
      measure: (variant, context) =>
        reportedSample(variant, { program: programPath(context, "ready.cjs"), context }),
    },
    application(`${MODULES} modules, cold`, false),
    application(`${MODULES} modules, cached`, true),
  ],
  prepare: async (shared): Promise<void> => {
    const folder = join(shared, "app");
    const longer = join(shared, "longer");
    mkdirSync(folder, { recursive: true });
    mkdirSync(longer, { recursive: true });
    for (let index = 0; index < MODULES; index++) {
      const name = `m${index}.mjs`;
      const text = moduleText(index);
      writeFileSync(join(folder, name), text);
      writeFileSync(
        join(longer, name),
        writeForm(name, writeForm(name, text, "rethrow"), "entry and return"),
      );
    }
    for (const one of [folder, longer]) {
      writeFileSync(
        join(one, "main.mjs"),
        'import { total } from "./m0.mjs";\ntotal({ lines: [] });\nprocess.stdout.write(`BENCH {"readyMs":${performance.now()}}\\n`);\n',
      );
    }
  },
};
