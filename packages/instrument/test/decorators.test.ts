/** What decorators become: texts and tables. How they run: test/ways/decorators.test.ts. */

import { expect, test, vi } from "vitest";
import { makeDecoratorApi } from "../src/decorate.ts";
import {
  type CompilerSettings,
  instrument,
  type Instrumented,
  originalPosition,
  siteAt,
} from "../src/index.ts";

function written(
  source: string,
  compiler: CompilerSettings = {},
  filename = "/app/a.ts",
): Instrumented {
  const result = reasonOrText(source, compiler, filename);
  if ("untouched" in result) throw new Error(result.untouched);
  return result;
}

function reasonOrText(
  source: string,
  compiler: CompilerSettings = {},
  filename = "/app/a.ts",
): ReturnType<typeof instrument> {
  return instrument(source, {
    filename,
    format: "module",
    language: filename.endsWith(".ts") ? "ts" : "js",
    level: "calls",
    ringMask: 255,
    compiler,
  });
}

const SOURCE = `import { d, type T } from "./d.ts";
class Shop {
  @d("m")
  sell(count: number): T {
    const price = this.prices[count];
    return price.total();
  }
  @d() accessor open = true;
}
const boxed = @d() class { @d() #secret() { return missing; } };
`;

test("no name of ours is among the variables and functions that a recording shows", () => {
  const { sites } = written(SOURCE);
  const shown = sites.functions.flatMap((packed) => [
    packed.qualname,
    packed.name,
    ...packed.localNames,
  ]);
  expect(shown.filter((name) => name.includes("__ob"))).toEqual([]);
  expect(shown).toContain("Shop.sell");
  expect(shown).toContain("price");
});

test("functions that were added have no probes and are not listed as left out", () => {
  const { skipped, sites } = written(SOURCE);
  expect(skipped).toEqual([]);
  const functions = sites.functions.map(({ qualname }) => qualname);
  expect(functions.filter((name) => name.startsWith("Shop.")).toSorted()).toContain("Shop.sell");
});

test.each<CompilerSettings>([
  {},
  { experimentalDecorators: true },
  { useDefineForClassFields: false },
])("places lead to the text as it was written, with %j", (compiler) => {
  const source =
    compiler.experimentalDecorators === true ? (SOURCE.split("const boxed")[0] ?? "") : SOURCE;
  const { code, positions } = written(source, compiler);
  const lines = code.split("\n");
  for (const word of ["prices", "total"]) {
    const line = lines.findIndex((text) => text.includes(word));
    const place = originalPosition(positions, line + 1, (lines[line]?.indexOf(word) ?? 0) + 1);
    const original = source.split("\n")[place.line - 1] ?? "";
    expect(original.slice(place.column - 1).startsWith(word)).toBe(true);
  }
});

test("a method of a class with decorators knows where its own text stands", () => {
  const { sites } = written(SOURCE);
  const method = sites.functions.find(({ qualname }) => qualname === "Shop.sell");
  const site = siteAt(sites, method?.id ?? 0);
  expect(SOURCE.slice(site.start, site.end)).toMatch(/^sell\(count: number\): T \{[^]*\}$/);
});

test.each([
  ["a decorator of a parameter without experimentalDecorators", "class A { m(@d x) {} }"],
  ["a decorator that waits", "const f = async () => @(await d) class {};"],
  ["a decorator that waits in a class", "class A { @(await d) m() {} }"],
  ["the name of our own global", "@d class A {} __obDecorate;"],
])("%s: the text stays as it is", (_, source) => {
  expect(reasonOrText(source)).toHaveProperty("untouched");
});

test("texts that are made ahead of a run keep their decorators: the global may not be there", () => {
  const options = {
    filename: "/app/a.js",
    format: "module",
    language: "js",
    level: "calls",
  } as const;
  const result = instrument("@d class A {}", { ...options, ringMask: "at runtime" });
  expect(result).toHaveProperty("untouched");
});

test.each(["@d class K {}", "class K { accessor m = 1; }"])(
  "%s is written behind all else",
  (last) => {
    for (const first of [
      "enum S { X }",
      "namespace N { export const q = 1; }",
      "class P { constructor(private x = 1) {} }",
    ]) {
      expect(written(`${first}\n${last}`).code).toContain("__obDecorate.n(");
      const ahead = {
        filename: "/app/a.ts",
        format: "module",
        language: "ts",
        level: "calls",
      } as const;
      for (const experimentalDecorators of last.startsWith("@") ? [true, false] : [false]) {
        expect(
          instrument(`${first}\n${last}`, {
            ...ahead,
            ringMask: "at runtime",
            compiler: { experimentalDecorators },
          }),
        ).toEqual({ untouched: "decorators in a text that is made ahead" });
      }
    }
  },
);

test("a namespace adds to the decorated class of its name", () => {
  const text =
    "@d class K {} namespace K { export const q = 1; } namespace K.L { export const r = 2; }";
  expect(written(text).code).toContain("class K");
  expect(written(`namespace N { export ${text.slice(0, 13)} ${text.slice(13)} }`).code).toContain(
    "N.K",
  );
});

test("JavaScript never has the decorators of before the standard", () => {
  const settings = { experimentalDecorators: true };
  expect(written("@d class A {}", settings, "/app/a.js").code).toContain("__obDecorate.n(");
  expect(written("@d class A {}", settings, "/app/a.ts").code).toContain("__obDecorate.decorate(");
});

