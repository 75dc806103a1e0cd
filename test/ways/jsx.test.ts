/**
 * TSX and JSX without a build step: what is printed is what tsx prints, and a crash points at the
 * text as it was written.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  removeRun,
  ROOT,
  runPlain,
  runRecorded,
} from "../support/recorded-run.ts";
import { installPeers } from "./compilers.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(installPeers(), "jsx-"));
  cpSync(join(ROOT, "test/samples/jsx"), folder, { recursive: true });
  const tiny = join(folder, "automatic/node_modules/tiny");
  mkdirSync(tiny, { recursive: true });
  writeFileSync(join(tiny, "package.json"), '{ "exports": { "./*": "./runtime.mjs" } }');
  cpSync(join(folder, "runtime.mjs"), join(tiny, "runtime.mjs"));
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Entry, the text that fails, the frames from the innermost one out, a value of the first. */
const CASES = [
  {
    entry: "automatic/app.tsx",
    failing: "item.label.trim()",
    place: "trim",
    frames: [/^<anonymous:\d+:\d+> \(app\.tsx:LINE\)$/, /^List \(app\.tsx:LINE\)$/, /^render \(/],
    value: "item",
  },
  {
    entry: "classic/app.jsx",
    failing: "props.value.text",
    place: "text",
    frames: [/^Item \(app\.jsx:LINE\)$/, /^<module> \(app\.jsx:6\)$/],
    value: "props",
  },
] as const;

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test.each(CASES)("$entry", async ({ entry, failing, place, frames, value }) => {
    const cwd = join(folder, entry, "..");
    const program = { node, file: join(folder, entry), cwd };
    const plain = await runPlain({ ...program, nodeArguments: ["--import", "tsx"] });
    const recorded = await runRecorded(program);
    removeRun(recorded);
    expect(recorded.stdout).toBe(plain.stdout);
    expect(recorded.stdout).not.toBe("");
    const lines = readFileSync(join(folder, entry), "utf8").split("\n");
    const line = lines.findIndex((text) => text.includes(failing)) + 1;
    const column = (lines[line - 1] ?? "").indexOf(failing) + failing.indexOf(place) + 1;
    expect(recorded.stderr).toContain(`${entry}:${line}:${column}`);
    expect(recorded.stderr.split("\n").slice(1, 3)).toEqual([
      lines[line - 1],
      `${" ".repeat(column - 1)}^`,
    ]);
    const [box] = recorded.boxes;
    if (box === undefined) throw new Error("no box");
    const names = frameNames(box).filter((name) => !name.includes("Array.map"));
    frames.forEach((pattern, index) => {
      expect(names[index]).toMatch(new RegExp(pattern.source.replace("LINE", String(line))));
    });
    expect(localNode(box, 0, value)?.items).toEqual([]);
    expect(box.sources().some(({ text }) => text === lines.join("\n"))).toBe(true);
  });

  test.each([
    ["preserve/app.tsx", '"jsx": "preserve"', 'Set "jsx" to "react-jsx"'],
    ["preserve/broken.jsx", "syntax error", "Correct the file"],
  ])("%s says why it cannot be run", async (entry, reason, hint) => {
    const recorded = await runRecorded({ node, file: join(folder, entry), cwd: folder });
    removeRun(recorded);
    expect(recorded.code).toBe(1);
    expect(recorded.stderr).toContain("FLIGHT_CANNOT_COMPILE");
    expect(recorded.stderr).toContain(reason);
    expect(recorded.stderr).toContain(hint);
  });
});
