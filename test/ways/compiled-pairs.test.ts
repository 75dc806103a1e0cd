/**
 * Every pair of pieces that blanks cannot erase, in both orders: the recorded program makes what
 * TypeScript's own output makes, and a crash behind such pieces has the places of the text.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import {
  frameNames,
  localNode,
  removeRun,
  runPlain,
  runRecorded,
  type RunOptions,
} from "../support/recorded-run.ts";
import { COMMONJS_PIECES, MODULE_PIECES, type Piece, PIECES, PRELUDE } from "./compiled-pieces.ts";
import { peer } from "./compilers.ts";

interface TypeScript {
  transpileModule(text: string, options: object): { outputText: string };
}

const KINDS = [
  { kind: "mts", made: "mjs", module: "esnext", more: MODULE_PIECES, end: "export { log };" },
  {
    kind: "cts",
    made: "cjs",
    module: "commonjs",
    more: COMMONJS_PIECES,
    end: "module.exports = { log };",
  },
] as const;

const TIMEOUT_MS = 120_000;

interface Pair {
  readonly name: string;
  readonly text: string;
  readonly isNew: boolean;
}

/** Every ordered pair, each in one of the places that both pieces may stand in, by turns. */
function pairsOf(pieces: readonly Piece[], end: string): Pair[] {
  return pieces.flatMap((first, i) =>
    pieces.map((second, j) => {
      const both = `${first.text.replaceAll("$", "1")}\n${second.text.replaceAll("$", "2")}`;
      const places = [both];
      if (first.inFunction && second.inFunction) {
        places.push(`(function (this: any) {\n${both}\n}).call({});`, `{\n${both}\n}`);
      }
      if (first.inNamespace && second.inNamespace) places.push(`namespace Wrap {\n${both}\n}`);
      const placed = places[(i + j) % places.length] ?? both;
      return {
        name: `${first.name}, ${second.name}`,
        text: `${PRELUDE}${placed}\n${end}\n`,
        isNew: first.isNew === true || second.isNew === true,
      };
    }),
  );
}

/** Loads numbered programs and prints what each logged. */
const RUNNER = `const [, , ending, skipped, count] = process.argv;
const skip = new Set(skipped.split(","));
for (let at = 0; at < Number(count); at++) {
  if (skip.has(String(at))) continue;
  try {
    const { log, default: other } = await import("./p" + at + "." + ending);
    console.log(at + " " + JSON.stringify(log ?? other.log));
  } catch (error) {
    console.log(at + " " + error);
  }
}
`;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-pairs-"));
  const { transpileModule } = peer("typescript") as TypeScript;
  for (const { kind, made, module, more, end } of KINDS) {
    const target = join(folder, kind);
    mkdirSync(target);
    writeFileSync(join(target, "run.mjs"), RUNNER);
    pairsOf([...PIECES, ...more], end).forEach(({ text }, at) => {
      writeFileSync(join(target, `p${at}.${kind}`), text);
      const { outputText } = transpileModule(text, {
        fileName: `p${at}.${kind}`,
        compilerOptions: { target: "es2022", module },
      });
      writeFileSync(join(target, `p${at}.${made}`), outputText);
    });
  }
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const CRASH = `enum Size { Small = 1, Large = Size.Small + 1 }
namespace Prices { export const base = 10; }
const mark = (value: any, context: any) => value;
class Shelf { constructor(private size = Size.Large) {} get width() { return this.size; } }
@mark class Cart {
  accessor count = 3;
  constructor(public owner: string) {}
  @mark total(rate: number): number {
    const sum: number = this.count * Prices.base + new Shelf().width;
    const missing: any = undefined;
    return missing.amount * rate * sum;
  }
}
namespace Cart { export const limit = 5; }
new Cart("ann").total(Cart.limit);
`;

describe.each(runtimes())("on Node $version", ({ version, path: node }) => {
  test.each(KINDS)(
    "pairs of pieces in .$kind",
    async ({ kind, made, more, end }) => {
      const pairs = pairsOf([...PIECES, ...more], end);
      const isOld = version.startsWith("22.");
      const skipped = pairs.flatMap(({ isNew }, at) => (isNew && isOld ? [at] : []));
      const program = (ending: string): RunOptions => ({
        node,
        file: join(folder, kind, "run.mjs"),
        cwd: folder,
        arguments: [ending, skipped.join(), String(pairs.length)],
      });
      const plain = await runPlain(program(made));
      const recorded = await runRecorded(program(kind));
      removeRun(recorded);
      const expected = plain.stdout.trim().split("\n");
      const got = recorded.stdout.trim().split("\n");
      expect(expected).toHaveLength(pairs.length - skipped.length);
      const different = expected.flatMap((line, index) => {
        const at = Number(line.split(" ")[0]);
        return line === got[index] ? [] : [[pairs[at]?.name, got[index]]];
      });
      expect(different).toEqual([]);
      expect(expected.filter((line) => !/^\d+ \[/.test(line))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test("a crash shows the text as it was written", async () => {
    const file = join(folder, "crash.ts");
    writeFileSync(file, CRASH);
    const recorded = await runRecorded({ node, file, cwd: folder });
    removeRun(recorded);
    const [box] = recorded.boxes;
    if (box === undefined) throw new Error(`no box: ${recorded.stderr}`);
    const failing = readFileSync(file, "utf8").split("\n")[10] ?? "";
    expect(recorded.stderr.split("\n").slice(0, 3)).toEqual([
      expect.stringContaining("crash.ts:11") as string,
      failing,
      `${" ".repeat(failing.indexOf("amount"))}^`,
    ]);
    expect(frameNames(box)).toEqual(["Cart.total (crash.ts:11)", "<module> (crash.ts:15)"]);
    expect(localNode(box, 0, "sum")?.repr).toBe("32");
    expect(localNode(box, 0, "rate")?.repr).toBe("5");
    expect(localNode(box, 0, "missing")?.repr).toBe("undefined");
    const shown = box.frames()[1]?.locals.map(({ name }) => name);
    expect(shown?.toSorted()).toEqual(["Cart", "Prices", "Shelf", "Size", "mark", "this"]);
  });
});
