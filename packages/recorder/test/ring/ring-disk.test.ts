/** Disks that are full, limited, read-only, or taken away: the program must never notice. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runProgram, temporaryFolder } from "./run-program.ts";

// Starting a process can take seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const linux = process.platform === "linux";
const canMount = linux && process.getuid?.() === 0 && mounts();

interface Found {
  mapping: { kind: string; path?: string; reason?: string };
  stored: number;
  problems: string[];
}

function mounts(): boolean {
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function smallDisk(size: string): string {
  const folder = temporaryFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", folder]);
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder]);
  });
  return folder;
}

function foundBy(stdout: string): Found {
  const found: Found = JSON.parse(stdout);
  return found;
}

/** In it /dev/shm cannot be written, so that the second folder of rings fails as well. */
const NO_SHM =
  'exec unshare -m /bin/sh -c \'mount -t tmpfs -o ro none /dev/shm; exec "$@"\' sh "$@"';

test.skipIf(!canMount)("survives a disk that gets full behind the opened ring", async () => {
  const disk = smallDisk("2m");
  const { signal, code, stdout } = await runProgram("fill-ring.ts", [disk, "65536", disk]);
  expect({ signal, code }).toEqual({ signal: null, code: 0 });
  const { mapping, stored, problems } = foundBy(stdout);
  expect(mapping.path).toContain(disk);
  expect(stored).toBe(65_536);
  expect(problems).toEqual([
    "the side file cannot be written: ENOSPC: no space left on device, write",
  ]);
});

test.skipIf(!canMount)("would be killed if the blocks were not allocated", async () => {
  const disk = smallDisk("2m");
  const hole = `hole:${join(disk, "hole")}`;
  const { signal, stdout } = await runProgram("fill-ring.ts", [disk, "0", hole]);
  expect({ signal, stdout }).toEqual({ signal: "SIGBUS", stdout: "" });
});

test.skipIf(!canMount)("uses shared memory when the disk is full from the start", async () => {
  const disk = smallDisk("64k");
  const { code, stdout } = await runProgram("fill-ring.ts", [disk, "65536"]);
  const { mapping, stored, problems } = foundBy(stdout);
  expect({ code, stored }).toEqual({ code: 0, stored: 65_536 });
  expect(mapping.path).toMatch(/^\/dev\/shm\/orangebox-/);
  expect(problems[0]).toContain("ENOSPC");
  expect(readdirSync(join(disk, "rings"))).toEqual([]);
});

test.skipIf(!canMount)("uses plain memory when no folder takes a ring", async () => {
  const disk = smallDisk("64k");
  const { code, stdout } = await runProgram("fill-ring.ts", [disk, "65536"], { shell: NO_SHM });
  const { mapping, stored } = foundBy(stdout);
  expect({ code, stored, kind: mapping.kind }).toEqual({ code: 0, stored: 65_536, kind: "memory" });
  expect(mapping.reason).toMatch(/ENOSPC.*; .*\/dev\/shm/);
});

test.skipIf(!linux)("uses plain memory when the size of files is limited", async () => {
  const stateDir = temporaryFolder();
  const shell = 'ulimit -f 64; exec "$@"';
  const { code, stdout } = await runProgram("fill-ring.ts", [stateDir, "65536"], { shell });
  const { mapping, stored } = foundBy(stdout);
  expect({ code, stored, kind: mapping.kind }).toEqual({ code: 0, stored: 65_536, kind: "memory" });
  expect(mapping.reason).toContain("EFBIG");
  expect(readdirSync(join(stateDir, "rings"))).toEqual([]);
});

test("uses plain memory when native code may not be loaded", async () => {
  const flags = ["--no-addons"];
  const { code, stdout } = await runProgram("fill-ring.ts", [temporaryFolder(), "64"], { flags });
  const { mapping, stored } = foundBy(stdout);
  expect({ code, stored, kind: mapping.kind }).toEqual({ code: 0, stored: 64, kind: "memory" });
  expect(mapping.reason).toContain("koffi cannot be loaded");
});

test.skipIf(!linux)("does without a state folder that cannot be made", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  const { code, stdout } = await runProgram("fill-ring.ts", [file, "64"]);
  const { stored, problems } = foundBy(stdout);
  expect({ code, stored }).toEqual({ code: 0, stored: 64 });
  expect(problems[0]).toMatch(/ENOTDIR|EEXIST/);
});

test.skipIf(!canMount)("does without a state folder that is read-only", async () => {
  const disk = smallDisk("1m");
  execFileSync("mount", ["-o", "remount,ro", disk]);
  const { code, stdout } = await runProgram("fill-ring.ts", [disk, "64"]);
  const { stored, problems } = foundBy(stdout);
  expect({ code, stored }).toEqual({ code: 0, stored: 64 });
  // Node reports ENOENT for a folder that cannot be made on a read-only disk.
  expect(problems[0]).toContain(disk);
});

test("goes on when the state folder is deleted under it, and does not make it again", async () => {
  const stateDir = join(temporaryFolder(), "state");
  mkdirSync(stateDir);
  const { code, stdout } = await runProgram("fill-ring.ts", [stateDir, "64", "delete"]);
  expect(code).toBe(0);
  expect(foundBy(stdout).problems[0]).toContain("ENOENT");
  expect(existsSync(stateDir)).toBe(false);
});

test("lets a probe store on after the ring was released, out of the file", async () => {
  const { code, stdout } = await runProgram("fill-ring.ts", [temporaryFolder(), "64", "release"]);
  expect(code).toBe(0);
  expect(foundBy(stdout)).toMatchObject({ mapping: { kind: "mapped" }, stored: 0 });
});
