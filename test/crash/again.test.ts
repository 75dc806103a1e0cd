/** Recording that is ended and begun again in one process. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { openBox, ROOT, runPlain } from "../support/recorded-run.ts";

const API = pathToFileURL(join(ROOT, "packages/recorder/dist/index.js")).href;

const AGAIN = `
import { install, isInstalled, stats, uninstall } from ${JSON.stringify(API)};
const options = { outputDir: process.argv[2], stateDir: process.argv[2] + "/state" };
const says = [];
install(options);
const { first } = await import("./first.mjs");
first(1);
uninstall();
says.push(isInstalled());
first(2);
await import("./unseen.mjs");
install(options);
uninstall();
install({ ...options, onExit: true });
const { second } = await import("./second.mjs");
says.push(isInstalled(), stats().modules, stats().mapping);
console.log(JSON.stringify(says));
second(first, { answer: 42 });
`;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-again-"));
  writeFileSync(join(folder, "again.mjs"), AGAIN);
  writeFileSync(join(folder, "unseen.mjs"), "export function unseen() {}\n");
  writeFileSync(
    join(folder, "first.mjs"),
    'export function first(n) {\n  if (n > 2) throw new Error("first " + n);\n}\n',
  );
  writeFileSync(
    join(folder, "second.mjs"),
    "export function second(call, config) {\n  const n = 3;\n  call(n);\n}\n",
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("Node $version", ({ path: node }) => {
  test("what was loaded before and what is loaded after are both in the box", async () => {
    const out = mkdtempSync(join(tmpdir(), "orangebox-again-out-"));
    const run = await runPlain({ node, file: join(folder, "again.mjs"), arguments: [out] });
    expect(run.stdout).toBe('[false,true,2,"memory"]\n');
    expect(run.code).toBe(1);
    const names = readdirSync(out).filter((name) => name.endsWith(".flight"));
    expect(names).toHaveLength(1);
    const frames = openBox(join(out, names[0] ?? "")).frames();
    expect(frames.map(({ qualname, line }) => `${qualname} ${line}`).slice(0, 2)).toEqual([
      "first 2",
      "second 3",
    ]);
    expect(frames[1]?.locals.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["call", "config", "n"]),
    );
    rmSync(out, { recursive: true, force: true });
  });
});
