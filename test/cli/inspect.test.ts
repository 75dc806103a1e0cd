import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { averageRecording } from "../../packages/analysis/test/average-recording.ts";
import { buildRecording } from "../../packages/analysis/test/build-recording.ts";
import {
  evilRecording,
  wideRecording,
  wrongExtensions,
} from "../../packages/analysis/test/hostile-recording.ts";
import { FLIGHT, finished, flight, folderWith, NODE, plainEnvironment } from "./flight.ts";

// oxlint-disable-next-line no-control-regex -- that is what must be gone
const ACTING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
const CRASH = averageRecording();
const folder = folderWith({
  "crash.flight": CRASH,
  "evil.flight": evilRecording(),
  "wrong.flight": wrongExtensions(),
  "cut.flight": CRASH.subarray(0, 700),
  "sealed.flight": Buffer.concat([Buffer.from("FLGTENC1"), Buffer.alloc(80)]),
  "text.flight": "no recording at all",
});

function crashWith(message: string): Uint8Array {
  return buildRecording({ exceptions: [{ type: "Error", message, relation: "head" }] });
}

async function isColoured(environment: Record<string, string>): Promise<boolean> {
  const env = plainEnvironment(environment);
  const { stdout } = await flight(["inspect", "crash.flight"], { cwd: folder, env });
  return stdout.includes("\u001b[");
}

test.concurrent("shows error, source with values, frames with aliases, what was left out, and events", async () => {
  const { stdout, stderr, code } = await flight(["inspect", "crash.flight"], { cwd: folder });
  expect([stderr, code]).toEqual(["", 0]);
  // The local time of the recording differs from machine to machine.
  expect(stdout.replace(/at 20\S+/, "at TIME")).toBe(
    readFileSync("test/cli/samples/average.txt", "utf8"),
  );
});

test.concurrent.each([
  [["--path", "sets.evening"], "frames[1].sets.evening = []", 0],
  [["--path", "sets", "--frame", "2"], "frames[2].sets = {morning: ", 0],
  [["--object", "3"], "objects[3] = {morning: [10, 12], evening: []}", 0],
  [["--object", "8"], "    ↔ sets.morning[1] in #1\n", 0],
  [["--search", "evening"], "frames[1].sets.evening", 0],
  [["--search", "absent"], "", 1],
  [["--events", "2"], "unwind   mean  (main.ts:7)", 0],
  [["--frame", "1"], "> 15      reports.push({ name, mean: mean(data) });  ← reports = ", 0],
  [["--max-locals", "1"], "… 3 more locals", 0],
  [["--verbose"], "    orangebox.redactions version 1", 0],
])("answers %j", async (args, expected, exitCode) => {
  const { stdout, code } = await flight(["inspect", "crash.flight", ...args], { cwd: folder });
  expect(stdout).toContain(expected);
  expect(code).toBe(exitCode);
});

test.concurrent.each([
  [["inspect", "nothing.flight"], "FLIGHT_READ", 2],
  [["inspect", "text.flight"], "FLIGHT_BAD_MAGIC", 2],
  [["inspect", "sealed.flight"], "FLIGHT_ENCRYPTED", 2],
  [["inspect", "no*.flight"], "FLIGHT_NOT_FOUND", 1],
  [["inspect", "crash.flight", "--path", "a..b"], "FLIGHT_USAGE", 2],
  [["inspect", "crash.flight", "--path", "nope"], "FLIGHT_NOT_FOUND", 1],
  [["inspect", "crash.flight", "--path", "sets", "--frame", "0"], "FLIGHT_NOT_FOUND", 1],
  [["inspect", "crash.flight", "--path", "objects[1]", "--frame", "0"], "FLIGHT_USAGE", 2],
  [["inspect", "crash.flight", "--object", "1", "--frame", "0"], "FLIGHT_USAGE", 2],
  [["inspect", "crash.flight", "--search", "a", "--path", "sets"], "FLIGHT_USAGE", 2],
  [["inspect", "crash.flight", "--object", "999"], "FLIGHT_NOT_FOUND", 1],
  [["inspect", "crash.flight", "--frame", "9"], "FLIGHT_NOT_FOUND", 1],
  [["inspect", "crash.flight", "--frame", "x"], "FLIGHT_USAGE", 2],
  [["inspect", "crash.flight", "--jsno"], "FLIGHT_USAGE", 2],
  [["inspect"], "FLIGHT_USAGE", 2],
  [["inspcet", "crash.flight"], "FLIGHT_USAGE", 2],
  [["completion", "tcsh"], "FLIGHT_USAGE", 2],
])("says what is wrong with %j", async (args, errorCode, exitCode) => {
  const { stdout, stderr, code } = await flight(args, { cwd: folder });
  expect(stderr).toMatch(/^error: .+\nhint: .+\ncode: FLIGHT_\w+\n$/);
  expect(stderr).toContain(`code: ${errorCode}\n`);
  expect([stdout, code]).toEqual(["", exitCode]);
});

