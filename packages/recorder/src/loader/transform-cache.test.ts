import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { clearCacheFolder, makeRoom, readCacheFolder } from "./cache-folder.ts";
import { type CachedText, type CacheEntry, TransformCache } from "./transform-cache.ts";

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-cache-"));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const HOUR_MS = 3_600_000;
const MAX_BYTES = 2 ** 20;

function cacheIn(folder: string, version: string = "1.0.0", maxBytes: number = MAX_BYTES) {
  return new TransformCache({ folder, version, maxBytes });
}

const ENTRY: CachedText = {
  kind: "text",
  code: "function price(n) { const fee = 100; return n + fee; }",
  idOffsets: () => Uint32Array.of(3, 9, 27),
  base: 4711,
  siteCount: 2,
  skipped: [],
};

/** What decides what is run. */
function decided(entry: CacheEntry | undefined): unknown {
  if (entry?.kind !== "text") return entry;
  const { code, base, siteCount } = entry;
  return { code, base, siteCount, idOffsets: entry.idOffsets() };
}

function textFile(folder: string): string {
  const name = readdirSync(folder, { recursive: true }).find((path) =>
    String(path).endsWith(".text"),
  );
  return join(folder, String(name));
}

function otherFile(folder: string, key: string): string {
  const name = readdirSync(folder, { recursive: true }).find((path) =>
    String(path).endsWith(`${key}.text`),
  );
  return join(folder, String(name));
}

test("gives back what was written", () => {
  const cache = cacheIn(newFolder());
  const key = cache.key(["a", "b"]);
  expect(cache.read(key)).toBeUndefined();
  expect(cache.write(key, ENTRY, undefined)).toBe(true);
  expect(decided(cache.read(key))).toEqual(decided(ENTRY));
});

test("texts of every kind come back unit for unit", () => {
  const cache = cacheIn(newFolder(), "1.0.0", 2 ** 40);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat()), (code, offsets) => {
      const entry: CachedText = { ...ENTRY, code, idOffsets: () => Uint32Array.from(offsets) };
      const key = cache.key([code]);
      cache.write(key, entry, undefined);
      expect(decided(cache.read(key))).toEqual(decided(entry));
    }),
  );
});

test("a file that stays as it is keeps its reason", () => {
  const cache = cacheIn(newFolder());
  const key = cache.key(["a"]);
  cache.write(key, { kind: "untouched", reason: "it says “no”\n" }, undefined);
  expect(cache.read(key)).toEqual({ kind: "untouched", reason: "it says “no”\n" });
});

test("a damaged entry is a miss, whatever bit it is: what is read is run", () => {
  const folder = newFolder();
  const cache = cacheIn(folder);
  const key = cache.key(["a"]);
  cache.write(key, ENTRY, undefined);
  const path = textFile(folder);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(path, damaged);
    // A bit of the list for people may be another one.
    expect(decided(cache.read(key) ?? ENTRY)).toEqual(decided(ENTRY));
  }
});

test("an entry under another key is a miss", () => {
  const folder = newFolder();
  const cache = cacheIn(folder);
  const [one, two] = [cache.key(["1"]), cache.key(["2"])];
  cache.write(one, ENTRY, undefined);
  const bytes = readFileSync(otherFile(folder, one));
  cache.write(two, { ...ENTRY, code: "other" }, undefined);
  writeFileSync(otherFile(folder, two), bytes);
  expect(cache.read(two)).toBeUndefined();
});

test("only the owner may read it, and a folder that cannot be made switches it off", () => {
  const folder = newFolder();
  const cache = cacheIn(folder);
  const key = cache.key(["a"]);
  cache.write(key, ENTRY, undefined);
  expect(statSync(textFile(folder)).mode & 0o077).toBe(0);
  const off = cacheIn("/proc/nope/cache");
  expect(off.write(key, ENTRY, undefined)).toBe(false);
  expect(off.read(key)).toBeUndefined();
});

test("an entry of another build is a miss, and is counted as that build's", () => {
  const folder = newFolder();
  const older = cacheIn(folder, "0.9.0 of <yesterday>");
  older.write(older.key(["a"]), ENTRY, undefined);
  const cache = cacheIn(folder);
  expect(cache.read(cache.key(["a"]))).toBeUndefined();
  expect(readCacheFolder(folder, Date.now()).entries.map(({ version }) => version)).toEqual([
    "transform-0.9.0-of--yesterday-",
  ]);
});

/** Writes entries whose marks are `ages` hours old, in a cache that keeps `maxBytes`. */
function agedEntries(folder: string, ages: readonly number[], nowMs: number): string[] {
  const cache = cacheIn(folder, "1.0.0", 2 ** 40);
  return ages.map((age, index) => {
    const key = cache.key([String(index)]);
    cache.write(key, { ...ENTRY, code: String(index).repeat(10_000) }, { sites: 1 } as never);
    const seconds = nowMs / 1000 - age * 3600;
    for (const part of ["text", "sites"]) {
      const path = otherFile(folder, key).replace(/text$/, part);
      utimesSync(path, seconds, seconds);
    }
    return key;
  });
}

