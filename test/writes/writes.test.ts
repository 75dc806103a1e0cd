/**
 * Level `writes` from a running program to the records of its recording.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { MutationRecord, Recording } from "@orangebox/format";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  localNode,
  openBox,
  type RecordedRun,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";

const SAMPLES = join(ROOT, "test/samples/writes");

interface Notes {
  readonly count: number;
  readonly droppedBefore: number;
  readonly dropped: Record<string, number>;
  readonly operators: readonly string[];
  readonly places: readonly number[];
  readonly operator: Uint8Array;
  readonly place: Uint8Array;
  readonly before: Uint8Array;
  readonly owner: Uint8Array;
  readonly objects: readonly number[];
}

function notesOf(box: Recording): Notes {
  const [block] = box.extensions("node.mutations");
  if (block === undefined) throw new Error("no node.mutations");
  return block.data as Notes;
}

/** What the program allocates in each turn. */
const BLOCK_BYTES = 64 << 20;

interface MemoryUse {
  readonly peak: number;
  readonly end: number;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function shown({ kind, name, key, value }: MutationRecord): string {
  const target = key === null ? name : `${name}.${key}`;
  return `${kind} ${target} ${value.repr ?? value.typeName ?? value.kind}`;
}

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  const runs: RecordedRun[] = [];
  afterEach(() => {
    for (const run of runs.splice(0)) removeRun(run);
  });

  async function record(file: string, env: Record<string, string> = {}): Promise<RecordedRun> {
    const options = { node, file: join(SAMPLES, file), env: { ORANGEBOX_LEVEL: "writes", ...env } };
    const run = await runRecorded(options);
    runs.push(run);
    return run;
  }

  async function boxOf(file: string, env: Record<string, string> = {}): Promise<Recording> {
    const run = await record(file, env);
    const [box] = run.boxes;
    if (box === undefined) throw new Error(`no box: ${run.stderr}`);
    expect(box.problems).toEqual([]);
    return box;
  }

  test("a program does the same, and every write is in its recording", async () => {
    const run = await record("main.mjs");
    const plain = await runPlain({ node, file: join(SAMPLES, "main.mjs") });
    const { stdout, stderr, code, signal } = run;
    expect({ stdout, stderr, code, signal }).toEqual(plain);
    const [box] = run.boxes;
    const writes = box?.mutations() ?? [];
    expect(writes.map(({ seq }) => seq)).toEqual(writes.map((_, index) => index));
    const texts = writes.map(shown);
    expect(texts).toEqual(
      expect.arrayContaining([
        "attr this.#count 0",
        "item this.items.0 dict",
        "attr this.#count 1",
        "item this.items.1 <deleted>",
        "item cache.1 start 1 end",
        "item cache.1 <deleted>",
        "attr order.price 6",
        "attr order.note <deleted>",
        "attr order.self dict",
        "attr basket.failed dict",
        "local what dict",
        "local password <redacted>",
      ]),
    );
    expect(JSON.stringify(writes)).not.toContain("correct horse");
  });

  test("activations are told apart: recursion, closures, awaits", async () => {
    const writes = (await boxOf("main.mjs")).mutations();
    const of = (name: string): string[] =>
      writes
        .filter((write) => write.kind === "local" && write.name === name)
        .map(({ frame, value }) => `${frame}: ${value.repr}`);
    const seen = of("seen");
    const frames = [...new Set(seen.map((text) => text.split(":")[0]))];
    expect(frames).toHaveLength(3);
    const [a, b, c] = frames;
    expect(seen).toEqual([`${a}: 20`, `${b}: 10`, `${c}: 0`, `${c}: 1`, `${b}: 11`, `${a}: 21`]);
    const value = of("value");
    const [first, second] = [...new Set(value.map((text) => text.split(":")[0]))];
    expect(value).toEqual([
      `${first}: 0`,
      `${second}: 0`,
      `${first}: 1`,
      `${second}: 1`,
      `${first}: 2`,
    ]);
    const text = of("text");
    const [one, two] = [...new Set(text.map((shownText) => shownText.split(":")[0]))];
    expect(text).toEqual([
      `${one}: start 1`,
      `${two}: start 2`,
      `${one}: start 1 end`,
      `${two}: start 2 end`,
    ]);
  });

  test("operators, exact places, values before, and the very objects", async () => {
    const box = await boxOf("main.mjs");
    const writes = box.mutations();
    const notes = notesOf(box);
    const seq = writes.findIndex(({ name, key }) => name === "order" && key === "price");
    const operator = view(notes.operator).getUint16(seq * 2, true);
    expect(notes.operators[operator]).toBe("*=");
    const place = view(notes.place).getUint32(seq * 4, true);
    expect(notes.places.slice(place * 4, place * 4 + 4)).toEqual([54, 1, 54, 17]);
    const lastSeen = writes.findLastIndex(({ name }) => name === "seen");
    const before = view(notes.before).getInt32(lastSeen * 4, true);
    expect(writes[before]).toMatchObject({ name: "seen", value: { repr: "20" } });
    const failed = writes.findIndex(({ key }) => key === "failed");
    const owner = view(notes.owner).getFloat64(failed * 8, true);
    const ids = new Map<number, number>();
    for (let at = 0; at < notes.objects.length; at += 2) {
      ids.set(notes.objects[at] ?? 0, notes.objects[at + 1] ?? 0);
    }
    expect(ids.get(owner)).toBe(localNode(box, 0, "basket")?.id);
  });

