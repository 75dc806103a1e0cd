/** `flight run` under Node's permission model, on every Node: as plain, or recorded. */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";

import { runtimes } from "../../scripts/runtimes.ts";
import { finished, folderWith } from "./flight.ts";

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
});
