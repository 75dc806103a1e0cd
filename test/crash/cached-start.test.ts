/**
 * A second start takes the texts from the cache and the engine's code from its own; the program
 * does not see either.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { removeRun, runPlain, runRecorded } from "../support/recorded-run.ts";

const ASKS = `
import * as m from "node:module";
import { createRequire, enableCompileCache, getCompileCacheDir } from "node:module";
const required = createRequire(import.meta.url)("node:module");
const say = (...values) => console.log(JSON.stringify(values));
say(getCompileCacheDir(), required.getCompileCacheDir(), m.getCompileCacheDir());
say(String(required.enableCompileCache), enableCompileCache.name, enableCompileCache.length);
say(String(required.getCompileCacheDir), getCompileCacheDir.name, getCompileCacheDir.length);
say(Object.getOwnPropertyDescriptor(required, "enableCompileCache").enumerable);
say("prototype" in enableCompileCache, "prototype" in getCompileCacheDir);
say(required.enableCompileCache === enableCompileCache);
say(enableCompileCache(process.argv[2]).status);
say(enableCompileCache(process.argv[2]).status, typeof getCompileCacheDir());
try { enableCompileCache(7); } catch (error) { say(error.code, error.message); }
`;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-start-"));
  writeFileSync(join(folder, "asks.mjs"), ASKS);
  mkdirSync(join(folder, "app"));
  writeFileSync(join(folder, "app/a.mjs"), 'import { b } from "./b.cjs";\nb(1);\n');
  writeFileSync(
    join(folder, "app/b.cjs"),
    'exports.b = function b(n) {\n  if (n === 1) throw new Error("b " + n);\n};\n',
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("Node $version", ({ path: node }) => {
  test("what a program asks about the code cache is answered as without a recorder", async () => {
    const options = { node, file: join(folder, "asks.mjs"), arguments: [join(folder, "own")] };
    const plain = await runPlain(options);
    const recorded = await runRecorded(options);
    removeRun(recorded);
    expect(plain.code).toBe(0);
    expect(recorded).toMatchObject({ stdout: plain.stdout, stderr: plain.stderr, code: 0 });
  });

  test("the first start and the ones after it print and record the same", async () => {
    const cache = mkdtempSync(join(tmpdir(), "orangebox-start-cache-"));
    const options = { node, file: join(folder, "app/a.mjs"), cacheDir: cache };
    const plain = await runPlain(options);
    for (let start = 0; start < 3; start++) {
      const run = await runRecorded(options);
      removeRun(run);
      expect(run).toMatchObject({ stdout: "", stderr: plain.stderr, code: 1 });
      const frames = run.boxes[0]?.frames().map(({ qualname, line }) => `${qualname} ${line}`);
      expect(frames).toEqual(["b 2", "<module> 2"]);
    }
    expect(readdirSync(cache)).toContain("code");
    rmSync(cache, { recursive: true, force: true });
  });

  test("a start in another order gives every module its own ids", async () => {
    const cache = mkdtempSync(join(tmpdir(), "orangebox-start-cache-"));
    const file = join(folder, "order.cjs");
    for (const name of ["one", "two", "three"]) {
      writeFileSync(
        join(folder, `${name}.cjs`),
        `exports.${name} = function ${name}(v) { return v(); };\n`,
      );
    }
    writeFileSync(
      file,
      `const names = process.argv.slice(2);
const all = Object.assign({}, ...names.map((name) => require("./" + name + ".cjs")));
all.one(() => all.two(() => all.three(() => { throw new Error("deep"); })));\n`,
    );
    for (const order of [
      ["one", "two", "three"],
      ["three", "one", "two"],
    ]) {
      const run = await runRecorded({
        node,
        file,
        arguments: order,
        cacheDir: cache,
      });
      removeRun(run);
      const frames = run.boxes[0]
        ?.frames()
        .map(({ qualname, file: path }) => [
          qualname.replace(/<anonymous:.*/, "arrow"),
          path.slice(folder.length + 1),
        ]);
      expect(frames).toEqual([
        ["arrow", "order.cjs"],
        ["three", "three.cjs"],
        ["arrow", "order.cjs"],
        ["two", "two.cjs"],
        ["arrow", "order.cjs"],
        ["one", "one.cjs"],
        ["<module>", "order.cjs"],
      ]);
    }
    rmSync(cache, { recursive: true, force: true });
  });
});
