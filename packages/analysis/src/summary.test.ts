import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { averageRecording } from "../test/average-recording.ts";
import { buildRecording } from "../test/build-recording.ts";
import { hasCrash, summarize } from "./summary.ts";

test("counts what a recording holds", () => {
  expect(summarize(openRecording(averageRecording()))).toMatchObject({
    formatVersion: 1,
    status: "sealed",
    hasCrash: true,
    frameCount: 3,
    objectCount: 12,
    eventCount: 5,
    codeCount: 3,
    recentEvents: [{ kind: "unwind" }, { kind: "raise" }, {}, {}, {}],
  });
});

test("knows a recording without a crash", () => {
  expect(hasCrash(openRecording(buildRecording({ events: [] })))).toBe(false);
});
