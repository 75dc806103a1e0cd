import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { buildRecording, node } from "../test/build-recording.ts";
import type { RecordingParts } from "../test/build-recording.ts";
import { fingerprint, fingerprintText } from "./fingerprint.ts";

// The vectors of docs/format.md, "Golden bytes".
test.each<[string, string, RecordingParts]>([
  [
    '{"exceptions":["ZeroDivisionError"],"frames":[["average","stats.py",3],["<module>","main.py",11]],"state_kinds":["int","list"]}',
    "9b2adfee366eb9bb",
    {
      exceptions: [{ type: "ZeroDivisionError", message: "x", relation: "head" }],
      frames: [
        {
          file: "/app/stats.py",
          qualname: "average",
          line: 8,
          firstLine: 5,
          locals: { xs: 1, n: 2, __name__: 2 },
        },
        { file: "main.py", qualname: "<module>", line: 12, firstLine: 1 },
      ],
      objects: [node(1, "list", { length: 0 }), node(2, "int", { repr: "0" })],
    },
  ],
  [
    '{"exceptions":["Erreur"],"frames":[["caf\\u00e9","x.py",0]],"state_kinds":[]}',
    "6ffadff2ed4ecd04",
    {
      exceptions: [{ type: "Erreur", message: "", relation: "head" }],
      frames: [{ file: "d/x.py", qualname: "café", line: 1, firstLine: 9 }],
    },
  ],
  ['{"exceptions":[],"frames":[],"state_kinds":[]}', "fde7064521ba6911", {}],
])("computes the fingerprint of %s", (text, expected, parts) => {
  const recording = openRecording(buildRecording(parts));
  expect(fingerprintText(recording)).toBe(text);
  expect(fingerprint(recording)).toBe(expected);
});
