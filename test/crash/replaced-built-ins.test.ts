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
for (let i = 0; i < owners.length; i++) {
  for (let k = 0; k < names[i].length; k++) {
    const owner = owners[i], name = names[i][k], native = owner[name];
    let said;
    owner[name] = () => { throw new Error("replaced"); };
    try { delete load.cache[load.resolve("./part.cjs")]; said = load("./part.cjs")(1); } catch (error) { said = String(error); }
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
  writeFileSync(join(folder, "crashes.cjs"), 'require("./part.cjs")(0);\n');
  writeFileSync(
    join(folder, "part.cjs"),
    'module.exports = function part(n) {\n  if (n === 0) throw new Error("part");\n  return n;\n};\n',
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each(runtimes())(
  "modules load while built-ins fail, on Node $version",
  async ({ path: node, version }) => {
    const cacheDir = join(folder, `cache-${version}`);
    const job = { node, file: join(folder, "replaces.cjs") };
    const plain = await runPlain(job);
    expect(plain.stdout).toContain("push 1\n");
    for (const start of ["cold", "warm"]) {
      const recorded = await runRecorded({ ...job, cacheDir });
      removeRun(recorded);
      expect({ start, out: recorded.stdout, err: recorded.stderr }).toEqual({
        start,
        out: plain.stdout,
        err: plain.stderr,
      });
    }
    // Nothing of that is kept.
    const crashed = await runRecorded({ node, file: join(folder, "crashes.cjs"), cacheDir });
    removeRun(crashed);
    expect(frameNames(crashed.boxes[0] as never)[0]).toBe("part (part.cjs:2)");
  },
  60_000,
);
