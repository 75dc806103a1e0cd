/**
 * Deals ranges of seeds to processes on every installed Node and adds up what they report.
 */
import { spawn } from "node:child_process";
import { type Runtime, runtimes } from "../../scripts/runtimes.ts";
import type { Counts, Failure, Report } from "./run-seeds.ts";

/** Seeds of one process: a fresh one now and then keeps memory flat. */
const CHUNK = 5000;
/** No report for so long: a program does not end. */
const SILENCE_MS = 180_000;
/** Seeds between two reports of a process. */
const REPORTED = 200;
const SAY_EVERY_MS = 15_000;
/** One range in so many goes to each of the other versions of Node. */
const OTHER_SHARE = 12;

/** What was done of a campaign. */
export interface State {
  readonly chunks: readonly {
    readonly index: number;
    readonly node: string;
    readonly counts: Counts;
  }[];
  readonly failures: readonly Failure[];
  readonly seconds: number;
}

export interface Summary {
  readonly firstSeed: number;
  readonly lastSeed: number;
  readonly compared: number;
  /** Refused by the engine itself. */
  readonly invalid: number;
  /** The whole text was left alone. */
  readonly untouched: number;
  readonly byNode: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly failures: readonly Failure[];
}

interface CampaignOptions {
  readonly file: string;
  readonly firstSeed: number;
  readonly programs: number;
  readonly jobs: number;
  readonly minutes: number;
  readonly state: State | undefined;
  readonly chunk?: number;
  save(state: State): void;
  say(line: string): void;
}

