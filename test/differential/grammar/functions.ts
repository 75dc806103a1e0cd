/**
 * Functions of every kind, their parameters, and patterns.
 */
import type { Binder, Context, FunctionFacts, MethodOptions } from "./context.ts";

/** What is written in every body: it ends recursions and counts calls. */
const GUARD = "if (!ok()) return¶";

export function functionBody(g: Context): string {
  const count = 1 + g.random.below(g.budget > 10 ? 3 : 2);
  let text = g.chance(4) ? `"a_directive"¶` : "";
  text += GUARD;
  for (let index = 0; index < count; index++) text += ` ${g.grammar.statement(g)}`;
  if (g.chance(45)) text += ` return·${g.grammar.element(g)}¶`;
  return text;
}

/** A body of which the parameters are simple may say that it is strict. */
function body(g: Context, list: string): string {
  const isPlain = /^[\s\w,$()]*$/.test(list) && !/yield|eval|arguments|let/.test(list);
  if (g.fn.isStrict || !isPlain || !g.chance(6)) return functionBody(g);
  return g.withFacts({ isStrict: true }, () => `"use§strict"¶ ${functionBody(g)}`);
}

export function parameters(g: Context): string {
  return g.withFacts({ isUnguarded: true }, () => {
    const list: string[] = [];
    if (g.kind.isTyped && g.chance(5)) list.push("this: any");
    for (let count = g.random.below(4); count > 0; count--) {
      if (count === 1 && g.chance(12)) {
        const rest = g.chance(75) ? g.declare("parameter") : bindingPattern(g, "parameter");
        list.push(`...${rest}${g.kind.isTyped && g.chance(30) ? ": any[]" : ""}`);
        break;
      }
      list.push(parameter(g));
    }
    return list.join(", ");
  });
}

function parameter(g: Context): string {
  const isPattern = g.chance(12);
  const name = isPattern ? bindingPattern(g, "parameter") : g.declare("parameter");
  const type = g.grammar.annotation(g);
  if (!g.chance(22)) {
    const mark = g.kind.isTyped && !isPattern && g.chance(5) ? "?" : "";
    return `${name}${mark}${type}`;
  }
  return `${name}${type} = ${g.grammar.element(g)}`;
}

function facts(g: Context, own: Partial<FunctionFacts>): Partial<FunctionFacts> {
  return {
    hasArguments: true,
    hasNewTarget: true,
    hasSuper: false,
    isDerivedConstructor: false,
    canReturn: true,
    isUnguarded: false,
    noAwaitName: own.isAsync === true || g.kind.format === "module",
    ...own,
  };
}

function returnType(g: Context): string {
  return g.kind.isTyped && g.chance(25) ? `: ${g.grammar.type(g)}` : "";
}

function typeParameters(g: Context): string {
  return g.kind.isTyped && g.chance(8) ? `<T${g.chance(40) ? " extends object" : ""}>` : "";
}

/** `function name(…) {…}` with or without a name. */
export function functionText(
  g: Context,
  name: string,
  own: { isAsync: boolean; isGenerator: boolean },
): string {
  const head = `${own.isAsync ? "async·" : ""}function${own.isGenerator ? " * " : " "}${name}`;
  return g.inFunction(facts(g, own), () => {
    const types = typeParameters(g);
    const list = parameters(g);
    return `${head}${types}(${list})${returnType(g)} {${body(g, list)}}`;
  });
}

export function functionExpression(g: Context): string {
  const own = { isAsync: g.chance(15), isGenerator: g.chance(15) };
  const name = g.chance(30) ? g.pick(["Inner", "f", "g"]) : "";
  return functionText(g, name, own);
}

export function arrow(g: Context): string {
  const isAsync = g.chance(15);
  const own: Partial<FunctionFacts> = {
    isAsync,
    isGenerator: false,
    canReturn: true,
    isUnguarded: false,
    noAwaitName: isAsync || g.fn.noAwaitName,
  };
  return g.inFunction(own, () => {
    const isBare = g.chance(25) && !g.kind.isTyped;
    const list = isBare
      ? g.declare("parameter")
      : `(${parameters(g).replace(/^this: any(?:, )?/, "")})`;
    const lead = isAsync ? "async·" : "";
    const type = isBare ? "" : returnType(g);
    if (g.chance(50)) return `${lead}${list}${type}·=> {${body(g, list)}}`;
    const value = g.grammar.element(g);
    return `${lead}${list}${type}·=> ok() && (${value})`;
  });
}

