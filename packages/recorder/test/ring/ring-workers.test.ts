/** Workers come and go while the process lives on: their rings must not pile up. */
import { expect, test } from "vitest";
import { runProgram, temporaryFolder } from "./run-program.ts";

test.skipIf(process.platform !== "linux")(
  "takes the rings of terminated workers back, after their events were read",
  async () => {
    const { code, stdout, stderr } = await runProgram("terminate-workers.ts", [temporaryFolder()]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // What stays is the ring of the main thread and its side file.
    expect(JSON.parse(stdout)).toEqual({ lostCount: 0, left: 2, mapped: 1 });
  },
  20_000,
);
