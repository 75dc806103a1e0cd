/** `flight run` under Node's permission model, on every Node: as plain, or recorded. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

import { runtimes } from "../../scripts/runtimes.ts";
import { localNode, openBox, ROOT } from "../support/recorded-run.ts";
import { finished, folderWith, plainEnvironment } from "./flight.ts";

const FLIGHT = resolve("packages/orangebox/bin/flight.js");
const SHOW = `console.log(process.execArgv.join(), process.env.NODE_OPTIONS);
throw new Error("late");`;

describe.each(runtimes())("on Node $version", ({ path: node, version }) => {
  const flag = version.startsWith("22.") ? "--experimental-permission" : "--permission";

  test("runs as plain, and says so once, when the recorder may not be read", async () => {
    const cwd = folderWith({ "app.cjs": SHOW });
    const args = [flag, `--allow-fs-read=${cwd}/*`, "app.cjs"];
    const plain = await finished(spawn(node, args, { cwd }));
    const recorded = await finished(spawn(node, [FLIGHT, "run", "--", ...args], { cwd }));
    expect(plain.stdout).toContain(flag);
    expect([recorded.stdout, recorded.code]).toEqual([plain.stdout, plain.code]);
    expect(recorded.stderr.match(/^\[flight\].*/gm)).toEqual([
      expect.stringMatching(/^\[flight\] not recorded: .*--allow-fs-read=/),
    ]);
    expect(recorded.stderr).not.toContain("ERR_ACCESS_DENIED");
  });

  test("records when everything is allowed", async () => {
    const cwd = folderWith({ "app.cjs": SHOW });
    const args = [flag, "--allow-fs-read=*", "--allow-fs-write=*", "app.cjs"];
    const { stderr } = await finished(spawn(node, [FLIGHT, "run", "--", ...args], { cwd }));
    expect(stderr).toMatch(/^\[flight\] recorded /m);
  });

  const LOST = `function lose(count) {
  const left = count - 1;
  throw new Error("late");
}
lose(3);`;

  /** Runs a program that may write its recordings and nothing else. */
  async function recordConfined(more: readonly string[]) {
    const cwd = realpathSync(folderWith({ "app.cjs": LOST }));
    const out = join(cwd, "out");
    mkdirSync(out);
    const mayRead = [cwd, ROOT.replace(/\/$/, "")].map((path) => `--allow-fs-read=${path}/*`);
    const args = [flag, ...mayRead, `--allow-fs-write=${out}/*`, ...more, "app.cjs"];
    const env = plainEnvironment({ ORANGEBOX_CACHE_DIR: join(cwd, "cache") });
    const plain = await finished(spawn(node, args, { cwd, env }));
    const run = [FLIGHT, "run", "--out", out, "--", ...args];
    const recorded = await finished(spawn(node, run, { cwd, env }));
    const names = readdirSync(out);
    const [box] = names.filter((name) => name.endsWith(".flight")).map((name) => join(out, name));
    return { plain, recorded, names, box: box === undefined ? undefined : openBox(box) };
  }

  test("a program that may write its recordings alone leaves a whole box", async () => {
    const { plain, recorded, names, box } = await recordConfined(["--allow-addons"]);
    const news = /^\[flight\] .*\n/gm;
    expect(recorded.stderr.replace(news, "")).toBe(plain.stderr);
    expect([recorded.code, recorded.stdout]).toEqual([plain.code, plain.stdout]);
    expect(recorded.stderr.match(news)).toEqual([
      expect.stringMatching(/^\[flight\] recorded .*\.flight\n$/),
    ]);
    // No file under a temporary name is left beside it.
    expect(names).toEqual([expect.stringMatching(/\.flight$/)]);
    expect(box?.problems).toEqual([]);
    expect(box?.extensions("node.seal")).toHaveLength(1);
    expect(box === undefined ? undefined : localNode(box, 0, "left")?.repr).toBe("2");
  });

  test("a program that may not load the parser is told what its box lacks", async () => {
    const { recorded, box } = await recordConfined([]);
    expect(recorded.stderr.match(/^\[flight\] (?!recorded ).*/gm)).toEqual([
      expect.stringMatching(/^\[flight\] no variables .*--allow-addons/),
    ]);
    expect(box?.problems).toEqual([]);
    expect(box?.exceptions()[0]?.message).toBe("late");
  });

  test("NODE_OPTIONS that confine flight itself are answered with what to do", async () => {
    const cwd = folderWith({ "app.cjs": SHOW });
    const options = `${flag} --allow-fs-read=${cwd}/* --allow-fs-read=${ROOT}*`;
    const env = plainEnvironment({ NODE_OPTIONS: options });
    const { code, stderr } = await finished(spawn(node, [FLIGHT, "run", "app.cjs"], { cwd, env }));
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: .*restricted.*\nhint: .*flight run -- --permission/),
    ]);
  });

  // Node 22 does not even read the file of the command.
  test.skipIf(version.startsWith("22."))("also when flight may not be read", async () => {
    const cwd = folderWith({ "app.cjs": SHOW });
    const env = plainEnvironment({ NODE_OPTIONS: `${flag} --allow-fs-read=${cwd}/*` });
    const { code, stderr } = await finished(spawn(node, [FLIGHT, "run", "app.cjs"], { cwd, env }));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .*restricted.*\nhint: .*flight run -- --permission .*\n$/);
  });

  test("NODE_OPTIONS that allow everything are the program's", async () => {
    const cwd = folderWith({ "app.cjs": SHOW });
    const allowed = "--allow-fs-read=* --allow-fs-write=* --allow-child-process --allow-addons";
    const env = plainEnvironment({ NODE_OPTIONS: `${flag} ${allowed}` });
    const plain = await finished(spawn(node, ["app.cjs"], { cwd, env }));
    const run = [FLIGHT, "run", "app.cjs"];
    const recorded = await finished(spawn(node, run, { cwd, env }));
    expect([recorded.stdout, recorded.code]).toEqual([plain.stdout, plain.code]);
    expect(recorded.stderr).toMatch(/^\[flight\] recorded /m);
  });
});
