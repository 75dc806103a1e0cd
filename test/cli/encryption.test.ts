/** `flight encrypt`, `decrypt`, `keygen`, and the commands that read, with encrypted recordings. */
import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { averageRecording } from "../../packages/analysis/test/average-recording.ts";
import { buildRecording } from "../../packages/analysis/test/build-recording.ts";
import {
  FLIGHT,
  NODE,
  finished,
  flight,
  folderWith,
  plainEnvironment,
  startFlight,
} from "./flight.ts";
import type { Finished, RunSettings } from "./flight.ts";

const PHRASE = "tr0ub4dor & 3";
const GOLDEN =
  "464c4754454e4331000102030405060708090a0b0c0d0e0f000102030405060708090a0be26fcba0702e802386379980a99aae695165704389e2f3ead2";

let folder = "";
let publicKey = "";
beforeAll(async () => {
  folder = folderWith({ "a.flight": averageRecording(), "phrase.txt": `${PHRASE}\n` });
  const made = await run(["keygen", "-o", "key.txt"]);
  publicKey = /^public key: (age1\w+)$/m.exec(made.stdout)?.[1] ?? "";
  await run(["encrypt", "a.flight", "-r", publicKey]);
  await run(["encrypt", "a.flight", "--passphrase-file", "phrase.txt"]);
  return () => rmSync(folder, { recursive: true });
});

function run(args: readonly string[], options: RunSettings = {}): Promise<Finished> {
  const { env, ...rest } = options;
  return flight(args, { cwd: folder, ...rest, env: plainEnvironment(env) });
}

function expectError({ code, stderr }: Finished, expected: string): void {
  const [error, hint, name] = stderr.split("\n");
  expect(error).toMatch(/^error: /);
  expect(hint).toMatch(/^hint: /);
  expect(name).toBe(`code: ${expected}`);
  expect(code).toBe(2);
}

function bytes(name: string): Uint8Array {
  return readFileSync(join(folder, name));
}

describe("keygen", () => {
  test("writes a secret key for its owner alone, and shows the public one", async () => {
    expect(statSync(join(folder, "key.txt")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, "key.txt"), "utf8")).toMatch(
      /^# created: \S+Z\n# public key: age1\w+\nAGE-SECRET-KEY-1[A-Z0-9]+\n$/,
    );
    expect((await run(["keygen", "--public", "key.txt"])).stdout).toBe(`${publicKey}\n`);
  });

  test("never replaces a key", async () => {
    const before = bytes("key.txt");
    const again = await run(["keygen", "-o", "key.txt"]);
    expectError(again, "FLIGHT_EXISTS");
    expect(again.stderr).toContain("what was encrypted to a key that is replaced is lost");
    expect(bytes("key.txt")).toEqual(before);
  });

  test("prints both without a file", async () => {
    const { stdout, stderr } = await run(["keygen", "--post-quantum"]);
    expect(stdout).toMatch(/\nAGE-SECRET-KEY-PQ-1[A-Z0-9]+\n$/);
    expect(stderr).toMatch(/^public key: age1pq1\w+\n$/);
  });

  test("says when a key file holds none", async () => {
    const found = await run(["keygen", "--public", "phrase.txt"]);
    expectError(found, "FLIGHT_BAD_CONFIG");
    expect(found.stderr).not.toContain(PHRASE);
  });
});

