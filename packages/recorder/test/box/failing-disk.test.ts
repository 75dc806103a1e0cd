/** Boxes on a disk that fails: at every step, for one folder, for all, for real. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type BoxIo, diskIo } from "../../src/box/box-io.ts";
import { type BoxResult, writeBox } from "../../src/box/write-box.ts";
import { CREATED_MS, largeBox, sampleBox } from "./sample-box.ts";
import { openBox, temporaryFolder } from "./temporary-folder.ts";

const NAME = `flight-7-${CREATED_MS}.flight`;
type Step = Exclude<keyof BoxIo, "exists" | "list" | "stat" | "readStart">;

interface Folders {
  readonly dir: string;
  readonly fallbackDir: string;
}

function folders(): Folders {
  const base = temporaryFolder();
  return { dir: join(base, "out"), fallbackDir: join(base, "fallback") };
}

function write({ dir, fallbackDir }: Folders, io: BoxIo = diskIo): BoxResult {
  return writeBox(sampleBox(), { dir, fallbackDir, pid: 7, prefix: "flight" }, { io });
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** A disk on which the calls of one step fail whose number `fails` accepts; the first is 1. */
function failingAt(step: Step, fails: (call: number) => boolean, error: Error): BoxIo {
  let call = 0;
  const guard = (asked: Step): void => {
    if (asked === step && fails(++call)) throw error;
  };
  return {
    ...diskIo,
    makeFolder(path) {
      guard("makeFolder");
      diskIo.makeFolder(path);
    },
    create(path) {
      guard("create");
      return diskIo.create(path);
    },
    write(descriptor, bytes, offset) {
      guard("write");
      return diskIo.write(descriptor, bytes, offset);
    },
    sync(descriptor) {
      guard("sync");
      diskIo.sync(descriptor);
    },
    close(descriptor) {
      guard("close");
      diskIo.close(descriptor);
    },
    link(path, newPath) {
      guard("link");
      diskIo.link(path, newPath);
    },
    rename(path, newPath) {
      guard("rename");
      diskIo.rename(path, newPath);
    },
    remove(path) {
      guard("remove");
      diskIo.remove(path);
    },
  };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** How many writes a box takes on a disk that works. */
function countWrites(): number {
  let count = 0;
  const io: BoxIo = {
    ...diskIo,
    write(...values) {
      count++;
      return diskIo.write(...values);
    },
  };
  write(folders(), io);
  return count;
}

test("goes on in the other folder, whichever write fails", () => {
  const writes = countWrites();
  expect(writes).toBeGreaterThan(20);
  for (let failing = 1; failing <= writes; failing++) {
    const places = folders();
    const io = failingAt("write", (call) => call === failing, failure("ENOSPC"));
    const path = join(places.fallbackDir, NAME);
    expect(write(places, io)).toEqual({
      path,
      whole: true,
      problem: `written to ${path}: ENOSPC: injected`,
    });
    expect(openBox(path)).toMatchObject({ status: "sealed", problems: [] });
    expect(filesIn(places.dir)).toEqual([]);
    expect(filesIn(places.fallbackDir)).toEqual([NAME]);
  }
});

test("keeps the torn file, and says so, when both folders fail at the same write", () => {
  const writes = countWrites();
  for (let failing = 1; failing <= writes; failing++) {
    const places = folders();
    const io = failingAt("write", (call) => call >= failing, failure("ENOSPC"));
    const result = write(places, io);
    expect(result.problem).toContain("ENOSPC: injected");
    const left = [...filesIn(places.dir), ...filesIn(places.fallbackDir)];
    // The header and META must be whole, else the file tells nothing.
    expect(left).toEqual(failing <= 2 ? [] : [NAME]);
    expect(result.path).toBe(failing <= 2 ? undefined : join(places.dir, NAME));
    const blocks = result.path === undefined ? [] : openBox(result.path).blocks;
    expect(blocks).toHaveLength(Math.max(0, Math.min(failing - 2, writes - 3)));
  }
});

const STEPS: { step: Step; code: string; kept: "wanted" | "fallback" }[] = [
  { step: "makeFolder", code: "EACCES", kept: "fallback" },
  { step: "create", code: "EROFS", kept: "fallback" },
  { step: "sync", code: "EIO", kept: "fallback" },
  { step: "sync", code: "EINVAL", kept: "wanted" },
  { step: "link", code: "EPERM", kept: "wanted" },
];

test.each(STEPS)(
  "writes to the $kept folder when $step fails with $code",
  ({ step, code, kept }) => {
    const places = folders();
    const result = write(
      places,
      failingAt(step, (call) => call === 1, failure(code)),
    );
    const folder = kept === "wanted" ? places.dir : places.fallbackDir;
    expect(result.path).toBe(join(folder, NAME));
    expect(result.problem === undefined).toBe(kept === "wanted");
    expect(openBox(result.path ?? "").status).toBe("sealed");
    expect(filesIn(folder)).toEqual([NAME]);
    expect([...filesIn(places.dir), ...filesIn(places.fallbackDir)]).toEqual([NAME]);
  },
);

test.each(["makeFolder", "create"] as const)("returns one problem when every %s fails", (step) => {
  const places = folders();
  const result = write(
    places,
    failingAt(step, () => true, failure("EROFS")),
  );
  expect(result).toEqual({ problem: "no box was written: EROFS: injected" });
  expect([...filesIn(places.dir), ...filesIn(places.fallbackDir)]).toEqual([]);
});

test.each(["close", "remove"] as const)("keeps the box when every %s fails", (step) => {
  const places = folders();
  const result = write(
    places,
    failingAt(step, () => true, failure("EIO")),
  );
  expect(result.path).toBe(join(places.dir, NAME));
  expect(openBox(join(places.dir, NAME)).status).toBe("sealed");
});

test("leaves the file under its temporary name when it cannot get another", () => {
  const places = folders();
  const io: BoxIo = {
    ...failingAt("link", () => true, failure("EPERM")),
    rename(): never {
      throw failure("EIO");
    },
  };
  const path = join(places.dir, `.${NAME}.7-0.tmp`);
  expect(write(places, io)).toEqual({
    path,
    isCut: true,
    whole: false,
    problem: "the box is cut short: EIO: injected",
  });
  expect(openBox(path).status).toBe("sealed");
  expect([...filesIn(places.dir), ...filesIn(places.fallbackDir)]).toEqual([basename(path)]);
});

test("copes with a disk that takes one byte at a time, and with one that takes none", () => {
  const slow = folders();
  const oneByOne: BoxIo = {
    ...diskIo,
    write: (descriptor, bytes, offset) =>
      diskIo.write(descriptor, bytes.subarray(0, offset + 1), offset),
  };
  expect(write(slow, oneByOne)).toEqual({ path: join(slow.dir, NAME), whole: true });
  const none = folders();
  expect(write(none, { ...diskIo, write: () => 0 })).toEqual({
    problem: "no box was written: the disk takes no more bytes",
  });
});

test("uses the other folder when the wanted one is a file", () => {
  const places = folders();
  writeFileSync(places.dir, "not a folder");
  const result = write(places);
  expect(result.path).toBe(join(places.fallbackDir, NAME));
  expect(result.problem).toMatch(/EEXIST|ENOTDIR/);
  expect(readFileSync(places.dir, "utf8")).toBe("not a folder");
});

const canMount = process.platform === "linux" && process.getuid?.() === 0 && mounts();

function mounts(): boolean {
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function smallDisk(options: string): string {
  const folder = temporaryFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "none", folder]);
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder]);
  });
  return folder;
}