export function method(g: Context, options: MethodOptions): string {
  const { key, kind, isClass } = options;
  const isPlain = kind === undefined;
  const own = {
    isAsync: isPlain && g.chance(12),
    isGenerator: isPlain && g.chance(12),
    hasSuper: true,
    isDerivedConstructor: options.isDerived === true,
    ...(isClass ? { isStrict: true } : {}),
  };
  const head = `${own.isAsync ? "async·" : ""}${own.isGenerator ? "* " : ""}${kind === "get" || kind === "set" ? `${kind} ` : ""}${key}`;
  return g.inFunction(facts(g, own), () => {
    let list = "";
    if (kind === "set") list = parameter(g).replace(/^([\wäℕ𝒳$]+)\?/u, "$1");
    else if (kind !== "get") list = parameters(g);
    if (kind === "constructor") list = list.replace(/^this: any(?:, )?/, "");
    if (kind !== undefined && kind !== "constructor") list = list.replace(/^this: any(?:, )?/, "");
    const type = kind === "set" || kind === "constructor" ? "" : returnType(g);
    const text = kind === "constructor" ? constructorBody(g) : body(g, list);
    return `${head}(${list})${type} {${text}}`;
  });
}

function constructorBody(g: Context): string {
  if (!g.fn.isDerivedConstructor) return functionBody(g);
  const superCall = g.pick([
    `super(${g.chance(50) ? g.grammar.element(g) : ""})¶`,
    `(()·=> super())()¶`,
    `super(...it(1))¶`,
    `if (${g.grammar.element(g)}) super()¶`,
    `try { super(); super() } catch (e) { print(e) }`,
    `print(super())¶`,
    "",
  ]);
  return `if (!ok()) return·{}¶ ${g.chance(25) ? g.grammar.statement(g) : ""} ${superCall} ${g.grammar.statement(g)}`;
}

// ------------------------------------------------------------------- patterns

export function bindingPattern(g: Context, binder: Binder): string {
  return g.chance(50) ? objectPattern(g, binder) : arrayPattern(g, binder);
}

function bound(g: Context, binder: Binder): string {
  if (g.canNest && g.chance(12)) {
    g.depth++;
    const text = bindingPattern(g, binder);
    g.depth--;
    return text;
  }
  return g.declare(binder);
}

function withDefault(g: Context, target: string): string {
  return g.chance(30) ? `${target} = ${g.grammar.element(g)}` : target;
}

function objectPattern(g: Context, binder: Binder): string {
  const list: string[] = [];
  for (let count = 1 + g.random.below(2); count > 0; count--) {
    const key = g.chance(85) ? g.key() : `[${g.grammar.element(g)}]`;
    if (g.chance(20)) {
      const name = g.declare(binder);
      list.push(withDefault(g, name));
    } else list.push(`${key}: ${withDefault(g, bound(g, binder))}`);
  }
  if (g.chance(15)) list.push(`...${g.declare(binder)}`);
  return `{${list.join(", ")}}`;
}

function arrayPattern(g: Context, binder: Binder): string {
  const list: string[] = [];
  for (let count = 1 + g.random.below(2); count > 0; count--) {
    list.push(g.chance(8) ? "" : withDefault(g, bound(g, binder)));
  }
  if (g.chance(15)) list.push(`...${bound(g, binder)}`);
  else if (list[list.length - 1] === "") list.push("");
  return `[${list.join(", ")}]`;
}

/** A pattern that assigns: its targets are anything that can be assigned. */
export function assignmentPattern(g: Context): string {
  const isObject = g.chance(50);
  const list: string[] = [];
  for (let count = 1 + g.random.below(2); count > 0; count--) {
    const target = withDefault(g, assigned(g));
    list.push(
      isObject ? `${g.chance(85) ? g.key() : `[${g.grammar.element(g)}]`}: ${target}` : target,
    );
  }
  if (g.chance(15)) list.push(`...${g.chance(60) ? g.target() : `ob.${g.key()}`}`);
  return isObject ? `{${list.join(", ")}}` : `[${list.join(", ")}]`;
}

function assigned(g: Context): string {
  if (g.canNest && g.chance(10)) {
    g.depth++;
    const text = assignmentPattern(g);
    g.depth--;
    return text;
  }
  if (g.chance(65)) return g.target();
  if (g.chance(30) && g.privates.length > 0) return `this.#${g.pick(g.privates)}`;
  return g.chance(70) ? `ob.${g.key()}` : `(ob[${g.grammar.element(g)}])`;
}
