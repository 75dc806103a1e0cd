import { appendFileSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";

import { openBoxReport } from "../src/run/box-report.ts";

test("gives what was recorded once each, and passes over what makes no sense", () => {
  const report = openBoxReport();
  for (const line of [
    '{"path":"/b/1.flight","reason":"crash"}',
    "not json",
    '{"path":7}',
    "null",
    '{"problem":"no space left"}',
    '{"path":"/b/1.flight"}',
    '{"problem":"no space left"}',
    '{"path":"/b/2.flight","problem":"cut"}',
    '{"ring":"/s/7-1-0.ring","pid":7,"threadId":0}',
    '{"ring":"/s/8-1-2.ring","pid":8,"threadId":2}',
    '{"noRing":"koffi is missing","pid":9,"threadId":0}',
    '{"path":"/b/2.flight","pid":8,"threadId":2}',
    '{"path":"/b/3.fl',
  ])
    appendFileSync(report.path, `${line}\n`);
  expect(report.read()).toEqual({
    paths: ["/b/1.flight", "/b/2.flight"],
    problems: ["no space left", "cut"],
    writers: [{ pid: 8, threadId: 2 }],
    rings: ["/s/7-1-0.ring", "/s/8-1-2.ring"],
    noRings: ["koffi is missing"],
  });
  report.remove();
  expect(existsSync(dirname(report.path))).toBe(false);
});

test("gives nothing when nothing was said", () => {
  const report = openBoxReport();
  expect(report.read()).toEqual({
    paths: [],
    problems: [],
    writers: [],
    rings: [],
    noRings: [],
  });
  report.remove();
});