test("what was not used for the longest time goes first, until a fifth is free", () => {
  const folder = newFolder();
  const nowMs = Date.now();
  const keys = agedEntries(folder, [5, 9, 1, 7, 3], nowMs);
  const { bytes, entries } = readCacheFolder(folder, nowMs);
  expect(entries).toHaveLength(5);
  expect(makeRoom(folder, bytes, nowMs)).toEqual({ entries: 0, bytes: 0 });
  const deleted = makeRoom(folder, bytes - 1, nowMs);
  expect(deleted.entries).toBe(2);
  const cache = cacheIn(folder);
  const left = keys.map((key) => cache.read(key) !== undefined);
  expect(left).toEqual([true, false, true, false, true]);
  expect(readCacheFolder(folder, nowMs).bytes).toBe(bytes - deleted.bytes);
});

test("an entry that is read counts as used", () => {
  const folder = newFolder();
  const nowMs = Date.now();
  const [old = "", young = ""] = agedEntries(folder, [100, 50], nowMs);
  cacheIn(folder).read(old);
  const { bytes } = readCacheFolder(folder, nowMs);
  expect(makeRoom(folder, bytes - 1, nowMs).entries).toBe(1);
  const cache = cacheIn(folder);
  expect(cache.read(young)).toBeUndefined();
  expect(cache.read(old)).toBeDefined();
});

test("writing keeps the folder below its limit", () => {
  const folder = newFolder();
  const cache = cacheIn(folder);
  for (let i = 0; i < 60; i++) {
    const entry = { ...ENTRY, code: String(i % 10).repeat(50_000) };
    expect(cache.write(cache.key([String(i)]), entry, undefined)).toBe(true);
  }
  const { bytes, entries } = readCacheFolder(folder, Date.now());
  // The limit, and the eighth that is written between two looks.
  expect(bytes).toBeLessThan(MAX_BYTES * (1 + 1 / 8) + 60_000);
  expect(entries.length).toBeGreaterThan(10);
  expect(cache.read(cache.key(["59"]))).toBeDefined();
});

test("a process that finds a full folder looks at once, unless another just has", () => {
  const folder = newFolder();
  agedEntries(
    folder,
    Array.from({ length: 40 }, (_, i) => i + 10),
    Date.now(),
  );
  const full = readCacheFolder(folder, Date.now()).bytes;
  const limit = full / 2;
  const late = cacheIn(folder, "1.0.0", limit);
  late.write(late.key(["x"]), ENTRY, undefined);
  expect(readCacheFolder(folder, Date.now()).bytes).toBeGreaterThan(limit);
  const stamp = join(folder, "last-look");
  const before = Date.now() / 1000 - 7200;
  utimesSync(stamp, before, before);
  const next = cacheIn(folder, "1.0.0", limit);
  next.write(next.key(["y"]), ENTRY, undefined);
  expect(readCacheFolder(folder, Date.now()).bytes).toBeLessThanOrEqual(limit);
});

test("clearing deletes entries and what dead processes left, and nothing else", () => {
  const folder = newFolder();
  const cache = cacheIn(folder);
  const key = cache.key(["a"]);
  cache.write(key, ENTRY, undefined);
  const text = otherFile(folder, key);
  const own = [
    join(folder, "holiday.text"),
    join(dirname(text), "notes.txt"),
    join(folder, "ab", "photo.jpg"),
    join(folder, "ab", "deadbeef.text"),
  ];
  mkdirSync(join(folder, "ab"));
  for (const path of own) writeFileSync(path, "mine");
  const oldest = join(folder, "ab", `${"0".repeat(32)}.text`);
  const [dead, busy] = [`${text}.1.0.1.0.tmp`, `${text}.2.0.1.0.tmp`];
  for (const path of [oldest, dead, busy]) writeFileSync(path, "x");
  const past = (Date.now() - 2 * HOUR_MS) / 1000;
  utimesSync(dead, past, past);
  expect(clearCacheFolder(folder, Date.now())).toMatchObject({ entries: 2 });
  expect(own.map((path) => existsSync(path))).toEqual([true, true, true, true]);
  expect([oldest, dead, busy, text].map((path) => existsSync(path))).toEqual([
    false,
    false,
    true,
    false,
  ]);
  // A process that goes on finds its folder gone and makes it again.
  expect(cache.write(key, ENTRY, undefined)).toBe(true);
  expect(decided(cache.read(key))).toEqual(decided(ENTRY));
});

test("the engine's code that Node keeps there is counted and cleared like the rest", () => {
  const folder = newFolder();
  const code = join(folder, "code");
  const version = join(code, "v24.21.0-x64-964aae3f-0");
  mkdirSync(version, { recursive: true });
  const [entry, half, own] = [
    join(version, "3c2ab7f1"),
    join(version, "3c2ab7f1.Xy12aB"),
    join(code, "mine.txt"),
  ];
  for (const path of [entry, half, own]) writeFileSync(path, "12345");
  const past = (Date.now() - 2 * HOUR_MS) / 1000;
  utimesSync(half, past, past);
  expect(readCacheFolder(folder, Date.now())).toMatchObject({
    entries: [{ version: "code v24.21.0-x64-964aae3f-0", bytes: 5 }],
    bytes: 5,
    abandoned: [half],
  });
  expect(clearCacheFolder(folder, Date.now())).toEqual({ entries: 1, bytes: 5 });
  expect([entry, half, own].map((path) => existsSync(path))).toEqual([false, false, true]);
});