test("imports that only types use go with the decorators of before the standard", () => {
  const source =
    "import { T, d } from 'x'; import { U } from 'y'; @d class A { m(t: T): U { return t; } }";
  const settings = { experimentalDecorators: true };
  expect(written(source, settings).code).toMatch(/import \{ d \} from "x";/);
  expect(written(source, settings).code).not.toContain('"y"');
  const kept = written(source, { ...settings, verbatimModuleSyntax: true }).code;
  expect(kept).toContain('import { U } from "y"');
});

test("calls for elements of a class stand in TypeScript's order", () => {
  const source =
    "class A { @d static s() {} @d m() {} } { class B { @d static s() {} @d m() {} } }";
  const { code } = written(source, { experimentalDecorators: true });
  const order = Array.from(
    code.matchAll(/\], (A|B)(\.prototype)?, "/g),
    ([, name, proto]) => `${name}${proto ?? ""}`,
  );
  expect(order).toEqual(["A.prototype", "A", "B.prototype", "B"]);
});

test("what stands before, in and behind such calls keeps its places", () => {
  const source = `const before = (x: any): any => x.first;
class A {
  @d static s() { return this.second; }
  @d m(@d<number>(third) x: string) { return fourth.y; }
  @d("fifth") get g() { return 1; }
}
function behind(x: any) { if (x) { return x.sixth; } }
`;
  const { code, positions } = written(source, { experimentalDecorators: true });
  const lines = code.split("\n");
  for (const word of ["first", "second", "third", "fourth", "fifth", "sixth"]) {
    const line = lines.findIndex((text) => text.includes(word));
    const column = lines[line]?.indexOf(word) ?? -1;
    const place = originalPosition(positions, line + 1, column + 1);
    const shown = source.split("\n")[place.line - 1]?.slice(place.column - 1) ?? "";
    expect(`${word}: ${shown.replace(/^"/, "").slice(0, word.length)}`).toBe(`${word}: ${word}`);
  }
});

test("what applies a decorator stands at the name of its element, or at the class", () => {
  const source = `const x = 1;
@d("a")
abstract class A {
  @d("m")
  // a comment
  method() {}
  @d("f") static field = 1; @(d) get [x + "computed"]() { return 1; }
  @d accessor value = 2;
  @d #secret() {}
}
`;
  const { code, positions } = written(source);
  const lines = code.split("\n");
  const shown = lines.flatMap((line, index) =>
    Array.from(line.matchAll(/(?<=__obD\d+\.)[ac]\(/g), ({ index: column }) => {
      const place = originalPosition(positions, index + 1, column + 1);
      return source.split("\n")[place.line - 1]?.slice(place.column - 1);
    }),
  );
  const names = [
    "method() {}",
    "x + ",
    "value = 2",
    "#secret() {}",
    "field = 1",
    "abstract class A",
  ];
  expect(shown).toHaveLength(names.length);
  names.forEach((name, index) => {
    expect(shown[index]?.replace(/^class/, "abstract class").startsWith(name)).toBe(true);
  });
});

test("metadata of the compiler's own types: enums and their members are Number or String", () => {
  const given: unknown[] = [];
  const api = makeDecoratorApi();
  vi.stubGlobal("Reflect", { metadata: (_: string, value: unknown) => given.push(value) });
  try {
    const mixed = { 0: "A", A: 0, B: "b" };
    const values = [{ 0: "A", 1: "B", A: 0, B: 1 }, { A: "a" }, mixed, 0, "a", Map, undefined, {}];
    values.forEach((value) => api.decorateMetadata("design:type", value));
    api.decorateMetadata("design:paramtypes", [{ A: "0" }, String, Symbol.iterator, null]);
    const accessor = Object.defineProperty({ A: 1 }, "B", { enumerable: true, get: () => 1 });
    api.decorateMetadata("design:type", accessor);
  } finally {
    vi.unstubAllGlobals();
  }
  expect(given).toEqual([
    Number,
    String,
    Object,
    Number,
    String,
    Map,
    undefined,
    Object,
    [String, String, Object, Object],
    Object,
  ]);
});

test.each([
  [true, "Object"],
  [false, "String"],
])("null in a union of types at run time, strictNullChecks %s: %s", (strictNullChecks, type) => {
  const source = `type S = "a" | null;
type L = string[];
class A {
  @d a: S;
  @d b:
    | S
    | undefined;
  @d c: L;
  @d m(...rest: S[]) { return this.missing.x; }
}
`;
  const compiler = { experimentalDecorators: true, emitDecoratorMetadata: true, strictNullChecks };
  const { code, positions } = written(source, compiler);
  expect(
    Array.from(code.matchAll(/Metadata\("design:(?:param)?types?", (.*?)\)/g), ([, t]) => t),
  ).toEqual([type, type, "Array", "Function", `[${type}]`]);
  const before = code.slice(0, code.indexOf("missing")).split("\n");
  const column = before[before.length - 1]?.length ?? 0;
  const lines = source.split("\n");
  const line = lines.findIndex((text) => text.includes("missing"));
  expect(originalPosition(positions, before.length, column + 1)).toEqual({
    line: line + 1,
    column: (lines[line]?.indexOf("missing") ?? -1) + 1,
  });
});
