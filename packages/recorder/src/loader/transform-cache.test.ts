import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type CachedText, TransformCache } from "./transform-cache.ts";

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-cache-"));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const ENTRY: CachedText = {
  kind: "text",
  code: "function price(n) { const fee = 100; return n + fee; }",
  idOffsets: Uint32Array.of(3, 9, 27),
  siteCount: 2,
  skipped: [],
};

function textFile(folder: string): string {
  const name = readdirSync(folder, { recursive: true }).find((path) =>
    String(path).endsWith(".text"),
  );
  return join(folder, String(name));
}

test("gives back what was written", () => {
  const cache = new TransformCache(newFolder());
  const key = cache.key(["a", "b"]);
  expect(cache.read(key)).toBeUndefined();
  expect(cache.write(key, ENTRY, undefined)).toBe(true);
  expect(cache.read(key)).toEqual(ENTRY);
});

test("a damaged entry is a miss, whatever bit it is: what is read is run", () => {
  const folder = newFolder();
  const cache = new TransformCache(folder);
  const key = cache.key(["a"]);
  cache.write(key, ENTRY, undefined);
  const path = textFile(folder);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(path, damaged);
    const read = cache.read(key) as CachedText | undefined;
    // A bit of the padding or of the list for people may be another one.
    const { code, idOffsets, siteCount } = read ?? ENTRY;
    expect({ code, idOffsets, siteCount }).toEqual({
      code: ENTRY.code,
      idOffsets: ENTRY.idOffsets,
      siteCount: ENTRY.siteCount,
    });
  }
});

test("an entry under another key is a miss", () => {
  const folder = newFolder();
  const cache = new TransformCache(folder);
  const [one, two] = [cache.key(["1"]), cache.key(["2"])];
  cache.write(one, ENTRY, undefined);
  const bytes = readFileSync(textFile(folder));
  cache.write(two, { ...ENTRY, code: "other" }, undefined);
  writeFileSync(join(folder, two.slice(0, 2), `${two}.text`), bytes);
  expect(cache.read(two)).toBeUndefined();
});

test("only the owner may read it, and a folder that cannot be made switches it off", () => {
  const folder = newFolder();
  const cache = new TransformCache(folder);
  const key = cache.key(["a"]);
  cache.write(key, ENTRY, undefined);
  expect(statSync(textFile(folder)).mode & 0o077).toBe(0);
  const off = new TransformCache("/proc/nope/cache");
  expect(off.write(key, ENTRY, undefined)).toBe(false);
  expect(off.read(key)).toBeUndefined();
});
