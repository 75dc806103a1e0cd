/**
 * Modules that a development server of Vite runs in Node, and those that Vitest runs: they get
 * their probes from the plugin, and their crashes the frames of the sources.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  openBox,
  REGISTER,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";
import { installPeers } from "./compilers.ts";
import { framesOf, record } from "./shop-frames.ts";

const SHOP = join(ROOT, "test/samples/shop");
const node = runtimes().find(({ version }) => version.startsWith("24."))?.path ?? process.execPath;
let folder = "";

/** Loads modules as a server would for its requests. */
const SERVER = `
import { createServer } from "vite";
import { orangebox } from "@orangebox/plugin/vite";
const plugins = process.env.PLAIN === "1" ? [] : [orangebox({})];
export const server = await createServer({
  root: import.meta.dirname, configFile: false, logLevel: "silent", appType: "custom",
  server: { middlewareMode: true, ws: false, watch: null }, plugins,
});
export async function load(file) {
  try { return await server.ssrLoadModule(file); }
  catch (error) { await server.close(); throw error; }
}
`;

beforeAll(() => {
  // Below the repository, where Vite and the plugin are found.
  folder = mkdtempSync(join(installPeers(), "dev-server-"));
  cpSync(SHOP, folder, { recursive: true });
  writeFileSync(join(folder, "server.mjs"), SERVER);
  writeFileSync(
    join(folder, "shop.mjs"),
    'import { load } from "./server.mjs";\nawait load("/main.ts");\n',
  );
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("a module that a server runs has the frames of its source", async () => {
  const direct = framesOf(await record(node, join(SHOP, "main.ts")), SHOP);
  const served = framesOf(await record(node, join(folder, "shop.mjs")), folder);
  expect(direct).toHaveLength(4);
  expect(served.slice(0, 3)).toEqual(direct.slice(0, 3));
  // Behind the functions of the server's script that wait for it.
  expect(served).toContainEqual(direct[3]);
  expect(readdirSync(join(folder, "node_modules/.vite/orangebox")).length).toBeGreaterThan(3);
}, 60_000);

/** Columns of what a server runs are those of its text, unless it is asked to fix them. */
function withoutColumns(text: string): string {
  return text.replaceAll(/(\.ts:\d+):\d+/g, "$1");
}

test("a server without a recorder says what it says without the plugin", async () => {
  const run = { node, file: join(folder, "shop.mjs") };
  const plain = await runPlain({ ...run, env: { PLAIN: "1" } });
  const alone = await runPlain(run);
  expect({ ...alone, stderr: withoutColumns(alone.stderr) }).toEqual({
    ...plain,
    stderr: withoutColumns(plain.stderr),
  });
}, 60_000);

test("a module that was changed has its new lines", async () => {
  writeFileSync(
    join(folder, "price.ts"),
    "export function price(count: number): number {\n  return count * 2;\n}\n",
  );
  writeFileSync(
    join(folder, "changed.mjs"),
    `
import { writeFileSync } from "node:fs";
import { load, server } from "./server.mjs";
const before = await load("/price.ts");
console.log(before.price(2), String(before.price).includes("__ob"));
writeFileSync(new URL("price.ts", import.meta.url), \`
// Two lines more.
export function price(count: number): number {
  const rate = count + 40;
  if (rate > 41) throw new RangeError("too much");
  return count * rate;
}
\`);
server.moduleGraph.invalidateAll();
const after = await load("/price.ts");
console.log(before.price(3));
try { after.price(2); } finally { await server.close(); }
`,
  );
  const run = await runRecorded({ node, file: join(folder, "changed.mjs") });
  removeRun(run);
  expect(run.stdout).toMatch(/^4 (?:true|false)\n6\n$/);
  const [box] = run.boxes;
  if (box === undefined) throw new Error(`no box; stderr: ${run.stderr}`);
  expect(frameNames(box)[0]).toBe("price (price.ts:5)");
  expect(localNode(box, 0, "rate")?.repr).toBe("42");
  expect(box.sources().find(({ filename }) => filename.endsWith("price.ts"))?.text).toContain(
    "Two lines more",
  );
}, 60_000);

test("a test that Vitest runs is recorded", async () => {
  const project = join(folder, "tested");
  mkdirSync(project);
  writeFileSync(
    join(project, "vitest.config.mjs"),
    `
import { orangebox } from "@orangebox/plugin/vite";
export default { plugins: [orangebox({})], test: { root: import.meta.dirname, execArgv: ["--require", ${JSON.stringify(REGISTER)}], server: { deps: { external: [/orangebox/] } } } };
`,
  );
  writeFileSync(
    join(project, "sum.ts"),
    "export function sum(values: readonly number[]): number {\n  let total = 0;\n  for (const value of values) {\n    if (value < 0) throw new RangeError(`below zero: ${value}`);\n    total += value;\n  }\n  return total;\n}\n",
  );
  writeFileSync(
    join(project, "sum.test.ts"),
    `
import { captureSync } from "orangebox";
import { expect, test } from "vitest";
import { sum } from "./sum.ts";
test("sums", () => {
  expect(sum([1, 2])).toBe(3);
  try { sum([1, 2, -5]); } catch (error) { captureSync(error, { path: ${JSON.stringify(join(project, "sum.flight"))} }); }
});
`,
  );
  const { stdout, stderr, code } = await runPlain({
    node,
    file: join(ROOT, "node_modules/vitest/vitest.mjs"),
    arguments: ["run", "--root", project, "--config", join(project, "vitest.config.mjs")],
    cwd: project,
    env: { ORANGEBOX_STATE_DIR: join(project, "state"), ORANGEBOX_QUIET: "1" },
  });
  expect(stdout + stderr).toContain("1 passed");
  expect(code).toBe(0);
  const box = openBox(join(project, "sum.flight"));
  expect(frameNames(box)[0]).toBe("sum (sum.ts:4)");
  expect(localNode(box, 0, "total")?.repr).toBe("3");
  expect(localNode(box, 0, "value")?.repr).toBe("-5");
  expect(readFileSync(join(project, "sum.ts"), "utf8")).toBe(
    box.sources().find(({ filename }) => filename.endsWith("sum.ts"))?.text,
  );
}, 60_000);
