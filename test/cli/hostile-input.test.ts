/**
 * Inputs that are no files, endless, or written to where nothing fits.
 */
import { execFileSync } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finished, flight, folderWith, startFlight } from "./flight.ts";

test.concurrent("a pipe by its name is refused at once, alone and in a folder", async () => {
  const cwd = folderWith({ "a.mjs": "throw new Error('x')" });
  await flight(["run", "--out", "boxes", "a.mjs"], { cwd });
  execFileSync("mkfifo", [join(cwd, "x.flight")]);
  execFileSync("mkfifo", [join(cwd, "boxes/x.flight")]);
  const alone = await flight(["inspect", "x.flight"], { cwd });
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("FLIGHT_NOT_A_FILE")]);
  const inFolder = await flight(["inspect", "boxes"], { cwd });
  expect([inFolder.code, inFolder.stdout]).toEqual([0, expect.stringContaining("Error: x")]);
});

test.concurrent("an endless stream that is no recording ends with one error", async () => {
  const child = startFlight(["inspect", "-"], {
    stdio: [openSync("/dev/zero", "r"), "pipe", "pipe"],
  });
  const { code, stderr } = await finished(child);
  expect(code).toBe(2);
  expect(stderr).toContain("FLIGHT_BAD_MAGIC");
});

test.concurrent("a full disk behind stdout is one error, without a stack", async () => {
  const cwd = folderWith({ "a.mjs": "throw new Error('x')" });
  await flight(["run", "--out", "boxes", "a.mjs"], { cwd });
  const child = startFlight(["inspect", "boxes"], {
    cwd,
    stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
  });
  const { code, stderr } = await finished(child);
  expect(code).toBe(2);
  expect(stderr).toContain("code: FLIGHT_WRITE");
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.concurrent("a recursion reaches as deep under flight run as without it", async () => {
  const cwd = folderWith({
    "a.cjs":
      "function depth(n) { return n === 0 ? 0 : 1 + depth(n - 1); }\nconsole.log(depth(8000));",
  });
  const { stdout, code } = await flight(["run", "a.cjs"], { cwd });
  expect([stdout, code]).toEqual(["8000\n", 0]);
});