/** A campaign; `run` ends when enough programs were compared or the time is over. */
export class Campaign {
  readonly #options: CampaignOptions;
  readonly #chunks: { index: number; node: string; counts: Counts }[] = [];
  readonly #failures: Failure[] = [];
  readonly #startedAtMs = performance.now();
  readonly #secondsBefore: number;
  readonly #chunkSize: number;
  /** What the processes that run now have reported. */
  readonly #running = new Map<number, Counts>();
  #next = 0;

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#chunkSize = options.chunk ?? CHUNK;
    const { state } = options;
    this.#secondsBefore = state?.seconds ?? 0;
    if (state !== undefined) {
      this.#chunks.push(...state.chunks);
      this.#failures.push(...state.failures);
    }
  }

  async run(): Promise<Summary> {
    const { jobs, say } = this.#options;
    const timer = setInterval(() => {
      const { compared, seconds, failures } = this.#summary();
      let sum = compared;
      for (const { same } of this.#running.values()) sum += same;
      say(`${sum} programs the same, ${failures.length} different, ${Math.round(seconds)} s`);
    }, SAY_EVERY_MS);
    try {
      await Promise.all(Array.from({ length: jobs }, () => this.#work()));
    } finally {
      clearInterval(timer);
    }
    return this.#summary();
  }

  async #work(): Promise<void> {
    const { minutes, programs } = this.#options;
    while (
      this.#summary().compared < programs &&
      performance.now() - this.#startedAtMs < minutes * 60_000
    ) {
      const index = this.#takeChunk();
      const runtime = runtimeOf(index);
      const counts = await this.#runChunk(index, runtime);
      this.#running.delete(index);
      this.#chunks.push({ index, node: runtime.version, counts });
      const { seconds } = this.#summary();
      this.#options.save({ chunks: this.#chunks, failures: this.#failures, seconds });
    }
  }

  #takeChunk(): number {
    const done = new Set(this.#chunks.map(({ index }) => index));
    while (done.has(this.#next)) this.#next++;
    return this.#next++;
  }

  async #runChunk(index: number, runtime: Runtime): Promise<Counts> {
    const first = this.#options.firstSeed + index * this.#chunkSize;
    const end = first + this.#chunkSize;
    const total = { same: 0, invalid: 0, untouched: 0, different: 0 };
    let next = first;
    while (next < end) {
      const { counts, reached } = await this.#runProcess({ first: next, end }, runtime, (soFar) => {
        this.#running.set(index, soFar);
      });
      total.same += counts.same;
      total.invalid += counts.invalid;
      total.untouched += counts.untouched;
      total.different += counts.different;
      next = reached;
      if (reached < end) {
        // The process died or fell silent: one of the next programs made it, or making it smaller.
        const last = this.#failures[this.#failures.length - 1]?.seed ?? -1;
        if (last >= reached && last < reached + REPORTED) next = last + 1;
        else {
          this.#fail(reached, runtime.version);
          next += REPORTED;
        }
      }
    }
    return total;
  }

  #fail(seed: number, node: string): void {
    const { say } = this.#options;
    const recorded = `no answer from Node ${node} for one of the seeds ${seed} to ${seed + REPORTED - 1}`;
    say(recorded);
    const program = { seed, kind: NO_KIND, source: "" };
    this.#failures.push({ seed, level: "any", program, plain: "", recorded });
  }

  #runProcess(
    { first, end }: { first: number; end: number },
    runtime: Runtime,
    tell: (counts: Counts) => void,
  ): Promise<{ counts: Counts; reached: number }> {
    return new Promise((resolve) => {
      let counts: Counts = { same: 0, invalid: 0, untouched: 0, different: 0 };
      let reached = first;
      const flags = ["--no-warnings", "--experimental-vm-modules", "--max-semi-space-size=32"];
      const child = spawn(
        runtime.path,
        [...flags, this.#options.file, String(first), String(end - first)],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      let watch = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS);
      const take = (line: string): void => {
        // The process prints what run-seeds.ts says.
        const report = JSON.parse(line) as Report;
        if (report.kind === "progress") {
          ({ counts, next: reached } = report);
          tell(counts);
        } else {
          const { seed } = report.failure;
          const known = this.#failures.findIndex((failure) => failure.seed === seed);
          // The same program, smaller.
          if (known >= 0) this.#failures.splice(known, 1);
          this.#failures.push(report.failure);
          this.#options.say(describeFailure(report.failure, runtime.version));
        }
      };
      // Not by `node:readline`, for which U+2028 in a program ends a line.
      let text = "";
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (data: string) => {
        clearTimeout(watch);
        watch = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS);
        const lines = (text + data).split("\n");
        text = lines.pop() ?? "";
        for (const line of lines) take(line);
      });
      child.on("close", () => {
        clearTimeout(watch);
        resolve({ counts, reached });
      });
    });
  }

  #summary(): Summary {
    const { firstSeed } = this.#options;
    const byNode: Record<string, number> = {};
    let [compared, invalid, untouched, last] = [0, 0, 0, 0];
    for (const { index, node, counts } of this.#chunks) {
      compared += counts.same;
      invalid += counts.invalid;
      untouched += counts.untouched;
      last = Math.max(last, index);
      byNode[node] = (byNode[node] ?? 0) + counts.same;
    }
    const seconds = this.#secondsBefore + (performance.now() - this.#startedAtMs) / 1000;
    return {
      firstSeed,
      lastSeed: firstSeed + (last + 1) * this.#chunkSize - 1,
      compared,
      invalid,
      untouched,
      byNode,
      seconds: Math.round(seconds),
      failures: this.#failures,
    };
  }
}

const NO_KIND = {
  format: "commonjs",
  isStrict: false,
  isTyped: false,
  hasCompiledTypes: false,
} as const;

/** Mostly the version that we develop with, and a share on each of the others. */
function runtimeOf(index: number): Runtime {
  const all = runtimes();
  const main = all.find(({ version }) => version.startsWith("24.")) ?? all[0];
  if (main === undefined) throw new Error("No Node is installed; run `node scripts/runtimes.ts`.");
  const others = all.filter((runtime) => runtime !== main);
  return others[(index + 1) % OTHER_SHARE] ?? main;
}

/** A failure for people: the seed, the small program, and the first line that differs. */
export function describeFailure(failure: Failure, node: string): string {
  const { seed, level, program, plain, recorded } = failure;
  const other = program.other === undefined ? "" : `\n--- other.mjs\n${program.other}`;
  return `seed ${seed}, level ${level}, Node ${node}, ${program.kind.format}\n${program.source}${other}\n--- plain:    ${plain}\n--- recorded: ${recorded}\n`;
}
