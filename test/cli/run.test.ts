import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { finished, flight, folderWith, NODE, plainEnvironment, startFlight } from "./flight.ts";

const TELL = `
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];
const seen = [];
for (const name of signals) process.on(name, () => {
  seen.push(name);
  // Long enough for a second delivery to show.
  setTimeout(() => { console.log("seen", seen.join()); process.exit(7); }, 400);
});
setInterval(() => undefined, 1000);
console.log("ready");
`;

test.concurrent("hands everything behind the script on to the script", async () => {
  const cwd = folderWith({ "a.mjs": "console.log(JSON.stringify(process.argv.slice(2)))" });
  const args = ["a.mjs", "--level", "lines", "-x", "--", "--help", "--out=q"];
  const { stdout, code } = await flight(["run", ...args], { cwd });
  expect([JSON.parse(stdout), code]).toEqual([args.slice(1), 0]);
});

test.concurrent.each([
  ["--node-arg", ["--node-arg=--no-warnings", "--node-arg=--stack-size=800"]],
  ["--", ["--", "--no-warnings", "--stack-size=800"]],
])("hands options of Node on that are given with %s", async (_, before) => {
  const cwd = folderWith({
    "a.mjs": "console.log(process.execArgv.filter((a) => /warn|stack-size=800/.test(a)).join())",
  });
  const { stdout } = await flight(["run", ...before, "a.mjs"], { cwd });
  expect(stdout).toBe("--no-warnings,--stack-size=800\n");
});

test.concurrent("neither the program nor its workers see what the recorder is started with", async () => {
  const cwd = folderWith({
    "a.cjs": `const { Worker, isMainThread } = require("node:worker_threads");
console.log(JSON.stringify(process.execArgv));
if (isMainThread) {
  new Worker(__filename);
  new Worker('console.log(JSON.stringify(process.execArgv))', { eval: true });
}`,
  });
  const { stdout, code } = await flight(["run", "a.cjs"], { cwd });
  expect([stdout, code]).toEqual(["[]\n[]\n[]\n", 0]);
});

test.concurrent.each([
  ["process.exitCode = 5", 5],
  ["process.exit(0)", 0],
  ["process.exit(255)", 255],
  ["throw new Error('x')", 1],
  ["await new Promise(() => undefined)", 13],
])("exits as the program does: %s", async (source, expected) => {
  const cwd = folderWith({ "a.mjs": source });
  const { code, signal } = await flight(["run", "a.mjs"], { cwd });
  expect([code, signal]).toEqual([expected, null]);
});

test.concurrent.each(["SIGTERM", "SIGKILL", "SIGINT", "SIGABRT"] as const)(
  "dies of the signal that the program died of: %s",
  async (name) => {
    const cwd = folderWith({
      "a.mjs": `process.kill(process.pid, "${name}"); setInterval(() => undefined, 1000);`,
    });
    const { code, signal } = await flight(["run", "a.mjs"], { cwd });
    expect([code, signal]).toEqual([null, name]);
  },
);

test.concurrent("says as its last line where the recording is, once", async () => {
  const cwd = folderWith({ "a.mjs": "throw new TypeError('no price')" });
  const { stderr, stdout } = await flight(["run", "a.mjs"], { cwd });
  const [file = ""] = readdirSync(cwd).filter((name) => name.endsWith(".flight"));
  expect(stderr.trimEnd().split("\n").at(-1)).toBe(`[flight] recorded ${join(cwd, file)}`);
  expect(stderr.match(/\[flight\]/g)).toHaveLength(1);
  expect(stdout).toBe("");
});

test.concurrent("says nothing when nothing was recorded", async () => {
  const cwd = folderWith({ "a.mjs": "console.log('fine')" });
  expect(await flight(["run", "a.mjs"], { cwd })).toEqual({
    code: 0,
    signal: null,
    stdout: "fine\n",
    stderr: "",
  });
});

test.concurrent("writes the recording where --out says", async () => {
  const cwd = folderWith({ "a.mjs": "throw new TypeError('no price')" });
  const { stderr } = await flight(["run", "--out", "boxes/one.flight", "a.mjs"], { cwd });
  expect(stderr.trimEnd().endsWith(join(cwd, "boxes/one.flight"))).toBe(true);
});

test.concurrent("hands standard input on", async () => {
  const cwd = folderWith({ "a.mjs": "process.stdin.pipe(process.stdout)" });
  const { stdout } = await flight(["run", "a.mjs"], { cwd, input: "from outside" });
  expect(stdout).toBe("from outside");
});

test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const)(
  "hands a signal on that only flight got: %s",
  async (name) => {
    const child = startFlight(["run", "a.mjs"], { cwd: folderWith({ "a.mjs": TELL }) });
    const end = finished(child);
    child.stdout?.once("data", () => child.kill(name));
    expect((await end).stdout).toBe(`ready\nseen ${name}\n`);
  },
);

