/**
 * What a callback belongs to must not keep alive what the program let go: a program that calls `gc()`
 * in the callback sees its finalizers run.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, runPlain, runRecorded } from "../support/recorded-run.ts";

const PROGRAM = `
const registry = new FinalizationRegistry((name) => console.log("collected", name));
function start(name, defer) {
  let value = { name };
  registry.register(value, name);
  defer(() => { value = undefined; gc(); });
}
start("immediate", setImmediate);
start("timer", (done) => setTimeout(done, 1));
start("file", (done) => require("node:fs").stat(__filename, done));
setTimeout(() => { gc(); setTimeout(() => console.log("end"), 20); }, 60);
`;

function sortedLines(text: string): string[] {
  return text.split("\n").toSorted();
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-collected-"));
  writeFileSync(join(folder, "main.cjs"), PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(runtimes())("Node $version", ({ path: node }) => {
  test("objects of the frames that started a callback are collected", async () => {
    const options = { node, nodeArguments: ["--expose-gc"], file: join(folder, "main.cjs") };
    const plain = await runPlain(options);
    const recorded = await runRecorded(options);
    removeRun(recorded);
    expect(sortedLines(plain.stdout)).toEqual([
      "",
      "collected file",
      "collected immediate",
      "collected timer",
      "end",
    ]);
    expect(sortedLines(recorded.stdout)).toEqual(sortedLines(plain.stdout));
    expect(recorded.stderr).toBe(plain.stderr);
  });
});