  test("a limit leaves the last writes and says how many went", async () => {
    const all = (await boxOf("main.mjs")).mutations();
    const box = await boxOf("main.mjs", { ORANGEBOX_CAPTURE_MAX_MUTATIONS: "10" });
    expect(box.mutations().map(shown)).toEqual(all.slice(-10).map(shown));
    expect(notesOf(box).droppedBefore).toBe(all.length - 10);
  });

  test("a scope has the writes of its stretch, and of what it watches", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orangebox-scopes-"));
    const run = await record("scope.mjs", { SCOPES: folder });
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe("5 2 true failing true\n");
    const writesOf = (name: string): string[] =>
      openBox(join(folder, `${name}.flight`))
        .mutations()
        .map(shown);
    expect(writesOf("function")).toEqual(["local seen 1", "local seen 5"]);
    const watched = writesOf("watched");
    expect(watched.filter((text) => !text.startsWith("local"))).toEqual([
      "item cache.a dict",
      "attr cache.get(key).late True",
      "item inner.deep.list.0 a",
      "item cache.b dict",
      "attr cache.get(key).late True",
      "item inner.deep.list.1 b",
      "attr other.count 3",
    ]);
    expect(watched).toContain("local sum 2");
    expect(writesOf("failed")).toEqual(["local step before", "local step failing"]);
    rmSync(folder, { recursive: true, force: true });
  });

  test("one file can have another level than the rest", async () => {
    const env = { ORANGEBOX_LEVEL: "calls", ORANGEBOX_LEVEL_FOR: "**/writes/main.mjs=writes" };
    expect((await boxOf("main.mjs", env)).mutations().length).toBeGreaterThan(40);
    env.ORANGEBOX_LEVEL_FOR = "**/other.mjs=writes";
    expect((await boxOf("main.mjs", env)).mutations()).toEqual([]);
  });

  test("writes of files compiled ahead are where they are in the source", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orangebox-compiled-"));
    const source = readFileSync(join(ROOT, "test/samples/compiled.ts"));
    writeFileSync(join(folder, "compiled.ts"), source);
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const options = ["--ignoreConfig", "--sourceMap", "--target", "es2022", "--module", "nodenext"];
    execFileSync(
      join(ROOT, "node_modules/.bin/tsc"),
      [...options, "--outDir", join(folder, "out"), join(folder, "compiled.ts")],
      { cwd: folder },
    );
    const env = { ORANGEBOX_LEVEL: "writes" };
    const run = await runRecorded({ node, file: join(folder, "out/compiled.js"), env });
    runs.push(run);
    const before = run.boxes[0]?.mutations().findLast(({ name }) => name === "before");
    expect(before).toMatchObject({ file: join(folder, "compiled.ts"), line: 7 });
    expect(before?.value.repr).toBe("1");
    rmSync(folder, { recursive: true, force: true });
  });

  test("secrets are hidden in values, keys and texts that were cut", async () => {
    const run = await record("secrets.cjs");
    const [box] = run.boxes;
    const writes = box?.mutations() ?? [];
    expect(writes.map(shown)).toEqual(
      expect.arrayContaining([
        "local token <redacted>",
        "attr settings.apiKey <redacted>",
        "attr secrets.first <redacted>",
        "item headers.authorization <redacted>",
        "local plain begins <redacted> ends",
        "local card <redacted>",
        "item list.0 <redacted>",
        "attr settings.<redacted> 1",
      ]),
    );
    const text = JSON.stringify(writes);
    for (const secret of ["tok-1234", "key-", "4111", "aaaa", "zzzz", "sentence", "abcdefgh"]) {
      expect(text).not.toContain(secret);
    }
  });

  test("large objects that are dropped are not kept alive", async () => {
    const options = { node, file: join(SAMPLES, "memory.cjs") };
    const plain = JSON.parse((await runPlain(options)).stdout) as MemoryUse;
    // The log itself takes 79 bytes a write, whatever the program does.
    const run = await record("memory.cjs", { ORANGEBOX_CAPTURE_MAX_MUTATIONS: "16384" });
    expect(run.stderr).toBe("");
    const noted = JSON.parse(run.stdout) as MemoryUse;
    // The engine itself keeps one block too many, in some turns of some runs; we must not keep six.
    expect(noted.peak).toBeLessThan(plain.peak * 1.05 + BLOCK_BYTES);
    expect(noted.end).toBeLessThan(plain.end * 1.05);
  });
});