test.concurrent.each([
  [["inspcet"], "Did you mean inspect?"],
  [["inspect", "--jsno", "x"], "Did you mean --json?"],
  [["run", "--max-old-space-size=64", "a.js"], "flight run -- --inspect app.js"],
])("suggests what was meant by %j", async (args, hint) => {
  expect((await flight(args)).stderr).toContain(hint);
});

test.concurrent("prints the stack of an error only with --verbose", async () => {
  const plain = await flight(["inspect", "text.flight"], { cwd: folder });
  const verbose = await flight(["inspect", "text.flight", "--verbose"], { cwd: folder });
  expect([plain.stderr.includes("    at "), verbose.stderr.includes("    at ")]).toEqual([
    false,
    true,
  ]);
});

test.concurrent("reads a recording from standard input", async () => {
  const { stdout } = await flight(["inspect", "-"], { input: CRASH });
  expect(stdout).toContain("RangeError: mean of no samples");
});

test.concurrent.each([
  ["."],
  ["*.flight"],
  ["a.flight", "b.flight", "c.flight"],
  ["**/[a-c].flight"],
])("takes the newest crash of %j", async (...inputs) => {
  const plain = buildRecording({ events: [] });
  const cwd = folderWith({
    "a.flight": crashWith("old"),
    "b.flight": crashWith("new"),
    "c.flight": plain,
  });
  for (const [index, name] of ["a", "b", "c"].entries())
    utimesSync(join(cwd, `${name}.flight`), 1_000_000 + index, 1_000_000 + index);
  expect((await flight(["inspect", ...inputs], { cwd })).stdout).toContain("Error: new");
});

