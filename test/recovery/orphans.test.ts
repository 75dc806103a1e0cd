/**
 * `flight recover` over rings that were left, in every state they can be in: nothing is lost, nothing
 * is written twice, nothing is attributed to the wrong process.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { frameNames, REGISTER } from "../support/recorded-run.ts";
import {
  boxesOf,
  deathOf,
  ended,
  filesIn,
  flight,
  makePlace,
  type Place,
  removePlace,
} from "./run-killed.ts";

const [{ path: node } = { path: process.execPath }] = runtimes();
const PROGRAM = `function inner(n) { if (n === 0) { process.kill(process.pid, "SIGKILL"); for (;;); } return inner(n - 1); }
setTimeout(function start() { inner(2); }, 10);
`;
/** Offsets of the header: docs/decisions/0004-ring.md. */
const AT = { version: 8, start: 40, boot: 80, events: 12_288 };

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => {
  removePlace(place);
});

/** Runs a program without `flight run` until it kills itself; gives the path of its ring. */
async function leaveRing(text = PROGRAM): Promise<string> {
  const file = join(place.folder, "left.cjs");
  writeFileSync(file, text);
  const before = new Set(filesIn(place.rings));
  const child = spawn(node, ["--require", REGISTER, file], {
    cwd: place.folder,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect((await ended(child)).signal).toBe("SIGKILL");
  const ring = filesIn(place.rings).find((name) => name.endsWith(".ring") && !before.has(name));
  if (ring === undefined) throw new Error("no ring was left");
  return join(place.rings, ring);
}

interface Told {
  readonly code: number | null;
  readonly rings: readonly {
    readonly ring: string;
    readonly outcome: string;
    readonly path: string | null;
    readonly problem: string | null;
  }[];
}

async function recover(...args: string[]): Promise<Told> {
  const run = await flight(node, ["recover", "--json", ...args], place);
  const { rings } = JSON.parse(run.stdout) as Pick<Told, "rings">;
  return { code: run.code, rings };
}

function outcomes({ rings }: Told): string[] {
  return rings.map(({ outcome }) => outcome);
}

function patch(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

const STACK = [
  "inner (left.cjs:1)",
  "inner (left.cjs:1)",
  "inner (left.cjs:1)",
  "start (left.cjs:2)",
];

test("recovers an orphan: its stack, who it was, and that nobody saw its end", async () => {
  const ring = await leaveRing();
  const dry = await recover("--dry-run");
  expect([dry.code, outcomes(dry), existsSync(ring)]).toEqual([0, ["recoverable"], true]);
  const told = await recover();
  expect([told.code, outcomes(told), filesIn(place.rings)]).toEqual([0, ["recovered"], []]);
  const [{ box, path } = { box: undefined, path: "" }] = boxesOf(place);
  expect(told.rings[0]?.path).toBe(path);
  if (box === undefined) throw new Error("no box");
  expect([box.status, box.problems]).toEqual(["sealed", []]);
  expect(frameNames(box)).toEqual(STACK);
  expect(deathOf(box)).toMatchObject({ how: "unknown", cause: "unknown", recovered: true });
  expect(box.meta()).toMatchObject({ argv: [node, join(place.folder, "left.cjs")] });
  expect(box.meta()?.extra).toMatchObject({ reason: "killed", main_thread: true });
  expect((await recover()).rings).toEqual([]);
});

test("says in words what it does, and where it goes with --out", async () => {
  await leaveRing();
  const { stdout } = await flight(node, ["recover", "--out", "elsewhere"], place);
  expect(stdout).toMatch(
    /^recovered \S+elsewhere\/flight-killed-\d+-\d+\.flight\n {2}process \d+, \S+left\.cjs: ended without a word; .* \(\d+ events\)\n$/,
  );
  const again = await flight(node, ["recover"], place);
  expect(again.stdout).toMatch(/^nothing to recover in /);
});

test("of several that recover at once, one gets each ring", async () => {
  for (let i = 0; i < 4; i++) await leaveRing();
  const told = await Promise.all(Array.from({ length: 4 }, () => recover()));
  const recovered = told.flatMap(({ rings }) => rings.filter(({ path }) => path !== null));
  expect(recovered).toHaveLength(4);
  expect(new Set(recovered.map(({ path }) => path)).size).toBe(4);
  expect(told.flatMap(outcomes).filter((outcome) => outcome === "left")).toEqual([]);
  expect([boxesOf(place).length, filesIn(place.rings)]).toEqual([4, []]);
});

/** A name of a claim, as a process of this machine makes it. */
function claimOf(ring: string, pid: number, start: string): string {
  const namespace = /\d+/.exec(readLink("/proc/self/ns/pid"))?.[0] ?? "0";
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  return `${ring}.by-${pid}-${start}-${namespace}-${boot.replaceAll("-", "").slice(0, 8)}`;
}

function readLink(path: string): string {
  return process.getBuiltinModule("node:fs").readlinkSync(path);
}

function startTicks(): string {
  const stat = readFileSync("/proc/self/stat", "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

test("takes over a ring whose recoverer died, and waits for one that lives", async () => {
  const ring = await leaveRing();
  const living = claimOf(ring, process.pid, startTicks());
  renameSync(ring, living);
  const busy = await recover();
  expect([busy.code, outcomes(busy), existsSync(living)]).toEqual([0, ["busy"], true]);
  renameSync(living, claimOf(ring, 4_194_300, "7"));
  expect(outcomes(await recover())).toEqual(["recovered"]);
  expect(boxesOf(place).map(({ box }) => frameNames(box))).toEqual([STACK]);
  expect(filesIn(place.rings)).toEqual([]);
});

test("a recovery that died after writing is not done again", async () => {
  const ring = await leaveRing();
  const sites = ring.replace(/ring$/, "sites");
  copyFileSync(ring, join(place.folder, "copy.ring"));
  copyFileSync(sites, join(place.folder, "copy.sites"));
  const [first] = (await recover()).rings;
  const written = readFileSync(first?.path ?? "");
  copyFileSync(join(place.folder, "copy.ring"), claimOf(ring, 4_194_300, "7"));
  copyFileSync(join(place.folder, "copy.sites"), sites);
  const [second] = (await recover()).rings;
  expect([second?.outcome, second?.path]).toEqual(["recovered", first?.path]);
  expect(boxesOf(place)).toHaveLength(1);
  expect(readFileSync(first?.path ?? "").equals(written)).toBe(true);
  expect(filesIn(place.rings)).toEqual([]);
});

test("killed at any moment of the work, it loses no ring", async () => {
  const count = 5;
  for (let i = 0; i < count; i++) await leaveRing();
  for (const afterMs of [60, 90, 110, 130, 150, 170, 200, 240]) {
    const child = spawn(node, [join(REGISTER, "../../orangebox/bin/flight.js"), "recover"], {
      cwd: place.folder,
      env: place.env,
      stdio: "ignore",
    });
    const end = new Promise((resolve) => child.once("close", resolve));
    setTimeout(() => child.kill("SIGKILL"), afterMs);
    await end;
  }
  await recover();
  expect(filesIn(place.rings)).toEqual([]);
  const rings = boxesOf(place).map(({ box }) => deathOf(box)["ring"]);
  expect(new Set(rings).size).toBe(count);
  expect(rings).toHaveLength(count);
});

test("the ring of a process that runs stays, also when another process got the number of a dead one", async () => {
  const ring = await leaveRing();
  // This process, with its true start: the ring's owner lives.
  patch(ring, (bytes) => {
    bytes.writeUInt32LE(process.pid, 32);
    bytes.writeDoubleLE(Number(startTicks()), AT.start);
  });
  const alive = await recover();
  expect([alive.code, outcomes(alive), existsSync(ring)]).toEqual([0, ["alive"], true]);
  // The same number, another start: the owner is dead and this process somebody else.
  patch(ring, (bytes) => bytes.writeDoubleLE(Number(startTicks()) - 1, AT.start));
  expect(outcomes(await recover())).toEqual(["recovered"]);
});

test("a ring from before a restart of the machine says so", async () => {
  const ring = await leaveRing();
  patch(ring, (bytes) => bytes.write("00000000-dead-4000-8000-000000000000", AT.boot, "latin1"));
  expect(outcomes(await recover())).toEqual(["recovered"]);
  const [left] = boxesOf(place);
  expect(left && deathOf(left.box)).toMatchObject({ how: "restart", cause: "unknown" });
});

test("a ring of another version is left alone, and told", async () => {
  const ring = await leaveRing();
  patch(ring, (bytes) => bytes.writeUInt32LE(2, AT.version));
  const before = readFileSync(ring);
  const told = await recover();
  expect([told.code, outcomes(told)]).toEqual([1, ["left"]]);
  expect(told.rings[0]?.problem).toBe("the ring has layout version 2; this code knows 1");
  expect(readFileSync(ring).equals(before)).toBe(true);
  expect(existsSync(ring.replace(/ring$/, "sites"))).toBe(true);
});

test("a ring from a recorder of another version says so in its recording", async () => {
  const ring = await leaveRing();
  const sites = ring.replace(/ring$/, "sites");
  writeFileSync(
    sites,
    readFileSync(sites, "utf8").replace(/"version":"[^"]*"/, '"version":"9.9.9"'),
  );
  await recover();
  const [left] = boxesOf(place);
  expect(JSON.stringify(left?.box.extensions("node.runtime")[0]?.data)).toContain(
    "recorded by version 9.9.9",
  );
  expect(left && frameNames(left.box)).toEqual(STACK);
});

test("torn words and a side file that is cut cost only themselves", async () => {
  const ring = await leaveRing();
  patch(ring, (bytes) => {
    // The second event was counted and never stored; the third has an id of nobody.
    bytes.writeInt32LE(0, AT.events + 4);
    bytes.writeInt32LE(0x0fff_ff0f, AT.events + 8);
  });
  const sites = ring.replace(/ring$/, "sites");
  writeFileSync(sites, `${readFileSync(sites, "utf8")}{"base":99,"count":3,"filena`);
  const told = await recover();
  expect([told.code, outcomes(told)]).toEqual([0, ["recovered"]]);
  const [left] = boxesOf(place);
  expect(left?.box.problems).toEqual([]);
  const notes = JSON.stringify(left?.box.extensions("node.budget")[0]?.data);
  expect(notes).toContain("1 slots hold no event");
  expect(notes).toContain("1 lines of the side file are torn");
  expect(notes).toContain("1 events have no names");
});

test.each([0, 40, 300, 5000, 12_290])(
  "a ring file cut at byte %i never makes it fail",
  async (size) => {
    const ring = await leaveRing();
    truncateSync(ring, size);
    const told = await recover();
    // Without a header nobody knows whose it is; it is young, so it may be in the making.
    const expected = size < 256 ? "alive" : "recovered";
    expect([told.code, outcomes(told)]).toEqual([0, [expected]]);
    expect(existsSync(ring)).toBe(size < 256);
  },
);

test("without its side file a ring still gives its events", async () => {
  const ring = await leaveRing();
  renameSync(ring.replace(/ring$/, "sites"), join(place.folder, "gone"));
  const told = await recover("--out", "boxes");
  expect(outcomes(told)).toEqual(["recovered"]);
  const [left] = boxesOf(place);
  expect(left?.box.events()?.events.length).toBeGreaterThan(5);
});

test("events of a module whose table is gone have no names, and the notes say which", async () => {
  await leaveRing();
  const cacheDir = join(place.folder, "other-cache");
  const placeEnv = { ...place.env, ORANGEBOX_CACHE_DIR: cacheDir };
  place = { ...place, env: placeEnv };
  await leaveRing();
  await flight(node, ["cache", "clear"], place);
  const told = await recover();
  expect(outcomes(told)).toEqual(["recovered", "recovered"]);
  const boxes = boxesOf(place).map(({ box }) => box);
  const names = boxes.map((box) => frameNames(box)[0]).toSorted();
  expect(names).toEqual(["<unknown> (:0)", "inner (left.cjs:1)"]);
  const notes = boxes.map((box) => JSON.stringify(box.extensions("node.budget")[0]?.data)).join();
  expect(notes).toContain("its table is not in the cache any more");
});

/** Runs as somebody whom permissions stop; the tests may run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

async function recoverAsNobody(): Promise<Told> {
  const flightFile = join(REGISTER, "../../orangebox/bin/flight.js");
  const child = spawn(node, [flightFile, "recover", "--json", place.rings], {
    cwd: "/",
    env: { ...place.env, TMPDIR: join(place.folder, "nowhere") },
    stdio: ["ignore", "pipe", "pipe"],
    ...NOBODY,
  });
  const run = await ended(child);
  const { rings } = JSON.parse(run.stdout) as Pick<Told, "rings">;
  return { code: run.code, rings };
}

test.skipIf(NOBODY.uid === undefined)(
  "a state folder that cannot be written keeps its rings",
  async () => {
    const ring = await leaveRing();
    for (const path of [ring, ring.replace(/ring$/, "sites")]) chmodSync(path, 0o644);
    for (const path of [place.folder, join(place.rings, ".."), place.rings]) chmodSync(path, 0o755);
    const before = readFileSync(ring);
    const told = await recoverAsNobody();
    expect([told.code, outcomes(told)]).toEqual([1, ["left"]]);
    expect(told.rings[0]?.problem).toMatch(/EACCES|EPERM|EROFS/);
    expect(readFileSync(ring).equals(before)).toBe(true);
    expect(filesIn(place.rings)).toHaveLength(2);
  },
);

test.skipIf(process.getuid?.() !== 0)(
  "a full disk keeps the ring, and leaves no half of a recording",
  async () => {
    const ring = await leaveRing();
    const disk = join(place.folder, "full");
    mkdirSync(disk);
    const flightFile = join(REGISTER, "../../orangebox/bin/flight.js");
    // A file system of 16 KiB for recordings, and no other place: in a mount namespace of its own.
    const command = `mount -t tmpfs -o size=16k none "${disk}" && head -c 16384 /dev/zero > "${disk}/filler" && "${node}" "${flightFile}" recover --json --out "${disk}"; code=$?; find "${disk}" -name "*flight*" >&2; exit $code`;
    const child = spawn("unshare", ["-m", "/bin/sh", "-c", command], {
      cwd: place.folder,
      env: { ...place.env, TMPDIR: disk },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const run = await ended(child);
    if (run.stderr.includes("unshare")) return;
    const { rings } = JSON.parse(run.stdout) as Pick<Told, "rings">;
    expect([run.code, rings.map(({ outcome }) => outcome)]).toEqual([1, ["left"]]);
    expect(rings[0]?.problem).toMatch(/ENOSPC/);
    expect(run.stderr).toBe("");
    expect(existsSync(ring)).toBe(true);
    expect(outcomes(await recover())).toEqual(["recovered"]);
  },
);
