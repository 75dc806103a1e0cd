/**
 * Makes a program from a number: the whole language, and an end by construction.
 */
import { Context, type Grammar, type ProgramKind } from "./grammar/context.ts";
import { classText } from "./grammar/classes.ts";
import { element, expression } from "./grammar/expressions.ts";
import {
  arrow,
  assignmentPattern,
  bindingPattern,
  functionBody,
  functionExpression,
  functionText,
  method,
  parameters,
} from "./grammar/functions.ts";
import { statement } from "./grammar/statements.ts";
import { annotation, type } from "./grammar/types.ts";
import { layOut, type Style } from "./layout.ts";
import { Random } from "./random.ts";

/** One program: one file, or two ES modules of which the first may be imported by the second. */
export interface Program {
  readonly seed: number;
  readonly kind: ProgramKind;
  readonly source: string;
  /** The text of `./other.mjs`. */
  readonly other?: string;
}

const GRAMMAR: Grammar = {
  expression,
  element,
  statement,
  functionBody,
  functionExpression,
  arrow,
  method,
  parameters,
  classText,
  bindingPattern,
  assignmentPattern,
  annotation,
  type,
};

/** Makes the program of a seed. */
export function generateProgram(seed: number): Program {
  const random = new Random(seed);
  const isModule = random.chance(28);
  const isTyped = random.chance(10);
  const kind: ProgramKind = {
    format: isModule ? "module" : "commonjs",
    isStrict: isModule || random.chance(30),
    isTyped,
    hasCompiledTypes: isTyped && random.chance(30),
  };
  const style = random.pick<Style>(
    isTyped ? ["plain", "bare", "dense"] : ["plain", "bare", "dense", "wild", "wild"],
  );
  const context = new Context(random, kind, GRAMMAR);
  const options = { style, isModule };
  if (!isModule) return { seed, kind, source: script(context, random, options) };
  const isPair = random.chance(45);
  const { template, exported } = moduleText(context, isPair);
  const source = layOut(template, random, options);
  if (!isPair) return { seed, kind, source };
  const second = new Context(random, kind, GRAMMAR);
  second.budget = 6;
  const other = layOut(otherModule(second, exported), random, options);
  return { seed, kind, source, other };
}

function script(g: Context, random: Random, options: { style: Style; isModule: boolean }): string {
  let directive = "";
  if (g.kind.isStrict) directive = `"use§strict"¶ `;
  else if (g.chance(6)) directive = `"another_directive"¶ `;
  const statements = program(g);
  const last = g.fn.canReturn && g.chance(15) ? ` return·${g.grammar.element(g)}¶` : "";
  const exported = g.chance(40) ? ` exports.x = ${g.grammar.element(g)}¶` : "";
  const text = layOut(
    `${directive}${finalState(g)}${statements}${exported}${last}`,
    random,
    options,
  );
  return (g.chance(5) ? "#!/usr/bin/env node\n" : "") + text;
}

/** Most of a program is inside of functions: there probes do the most. */
function program(g: Context): string {
  const parts: string[] = [];
  const count = g.random.below(2);
  for (let index = 0; index < count; index++) parts.push(topStatement(g));
  if (g.chance(75)) parts.push(main(g));
  if (parts.length === 0 || g.chance(25)) parts.push(topStatement(g));
  return parts.join(" ");
}

function topStatement(g: Context): string {
  if (!g.chance(45)) return g.grammar.statement(g);
  const text = g.inBlock(() => g.grammar.statement(g));
  return `try {${text}} catch (e) {print(e)}`;
}

const CALLS = ["", "1", "1, 2", "{x: 1}, [2]", "...it(1, 2)"];

function main(g: Context): string {
  const choice = g.random.below(10);
  const list = g.pick(CALLS);
  g.budget += 2 + g.random.below(6);
  if (choice < 4) {
    const text = functionText(g, "main", { isAsync: false, isGenerator: false });
    return `${text} try { print(main(${list}))¶ } catch (e) { print(e) }`;
  }
  if (choice < 7) {
    const text = functionText(g, "main", { isAsync: true, isGenerator: false });
    return `${text} watch(main(${list}))¶`;
  }
  if (choice === 7) {
    const text = functionText(g, "main", { isAsync: false, isGenerator: true });
    return `${text} try { drain(main(${list}))¶ } catch (e) { print(e) }`;
  }
  if (choice === 8) {
    const text = functionText(g, "main", { isAsync: true, isGenerator: true });
    return `${text} watch(adrain(main(${list})))¶`;
  }
  const text = g.grammar.classText(g, "Main");
  return `try { ${text} print(new Main(${list}))¶ print(Object.keys(Main))¶ } catch (e) { print(e) }`;
}

