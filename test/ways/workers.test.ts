/** Worker threads under `flight run`, on every Node: they see what they see in a plain run, and are recorded. */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { finished, folderWith, plainEnvironment } from "../cli/flight.ts";
import { localNode, openBox } from "../support/recorded-run.ts";

const FLIGHT = resolve("packages/orangebox/bin/flight.js");

const PROGRAM = `const { Worker, SHARE_ENV } = require("node:worker_threads");
class Options {
  #env = { ...process.env };
  get env() {
    return this.#env;
  }
}
const given = {
  none: undefined,
  copied: { env: { ...process.env } },
  own: { env: process.env },
  empty: { env: {} },
  options: { env: { NODE_OPTIONS: "--no-deprecation" } },
  frozen: Object.freeze({ env: Object.freeze({ ...process.env }) }),
  inherited: Object.create({ env: {} }),
  private: new Options(),
  arguments: { env: { ...process.env }, execArgv: ["--no-warnings"] },
  argumentsAlone: { execArgv: [] },
  shared: { env: SHARE_ENV },
  notText: { env: { NODE_OPTIONS: 1 } },
  refused: { env: { NODE_OPTIONS: "--no-such-option" } },
  wrong: { env: 1 },
};
(async () => {
  for (const [name, options] of Object.entries(given)) {
    try {
      const worker = new Worker(__dirname + "/worker.cjs", options);
      worker.on("error", (error) => console.log(name, error.stack));
      const code = await new Promise((settle) => worker.once("exit", settle));
      console.log(name, code, options === undefined ? "" : Object.keys(options).join());
    } catch (error) {
      console.log(name, error.code, error.message);
    }
  }
})();
`;

const WORKER = `function lose() {
  const seen = [...process.execArgv];
  console.log(JSON.stringify([process.execArgv, process.env]));
  throw new Error("late");
}
lose();
`;

/** The workers above that start, and fail in a function with probes. */
const RECORDED_COUNT = 12;

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test.each(["", "--no-warnings --conditions=other"])(
    "workers with an environment of their own, under NODE_OPTIONS '%s'",
    async (options) => {
      const cwd = folderWith({ "app.cjs": PROGRAM, "worker.cjs": WORKER });
      const env = plainEnvironment(options === "" ? {} : { NODE_OPTIONS: options });
      const args = ["--stack-trace-limit=20", "app.cjs"];
      const plain = await finished(spawn(node, args, { cwd, env }));
      const run = [FLIGHT, "run", "--out", cwd, "--", ...args];
      const recorded = await finished(spawn(node, run, { cwd, env }));
      expect(recorded.stdout).toBe(plain.stdout);
      expect(recorded.code).toBe(plain.code);
      expect(recorded.stderr.replaceAll(/^\[flight\] recorded .*\n/gm, "")).toBe(plain.stderr);
      const names = readdirSync(cwd).filter((name) => name.endsWith(".flight"));
      const boxes = names.map((name) => openBox(join(cwd, name)));
      expect(boxes).toHaveLength(RECORDED_COUNT);
      for (const box of boxes) {
        expect(box.frames()[0]?.qualname).toBe("lose");
        expect(localNode(box, 0, "seen")?.kind).toBe("list");
      }
    },
  );
});