describe("encrypt and decrypt", () => {
  test.each([
    ["a.flight.age", ["--key-file", "key.txt"], {}],
    ["a.flight.age", [], { FLIGHT_KEY_FILE: "key.txt" }],
    ["a.flight.enc", ["--passphrase-file", "phrase.txt"], {}],
    ["a.flight.enc", [], { FLIGHT_PASSPHRASE: PHRASE }],
    ["a.flight.enc", [], { FLIGHT_PASSPHRASE_FILE: "phrase.txt" }],
  ])("%s is decrypted with %j %j", async (name, args, env) => {
    const output = join(folder, "out.flight");
    const made = await run(["decrypt", name, ...args, "-o", "out.flight"], { env });
    expect(made).toMatchObject({ code: 0, stdout: "decrypted → out.flight\n", stderr: "" });
    expect(readFileSync(output)).toEqual(Buffer.from(averageRecording()));
    expect(statSync(output).mode & 0o777).toBe(0o600);
    rmSync(output);
  });

  test("new files are their owner's alone, with names that say what they are", () => {
    for (const name of ["a.flight.age", "a.flight.enc"]) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(Buffer.from(bytes(name)).includes("average")).toBe(false);
    }
  });

  test("the golden envelope of the format decrypts", async () => {
    const golden = folderWith({ "g.enc": Buffer.from(GOLDEN, "hex") });
    const env = { FLIGHT_PASSPHRASE: "correct horse" };
    const made = await run(["decrypt", "g.enc"], { cwd: golden, env });
    expect(made.stdout).toBe("decrypted → g\n");
    expect(readFileSync(join(golden, "g"), "utf8")).toBe("FLGT test");
  });

  test("no file is replaced without --force; --remove deletes what was read at the end", async () => {
    const other = folderWith({ "b.flight": averageRecording(), "b.flight.age": "mine" });
    const args = ["encrypt", "b.flight", "-r", publicKey, "--remove"];
    expectError(await run(args, { cwd: other }), "FLIGHT_EXISTS");
    expect(readdirSync(other).toSorted()).toEqual(["b.flight", "b.flight.age"]);
    expect(readFileSync(join(other, "b.flight.age"), "utf8")).toBe("mine");
    expect(await run([...args, "--force"], { cwd: other })).toMatchObject({ code: 0 });
    expect(readdirSync(other)).toEqual(["b.flight.age"]);
    // In its own place.
    const key = join(folder, "key.txt");
    const inPlace = ["decrypt", "b.flight.age", "--key-file", key, "-o", "b.flight.age", "--force"];
    expect(await run([...inPlace, "--remove"], { cwd: other })).toMatchObject({ code: 0 });
    expect(readdirSync(other)).toEqual(["b.flight.age"]);
    expect(readFileSync(join(other, "b.flight.age"))).toEqual(Buffer.from(averageRecording()));
  });

  const wrong: [string, string[], Record<string, string>, string][] = [
    ["no secret at all", ["decrypt", "a.flight.age", "-o", "x"], {}, "FLIGHT_ENCRYPTED"],
    ["no passphrase", ["decrypt", "a.flight.enc", "-o", "x"], {}, "FLIGHT_ENCRYPTED"],
    [
      "a wrong passphrase",
      ["decrypt", "a.flight.enc", "-o", "x"],
      { FLIGHT_PASSPHRASE: "x" },
      "FLIGHT_WRONG_KEY",
    ],
    ["a file that is not encrypted", ["decrypt", "a.flight"], {}, "FLIGHT_NOT_ENCRYPTED"],
    ["a file that is encrypted", ["encrypt", "a.flight.age", "-r", "age1"], {}, "FLIGHT_ENCRYPTED"],
    ["a file that is no recording", ["encrypt", "phrase.txt"], {}, "FLIGHT_BAD_MAGIC"],
    ["a file that is not there", ["encrypt", "none.flight"], {}, "FLIGHT_READ"],
    ["a key that is none", ["encrypt", "a.flight", "-r", "age1xyz"], {}, "FLIGHT_USAGE"],
    ["nothing to encrypt with", ["encrypt", "a.flight"], {}, "FLIGHT_USAGE"],
    [
      "a passphrase on the command line",
      ["encrypt", "a.flight", "--passphrase", "x"],
      {},
      "FLIGHT_USAGE",
    ],
    [
      "two ways at once",
      ["encrypt", "a.flight", "-r", "age1", "--passphrase-file", "phrase.txt"],
      {},
      "FLIGHT_USAGE",
    ],
    [
      "a key file that is none",
      ["inspect", "a.flight.age", "--key-file", "phrase.txt"],
      {},
      "FLIGHT_BAD_CONFIG",
    ],
    [
      "a folder to write to that is not there",
      ["encrypt", "a.flight", "-o", "x/y"],
      { FLIGHT_PASSPHRASE: "x" },
      "FLIGHT_WRITE",
    ],
  ];
  test.each(wrong)("with %s, an error says so", async (_, args, env, code) => {
    const before = readdirSync(folder);
    const made = await run(args, { env });
    expectError(made, code);
    expect(readdirSync(folder)).toEqual(before);
  });

  test("wrong key, altered and cut files have errors that differ", async () => {
    await run(["keygen", "-o", "other.txt"]);
    for (const name of ["a.flight.age", "a.flight.enc"]) {
      const file = bytes(name);
      const middle = file.length - 100;
      writeFileSync(join(folder, "altered"), file.with(middle, (file[middle] ?? 0) ^ 1));
      writeFileSync(join(folder, "cut"), file.subarray(0, middle));
      const right = name.endsWith("age")
        ? ["--key-file", "key.txt"]
        : ["--passphrase-file", "phrase.txt"];
      const wrongOnes = name.endsWith("age")
        ? ["--key-file", "other.txt"]
        : ["--passphrase-file", "other.txt"];
      for (const command of [["decrypt", "-o", "x"], ["inspect"]]) {
        expectError(await run([...command, name, ...wrongOnes]), "FLIGHT_WRONG_KEY");
        expectError(await run([...command, "altered", ...right]), "FLIGHT_ALTERED");
        expectError(await run([...command, "cut", ...right]), "FLIGHT_CUT");
      }
    }
    for (const name of ["other.txt", "altered", "cut"]) rmSync(join(folder, name));
  }, 60_000);
});

