/** Every kind of syntax that nests, as deep as one likes. */

import type { Language } from "../../src/index.ts";

type Make = (depth: number) => string;

function around(before: string, middle: string, after: string): Make {
  return (depth) => before.repeat(depth) + middle + after.repeat(depth);
}

const js = (make: Make): { make: Make; language: Language } => ({ make, language: "js" });
const ts = (make: Make): { make: Make; language: Language } => ({ make, language: "ts" });

/** By name. */
export const DEEP_TEXTS: Readonly<Record<string, { make: Make; language: Language }>> = {
  parens: js(around("(", "1", ")")),
  arrays: js(around("[", "", "]")),
  patterns: js((depth) => `var ${around("[", "a", "]")(depth)}=b`),
  objects: js(around("({a:", "1", "})")),
  templates: js(around("`${", "1", "}`")),
  functions: js(around("function f(){", "", "}")),
  blocks: js(around("{", "", "}")),
  elseIf: js(around("if (x === 1) y = 2; else ", ";", "")),
  elseIfBlocks: js(around("if (x === 1) { y = 2 } else ", ";", "")),
  ifs: js(around("if(x)", ";", "")),
  ifLines: js(around("if (x)\n", ";", "")),
  whiles: js(around("while(x)", ";", "")),
  dos: js(around("do ", ";", "while(x)")),
  labels: js((depth) => `${Array.from({ length: depth }, (_, i) => `l${i}:`).join("")};`),
  sum: js(around("1 + ", "1", "")),
  sumOfTexts: js(around("'a'+", "'a'", "")),
  product: js(around("a*", "a", "")),
  difference: js(around("a - ", "a", "")),
  and: js(around("a&&", "a", "")),
  or: js(around("a || ", "a", "")),
  nullish: js(around("a ?? ", "a", "")),
  equal: js(around("a==", "a", "")),
  power: js(around("a ** ", "a", "")),
  not: js(around("!", "a", "")),
  signs: js(around("- ", "a", "")),
  typeof: js(around("typeof ", "a", "")),
  await: js((depth) => `async()=>{${"await ".repeat(depth)}a}`),
  yield: js((depth) => `function*g(){${"yield ".repeat(depth)}a}`),
  new: js(around("new ", "a", "")),
  assignments: js(around("x = ", "a", "")),
  arrows: js(around("x => ", "a", "")),
  conditional: js(around("x ? 1 : ", "a", "")),
  calls: js(around("", "a", "()")),
  methods: js(around("", "a", ".b()")),
  members: js(around("", "a", ".b")),
  elements: js(around("", "a", "[0]")),
  optional: js(around("", "a", "?.b")),
  tags: js(around("", "a", "``")),
  classes: js((depth) => `x=${around("class extends ", "a", "{}")(depth)}`),
  typeArguments: ts((depth) => `let a: ${around("A<", "B", ">")(depth)}`),
  arrayTypes: ts((depth) => `let a: B${"[]".repeat(depth)}`),
  functionTypes: ts((depth) => `let a: ${"()=>".repeat(depth)}B`),
  conditionalTypes: ts((depth) => `let a: ${"B extends C ? D : ".repeat(depth)}B`),
  keyof: ts((depth) => `let a: ${"keyof ".repeat(depth)}B`),
  assertions: ts(around("", "a", " as any")),
  nonNull: ts(around("", "a", "!")),
  jsx: { make: around("<a>", "", "</a>"), language: "tsx" },
};
