/**
 * Files that begin with a byte order mark: Node drops it from some and counts it as a column in
 * others. Stacks, excerpts, `toString` and coverage are those of the plain run, and the box has the
 * frames with values.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  removeRun,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";

const MARK = "\ufeff";
const BODY =
  'function f(a) { const inner = a; throw new Error("x " + inner); } console.log(String(f), new Error("q").stack); f(1);\n';
const TYPED = BODY.replace("(a)", "(a: number)").replace("inner =", "inner: number =");

const FILES: Readonly<Record<string, string>> = {
  "a.mjs": MARK + BODY,
  "a.cjs": MARK + BODY,
  "a.mts": MARK + TYPED,
  "a.cts": MARK + TYPED,
  "behind.mjs": `${MARK}// first line\n\n${BODY}`,
  "no-format.js": `${MARK}import "node:fs"; ${BODY}`,
  "no-format.ts": `${MARK}import "node:fs"; ${TYPED}`,
  "esm/package.json": '{ "type": "module" }',
  "esm/a.js": MARK + BODY,
  "import.mjs": 'import "./a.mjs";\n',
  "import-script.mjs": 'import "./a.cjs";\n',
  "require-module.cjs": 'require("./a.mjs");\n',
};
const PROGRAMS = Object.keys(FILES).filter((name) => !name.endsWith(".json"));

/**
 * On the oldest Node an imported CommonJS file goes through a stand-in: the outermost lines of a
 * stack are those of that (docs/decisions/0005).
 */
function comparable(text: string, isOld: boolean): string {
  if (!isOld) return text;
  return text.replaceAll(/^ {4}at .*(?:\(node:.*\)|:1:2\)?)\n/gm, "");
}

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-mark-"));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  // Node 22.15 has no TypeScript; what it then makes of a file is not to be compared with.
  const programs = PROGRAMS.filter((name) => !(name.endsWith("ts") && version.startsWith("22.")));
  test.each(programs)("%s", async (name) => {
    const program = { node, file: join(folder, name), cwd: folder };
    const plain = await runPlain(program);
    const run = await runRecorded(program);
    removeRun(run);
    const { stdout, stderr, code, boxes } = run;
    const isOld = name === "import-script.mjs" && version.startsWith("22.");
    expect({
      code,
      stdout: comparable(stdout, isOld),
      stderr: comparable(stderr, isOld),
    }).toEqual({
      code: plain.code,
      stdout: comparable(plain.stdout, isOld),
      stderr: comparable(plain.stderr, isOld),
    });
    const [box] = boxes;
    if (box === undefined) throw new Error("no box");
    const line = name === "behind.mjs" ? 3 : 1;
    expect(frameNames(box)[0]).toMatch(new RegExp(`^f \\(.*:${line}\\)$`));
    expect(localNode(box, 0, "inner")?.repr).toBe("1");
    const source = box.sources().find(({ filename }) => filename === box.frames()[0]?.file);
    expect(source?.text.split("\n")[line - 1]).toContain("inner");
  });
});
