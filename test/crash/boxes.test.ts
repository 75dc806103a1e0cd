/**
 * Boxes of awkward crashes: right frames, right values, bounded cost.
 */
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  nodeAt,
  type RecordedRun,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";

const SAMPLES = join(ROOT, "test/samples/boxes");

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  const runs: RecordedRun[] = [];
  afterEach(() => {
    for (const run of runs.splice(0)) removeRun(run);
  });
  async function record(
    name: string,
    rest: { arguments?: string[]; nodeArguments?: string[] } = {},
  ) {
    const run = await runRecorded({ node, file: join(SAMPLES, name), ...rest });
    runs.push(run);
    return run;
  }
  async function boxOf(name: string, rest: { arguments?: string[] } = {}) {
    const { boxes, stderr } = await record(name, rest);
    const [box] = boxes;
    if (box === undefined) throw new Error(`no box: ${stderr}`);
    return box;
  }

  test.each([100, 600, 2000])(
    "a recursion of %i calls: the crash frame has its own values",
    async (depth) => {
      const box = await boxOf("deep.cjs", { arguments: [String(depth)] });
      for (const level of [0, 1, 2, 9]) {
        expect(frameNames(box)[level]).toMatch(/^down \(deep\.cjs:[34]\)$/);
        expect(localNode(box, level, "level")?.repr).toBe(String(level));
        expect(localNode(box, level, "pad")?.repr).toBe(`p${level}`);
      }
      const [runtime] = box.extensions("node.runtime");
      const facts = runtime?.data as { notes: string[] } | undefined;
      const isToldShort = facts?.notes.some((note) => note.includes("left out"));
      expect(isToldShort).toBe(depth > 200);
    },
  );

  test("an error made on one line and thrown on another is one frame", async () => {
    const box = await boxOf("thrown-later.cjs");
    expect(frameNames(box).slice(0, 3)).toEqual([
      "check (thrown-later.cjs:5)",
      "guarded (thrown-later.cjs:9)",
      "<module> (thrown-later.cjs:14)",
    ]);
    expect(localNode(box, 0, "y")?.repr).toBe("2");
    expect(localNode(box, 1, "x")?.repr).toBe("100");
  });

  test("a module that throws on its top level shows its variables and those of the block", async () => {
    const box = await boxOf("module-throws.mjs");
    expect(frameNames(box)).toEqual(["<module> (module-throws.mjs:7)"]);
    expect(localNode(box, 0, "waited")?.repr).toBe("8");
    expect(localNode(box, 0, "round")?.repr).toBe("2");
    expect(localNode(box, 0, "failures")?.repr).toBe("1");
    expect(nodeAt(box, 0, "limits", "low")?.repr).toBe("5");
  });

  test("a module that only made the error shows its variables as they are now", async () => {
    const box = await boxOf("module-makes-error.mjs");
    expect(frameNames(box)).toEqual([
      "<module> (module-makes-error.mjs:2)",
      "<anonymous:4:12> (module-makes-error.mjs:6)",
    ]);
    expect(localNode(box, 0, "failures")?.repr).toBe("5");
    expect(localNode(box, 0, "later")?.repr).toBe("5");
  });

  test("a handler of uncaught errors that throws has a box of what ended the process", async () => {
    const { boxes, code } = await record("handler-throws.cjs");
    expect(code).toBe(7);
    const messages = boxes.map((box) => box.exceptions()[0]?.message);
    expect(messages.toSorted()).toEqual(["again", "first"]);
    const last = boxes[messages.indexOf("again")];
    if (last === undefined) throw new Error("no box");
    expect(frameNames(last)[0]).toBe("handler (handler-throws.cjs:3)");
    expect(localNode(last, 0, "attempt")?.repr).toBe("1");
  });

  test("awaits in finally and for await keep the place of the error", async () => {
    const box = await boxOf("finally-await.mjs");
    expect(frameNames(box)).toEqual([
      "async c (finally-await.mjs:1)",
      "async b (finally-await.mjs:4)",
      "async loop (finally-await.mjs:12)",
      "<module> (finally-await.mjs:15)",
    ]);
    expect(localNode(box, 2, "item")?.repr).toBe("2");
    expect(localNode(box, 2, "inside")?.repr).toBe("4");
  });

  test("thousands of timers set in one go keep no values alive", async () => {
    const run = await record("many-timers.cjs", { nodeArguments: ["--max-old-space-size=300"] });
    expect(run.stdout).toBe("ok\n");
    expect(run.code).toBe(0);
  });

  test("rejections that get no box cost next to nothing, also with a full ring", async () => {
    const before = performance.now();
    const run = await record("refused.mjs");
    expect(run.stdout).toBe("done\n");
    expect(run.paths.length).toBeLessThanOrEqual(5);
    // 400 captures of a full ring would take eight seconds and more.
    expect(performance.now() - before).toBeLessThan(6000);
  });

  test("a secret in a message is hidden in the source line that made it", async () => {
    const run = await record("source-secret.mjs");
    const [box] = run.boxes;
    expect(box?.exceptions()[0]?.message).toContain("password=<redacted>");
    expect(box?.sources()[0]?.text).not.toContain("opensesame42");
  });

  test("TypeScript with imports runs without a package.json that says so", async () => {
    const run = await record("no-type.ts");
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe("object1 false\n");
  });

  test("a program that breaks iterators and array methods runs as it does without", async () => {
    const plain = await runPlain({ node, file: join(SAMPLES, "broken-iterators.cjs") });
    const run = await record("broken-iterators.cjs");
    const { stdout, stderr, code, signal } = run;
    expect({ stdout, stderr, code, signal }).toEqual(plain);
  });

  test("a file with a byte order mark runs as it is", async () => {
    const plain = await runPlain({ node, file: join(SAMPLES, "bom.cjs") });
    const run = await record("bom.cjs");
    const { stdout, stderr, code, signal } = run;
    expect({ stdout, stderr, code, signal }).toEqual(plain);
    expect(frameNames(run.boxes[0] ?? (await boxOf("bom.cjs")))[0]).toMatch(/^f \(bom\.cjs:1\)$/);
  });

  test("a misspelt path is no crash of the program", async () => {
    const run = await record("not-there.cjs");
    expect(run.code).toBe(1);
    expect(run.paths).toEqual([]);
  });
});
