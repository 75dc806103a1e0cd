/**
 * Programs under `--enable-source-maps`: stacks and reports are those of the plain run, and the box
 * has the frames of the original. Compiled files, plain JavaScript, and TypeScript run directly.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "rolldown/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { frameNames, removeRun, runPlain, runRecorded } from "../support/recorded-run.ts";

/** Name → TypeScript that runs as a script and as a module; each dies in its own way. */
const SOURCES: Readonly<Record<string, string>> = {
  thrown: `interface Order { id: number }
enum Kind { One, Two }
function check(order: Order): never {
\tconst kind: Kind = order.id + Kind.Two;

\tthrow new TypeError("boom " + kind, { cause: new Error("inner") });
}
class Desk { constructor(private id: number) {} run(): never { return check({ id: this.id }); } }
new Desk(3).run();
`,
  engine: `type Q = { a?: { b: number } };
const q: Q = {};
const read = (value: Q): number => value.a!.b;
console.log(read(q));
`,
  rejected: `async function deep(n: number): Promise<number> { await null; throw new RangeError("n " + n); }
const start = async (n: number): Promise<void> => { await deep(n as number); };
start(4);
`,
  object: `function f(s: string): never { throw { odd: s, list: [1] }; }
Promise.resolve().then((): void => { f("x"); });
`,
  caught: `function f(s: string): never { throw new Error(s); }
try { f("quiet"); } catch (error) { console.log((error as Error).stack); }
const nameless: (() => string | undefined)[] = [() => new Error("made").stack];
console.log(nameless[0]!());
`,
  wide: `const 数: string = "漢字 🙂"; function f(): never { const a: string = "漢字 🙂"; throw new Error(a + 数); }
f();
`,
};

const folder = mkdtempSync(join(tmpdir(), "orangebox-maps-"));
const files: string[] = [];

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  files.push(name);
}

beforeAll(() => {
  for (const [name, text] of Object.entries(SOURCES)) {
    writeFileSync(join(folder, `${name}.src.ts`), text);
    for (const ending of ["cjs", "mjs"]) {
      const { code, map } = transformSync(`${name}.src.ts`, text, { sourcemap: true });
      if (map === undefined) throw new Error(`no map for ${name}`);
      const json = JSON.stringify({ ...map, sources: [`${name}.src.ts`] });
      const comment = (url: string): string => `${code}\n//# sourceMappingURL=${url}\n`;
      const data = Buffer.from(json).toString("base64");
      write(`${name}-inline.${ending}`, comment(`data:application/json;base64,${data}`));
      const bare = JSON.stringify({ ...map, sources: [`${name}.src.ts`], sourcesContent: [] });
      writeFileSync(join(folder, `${name}-${ending}.map`), bare);
      write(`${name}-beside.${ending}`, comment(`${name}-${ending}.map`));
      if (name !== "thrown") continue;
      write(`${name}-gone.${ending}`, comment("nowhere.map"));
      write(`${name}-none.${ending}`, code);
    }
  }
  writeFileSync(
    join(folder, "switch.cjs"),
    `process.setSourceMapsEnabled(true);\nrequire("./thrown-inline.cjs");\n`,
  );
  files.push("switch.cjs");
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  /** What a program prints and returns, plain and recorded. */
  async function bothRuns(
    file: string,
    nodeArguments: readonly string[],
  ): Promise<[recorded: object, plain: object]> {
    const options = { node, nodeArguments, file: join(folder, file), cwd: folder };
    const plain = await runPlain(options);
    const recorded = await runRecorded(options);
    const { stdout, stderr, code, signal } = recorded;
    removeRun(recorded);
    return [
      { file, stdout, stderr, code, signal },
      { file, ...plain },
    ];
  }

  test("compiled files print what they print without us", async () => {
    for (let i = 0; i < files.length; i += 4) {
      const some = files.slice(i, i + 4);
      const runs = await Promise.all(some.map((file) => bothRuns(file, ["--enable-source-maps"])));
      for (const [recorded, plain] of runs) expect(recorded).toEqual(plain);
    }
    expect(files.length).toBe(29);
  }, 120_000);

  test.runIf(!version.startsWith("22.15"))(
    "TypeScript run directly prints erased types, with and without the flag",
    async () => {
      for (const name of ["engine", "rejected", "object", "caught", "wide"]) {
        for (const flags of [[], ["--enable-source-maps"]]) {
          const [recorded, plain] = await bothRuns(`${name}.src.ts`, flags);
          expect(recorded).toEqual(plain);
        }
      }
    },
  );

  test.each([
    [
      "thrown-inline.mjs",
      ["check (thrown.src.ts:6)", "Desk.run (thrown.src.ts:8)", "<module> (thrown.src.ts:9)"],
    ],
    [
      "thrown-beside.cjs",
      ["check (thrown.src.ts:6)", "Desk.run (thrown.src.ts:8)", "<module> (thrown.src.ts:9)"],
    ],
    ["rejected-inline.mjs", ["async deep (rejected.src.ts:1)", "async start (rejected.src.ts:2)"]],
  ])("the box of %s has the frames of the original", async (file, expected) => {
    const run = await runRecorded({
      node,
      nodeArguments: ["--enable-source-maps"],
      file: join(folder, file),
    });
    removeRun(run);
    expect(run.boxes).toHaveLength(1);
    expect(run.boxes.map(frameNames)).toEqual([expected]);
  });
});