describe("commands that read", () => {
  test.each([["inspect"], ["inspect", "--json"], ["timeline"]])(
    "%s %s shows an encrypted recording as the plain one",
    async (...args) => {
      const plain = await run([...args, "a.flight"]);
      const key = ["--key-file", "key.txt"];
      const phrase = ["--passphrase-file", "phrase.txt"];
      for (const [name, secret] of [
        ["a.flight.age", key],
        ["a.flight.enc", phrase],
      ] as const) {
        const shown = await run([...args, name, ...secret]);
        expect(shown.stdout.replaceAll(name, "a.flight")).toBe(plain.stdout);
        expect(shown.code).toBe(plain.code);
      }
    },
    60_000,
  );

  test("the secret key may be in the environment, the recording in standard input", async () => {
    const env = { FLIGHT_KEY: readFileSync(join(folder, "key.txt"), "utf8") };
    const input = bytes("a.flight.age");
    const shown = await run(["inspect", "-"], { env, input });
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain("flight file : standard input");
  });

  test("without a key they say which is needed, and how to give it", async () => {
    const shown = await run(["inspect", "a.flight.age"]);
    expect(shown).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr:
        "error: a.flight.age is encrypted to a public key; no secret key was given\n" +
        "hint: Name the file of the secret key with --key-file, or in FLIGHT_KEY_FILE.\n" +
        "code: FLIGHT_ENCRYPTED\n",
    });
    expectError(await run(["timeline", "a.flight.enc"]), "FLIGHT_ENCRYPTED");
  });

  test("a folder gives its newest crash that can be opened, and says what is newer", async () => {
    const other = folderWith({
      "old.flight": averageRecording(),
      "new.flight.age": bytes("a.flight.age"),
    });
    utimesSync(join(other, "old.flight"), 1e9, 1e9);
    const locked = await run(["inspect", "."], { cwd: other });
    expect(locked.stdout).toContain("flight file : old.flight");
    expect(locked.stderr).toBe(
      "warning: 1 newer recording could not be opened: encrypted, and the key is missing or another\n",
    );
    const env = { FLIGHT_KEY_FILE: join(folder, "key.txt") };
    const shown = await run(["inspect", "."], { cwd: other, env });
    expect(shown.stdout).toContain("flight file : new.flight.age");
    expect(shown.stderr).toBe("");
    rmSync(join(other, "old.flight"));
    expectError(await run(["inspect", "."], { cwd: other }), "FLIGHT_ENCRYPTED");
  });

  test("of a long recording whose end is missing they show what is whole, and say so", async () => {
    const long = longRecording();
    writeFileSync(join(folder, "long.flight"), long);
    await run(["encrypt", "long.flight", "-r", publicKey]);
    truncateSync(join(folder, "long.flight.age"), long.length - 10_000);
    const shown = await run(["inspect", "long.flight.age", "--key-file", "key.txt"]);
    expect(shown.stderr).toBe(
      "warning: the end of long.flight.age is missing; this is what is whole\n",
    );
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^format +: v1 +\(.*partial/m);
    expect(shown.stdout).toContain("RangeError: too long");
    rmSync(join(folder, "long.flight"));
    rmSync(join(folder, "long.flight.age"));
  });
});

