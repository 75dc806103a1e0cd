/** A bad option: the stack begins at the program's own call. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { ROOT, runPlain } from "../support/recorded-run.ts";

const recorder = pathToFileURL(join(ROOT, "packages/recorder/dist/index.js")).href;

test.each(runtimes())("on Node $version", async ({ path: node }) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orangebox-option-")));
  try {
    const file = join(folder, "main.mjs");
    writeFileSync(
      file,
      `import { configure, install } from ${JSON.stringify(recorder)};
for (const step of [() => install({ levle: "calls" }), () => configure({ levle: "calls" })]) {
  try {
    step();
  } catch (error) {
    console.log(error.code, error.stack.split("\\n").slice(0, 2).join("|"));
  }
}
`,
    );
    const { stdout } = await runPlain({ node, file });
    const place = `${pathToFileURL(file).href}:2:`;
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      expect.stringContaining(`${place}27`),
      expect.stringContaining(`${place}62`),
    ]);
    expect(
      stdout.match(/FLIGHT_BAD_CONFIG FlightError: the options: there is no option levle/g),
    ).toHaveLength(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
