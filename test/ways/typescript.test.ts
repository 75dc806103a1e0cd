/**
 * TypeScript programs as bundlers and tsx run them: imports without endings, of folders, by `paths`,
 * and of types as if they were values. They print what they print under tsx.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";
import { installPeers } from "./compilers.ts";

/** Programs that Node runs as they are, and that look for something that is not there. */
const NOT_FOUND: Readonly<Record<string, string>> = {
  "missing.ts": 'import "./missing-file.ts";\n',
  "caught.ts":
    'for (const name of ["nopkg", "./no", "./folder"]) try { await import(name); } catch (e) { console.log((e as Error).stack); }\n',
  "commonjs/required.ts":
    'for (const name of ["./no", "nopkg"]) try { require(name); } catch (e) { console.log((e as Error).stack); }\n',
};

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(installPeers(), "typescript-"));
  cpSync(join(ROOT, "test/samples/typescript-project"), folder, { recursive: true });
  for (const [name, text] of Object.entries(NOT_FOUND)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  test.each(["app.ts", "commonjs/app.ts"])("%s prints what it prints under tsx", async (entry) => {
    const program = { node, file: join(folder, entry), cwd: folder };
    const plain = await runPlain({ ...program, nodeArguments: ["--import", "tsx"] });
    const recorded = await runRecorded(program);
    removeRun(recorded);
    expect(recorded.stdout).toBe(plain.stdout);
    expect(recorded.stdout).not.toBe("");
    expect(recorded.code).toBe(plain.code);
    if (entry !== "app.ts") return;
    const [box] = recorded.boxes;
    if (box === undefined) throw new Error("no box");
    expect(frameNames(box)).toEqual(["fail (lazy.ts:5)", "<module> (app.ts:27)"]);
    expect(localNode(box, 0, "count")?.repr).toBe("1");
    const text = readFileSync(join(folder, "src/lazy.ts"), "utf8");
    expect(box.sources().map((source) => source.text)).toContain(text);
  });

  // Node 22.15 has no TypeScript to compare with.
  test.skipIf(version.startsWith("22."))(
    "an import that leads nowhere fails as it does without us",
    async () => {
      for (const name of Object.keys(NOT_FOUND)) {
        const program = { node, file: join(folder, name), cwd: folder };
        const { stdout, stderr, code, signal } = await runPlain(program);
        const recorded = await runRecorded(program);
        removeRun(recorded);
        const { stdout: out, stderr: errors, code: ended, signal: by } = recorded;
        expect({ name, stdout: out, stderr: errors, code: ended, signal: by }).toEqual({
          name,
          stdout,
          stderr,
          code,
          signal,
        });
      }
    },
    60_000,
  );
});