/** Lets the harness read the variables when all is over; not always, for it captures them. */
function finalState(g: Context): string {
  const names = g.scope.names.map(({ text }) => text);
  if (names.length === 0 || !g.chance(50)) return "";
  return `final({${names.map((name) => `${name}_: ()·=> ${name}`).join(", ")}})¶ `;
}

// -------------------------------------------------------------------- modules

function moduleText(g: Context, isPair: boolean): { template: string; exported: string[] } {
  const imports: string[] = [];
  if (isPair) {
    imports.push(
      g.pick([
        `import {one, two as twice} from "./other.mjs"¶`,
        `import * as all from "./other.mjs"¶`,
        `import other, {one} from "./other.mjs"¶`,
        `import "./other.mjs"¶`,
        `import {"a_name" as odd} from "./other.mjs"¶`,
        `export * from "./other.mjs"¶`,
        `export * as ns from "./other.mjs"¶`,
        `export {one as uno} from "./other.mjs"¶`,
      ]),
    );
  }
  if (g.chance(20)) {
    imports.push(
      `import {sep} from "node:path"¶`,
      `import test from "node:util" with {type: "x"}¶`,
    );
  }
  if (g.kind.isTyped && g.chance(30)) imports.push(`import type {PathLike} from "node:fs"¶`);
  const statements = program(g);
  const exported: string[] = [];
  const parts: string[] = [];
  const own = g.scope.names.filter(({ text }) => /^[a-m]$/.test(text));
  if (own.length > 0 && g.chance(60)) {
    const name = g.pick(own).text;
    exported.push("shown");
    parts.push(`export {${name} as shown}¶`);
  }
  if (g.chance(30)) {
    exported.push("early");
    parts.push(`export ${functionText(g, "early", { isAsync: false, isGenerator: false })}`);
  }
  if (g.chance(25)) {
    exported.push("late");
    parts.push(`export const late = ${g.grammar.element(g)}¶`);
  }
  if (g.chance(12)) {
    exported.push("Class");
    parts.push(`export ${g.grammar.classText(g, "Class")}`);
  }
  if (g.chance(12)) {
    exported.push("p1");
    parts.push(`export let {x: p1 = 2, ...p2} = {y: ${g.grammar.element(g)}}¶`);
  }
  if (g.chance(25)) {
    exported.push("default");
    parts.push(
      g.pick([
        () => `export default ${functionText(g, "", { isAsync: false, isGenerator: false })}`,
        () => `export default ${functionText(g, "named", { isAsync: true, isGenerator: false })}`,
        () => `export default ${g.grammar.classText(g, "")}`,
        () => `export default (${g.grammar.element(g)})¶`,
        () => `export default ${g.grammar.arrow(g)}¶`,
      ])(),
    );
  }
  if (g.chance(20)) parts.push(`await ${g.grammar.element(g)}¶`);
  if (g.chance(6)) parts.push(`for await (const n of ait(1, 2)) print(n)¶`);
  const all = g.chance(50) ? [...parts, statements] : [statements, ...parts];
  const links = imports.join(" ");
  const body = `${finalState(g)}${all.join(" ")}`;
  return { template: g.chance(85) ? `${links} ${body}` : `${body} ; ${links}`, exported };
}

/** The module that is imported: it runs first and may call what has not been declared yet. */
function otherModule(g: Context, exported: readonly string[]): string {
  let text = "";
  if (g.chance(60)) {
    text += `import * as main from "./main.mjs"¶ `;
    for (const name of exported) {
      if (name === "early") text += `try { print(main.early(1))¶ } catch (e) { print(e) } `;
      else text += `try { print(main.${name})¶ } catch (e) { print(e) } `;
    }
  }
  text += `export ${functionText(g, "one", { isAsync: false, isGenerator: false })} `;
  text += `export let two = ${g.grammar.element(g)}¶ `;
  if (g.chance(30))
    text += `try {${g.inBlock(() => g.grammar.statement(g))}} catch (e) {print(e)} `;
  text += `export {two as "a_name"}¶ export default ${g.grammar.element(g)}¶`;
  return text.replace(/export default (?=function|class|async)/, "export default 0, ");
}
