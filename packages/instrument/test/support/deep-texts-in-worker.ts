/** Instruments deep texts in a worker, whose native stack is small; prints a line for each. */
import { isMainThread, Worker } from "node:worker_threads";
import { instrument } from "../../src/index.ts";
import { DEEP_TEXTS } from "./deep-texts.ts";

if (isMainThread) {
  new Worker(new URL(import.meta.url)).on("error", (error) => {
    throw error;
  });
} else {
  const lines: string[] = [];
  for (const [name, { make, language }] of Object.entries(DEEP_TEXTS)) {
    for (const depth of [1400, 20_000, 100_000]) {
      const result = instrument(make(depth), {
        filename: `/app/a.${language}`,
        format: "commonjs",
        language,
        level: "writes",
        ringMask: 255,
      });
      lines.push(`${name} ${depth}: ${"untouched" in result ? result.untouched : "written"}`);
    }
  }
  console.log(lines.join("\n"));
}