test.each(["SIGINT", "SIGTERM", "SIGQUIT"] as const)(
  "does not repeat a signal that the whole process group got: %s",
  async (name) => {
    const cwd = folderWith({ "a.mjs": TELL });
    const child = startFlight(["run", "a.mjs"], { cwd, detached: true });
    const end = finished(child);
    child.stdout?.once("data", () => process.kill(-(child.pid ?? 0), name));
    expect((await end).stdout).toBe(`ready\nseen ${name}\n`);
  },
);

test("repeats each of several signals to the group exactly as often as they came", async () => {
  const source = `
let count = 0;
process.on("SIGINT", () => { count++; console.log("int", count); if (count === 2) setTimeout(() => process.exit(0), 400); });
setInterval(() => undefined, 1000);
console.log("ready");
`;
  const child = startFlight(["run", "a.mjs"], {
    cwd: folderWith({ "a.mjs": source }),
    detached: true,
  });
  const end = finished(child);
  let sent = 0;
  child.stdout?.on("data", () => {
    if (sent < 2) setTimeout(() => process.kill(-(child.pid ?? 0), "SIGINT"), 150);
    sent += 1;
  });
  expect((await end).stdout).toBe("ready\nint 1\nint 2\n");
});

test("leaves the pipes of the program as they are", async () => {
  const cwd = folderWith({
    "a.cjs": `const fs = require("node:fs");
for (const fd of [0, 1, 2]) fs.writeSync(1, fs.readFileSync("/proc/self/fdinfo/" + fd, "utf8").split("\\n")[1] + "\\n");`,
  });
  // What the recorder does inside the program is tested elsewhere.
  const register = join(process.cwd(), "packages/recorder/register.cjs");
  const plain = spawn(NODE, ["--require", register, "a.cjs"], { cwd, env: plainEnvironment() });
  const expected = (await finished(plain)).stdout;
  expect(expected).toMatch(/^(flags:\s\d+\n){3}$/);
  expect((await flight(["run", "a.cjs"], { cwd })).stdout).toBe(expected);
});

test("leaves a terminal to the program", async () => {
  const cwd = folderWith({
    "a.mjs":
      "console.log([process.stdin.isTTY, process.stdout.isTTY, process.stderr.isTTY].join())",
  });
  const command = `${NODE} --conditions=@orangebox/source ${join(process.cwd(), "packages/cli/src/main.ts")} run a.mjs`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: plainEnvironment() });
  child.stdin.end();
  expect((await finished(child)).stdout.trim()).toBe("true,true,true");
});

test("hands Ctrl-C in a terminal on once", async () => {
  const cwd = folderWith({ "a.mjs": TELL });
  const command = `${NODE} --conditions=@orangebox/source ${join(process.cwd(), "packages/cli/src/main.ts")} run a.mjs`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: plainEnvironment() });
  const end = finished(child);
  child.stdout.once("data", () => child.stdin.write("\u0003"));
  expect((await end).stdout.replace("^C", "").split(/\s*\n/).filter(Boolean)).toEqual([
    "ready",
    "seen SIGINT",
  ]);
});

test.concurrent("hands patterns with braces on whole", async () => {
  const cwd = folderWith({ "a.mjs": "throw new Error('left alone')" });
  const args = ["--exclude", "**/*.{mjs,cjs}", "--out", "boxes", "a.mjs"];
  const { code } = await flight(["run", ...args], { cwd });
  expect(code).toBe(1);
  const inspected = await flight(["inspect", "boxes", "--json"], { cwd });
  const { frames } = JSON.parse(inspected.stdout) as { frames: { notes: string[] }[] };
  expect(frames[0]?.notes).toContain("not recorded");
});

test.concurrent("--on-exit records a program that ends with a code", async () => {
  const cwd = folderWith({ "a.mjs": "function leave(why) { process.exit(4); }\nleave('full');" });
  const { code, stderr } = await flight(["run", "--on-exit", "--out", "boxes", "a.mjs"], { cwd });
  expect(code).toBe(4);
  expect(stderr).toMatch(/^\[flight\] recorded .*\.flight\n$/);
  const { stdout } = await flight(["inspect", "boxes"], { cwd });
  expect(stdout).toContain('why = "full"');
});

test.concurrent("inspect says which worker of which run a recording is from", async () => {
  const cwd = folderWith({
    "a.mjs": `import { Worker } from "node:worker_threads";
new Worker(new URL("./w.mjs", import.meta.url)).on("error", () => { process.exitCode = 3; });`,
    "w.mjs": "function fail(n) { throw new Error('in worker ' + n); }\nfail(1);",
  });
  const { code } = await flight(["run", "--out", "boxes", "a.mjs"], { cwd });
  expect(code).toBe(3);
  const { stdout } = await flight(["inspect", "boxes"], { cwd });
  expect(stdout).toMatch(/thread {3}worker 1 of process \d+, run \w+-\w+/);
});
