/**
 * Programs that replace built-ins by ones that fail, as tests do to try a failure: their modules load
 * as without the recorder, and what could not be given probes then is not remembered as such.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { frameNames, removeRun, runPlain, runRecorded } from "../support/recorded-run.ts";

const REPLACES = `
const owners = [Array.prototype, String.prototype, Map.prototype, WeakMap.prototype, RegExp.prototype, JSON, Number, Reflect];
const names = [["push", "join", "some", "map", "includes", "find", Symbol.iterator], ["startsWith", "slice", "split", "indexOf", "lastIndexOf", "charCodeAt"], ["get", "set"], ["get", "set"], ["test", "exec"], ["parse", "stringify"], ["parseInt"], ["apply"]];
const lines = [];
const load = require;
const part = process.argv[2];
for (let i = 0; i < owners.length; i++) {
  for (let k = 0; k < names[i].length; k++) {
    const owner = owners[i], name = names[i][k], native = owner[name];
    let said;
    owner[name] = () => { throw new Error("replaced"); };
    try {
      delete load.cache[load.resolve(part)];
      said = load(part)(1);
    } catch (error) { said = String(error); }
    owner[name] = native;
    lines.push(String(name) + " " + said);
  }
}
console.log(lines.join("\\n"));
`;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-replaced-"));
  writeFileSync(join(folder, "replaces.cjs"), REPLACES);
  writeFileSync(join(folder, "crashes.cjs"), "require(process.argv[2])(0);\n");
  writeFileSync(
    join(folder, "part.cjs"),
    'module.exports = function part(n) {\n  if (n === 0) throw new Error("part");\n  return n;\n};\n',
  );
  writeFileSync(
    join(folder, "part.cts"),
    'module.exports = function part(n: number): number {\n  if (n === 0) throw new Error("part");\n  return n;\n};\n',
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Node runs TypeScript without a flag. */
const TYPED_FROM = 24;

const CASES = runtimes().flatMap(({ path, version }) =>
  ["./part.cjs", "./part.cts"]
    .filter((part) => part.endsWith(".cjs") || Number.parseInt(version, 10) >= TYPED_FROM)
    .map((part) => ({ node: path, version, part })),
);

test.each(CASES)(
  "$part loads while built-ins fail, on Node $version",
  async ({ node, version, part }) => {
    const cacheDir = join(folder, `cache-${version}-${part.slice(2)}`);
    const job = { node, file: join(folder, "replaces.cjs"), arguments: [part] };
    const plain = await runPlain(job);
    // Node's own reader of types fails with two of them.
    const loaded = plain.stdout.split("\n").filter((line) => line.endsWith(" 1"));
    expect(loaded.length).toBeGreaterThan(20);
    for (const start of ["cold", "warm"]) {
      const { stdout, stderr, ...run } = await runRecorded({ ...job, cacheDir });
      removeRun({ stdout, stderr, ...run });
      const lines = stdout.split("\n").filter((line) => loaded.includes(line));
      expect({ start, lines, stderr }).toEqual({ start, lines: loaded, stderr: plain.stderr });
    }
    // Nothing of that is kept.
    const file = join(folder, "crashes.cjs");
    const crashed = await runRecorded({ node, file, arguments: [part], cacheDir });
    removeRun(crashed);
    expect(frameNames(crashed.boxes[0] as never)[0]).toBe(`part (${part.slice(2)}:2)`);
  },
  60_000,
);
