/**
 * Locals of every awaiting frame, across modules of both kinds.
 */
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
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

const file = join(ROOT, "test/samples/async-chain/main.mjs");

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  let run: RecordedRun | undefined;
  afterAll(() => {
    if (run !== undefined) removeRun(run);
  });

  test("ten awaits across five modules: every frame has its values", async () => {
    const plain = await runPlain({ node, file });
    run = await runRecorded({ node, file });
    const { stdout, stderr, code, signal } = run;
    expect({ stdout, stderr, code, signal }).toEqual(plain);
    const [box] = run.boxes;
    if (box === undefined) throw new Error("no box");
    const names = frameNames(box);
    expect(names[0]).toMatch(/\(store\.cjs:6\)$/);
    expect(names.slice(1, 7)).toEqual([
      "async store (store.cjs:3)",
      "async Queue.flush (queue.cjs:12)",
      "async Queue.push (queue.cjs:8)",
      "async load (loader.mjs:9)",
      expect.stringMatching(/^async (?:App\.)?run \(main\.mjs:9\)$/) as unknown,
      "async main (main.mjs:16)",
    ]);
    expect(names).toContain("<module> (main.mjs:20)");
    expect(localNode(box, 0, "code")?.repr).toBe("E_FULL");
    expect(localNode(box, 1, "delay")?.repr).toBe("2");
    expect(localNode(box, 2, "batch")).toMatchObject({ kind: "list", length: 2 });
    expect(nodeAt(box, 2, "this", "name")?.repr).toBe("jobs");
    expect(localNode(box, 3, "key")?.repr).toBe("jobs:18");
    expect(nodeAt(box, 4, "page", "n")?.repr).toBe("18");
    expect(localNode(box, 4, "seen")).toMatchObject({ length: 2 });
    expect(localNode(box, 4, "queue")?.id).toBe(localNode(box, 3, "this")?.id);
    expect(nodeAt(box, 6, "app", "retries")?.repr).toBe("3");
    expect(localNode(box, 6, "argument")?.repr).toBe("17");
  });
});