test.concurrent("draws a line only where the recording names a boundary, never above the first frame", async () => {
  const frame = { file: "a.js", line: 1, firstLine: 1 };
  const bytes = buildRecording({
    frames: ["late", "inner", "middle", "outer"].map((qualname) => ({ ...frame, qualname })),
    extensions: {
      "node.frames": [
        { frame: 0, kind: "async", boundary: "await" },
        { frame: 1, kind: "started-by", boundary: "setTimeout" },
        { frame: 2, kind: "started-by" },
        { frame: 3, kind: "started-by" },
      ],
      "node.async": [{ from: 1, kind: "callback", label: "setTimeout" }],
    },
  });
  const { stdout } = await flight(["inspect", "-"], { input: bytes });
  expect(stdout.split("\n").filter((line) => /^ {2}(#|──)/.test(line))).toEqual([
    "  #0 late  (a.js:1)",
    "  ── started by setTimeout ──",
    "  #1 inner  (a.js:1)",
    "  #2 middle  (a.js:1)",
    "  #3 outer  (a.js:1)",
  ]);
});

test.concurrent("tells how a program left, and what the recorder could not do", async () => {
  const bytes = buildRecording({
    extensions: {
      "node.runtime": {
        exit: { code: 3, pendingStdoutBytes: 512, pendingStderrBytes: 0 },
        notes: ["the adapter of Order failed", "2 modules were loaded before the recorder"],
      },
      "node.budget": { notes: ["the adapter of Order failed"] },
    },
  });
  const { stdout } = await flight(["inspect", "-"], { input: bytes });
  expect(stdout).toContain("exit        : code 3, 512 bytes of stdout not written yet\n");
  expect(stdout).toContain(
    "notes       : 2\n    the adapter of Order failed\n    2 modules were loaded before the recorder\n",
  );
});

test.concurrent("says that a folder holds no recording", async () => {
  const cwd = folderWith({ "a.txt": "" });
  mkdirSync(join(cwd, "empty"));
  const { stderr, code } = await flight(["inspect", "empty"], { cwd });
  expect([stderr.split("\n")[0], code]).toEqual(["error: there is no recording in empty", 1]);
});

test.concurrent.each(["evil.flight", "wrong.flight", "cut.flight"])(
  "shows nothing that acts on the terminal: %s",
  async (name) => {
    for (const args of [
      [],
      ["--verbose"],
      ["--frame", "0"],
      ["--search", "a"],
      ["--events", "9"],
    ]) {
      const { stdout, stderr, code } = await flight(["inspect", name, ...args], { cwd: folder });
      expect(stdout).not.toMatch(ACTING);
      expect(stdout).not.toMatch(/^error:/m);
      expect([stderr, code]).toEqual(["", 0]);
    }
  },
);

test.concurrent("colours only where they are wanted", async () => {
  expect([
    await isColoured({}),
    await isColoured({ FORCE_COLOR: "1" }),
    await isColoured({ FORCE_COLOR: "0" }),
    await isColoured({ NO_COLOR: "1" }),
  ]).toEqual([false, true, false, false]);
});

test.concurrent("keeps to the width of the terminal", async () => {
  const command = [NODE, ...FLIGHT, "inspect", "crash.flight"].join(" ");
  const child = spawn("script", ["-qec", `stty cols 60; ${command}`, "/dev/null"], {
    cwd: folder,
    env: plainEnvironment(),
  });
  child.stdin.end();
  const { stdout } = await finished(child);
  // oxlint-disable-next-line no-control-regex -- our own colours
  const lines = stdout.replaceAll(/\u001b\[\d+m/g, "").split(/\r?\n/);
  expect(stdout).toContain("\u001b[31m");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(lines.some((line) => line.endsWith("…"))).toBe(true);
});

test.concurrent("ends quietly when nobody reads on", async () => {
  const file = join(folder, "wide.flight");
  writeFileSync(file, wideRecording(3000, 3000));
  const command = `${[NODE, ...FLIGHT, "inspect", file, "--json"].join(" ")} | head -c 10; exit \${PIPESTATUS[0]}`;
  const child = spawn("bash", ["-c", command], { env: plainEnvironment() });
  child.stdin.end();
  expect(await finished(child)).toEqual({
    code: 0,
    signal: null,
    stdout: '{"version"',
    stderr: "",
  });
});

test("shows a file of a million objects soon and briefly", async () => {
  writeFileSync(join(folder, "huge.flight"), wideRecording(1_000_000, 100_000));
  const started = performance.now();
  const { stdout, code } = await flight(["inspect", "huge.flight"], { cwd: folder });
  expect(code).toBe(0);
  expect(stdout.length).toBeLessThan(10_000);
  expect(performance.now() - started).toBeLessThan(15_000);
}, 60_000);

test.concurrent.each(["bash", "zsh", "fish"])(
  "writes a completion script for %s",
  async (shell) => {
    const { stdout, code } = await flight(["completion", shell]);
    for (const word of ["run", "inspect", "timeline", "doctor", "completion"])
      expect(stdout).toContain(word);
    for (const word of ["max-locals", "level", "writes"]) expect(stdout).toContain(word);
    expect(code).toBe(0);
  },
);

test.concurrent("completes in bash", async () => {
  const { stdout: script } = await flight(["completion", "bash"]);
  const tries = `${script}
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _flight; echo "\${COMPREPLY[*]}"; }
try flight in; try flight inspect --al; try flight run --level l; try flight completion f`;
  const child = spawn("bash", ["-c", tries], { env: plainEnvironment() });
  child.stdin.end();
  expect((await finished(child)).stdout).toBe("inspect\n--all-locals\nlines\nfish\n");
});

test.concurrent("prints help with examples for every command, and its version", async () => {
  for (const args of [["--help"], ["run", "--help"], ["inspect", "-h"], ["completion", "--help"]]) {
    const { stdout, code } = await flight(args);
    expect([stdout.includes("Examples:"), code]).toEqual([true, 0]);
  }
  expect((await flight(["--version"])).stdout).toMatch(/^flight \d+\.\d+\.\d+\n$/);
});

test.concurrent("prints its usage on stderr when called with nothing", async () => {
  const { stdout, stderr, code } = await flight([]);
  expect([stdout, stderr.startsWith("Usage: flight"), code]).toEqual(["", true, 2]);
});