describe("at a terminal", () => {
  const canAsk = process.platform === "linux" && hasScript();

  test.skipIf(!canAsk)(
    "passphrases are asked for, twice for a new file, and never shown",
    async () => {
      const other = folderWith({ "c.flight": averageRecording() });
      const encrypting = await atTerminal(["encrypt", "c.flight"], other, [
        ["Passphrase: ", "geheim ü\u007f\u007fü\r"],
        ["The same again: ", "geheimü\r"],
      ]);
      expect(encrypting).toContain("encrypted → c.flight.enc");
      expect(encrypting).not.toContain("geheim");
      const shown = await atTerminal(["inspect", "c.flight.enc"], other, [
        ["Passphrase: ", "geheimü\r"],
      ]);
      expect(stripVTControlCharacters(shown)).toContain("flight file : c.flight.enc");
      const env = { FLIGHT_PASSPHRASE: "geheimü" };
      expect((await run(["inspect", "c.flight.enc"], { cwd: other, env })).code).toBe(0);
      const differing = await atTerminal(["encrypt", "c.flight", "-o", "d.enc"], other, [
        ["Passphrase: ", "one\r"],
        ["The same again: ", "two\r"],
      ]);
      expect(differing).toContain("the two passphrases differ");
      const interrupted = await atTerminal(["encrypt", "c.flight", "-o", "d.enc"], other, [
        ["Passphrase: ", "one\u0003"],
      ]);
      expect(interrupted).toContain("no passphrase was typed");
      expect(readdirSync(other).toSorted()).toEqual(["c.flight", "c.flight.enc"]);
    },
  );
});

describe("whatever happens on the way", () => {
  test.each(["age", "enc"])(
    "a kill leaves the recording, and no half .%s file",
    async (form) => {
      const original = Buffer.alloc(24 * 2 ** 20, "FLGT is long ");
      const other = folderWith({ "k.flight": original });
      const target = join(other, `k.flight.${form}`);
      const how =
        form === "age" ? ["-r", publicKey] : ["--passphrase-file", join(folder, "phrase.txt")];
      let killed = 0;
      for (let attempt = 0; attempt < 6; attempt++) {
        const args = ["encrypt", "k.flight", ...how, "--remove"];
        const child = startFlight(args, { cwd: other, env: plainEnvironment() });
        const ended = finished(child);
        // Until there is something to destroy; then at another moment each time.
        while (
          child.exitCode === null &&
          !readdirSync(other).some((name) => name.endsWith(".tmp"))
        ) {
          await wait(2);
        }
        await wait(attempt * 15);
        child.kill("SIGKILL");
        const { signal } = await ended;
        if (signal === "SIGKILL") killed++;
        const isMade = existsSync(target);
        const isWhole = isMade
          ? statSync(target).size > original.length
          : Buffer.compare(readFileSync(join(other, "k.flight")), original) === 0;
        expect([attempt, isMade, isWhole]).toEqual([attempt, isMade, true]);
        writeFileSync(join(other, "k.flight"), original);
        rmSync(target, { force: true });
        for (const name of readdirSync(other)) if (name.endsWith(".tmp")) rmSync(join(other, name));
      }
      expect(killed).toBeGreaterThan(2);
      rmSync(other, { recursive: true });
    },
    60_000,
  );

  test("Ctrl-C leaves nothing behind", async () => {
    const other = folderWith({ "k.flight": Buffer.alloc(24 * 2 ** 20, "FLGT is long ") });
    const child = startFlight(["encrypt", "k.flight", "-r", publicKey], {
      cwd: other,
      env: plainEnvironment(),
    });
    const ended = finished(child);
    while (child.exitCode === null && readdirSync(other).length < 2) await wait(2);
    child.kill("SIGINT");
    expect((await ended).signal).toBe("SIGINT");
    expect(readdirSync(other)).toEqual(["k.flight"]);
    rmSync(other, { recursive: true });
  });

  test.skipIf(!canMount())("a full disk leaves the recording, and no half file", async () => {
    const disk = folderWith({});
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "none", disk]);
    onTestFinished(() => void execFileSync("umount", ["-l", disk]));
    const original = Buffer.alloc(2 * 2 ** 20, "FLGT is long ");
    writeFileSync(join(disk, "f.flight"), original);
    const made = await run(["encrypt", "f.flight", "-r", publicKey, "--remove"], { cwd: disk });
    expectError(made, "FLIGHT_WRITE");
    expect(made.stderr).toContain("ENOSPC");
    expect(readdirSync(disk)).toEqual(["f.flight"]);
    expect(Buffer.compare(readFileSync(join(disk, "f.flight")), original)).toBe(0);
  });

  test("a large recording takes no more memory than a small one", async () => {
    const size = 320 * 2 ** 20;
    const small = await peaks(2 ** 16);
    const large = await peaks(size);
    for (const [command, peak] of Object.entries(large)) {
      expect([command, Math.max(0, peak - (small[command] ?? 0)) < size / 2]).toEqual([
        command,
        true,
      ]);
    }
  }, 120_000);
});

