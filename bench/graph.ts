/**
 * Measures serializing and scrubbing an object graph, from a thousand to a million reachable objects.
 *
 * `node --conditions=@orangebox/source bench/graph.ts [--json]`. The limits of containers and depth are
 * lifted so that all objects are really opened; the last rows show the default limits and a heap far
 * beyond the deadline. Read ratios, not milliseconds.
 */
import { serializeGraph } from "../packages/recorder/src/graph/serialize-graph.ts";
import type { GraphOptions } from "../packages/recorder/src/graph/serialize-graph.ts";

interface Row {
  readonly name: string;
  readonly nodes: number;
  readonly coldMs: number;
  readonly warmMs: number;
  /** Processor time of one warm run, on all threads: steadier than the clock on a busy machine. */
  readonly warmCpuMs: number;
  readonly budget: string;
}

/** Orders with a customer, lines and a date: four objects for each order. */
function makeOrders(objects: number): unknown {
  const groups: unknown[][] = [];
  let group: unknown[] = [];
  for (let at = 0; at < objects / 4; at++) {
    if (at % 500 === 0) groups.push((group = []));
    group.push({
      id: at,
      status: at % 3 === 0 ? "paid" : "open",
      customer: { name: `customer ${at}`, city: "Oslo", password: `secret-${at % 50}` },
      lines: [{ sku: `sku-${at}`, price: at / 7 }],
    });
  }
  return groups;
}

const UNBOUNDED: GraphOptions = {
  deadlineMs: 60_000,
  maxBytes: 2 ** 40,
  maxContainer: 1_000_000,
  maxDepth: 100,
  maxObjects: 100_000_000,
};

function middle(list: number[]): number {
  const sorted = list.slice(2).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

function measure(name: string, value: unknown, options: GraphOptions): Row {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  let nodes = 0;
  let budget = "";
  for (let round = 0; round < 7; round++) {
    const cpu = process.cpuUsage();
    const started = performance.now();
    const result = serializeGraph([{ locals: [{ name: "value", value }] }], [], options);
    times.push(performance.now() - started);
    const used = process.cpuUsage(cpu);
    cpuTimes.push((used.user + used.system) / 1000);
    nodes = result.nodes.length;
    budget = result.budget.map((cut) => `${cut.limit} ${cut.count}`).join(", ");
  }
  return {
    name,
    nodes,
    coldMs: times[0] ?? 0,
    warmMs: middle(times),
    warmCpuMs: middle(cpuTimes),
    budget,
  };
}

const rows: Row[] = [];
for (const objects of [1e3, 1e4, 1e5, 1e6]) {
  rows.push(measure(`${objects} objects, all opened`, makeOrders(objects), UNBOUNDED));
}
rows.push(measure("1000000 objects, default limits", makeOrders(1e6), {}));
const wide = Array.from({ length: 200 }, () =>
  Array.from({ length: 200 }, () => Array.from({ length: 200 }, (_, i) => ({ i }))),
);
rows.push(measure("8000000 objects, default limits", wide, {}));
rows.push(
  measure(
    "array of 1000000",
    Array.from({ length: 1e6 }, (_, i) => ({ i })),
    {},
  ),
);
rows.push(measure("map of 1000000", new Map(Array.from({ length: 1e6 }, (_, i) => [i, i])), {}));
rows.push(
  measure(
    "object of 1000000 keys",
    Object.fromEntries(Array.from({ length: 1e6 }, (_, i) => [`k${i}`, i])),
    {},
  ),
);
rows.push(measure("text of 100 MB", "x".repeat(1e8), {}));

if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ node: process.version, rows }, null, 2));
} else {
  console.log(`node ${process.version}\n`);
  console.log(
    "| graph | nodes | first ms | warm ms | warm CPU ms | cut |\n|---|---:|---:|---:|---:|---|",
  );
  for (const row of rows) {
    console.log(
      `| ${row.name} | ${row.nodes} | ${row.coldMs.toFixed(1)} | ${row.warmMs.toFixed(1)} | ${row.warmCpuMs.toFixed(1)} | ${row.budget} |`,
    );
  }
}
