/**
 * ES modules and everything else that webpack calls by more than a path: they keep the names of their
 * files, and what the plugin is told of those files counts.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orangebox } from "@orangebox/plugin/webpack";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { installPeers, peer } from "./compilers.ts";
import { framesOf, record } from "./shop-frames.ts";

const node = runtimes().find(({ version }) => version.startsWith("24."))?.path ?? process.execPath;
const folder = realpathSync(mkdtempSync(join(tmpdir(), "orangebox-webpack-")));
let count = 0;

const FILES = {
  "package.json": '{ "type": "module" }',
  "pass.cjs": "module.exports = (text) => text;",
  "src/c1.js":
    'import { helper } from "./c2.js?x=1";\nimport data from "./d.json";\nfunction first(count) {\n  return helper(count, data.limit);\n}\nhelper(1, 1);\nglobalThis.kept = [first, helper];\nfirst(1);\n',
  "src/c2.js":
    'export function helper(count, limit) {\n  const sum = count + limit;\n  if (sum > 2) throw new RangeError("no " + sum);\n  return sum;\n}\n',
  "src/d.json": '{ "limit": 5 }',
};

beforeAll(() => {
  installPeers();
  mkdirSync(join(folder, "src"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Job {
  readonly tool: string;
  readonly mode: string;
  readonly devtool: string | false;
  readonly hasLoader?: boolean;
}

type Tool = (
  options: object,
  done: (error: unknown, stats: { hasErrors(): boolean; toString(): string }) => void,
) => void;

function build(
  { tool, mode, devtool, hasLoader = false }: Job,
  options: Parameters<typeof orangebox>[0],
): Promise<string> {
  const run =
    tool === "rspack" ? (peer("@rspack/core") as { rspack: Tool }).rspack : (peer(tool) as Tool);
  const path = join(folder, `out-${count++}`);
  return new Promise((resolve, reject) => {
    run(
      {
        mode,
        devtool,
        target: "node",
        context: folder,
        entry: "./src/c1.js",
        output: { path, filename: "main.cjs" },
        module: {
          rules: hasLoader
            ? [{ test: /c[12]\.js$/, loader: join(folder, "pass.cjs"), options: { a: 1 } }]
            : [],
        },
        plugins: [orangebox(options)],
      },
      (error, stats) => {
        if (error instanceof Error) reject(error);
        else if (stats.hasErrors()) reject(new Error(stats.toString()));
        else resolve(join(path, "main.cjs"));
      },
    );
  });
}

const cases = ["webpack", "rspack"].flatMap((tool) =>
  ["development", "production"].flatMap((mode) =>
    (["source-map", false] as const)
      // Rspack makes no maps that nobody asked for.
      .filter((devtool) => tool === "webpack" || devtool !== false)
      .flatMap((devtool) => [false, true].map((hasLoader) => ({ tool, mode, devtool, hasLoader }))),
  ),
);

describe.each(cases)("$tool, $mode, devtool $devtool, loader $hasLoader", (job) => {
  test("ES modules have the names of their files", async () => {
    const frames = framesOf(await record(node, await build(job, {})), folder);
    const inner = frames.find(({ line, file }) => file === "src/c2.js" && line === 3);
    expect(inner?.qualname).toBe("helper");
    expect(Object.values(inner?.locals ?? {})).toContain("int 5");
    expect(frames.map(({ file }) => file)).toContain("src/c1.js");
  });

  test("exclude and levelFor know them by these names", async () => {
    const without = framesOf(
      await record(node, await build(job, { exclude: ["src/c2.js"] })),
      folder,
    );
    expect(without.flatMap(({ locals }) => Object.values(locals))).not.toContain("int 5");
    expect(without.map(({ file }) => file)).toContain("src/c1.js");
    const text = async (options: Parameters<typeof orangebox>[0]): Promise<string> =>
      readFileSync(await build(job, options), "utf8");
    const lines = await text({ level: "lines" });
    expect(lines).not.toBe(await text({}));
    expect(await text({ levelFor: ["src/**=lines"] })).toBe(lines);
  });
});