test.skipIf(!canMount)("goes on in the other folder when the disk is full in the middle", () => {
  const dir = smallDisk("size=64k");
  const fallbackDir = temporaryFolder();
  const target = { dir, fallbackDir, pid: 7, prefix: "flight" };
  const result = writeBox(largeBox(50_000), target);
  expect(result.path).toBe(join(fallbackDir, NAME));
  expect(result.problem).toContain("ENOSPC");
  expect(openBox(join(fallbackDir, NAME))).toMatchObject({ status: "sealed", problems: [] });
  expect(filesIn(dir)).toEqual([]);
});

test.skipIf(!canMount)("keeps what fits when every disk is full", () => {
  const dir = smallDisk("size=64k");
  const target = { dir, fallbackDir: join(dir, "fallback"), pid: 7, prefix: "flight" };
  const result = writeBox(largeBox(50_000), target);
  expect(result.problem).toMatch(/^the box is cut short: ENOSPC/);
  const recording = openBox(result.path ?? "");
  expect(recording.status).toBe("partial");
  expect(recording.frames()).toHaveLength(1);
  expect(recording.exceptions()).toHaveLength(1);
});

test.skipIf(!canMount)("uses the other folder when the wanted one is read-only", () => {
  const dir = smallDisk("ro");
  const fallbackDir = temporaryFolder();
  const result = writeBox(sampleBox(), { dir, fallbackDir, pid: 7, prefix: "flight" });
  expect(dirname(result.path ?? "")).toBe(fallbackDir);
  expect(result.problem).toContain("EROFS");
});

test("takes the next temporary name when one was left by a process of the same pid", () => {
  const places = folders();
  mkdirSync(places.dir);
  writeFileSync(join(places.dir, `.${NAME}.7-0.tmp`), "left");
  expect(write(places)).toEqual({ path: join(places.dir, NAME), whole: true });
});
