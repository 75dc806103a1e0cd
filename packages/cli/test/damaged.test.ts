import { inspectJson, inspectRecording, searchRecording } from "@orangebox/analysis";
import { isFlightError, openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { averageRecording } from "../../analysis/test/average-recording.ts";
import { reportLines } from "../src/inspect/report.ts";
import { palette } from "../src/terminal/palette.ts";

const SAMPLE = averageRecording();
const screen = {
  columns: 80,
  style: palette({ isTerminal: false, environment: {} }),
  line: () => undefined,
};

/** Shows a file in every way; gives what must not happen. */
function fault(bytes: Uint8Array): unknown {
  try {
    const inspection = inspectRecording(openRecording(bytes, { salvage: true }));
    const options = { screen, maxLocals: 5, eventCount: 10, verbose: true };
    const lines = reportLines(inspection, "sample", options);
    JSON.stringify(inspectJson(inspection));
    searchRecording(inspection, "e", 50);
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    return lines.find((line) => /[\u0000-\u001f\u007f-\u009f]/.test(line));
  } catch (error) {
    return isFlightError(error) ? undefined : error;
  }
}

test("shows a file that is cut after any byte, or says that it is none", () => {
  for (let size = 0; size < SAMPLE.length; size += 3)
    expect(fault(SAMPLE.subarray(0, size)), `cut at ${size}`).toBeUndefined();
});

test("shows a file with any bit turned over, or says that it is none", () => {
  // A step without common factors passes over all bytes and bits in the long run.
  for (let bit = 0; bit < SAMPLE.length * 8; bit += 11) {
    const bytes = SAMPLE.slice();
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(fault(bytes), `bit ${bit}`).toBeUndefined();
  }
});
