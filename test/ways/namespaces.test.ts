/**
 * Random namespaces: the recorded program makes what TypeScript's own output makes.
 *
 * Names are few, so that blocks, scopes and namespaces hide each other's all the time.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  frameNames,
  localNode,
  removeRun,
  runPlain,
  runRecorded,
  type RunOptions,
} from "../support/recorded-run.ts";
import { runtimes } from "../../scripts/runtimes.ts";
import { peer } from "./compilers.ts";
import { namespaceProgram } from "./namespace-programs.ts";

interface TypeScript {
  transpileModule(text: string, options: object): { outputText: string };
}

const PROGRAMS = 250;
const SEED = Number(process.env["NAMESPACES_SEED"] ?? 20_261_201);

const RUNNER = `for (let at = 0; at < ${PROGRAMS}; at++) {
  try {
    const { log } = await import("./p" + at + "." + process.argv[2]);
    console.log(at + " " + JSON.stringify(log));
  } catch (error) {
    console.log(at + " " + error);
  }
}
`;

const [{ path: node } = { path: process.execPath }] = runtimes();

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-namespaces-"));
  writeFileSync(join(folder, "run.mjs"), RUNNER);
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function program(ending: string): RunOptions {
  return { node, file: join(folder, "run.mjs"), cwd: folder, arguments: [ending] };
}

test("random namespaces run as TypeScript compiles them", async () => {
  const { transpileModule } = peer("typescript") as TypeScript;
  const texts = Array.from({ length: PROGRAMS }, (_, at) => namespaceProgram(SEED + at));
  texts.forEach((text, at) => {
    writeFileSync(join(folder, `p${at}.mts`), text);
    const compilerOptions = { target: "es2022", module: "esnext" };
    const { outputText } = transpileModule(text, { fileName: `p${at}.mts`, compilerOptions });
    writeFileSync(join(folder, `p${at}.mjs`), outputText);
  });
  const plain = await runPlain(program("mjs"));
  const recorded = await runRecorded(program("mts"));
  removeRun(recorded);
  const expected = withoutNumbers(plain.stdout).trim().split("\n");
  const got = withoutNumbers(recorded.stdout).trim().split("\n");
  const different = expected.flatMap((line, at) =>
    line === got[at] ? [] : [{ seed: SEED + at, expected: line, got: got[at], text: texts[at] }],
  );
  expect(different.slice(0, 3)).toEqual([]);
  expect(expected).toHaveLength(PROGRAMS);
  // Most of them run to their end, so what is compared are values.
  expect(expected.filter((line) => /^\d+ \[/.test(line)).length).toBeGreaterThan(PROGRAMS / 2);
}, 240_000);

/** Without the numbers of objects whose name is hidden, in messages: `N_1.x is not a function`. */
function withoutNumbers(printed: string): string {
  return printed.replaceAll(/\b([NMP])_\d+/g, "$1");
}

const CRASH = `namespace Shop {
  export let count = 1, fail: any;
  export namespace Inner {
    export const sell = (amount: number) => { count += amount; return fail(count); };
  }
}
namespace Shop {
  export function run(by: number) { return Inner.sell(by); }
}
Shop.run(4);
`;

test("a crash in a namespace shows the text as it was written", async () => {
  const file = join(folder, "crash.ts");
  writeFileSync(file, CRASH);
  const recorded = await runRecorded({ node, file, cwd: folder });
  removeRun(recorded);
  const [box] = recorded.boxes;
  if (box === undefined) throw new Error(`no box: ${recorded.stderr}`);
  const failing = CRASH.split("\n")[3] ?? "";
  expect(recorded.stderr.split("\n").slice(0, 5)).toEqual([
    expect.stringContaining("crash.ts:4") as string,
    failing,
    `${" ".repeat(failing.indexOf("fail("))}^`,
    "",
    "TypeError: Shop.fail is not a function",
  ]);
  expect(frameNames(box).map((name) => name.replace(/^.*\(/, "("))).toEqual([
    "(crash.ts:4)",
    "(crash.ts:8)",
    "(crash.ts:10)",
  ]);
  expect(localNode(box, 0, "amount")?.repr).toBe("4");
  expect(localNode(box, 0, "Shop")).toBeDefined();
});
