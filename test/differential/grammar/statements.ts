/**
 * Statements. Loops end because each of their turns asks `ok()`.
 */
import { type Context, type Production, weigh } from "./context.ts";
import { iterable } from "./expressions.ts";
import { functionText } from "./functions.ts";

/** What an expression statement may not begin with. */
const NOT_A_START = /^(?:\{|function\b|class\b|async\b|let\b)/;

function expressionStatement(g: Context): string {
  const text = g.grammar.expression(g);
  if (NOT_A_START.test(text)) return `(${text})¶`;
  return `${text}¶`;
}

function print(g: Context): string {
  return `print(${g.grammar.element(g)})¶`;
}

function declaration(g: Context): string {
  const binder = g.pick(["let", "let", "const", "const", "var"] as const);
  const parts: string[] = [];
  for (let count = g.chance(80) ? 1 : 2; count > 0; count--) parts.push(declarator(g, binder));
  return `${binder} ${parts.join(", ")}¶`;
}

function declarator(g: Context, binder: "let" | "const" | "var"): string {
  if (g.chance(15)) {
    const value = g.chance(60) ? iterable(g) : `{x: ${g.grammar.element(g)}, y: 2}`;
    return `${g.grammar.bindingPattern(g, binder)}${g.grammar.annotation(g)} = ${value}`;
  }
  if (binder !== "const" && g.chance(15)) {
    return `${g.declare(binder)}${g.grammar.annotation(g)}`;
  }
  if (g.chance(25)) {
    const kind = g.pick(["function", "function", "object", "class"] as const);
    // The value is written first: its text may not see the name without a dead zone.
    const value = valueOf(g, kind);
    return `${g.declare(binder, kind)}${g.grammar.annotation(g)} = ${value}`;
  }
  const isBefore = g.chance(50);
  const value = isBefore ? g.grammar.element(g) : "";
  const name = g.declare(binder);
  return `${name}${g.grammar.annotation(g)} = ${isBefore ? value : g.grammar.element(g)}`;
}

function valueOf(g: Context, kind: "function" | "object" | "class"): string {
  if (kind === "class") return g.grammar.classText(g, g.chance(30) ? "Inner" : "");
  if (kind === "object") {
    const value = `{x: ${g.grammar.element(g)}, y() {${g.inFunction(METHOD, () => g.grammar.functionBody(g))}}}`;
    return g.chance(25) ? `px(${value})` : value;
  }
  return g.chance(50) ? g.grammar.arrow(g) : g.grammar.functionExpression(g);
}

const METHOD = {
  isAsync: false,
  isGenerator: false,
  hasArguments: true,
  hasNewTarget: true,
  hasSuper: true,
  isDerivedConstructor: false,
  canReturn: true,
  isUnguarded: false,
};

function using(g: Context): string {
  const isAwait = g.fn.isAsync && g.chance(40);
  // Not at the top of a script, nor right inside `case`.
  const value = g.pick([
    `dis("a")`,
    `dis("b")`,
    "null",
    `adis("c")`,
    `dis("d", 1)`,
    g.grammar.element(g),
  ]);
  return `${isAwait ? "await·" : ""}using·${g.declare("const")} = ${value}¶`;
}

function functionDeclaration(g: Context): string {
  const own = { isAsync: g.chance(12), isGenerator: g.chance(15) };
  const kind = own.isGenerator
    ? own.isAsync
      ? "any"
      : "generator"
    : own.isAsync
      ? "async"
      : "function";
  const name = g.declare("function", kind);
  const text = functionText(g, name, own);
  if (g.kind.isTyped && g.chance(5)) return `function ${name}(): any; ${text}`;
  return text;
}

function classDeclaration(g: Context): string {
  const name = g.declare("class", "class");
  return g.grammar.classText(g, name);
}

function list(g: Context, most: number): string {
  let text = "";
  for (let count = g.random.below(most + 1); count > 0; count--)
    text += ` ${g.grammar.statement(g)}`;
  return text;
}

function block(g: Context): string {
  return g.inBlock(() => {
    const lead = g.chance(8) ? using(g) : "";
    return `{${lead}${list(g, 3)}}`;
  });
}

/** The body of a branch or loop: a block, or a single statement. */
function body(g: Context): string {
  if (g.chance(65)) return block(g);
  return g.inBlock(() => simple(g));
}

function simple(g: Context): string {
  const choice = g.random.below(7);
  if (choice < 2) return print(g);
  if (choice < 4) return expressionStatement(g);
  if (choice === 4) return jump(g);
  if (choice === 5) return ";";
  return g.chance(50) ? ifStatement(g) : `throw·${g.grammar.element(g)}¶`;
}

function ifStatement(g: Context): string {
  const test = g.grammar.expression(g);
  if (!g.fn.isStrict && g.chance(6)) {
    const text = functionText(g, g.pick(["a", "b", "f"]), { isAsync: false, isGenerator: false });
    return `if (${test}) ${text}${g.chance(40) ? ` else ${g.inBlock(() => simple(g))}` : ""}`;
  }
  // A dangling `else` belongs to the nearest `if`: whichever, all runs agree on it.
  return `if (${test}) ${body(g)}${g.chance(35) ? ` else ${g.chance(30) ? ifStatement(g) : body(g)}` : ""}`;
}

/** Writes a loop's body, now and then with a label on the loop. */
function loop(g: Context, write: (label: string, inner: () => string) => string): string {
  const label = g.chance(15) ? g.label() : "";
  const loops = label === "" ? g.jumps.loops : [...g.jumps.loops, label];
  const inner = (): string =>
    g.withJumps({ loops, canBreak: true, canContinue: true }, () => body(g));
  return write(label === "" ? "" : `${label}: `, inner);
}

function whileLoop(g: Context): string {
  const test = g.grammar.element(g);
  return loop(g, (label, inner) =>
    g.chance(60)
      ? `${label}while (ok() && (${test})) ${inner()}`
      : `${label}do ${inner()} while (ok() && (${test}))¶`,
  );
}

function forLoop(g: Context): string {
  return g.inBlock(() =>
    loop(g, (label, inner) => {
      const binder = g.pick(["let", "let", "const", "var", "", "using"] as const);
      let head: string;
      if (binder === "") head = g.chance(40) ? "" : noIn(g.grammar.element(g));
      else if (binder === "using") {
        head = g.chance(50) ? `using·${g.declare("const")} = dis("f")` : "";
      } else if (binder !== "const" && g.chance(20)) {
        const name = g.declare(binder);
        head = `${binder} ${name} = 0, ${g.declare(binder)} = ${noIn(g.grammar.element(g))}`;
      } else {
        const value = noIn(g.grammar.element(g));
        head = `${binder} ${g.declare(binder)} = ${g.chance(50) ? "0" : value}`;
      }
      const test = g.chance(80) ? `ok() && (${g.grammar.element(g)})` : "ok()";
      const step = g.chance(75) ? g.grammar.expression(g) : "";
      return `${label}for (${head}; ${test}; ${step}) ${inner()}`;
    }),
  );
}

/** `in` in the head of a loop would end it. */
function noIn(text: string): string {
  return /\bin\b/.test(text) || NOT_A_START.test(text) ? `(${text})` : text;
}

function forEach(g: Context): string {
  return g.inBlock(() =>
    loop(g, (label, inner) => {
      const isOf = g.chance(75);
      const isAwait = isOf && g.fn.isAsync && g.chance(35);
      const values = isOf
        ? manyValues(g, isAwait)
        : g.chance(60)
          ? "{x: 1, y: 2}"
          : g.grammar.element(g);
      const binder = g.pick(["let", "const", "var", "", "using"] as const);
      let target: string;
      if (binder === "") {
        target = g.chance(50)
          ? g.target()
          : g.chance(50)
            ? `ob.${g.key()}`
            : g.grammar.assignmentPattern(g);
        if (/^(?:async|let)$/.test(target)) target = "a";
      } else if (binder === "using") {
        target = isOf ? `using·${g.declare("const").replace(/^of$/, "w")}` : `let w`;
      } else {
        target = `${binder} ${g.chance(75) ? g.declare(binder) : g.grammar.bindingPattern(g, binder)}`;
      }
      return `${label}for ${isAwait ? "await " : ""}(${target} ${isOf ? "of" : "in"} ${values}) ${guarded(inner())}`;
    }),
  );
}

/** Endless iterators are left after some turns. */
function guarded(text: string): string {
  return text.startsWith("{")
    ? `{if (!ok()) break¶ ${text.slice(1)}`
    : `{if (!ok()) break¶ ${text}}`;
}

function manyValues(g: Context, isAwait: boolean): string {
  if (isAwait && g.chance(60)) return g.chance(70) ? `ait(1, ${g.grammar.element(g)})` : "oops(1)";
  const choice = g.random.below(5);
  if (choice === 0) return `[dis("g"), null]`;
  if (choice === 1) return `[[1, 2], {x: 3}]`;
  return iterable(g);
}

function switchStatement(g: Context): string {
  const value = g.grammar.expression(g);
  return g.inBlock(() =>
    g.withJumps({ canBreak: true }, () => {
      g.scope.allowsUsing = false;
      const cases: string[] = [];
      const count = 1 + g.random.below(3);
      const fallback = g.random.below(count + 2);
      for (let index = 0; index < count; index++) {
        const test = index === fallback ? "default" : `case ${g.grammar.element(g)}`;
        const statements = list(g, 2);
        cases.push(`${test}:${statements}${g.chance(40) ? " break¶" : ""}`);
      }
      return `switch (${value}) {${cases.join(" ")}}`;
    }),
  );
}

function tryStatement(g: Context): string {
  const tried = block(g);
  const hasCatch = g.chance(80);
  let text = `try ${tried}`;
  if (hasCatch) {
    text += g.inBlock(() => {
      if (g.chance(20)) return ` catch ${block(g)}`;
      const name = g.chance(85)
        ? g.declare("catch")
        : `{x: ${g.declare("catch")} = 1, ...${g.declare("catch")}}`;
      const type = g.kind.isTyped && g.chance(30) ? ": any" : "";
      const first = /^[\w$]+$/.test(name) ? `print(${name})¶` : "";
      // The block of a `catch` may not declare its parameter again.
      return ` catch (${name}${type}) {${first}${list(g, 2)}}`;
    });
  }
  if (!hasCatch || g.chance(30)) text += ` finally ${block(g)}`;
  return text;
}

function throwStatement(g: Context): string {
  const value = g.pick([
    () => `new Error(${g.grammar.element(g)})`,
    () => `new Oops("x")`,
    () => g.grammar.element(g),
    () => "1",
    () => `TypeError("t", {cause: ${g.grammar.element(g)}})`,
  ])();
  const text = `throw·${value}¶`;
  return g.chance(60) ? `if (${g.grammar.element(g)}) ${text}` : text;
}

function jump(g: Context): string {
  const { loops, blocks, canBreak, canContinue } = g.jumps;
  const label = [...loops, ...blocks];
  if (label.length > 0 && g.chance(40)) return `break·${g.pick(label)}¶`;
  if (loops.length > 0 && g.chance(40)) return `continue·${g.pick(loops)}¶`;
  if (canContinue && g.chance(45)) return "continue¶";
  if (canBreak) return "break¶";
  if (g.fn.canReturn) return g.chance(40) ? "return¶" : `return·${g.grammar.expression(g)}¶`;
  return print(g);
}

function labelled(g: Context): string {
  const label = g.label();
  if (!g.fn.isStrict && g.chance(12)) {
    const name = g.declare("function", "function");
    return `${label}: ${functionText(g, name, { isAsync: false, isGenerator: false })}`;
  }
  return g.withJumps({ blocks: [...g.jumps.blocks, label] }, () => `${label}: ${block(g)}`);
}

function withStatement(g: Context): string {
  if (g.fn.isStrict || g.kind.isTyped) return block(g);
  const value = g.pick(["ob", `px({x: 1, a: 2})`, "{x: 1, b: 3, [Symbol.unscopables]: {b: true}}"]);
  return `with (${value.startsWith("{") ? `(${value})` : value}) ${block(g)}`;
}

function evalStatement(g: Context): string {
  if (g.chance(50)) return `print(eval("var\u00a0${g.pick(["a", "v"])}=${g.random.below(9)};1"))¶`;
  return `print((()·=> eval("${g.pick(["a", "this", "typeof\u00a0f", "new.target"])}"))())¶`;
}

function odd(g: Context): string {
  return g.pick([
    ";",
    "debugger¶",
    `"text"¶`,
    "{}",
    "ob.x¶",
    "/re/.test('re')¶",
    "`t`¶",
    "[1, 2].length¶",
    "-1¶",
    "+a¶",
    "(1)¶",
    "if (0) ; else ;",
  ]);
}

/** A chain that the engine has names for: a class with an accessor that throws, and so on. */
function scenario(g: Context): string {
  const name = g.declare("const", "generator");
  const own = { isAsync: false, isGenerator: true };
  const text = functionText(g, "", own);
  const steps = g.pick([
    `try { const n = ${name}(1, 2)¶ print(n.next())¶ print(n.next(2))¶ print(n.return(3))¶ } catch (e) { print(e) }`,
    `try { const n = ${name}()¶ print(n.next())¶ print(n.throw(new Oops("in")))¶ } catch (e) { print(e) }`,
    `try { print([...${name}(1)]) } catch (e) { print(e) }`,
    `try { for (const n of ${name}(1)) { print(n)¶ if (!ok()) break¶ } } catch (e) { print(e) }`,
    `try { const [n] = ${name}(1)¶ print(n)¶ } catch (e) { print(e) }`,
  ]);
  return `const ${name} = ${text}¶ ${steps}`;
}

const STATEMENTS = weigh([
  [14, print],
  [13, expressionStatement],
  [15, declaration],
  [2, (g) => (g.scope.allowsUsing ? using(g) : print(g))],
  [9, functionDeclaration],
  [6, classDeclaration],
  [4, block],
  [7, ifStatement],
  [4, whileLoop],
  [5, forLoop],
  [7, forEach],
  [4, switchStatement],
  [9, tryStatement],
  [4, throwStatement],
  [4, jump],
  [2, labelled],
  [1, withStatement],
  [1, evalStatement],
  [3, odd],
  [2, scenario],
  [4, (g) => types(g)],
]);

function types(g: Context): string {
  if (!g.kind.isTyped) return print(g);
  return typeStatement(g);
}

function typeStatement(g: Context): string {
  const name = `T${g.typeCount++}`;
  if (g.kind.hasCompiledTypes && g.chance(60)) return compiledType(g, name);
  return g
    .pick([
      `type ${name} = ${g.grammar.type(g)}¶`,
      `type ${name}<T> = T extends string ? { x: T } : never¶`,
      `interface ${name} { x: ${g.grammar.type(g)}; m(): void }`,
      `interface ${name}<T = number> extends Shape { (a: T): void; new (a: T): ${name} }`,
      `declare const ${name}: ${g.grammar.type(g)}¶`,
      `declare function ${name}(a: ${g.grammar.type(g)}): void¶`,
      `declare class ${name} { x: number }`,
      `abstract class ${name} { abstract x: number; abstract m(): void; n() { return 1 } }`,
      `declare enum ${name} { A, B }`,
      `declare namespace ${name} { const a: number }`,
      `declare function ${name}(a: any): a is string¶`,
      `interface ${name} { m(): this; n(a: unknown): asserts a }`,
      `id<number>¶`,
      `type ${name}_ = typeof ob[keyof typeof ob]¶`,
      `namespace ${name} { export type A = number }`,
    ])
    .replaceAll(" ", "·");
}

function use(text: string): string {
  return ` print(${text})¶`;
}

/** In one block: Node does not find what another block of the namespace exports. */
function compiledNamespace(g: Context, name: string): string {
  switch (g.random.below(3)) {
    case 0:
      return `namespace ${name} { export const a = 1¶ export function f(x: number) { return x + a } export let b = f(2)¶ }${use(`${name}.f(1), ${name}.b`)}`;
    case 1:
      return `namespace ${name} { export let a = ${g.random.below(9)}, b: any¶ export function f(by = a) { a += by¶ [b] = [a++]¶ return·{ a, b } } export const g = (a: number) => a + b¶ }${use(`${name}.f().a, ${name}.a, ${name}.f(2).b, ${name}.b, ${name}.g(3)`)}`;
    default:
      return `namespace ${name} { export let a = 1¶ export namespace In { export let b = a¶ b++¶ } a += In.b¶ for (a of [a, 7]) { let b = a¶ print(b, In.b)¶ } ({ a } = { a: a + 1 })¶ }${use(`${name}.a, ${name}.In.b`)}`;
  }
}

function compiledType(g: Context, name: string): string {
  switch (g.random.below(5)) {
    case 0:
      return `enum ${name} { A, B = 5, C = A + B, D = "d" as any }${use(`${name}.C, ${name}[5]`)}`;
    case 1:
      return `const enum ${name} { A = 1, B }${use(`${name}.B`)}`;
    case 2:
      if (g.scope.parent !== undefined) return print(g);
      return compiledNamespace(g, name);
    case 3:
      return `class ${name} { constructor(public x: number, private readonly y = 2) { if (!ok()) return¶ print(this.x, this.y)¶ } }${use(`new ${name}(3).x`)}`;
    default:
      return `enum ${name} { A = ${g.random.below(9)}, B = A << 1, C }${use(`Object.entries(${name})`)}`;
  }
}

export const statement: Production = (g) => {
  if (!g.canNest) return g.chance(50) ? print(g) : odd(g);
  g.budget--;
  g.depth++;
  const text = g.pick(STATEMENTS)(g);
  g.depth--;
  return text;
};
