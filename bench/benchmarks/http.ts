/** What recording costs a web server under load from another process. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Benchmark, MeasureContext, Sample } from "../benchmark.ts";
import { programPath, startOf } from "../run-program.ts";
import { root, type Variant } from "../variants.ts";

/** About a third of what one core answers, so that queues are those of the handler. */
const REQUESTS_PER_SECOND = 2000;
const WARMUP_SECONDS = 2;
const MEASURE_SECONDS = 5;
const START_TIMEOUT_MS = 30_000;

const execute = promisify(execFile);

async function measure(variant: Variant, context: MeasureContext): Promise<Sample> {
  const { args, env, cwd } = startOf(variant, {
    program: programPath(context, "server.mjs"),
    context,
  });
  const server = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const exited = once(server, "exit");
  try {
    const lines = createInterface(server.stdout);
    const answers = new Map<string, (value: number) => void>();
    lines.on("line", (line) => {
      const [key = "", value = ""] = line.split(" ");
      answers.get(key)?.(Number(value));
    });
    const answer = (key: string): Promise<number> =>
      new Promise((resolve, reject) => {
        answers.set(key, resolve);
        setTimeout(() => reject(new Error("the server does not answer")), START_TIMEOUT_MS).unref();
        void exited.then(() => reject(new Error(`the server ended: ${stderr.slice(0, 300)}`)));
      });
    const port = await answer("PORT");
    const cpuBefore = answer("CPU");
    server.stdin.write("cpu\n");
    const before = await cpuBefore;
    const { stdout } = await execute(
      process.execPath,
      [
        join(root, "bench/load.ts"),
        ...[port, REQUESTS_PER_SECOND, WARMUP_SECONDS, MEASURE_SECONDS].map(String),
      ],
      { timeout: (WARMUP_SECONDS + MEASURE_SECONDS) * 1000 + START_TIMEOUT_MS },
    );
    const cpuAfter = answer("CPU");
    server.stdin.write("cpu\n");
    const usCpu = (await cpuAfter) - before;
    const { p50Ms, p99Ms, requests, failed } = JSON.parse(stdout.slice(5)) as Record<
      string,
      number
    >;
    if (failed !== 0 || p50Ms === undefined || p99Ms === undefined || requests === undefined) {
      throw new Error(`${failed} requests failed`);
    }
    const total = REQUESTS_PER_SECOND * (WARMUP_SECONDS + MEASURE_SECONDS);
    return { p50Ms, p99Ms, usCpuPerRequest: usCpu / total };
  } finally {
    server.stdin.end();
    const timer = setTimeout(() => server.kill("SIGKILL"), 5000);
    await exited;
    clearTimeout(timer);
  }
}

export const http: Benchmark = {
  name: "http",
  title: "A web server",
  about: `node:http answers ${REQUESTS_PER_SECOND} requests a second over 32 kept connections; each builds, validates and summarises an order. Latency counts from the moment when a request was due.`,
  rounds: 5,
  peers: ["sentry", "inspector", "istanbul", "appmap"],
  metrics: [
    { key: "p50Ms", title: "p50", unit: "ms" },
    { key: "p99Ms", title: "p99", unit: "ms", goal: { kind: "ratio", atMost: 1.05 } },
    { key: "usCpuPerRequest", title: "CPU per request", unit: "us" },
  ],
  cases: [{ name: "", measure }],
};