/** The most memory, in bytes, that each command has used for a recording of this size. */
async function peaks(size: number): Promise<Record<string, number>> {
  const other = folderWith({
    "peak.cjs": `process.on("exit", () => require("fs").writeFileSync("peak", String(process.resourceUsage().maxRSS)));`,
  });
  const file = join(other, "m.flight");
  writeFileSync(file, "FLGT");
  truncateSync(file, size);
  const key = join(folder, "key.txt");
  const phrase = ["--passphrase-file", join(folder, "phrase.txt")];
  const found: Record<string, number> = {};
  for (const args of [
    ["encrypt", "m.flight", "-r", publicKey],
    ["encrypt", "m.flight", ...phrase],
    ["decrypt", "m.flight.age", "--key-file", key, "-o", "one"],
    ["decrypt", "m.flight.enc", ...phrase, "-o", "two"],
  ]) {
    const child = spawn(NODE, ["--require", "./peak.cjs", ...FLIGHT, ...args], {
      cwd: other,
      env: plainEnvironment(),
    });
    const { code, stderr } = await finished(child);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    found[`${args[0]} ${args.at(-1)}`] = Number(readFileSync(join(other, "peak"), "utf8")) * 1024;
  }
  expect(statSync(join(other, "one")).size).toBe(size);
  expect(statSync(join(other, "two")).size).toBe(size);
  rmSync(other, { recursive: true });
  return found;
}

/** Runs a command at a terminal, and types each answer when its question is shown. */
async function atTerminal(
  args: readonly string[],
  cwd: string,
  answers: readonly (readonly [string, string])[],
): Promise<string> {
  const command = [NODE, ...FLIGHT, ...args].map((part) => `'${part}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: plainEnvironment() });
  let shown = "";
  const left = [...answers];
  child.stdout.on("data", (chunk: Uint8Array) => {
    shown += Buffer.from(chunk).toString();
    const [next] = left;
    if (next === undefined || !shown.endsWith(next[0])) return;
    left.shift();
    // The question is there a moment before the terminal stops showing what is typed.
    setTimeout(() => child.stdin.write(next[1]), 200);
  });
  await finished(child);
  child.stdin.end();
  return shown;
}

function hasScript(): boolean {
  try {
    execFileSync("script", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A recording whose sources reach over several chunks, behind its exceptions and frames. */
function longRecording(): Uint8Array {
  return buildRecording({
    exceptions: [{ type: "RangeError", message: "too long", relation: "head" }],
    frames: [{ file: "/a.js", qualname: "f", line: 1, firstLine: 1, locals: {} }],
    sources: { "/a.js": "f();\n".repeat(10_000), "/b.js": "g();\n".repeat(40_000) },
  });
}
