import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { averageRecording } from "../../packages/analysis/test/average-recording.ts";
import { evilRecording } from "../../packages/analysis/test/hostile-recording.ts";
import { writesRecording } from "../../packages/analysis/test/writes-recording.ts";
import { flight, folderWith } from "./flight.ts";

// oxlint-disable-next-line no-control-regex -- that is what must be gone
const ACTING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
const folder = folderWith({
  "writes.flight": writesRecording(),
  "none.flight": averageRecording(),
  "evil.flight": evilRecording(),
  "cut.flight": writesRecording().subarray(0, 400),
  "text.flight": "no recording at all",
});

test.concurrent("lists writes with their places, what was before, and what is missing", async () => {
  const { stdout, stderr, code } = await flight(["timeline", "writes.flight"], { cwd: folder });
  expect([stderr, code]).toEqual(["", 0]);
  expect(stdout).toBe(readFileSync("test/cli/samples/timeline.txt", "utf8"));
});

test.concurrent.each<[args: string[], expected: string, code: number]>([
  [["--var", "local"], "writes to variable 'local' (4 writes):\n", 0],
  [["--var", "local", "--limit", "1"], "… 3 more writes; --limit shows more\n", 0],
  [["--who", "cache"], "item   this.store[17] = <deleted> (was 3)", 0],
  [["--who", "absent"], "owners: cache, this.store, order\n", 1],
  [["--object", "0"], "writes to objects[0] (2 writes):\n", 0],
  [["--since", "9"], "timeline: 1 write\n", 0],
  [["--until", "0"], "timeline: 1 write\n", 0],
  [["--at", "3"], "  down #2\n      depth = 0  (#2)\n", 0],
  [["--json", "--who", "order"], '"writes":[{"seq":9,"kind":"attr"', 0],
])("answers %j", async (args, expected, exitCode) => {
  const { stdout, code } = await flight(["timeline", "writes.flight", ...args], { cwd: folder });
  expect(stdout).toContain(expected);
  expect(code).toBe(exitCode);
});

test.concurrent.each<[args: string[], expected: string, code: number]>([
  [["text.flight"], "code: FLIGHT_BAD_MAGIC", 2],
  [["missing.flight"], "code: FLIGHT_READ", 2],
  [["writes.flight", "--at", "10"], "error: there is no write 10; the recording has 10", 1],
  [["writes.flight", "--limit", "x"], "code: FLIGHT_USAGE", 2],
  [["writes.flight", "--var", "a", "--who", "b"], "code: FLIGHT_USAGE", 2],
  [[], "code: FLIGHT_USAGE", 2],
])("refuses %j", async (args, expected, exitCode) => {
  const { stdout, stderr, code } = await flight(["timeline", ...args], { cwd: folder });
  expect(stdout).toBe("");
  expect(stderr).toContain(expected);
  expect(code).toBe(exitCode);
});

test.concurrent("says how writes are recorded when there are none", async () => {
  const { stdout, code } = await flight(["timeline", "none.flight"], { cwd: folder });
  expect(stdout).toBe("no writes are in this recording; flight run --level writes records them\n");
  expect(code).toBe(1);
});

test.concurrent("inspect says how many writes there are, and how to see them", async () => {
  const { stdout } = await flight(["inspect", "writes.flight"], { cwd: folder });
  expect(stdout).toContain(
    "mutations   : 10 writes, 4 older ones dropped; flight timeline shows them",
  );
});

test.concurrent.each(["evil.flight", "cut.flight"])(
  "prints nothing that acts, of %s",
  async (name) => {
    const { stdout, stderr } = await flight(["timeline", name], { cwd: folder });
    expect(stdout + stderr).not.toMatch(ACTING);
  },
);
