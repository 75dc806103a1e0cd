/** Code of `eval`, `new Function` and `node:vm` runs as it is, and its frames say that it was not recorded. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { folderWith } from "../cli/flight.ts";
import { removeRun, runPlain, runRecorded } from "../support/recorded-run.ts";

const PROGRAMS: Readonly<Record<string, readonly [source: string, frames: readonly string[]]>> = {
  "new Function": [
    'function call(f) { const kept = 1; return f(kept); }\nfunction crash(n) { throw new Error("n " + n); }\ncall(new Function("a", "return this.crash(a)").bind({ crash }));\n',
    ["crash ", "Object.eval not recorded: code of eval or new Function", "call ", "<module> "],
  ],
  "indirect eval": [
    'function crash(n) { throw new Error("n " + n); }\nglobalThis.crash = crash;\nfunction start(n) { return (0, eval)("(function made(b) { return crash(b); })")(n); }\nstart(2);\n',
    ["crash ", "made not recorded: code of eval or new Function", "start ", "<module> "],
  ],
  "node:vm": [
    'const vm = require("node:vm");\nfunction crash(n) { throw new Error("n " + n); }\nfunction start(n) { return vm.runInNewContext("(function made(b) { return crash(b); })", { crash })(n); }\nstart(3);\n',
    ["crash ", "made not recorded: code of node:vm", "start ", "<module> "],
  ],
};

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test.each(Object.keys(PROGRAMS))("%s", async (name) => {
    const [source, frames] = PROGRAMS[name] ?? ["", []];
    const folder = folderWith({});
    const file = join(folder, "main.cjs");
    writeFileSync(file, source);
    const plain = await runPlain({ node, file });
    const recorded = await runRecorded({ node, file });
    removeRun(recorded);
    expect(recorded.stderr).toBe(plain.stderr);
    const [box] = recorded.boxes;
    const details = box
      ?.extensions("node.frames")
      .flatMap(({ data }) => data as { note?: string }[]);
    const shown = box
      ?.frames()
      .map(({ qualname }, index) => `${qualname} ${details?.[index]?.note ?? ""}`);
    expect(shown).toEqual(frames);
  });
});
