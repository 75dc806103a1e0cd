/**
 * Programs with decorators, which no Node runs: they do what TypeScript's own output does, at every
 * level, and a crash has the frames of the text as it was written.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  nodeAt,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";
import { peer } from "./compilers.ts";

interface TypeScript {
  transpileModule(text: string, options: object): { outputText: string };
}

/** Folder below the samples, entry, and what its tsconfig.json says. */
const COMPARED: readonly { entry: string; options: object }[] = [
  { entry: "standard.ts", options: {} },
  { entry: "receivers.ts", options: {} },
  {
    entry: "legacy/types.ts",
    options: {
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      useDefineForClassFields: false,
      strict: true,
    },
  },
  {
    entry: "legacy/main.ts",
    options: {
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      useDefineForClassFields: false,
      strict: true,
    },
  },
];

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-decorators-"));
  cpSync(join(ROOT, "test/samples/decorators"), folder, { recursive: true });
  const { transpileModule } = peer("typescript") as TypeScript;
  for (const { entry, options } of COMPARED) {
    const { outputText } = transpileModule(readFileSync(join(folder, entry), "utf8"), {
      compilerOptions: { target: "es2022", module: "esnext", ...options },
    });
    writeFileSync(join(folder, entry.replace(/\.ts$/, ".mjs")), outputText.replace(".ts", ".mjs"));
  }
  const shapes = readFileSync(join(folder, "legacy/shapes.ts"), "utf8");
  const { outputText } = transpileModule(shapes, { compilerOptions: { target: "es2022" } });
  writeFileSync(join(folder, "legacy/shapes.mjs"), outputText);
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const LEVELS = ["calls", "lines", "writes"] as const;

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  const run = (entry: string, level = "calls"): ReturnType<typeof runRecorded> =>
    runRecorded({
      node,
      file: join(folder, entry),
      cwd: folder,
      env: { ORANGEBOX_LEVEL: level, ORANGEBOX_CAPTURE_DEADLINE_MS: "10000" },
    });

  const levels = version.startsWith("24.") ? LEVELS : (["calls"] as const);
  const compared = COMPARED.flatMap(({ entry }) => levels.map((level) => ({ entry, level })));
  test.each(compared)("$entry prints what TypeScript's output prints, at $level", async (given) => {
    const { entry, level } = given;
    const compiled = entry.replace(/\.ts$/, ".mjs");
    const plain = await runPlain({ node, file: join(folder, compiled), cwd: folder });
    const recorded = await run(entry, level);
    removeRun(recorded);
    expect(plain.code).toBe(0);
    const { stdout, stderr, code } = recorded;
    expect({ stdout, stderr, code }).toEqual({ stdout: plain.stdout, stderr: "", code: 0 });
  });

  test("what TypeScript's output cannot do follows the standard", async () => {
    const recorded = await run("beyond.ts");
    removeRun(recorded);
    expect(recorded.stderr).toBe("");
    expect(recorded.stdout.split("\n").slice(0, 4)).toEqual([
      "base,made,fn,c,#m",
      "3 3",
      ":10,:20",
      "default",
    ]);
    expect(recorded.stdout).toContain("async *say   (x   ) {\n    yield x;\n  } false");
  });

  test.each(["cart.ts", "legacy/cart.ts"])(
    "a crash in %s shows the text as it was written",
    async (entry) => {
      const recorded = await run(entry);
      removeRun(recorded);
      const [box] = recorded.boxes;
      if (box === undefined) throw new Error(`no box: ${recorded.stderr}`);
      const lines = readFileSync(join(folder, entry), "utf8").split("\n");
      const at = lines.findIndex((line) => line.includes("price.amount"));
      const column = (lines[at]?.indexOf("amount") ?? 0) + 1;
      const caret = `${" ".repeat(column - 1)}^`;
      expect(recorded.stderr.split("\n").slice(1, 3)).toEqual([lines[at], caret]);
      expect(recorded.stderr).toContain(
        `at Cart.total (file://${join(folder, entry)}:${at + 1}:${column})`,
      );
      const names = frameNames(box);
      expect(names[0]).toBe(`Cart.total (cart.ts:${at + 1})`);
      expect(names[names.length - 1]).toBe(`<module> (cart.ts:${lines.length - 1})`);
      expect(localNode(box, 0, "sum")?.repr).toBe(entry === "cart.ts" ? "3" : "7");
      expect(localNode(box, 0, "rate")?.repr).toBe("1.5");
      const [field, text] = entry === "cart.ts" ? ["#owner", "ann"] : ["kind", "small"];
      expect(nodeAt(box, 0, "this", field)?.repr).toContain(text);
      const shown = box.frames().flatMap(({ locals }) => locals.map(({ name }) => name));
      expect(shown.filter((name) => name.includes("__ob"))).toEqual([]);
    },
  );

  test("JavaScript with decorators runs, and its crash has frames", async () => {
    const recorded = await run("script.mjs");
    removeRun(recorded);
    expect(recorded.stdout).toBe("6 each\n");
    const [box] = recorded.boxes;
    if (box === undefined) throw new Error("no box");
    expect(frameNames(box).slice(1)).toEqual([
      "Price.fail (script.mjs:8)",
      "<module> (script.mjs:12)",
    ]);
    expect(localNode(box, 1, "name")?.repr).toContain("each");
  });
});
