/**
 * Classes: fields, private names, accessors, static blocks, inheritance.
 */
import type { Context } from "./context.ts";

const ODD_KEYS = ["'quoted'", "12", "static", "get", "set", "async", "await", "in", "constructor2"];

export function classText(g: Context, name: string): string {
  const outerPrivates = g.privates;
  const own = g.chance(45) ? [g.pick(["s1", "s2"]), "s3"] : [];
  const heritage = superClass(g);
  const generics = g.kind.isTyped && name !== "" && g.chance(10) ? "<T>" : "";
  const contract = g.kind.isTyped && g.chance(6) ? " implements Shape" : "";
  const text = g.withFacts({ isStrict: true }, () => {
    g.privates = [...outerPrivates, ...own];
    const members = writeMembers(g, own, heritage !== "");
    g.privates = outerPrivates;
    return members;
  });
  return `class ${name}${generics}${heritage}${contract} {${text}}`;
}

function superClass(g: Context): string {
  if (!g.chance(35)) return "";
  return g.withFacts({ isStrict: true }, () => {
    const choice = g.random.below(8);
    if (choice < 4) return ` extends ${g.name("class")}`;
    if (choice === 4) return " extends null";
    if (choice === 5) return ` extends (${g.grammar.element(g)})`;
    if (choice === 6) return " extends Base";
    return " extends Oops";
  });
}

function writeMembers(g: Context, privates: readonly string[], isDerived: boolean): string {
  const members: string[] = [];
  for (const name of privates) {
    if (members.some((text) => text.includes(`#${name}`) && privates[0] === name)) continue;
    members.push(privateMember(g, name));
  }
  for (let count = g.random.below(4); count > 0; count--) members.push(member(g));
  if (g.chance(30)) {
    const kind = "constructor";
    members.push(g.grammar.method(g, { key: kind, isClass: true, kind, isDerived }));
  }
  return members.join(g.chance(10) ? ";" : " ");
}

function modifier(g: Context): string {
  if (!g.kind.isTyped || !g.chance(20)) return "";
  return g.pick(["public ", "private ", "protected ", "readonly "]);
}

function privateMember(g: Context, name: string): string {
  const lead = g.chance(20) ? "static " : "";
  const choice = g.random.below(8);
  if (choice < 4) return `${lead}#${name}${g.grammar.annotation(g)} = ${fieldValue(g)}¶`;
  if (choice === 4) return `${lead}#${name}${g.grammar.annotation(g)};`;
  if (choice < 7) return lead + g.grammar.method(g, { key: `#${name}`, isClass: true });
  const kind = g.pick(["get", "set"] as const);
  return lead + g.grammar.method(g, { key: `#${name}`, isClass: true, kind });
}

function member(g: Context): string {
  const key = g.chance(75) ? g.key().replace("name", "n") : memberKey(g);
  const isStatic = g.chance(25);
  const lead = `${modifier(g).replace("readonly ", "")}${isStatic ? "static " : ""}`;
  const ownKey = isStatic && key === "length" ? "size" : key;
  const choice = g.random.below(12);
  if (choice < 4) {
    const mark = g.kind.isTyped && g.chance(5) && !ownKey.startsWith("[") ? "!: any" : "";
    if (mark !== "" || g.chance(15)) return `${lead}${ownKey}${mark};`;
    return `${lead}${ownKey}${g.grammar.annotation(g)} = ${fieldValue(g)}¶`;
  }
  if (choice === 4) return staticBlock(g);
  if (choice === 5 && g.kind.isTyped) {
    return g.pick(["[key: string]: any;", "declare z: number;", "m?(): void;", "m(): void;m() {}"]);
  }
  if (choice < 8) {
    const kind = g.pick(["get", "set"] as const);
    return lead + g.grammar.method(g, { key: ownKey, isClass: true, kind });
  }
  return lead + g.grammar.method(g, { key: ownKey, isClass: true });
}

function memberKey(g: Context): string {
  return g.chance(50) ? g.pick(ODD_KEYS) : `[${g.grammar.element(g)}]`;
}

const FIELD = {
  isAsync: false,
  isGenerator: false,
  hasArguments: false,
  hasNewTarget: true,
  hasSuper: true,
  isDerivedConstructor: false,
  canReturn: false,
  isUnguarded: true,
  noAwaitName: true,
} as const;

function fieldValue(g: Context): string {
  return g.inFunction(FIELD, () => {
    // A field of a nameless function gives it a name; a comma would not.
    if (g.chance(30)) return g.chance(50) ? g.grammar.arrow(g) : g.grammar.functionExpression(g);
    return g.grammar.element(g);
  });
}

function staticBlock(g: Context): string {
  return g.inFunction({ ...FIELD, isUnguarded: false }, () => {
    let text = "";
    for (let count = g.random.below(3); count > 0; count--) text += ` ${g.grammar.statement(g)}`;
    return `static {${text}}`;
  });
}
