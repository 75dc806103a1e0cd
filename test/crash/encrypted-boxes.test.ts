/** Programs whose recordings are encrypted: nothing of them is on disk in the clear. */
import { Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { openRecording, type Recording, zlibCodec } from "@orangebox/format";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  localNode,
  type RecordedRun,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";

const SAMPLES = join(ROOT, "test/samples/encryption");
const SECRET = "Ada-Lovelace-1815";

let identity = "";
let recipient = "";
beforeAll(async () => {
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});

/** Every file below a folder: boxes, report, rings, side files. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function boxPaths(run: RecordedRun): string[] {
  return filesOf(run.folder).filter((path) => path.endsWith(".flight.age"));
}

/** What was reported of captures; other lines are for recovery. */
function captures({ reports }: RecordedRun): RecordedRun["reports"] {
  return reports.filter(({ reason }) => reason !== undefined);
}

async function decrypted(path: string): Promise<Recording> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const bytes = await decrypter.decrypt(readFileSync(path));
  return openRecording(bytes, { codec: zlibCodec(zlib), name: path });
}

/** All boxes are whole and hold the value; no file holds it in the clear. */
async function expectEncrypted(run: RecordedRun, count: number): Promise<void> {
  const paths = boxPaths(run);
  expect(run.paths).toEqual([]);
  expect(paths).toHaveLength(count);
  for (const path of filesOf(run.folder)) {
    expect([path, readFileSync(path).includes(SECRET)]).toEqual([path, false]);
    expect(readFileSync(path).subarray(0, 4).toString()).not.toBe("FLGT");
  }
  for (const path of paths) {
    const box = await decrypted(path);
    expect(box).toMatchObject({ status: "sealed", problems: [] });
    expect(box.frames()[0]?.qualname).toBe("greet");
    expect(localNode(box, 0, "letter")?.repr).toBe(`dear ${SECRET}`);
  }
}

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  const runs: RecordedRun[] = [];
  afterEach(() => {
    for (const run of runs.splice(0)) removeRun(run);
  });
  async function record(
    name: string,
    rest: { env?: Record<string, string>; arguments?: string[] } = {},
  ): Promise<RecordedRun> {
    const run = await runRecorded({ node, file: join(SAMPLES, name), ...rest });
    runs.push(run);
    return run;
  }

  test("a crash leaves a box that its owner alone can read; the program is as ever", async () => {
    const plain = await runPlain({ node, file: join(SAMPLES, "fails.cjs") });
    const run = await record("fails.cjs", { env: { ORANGEBOX_ENCRYPT_TO: recipient } });
    expect({ stdout: run.stdout, stderr: run.stderr, code: run.code }).toEqual({
      stdout: plain.stdout,
      stderr: plain.stderr,
      code: plain.code,
    });
    // The ciphers are loaded at the crash.
    expect(run.stdout).toBe("false\n");
    await expectEncrypted(run, 1);
  });

  test.each(["replaced.cjs", "replaced.mjs"])(
    "a program that replaces the ciphers (%s) does not weaken its boxes",
    async (name) => {
      const keys = new Set<string>();
      for (let round = 0; round < 2; round++) {
        const run = await record(name, { env: { ORANGEBOX_ENCRYPT_TO: recipient } });
        expect(captures(run).map(({ problem }) => problem)).toEqual([undefined]);
        await expectEncrypted(run, 1);
        const head = readFileSync(boxPaths(run)[0] ?? "").toString("latin1");
        keys.add(/-> X25519 (\S+)/.exec(head)?.[1] ?? "");
      }
      expect(keys.size).toBe(2);
      expect(keys).not.toContain("A".repeat(43));
    },
  );

  test("children and workers take over a key that was set in code", async () => {
    const run = await record("family.cjs", {
      env: { RECORDER: join(ROOT, "packages/recorder/dist/index.js") },
      arguments: [recipient],
    });
    expect(run.stdout).toContain("child 1\n");
    expect(run.stdout).toContain("worker Cannot read properties of undefined");
    await expectEncrypted(run, 3);
  });

  test("with a misspelt key there is no box rather than one in the clear", async () => {
    const misspelt = `${recipient.slice(0, -1)}${recipient.endsWith("q") ? "p" : "q"}`;
    const run = await record("fails.cjs", { env: { ORANGEBOX_ENCRYPT_TO: misspelt } });
    expect(run.stderr).toContain("ORANGEBOX_ENCRYPT_TO must be a list of public keys");
    expect(captures(run).map(({ path, problem }) => [path, problem])).toEqual([
      [undefined, "no box was written: encryptTo names no usable public key"],
    ]);
    expect(boxPaths(run)).toEqual([]);
    expect(run.paths).toEqual([]);
    expect(run.code).toBe(1);
  });
});
