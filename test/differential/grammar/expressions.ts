/**
 * Expressions. Every production returns what can stand between commas.
 */
import { type Context, type Production, weigh } from "./context.ts";

const NUMBERS = ["0", "1", "2", "3", "1.5", "0x1f", "1_000", "5n", "0b11", "-0", ".5", "7e-1"];
const STRINGS = [
  `"s"`,
  `'t'`,
  `""`,
  `"\\x41"`,
  `'\\u{1f600}'`,
  `"\u2028"`,
  `'a\\\nb'`,
  `"//"`,
  `"/*"`,
  `"\${a}"`,
  `'$o0'`,
  `"</script>"`,
];
const OTHERS = ["null", "undefined", "true", "false", "NaN", "this", "[]", "globalThis"];
const REGULAR_EXPRESSIONS = [
  "/a/g",
  "/(?<n>b)|[/\\]]/dy",
  "/\\p{L}+/v",
  "/[{(`'\"]/",
  "/=>|\\/\\*/i",
  "/(?<=x)y(?!z)/su",
];
const BINARY = [
  "+",
  "-",
  "*",
  "/",
  "%",
  "&",
  "|",
  "^",
  "<<",
  ">>",
  ">>>",
  "==",
  "!=",
  "===",
  "!==",
];
const RELATIONAL = ["<", ">", "<=", ">=", "in", "instanceof"];
const LOGICAL = ["&&", "||", "??"];
const ASSIGNMENTS = ["=", "=", "=", "+=", "-=", "*=", "**=", "??=", "||=", "&&=", "|=", ">>>="];

/** Something that needs no brackets anywhere. */
export function leaf(g: Context): string {
  const choice = g.random.below(20);
  if (choice < 10) return g.name();
  if (choice < 13) return g.pick(NUMBERS.filter((number) => !number.startsWith("-")));
  if (choice < 15) return g.pick(STRINGS);
  if (choice === 15) return "ob";
  if (choice === 16 && g.fn.hasArguments) {
    if (g.fn.isUnguarded) return "arguments.length";
    return g.pick(["arguments", "arguments[0]", "arguments.length"]);
  }
  if (choice === 17 && g.fn.hasNewTarget) return "new.target";
  if (choice === 18 && g.kind.format === "module") return "import.meta.url";
  if (g.chance(10)) return g.pick(REGULAR_EXPRESSIONS);
  return g.pick(OTHERS);
}

/** An operand: a leaf, or something in brackets. */
export function operand(g: Context): string {
  if (!g.canNest || g.chance(35)) return leaf(g);
  const text = g.grammar.element(g);
  return isPrimary(text) ? text : `(${text})`;
}

function isPrimary(text: string): boolean {
  return /^[\w$.]+$/.test(text) && !/^\d/.test(text) && !/^(?:yield|await|async|new\b)/.test(text);
}

/** What a call or a member is taken of. */
function object(g: Context): string {
  const choice = g.random.below(12);
  if (choice < 2) return "ob";
  if (choice < 6) return g.name("object");
  if (choice < 8) return g.name();
  if (choice === 8 && g.fn.hasSuper) return "super";
  if (choice === 9) return "this";
  const text = operand(g);
  return /^[\d.]/.test(text) ? `(${text})` : text;
}

function member(g: Context): string {
  const inner = object(g);
  if (g.chance(12) && inner !== "super" && g.privates.length > 0) {
    return `${inner}.#${g.pick(g.privates)}`;
  }
  return g.chance(70) ? `${inner}.${g.key()}` : `${inner}[${g.grammar.element(g)}]`;
}

function argumentList(g: Context): string {
  const list: string[] = [];
  for (let count = g.random.below(3); count > 0; count--) {
    list.push(g.chance(10) ? `...${iterable(g)}` : g.grammar.element(g));
  }
  return `(${list.join(", ")}${list.length > 0 && g.chance(8) ? "," : ""})`;
}

export function iterable(g: Context): string {
  if (g.chance(40)) return `it(${g.grammar.element(g)}, ${leaf(g)})`;
  if (g.chance(20)) {
    const name = g.find(({ kind }) => kind === "generator");
    if (name !== undefined) return `${name.text}()`;
  }
  if (g.chance(60)) return `[${g.grammar.element(g)}, ${leaf(g)}]`;
  return g.name();
}

function delegate(g: Context): string {
  return g.chance(60) ? `it(${g.grammar.element(g)}, 1)` : `[${g.grammar.element(g)}, 2]`;
}

/** Pays for what could repeat itself without an end. */
function paid(g: Context, text: string): string {
  return g.fn.isUnguarded ? `(ok(), ${text})` : text;
}

function callee(g: Context): string {
  const choice = g.random.below(10);
  if (choice < 5) return g.name("function");
  if (choice < 7) return member(g);
  if (choice === 7) return `(${g.grammar.functionExpression(g)})`;
  if (choice === 8) return `(${g.grammar.arrow(g)})`;
  return g.pick(["id", "String", g.name("generator"), g.name("async"), g.name()]);
}

function call(g: Context): string {
  const types = g.kind.isTyped && g.chance(10) ? `<${g.grammar.type(g)}>` : "";
  return paid(g, `${callee(g)}${types}${argumentList(g)}`);
}

function construct(g: Context): string {
  const choice = g.random.below(10);
  let target = g.name("class");
  if (choice < 2) target = g.pick(["Error", "TypeError", "Array", "Map", "Oops"]);
  else if (choice === 2) target = `(${g.grammar.classText(g, "")})`;
  else if (choice === 3) target = g.name();
  else if (choice === 4) target = `${g.name("object")}.${g.key()}`;
  else if (choice === 5) target = "Promise";
  if (target === "Promise") {
    return paid(g, `watch(new Promise(${g.grammar.arrow(g)}))`);
  }
  const list = target === "Array" ? "(1, 2)" : target === "Map" ? "()" : argumentList(g);
  return paid(g, `new ${target}${g.chance(10) && list === "()" ? "" : list}`);
}

function chain(g: Context): string {
  let text = object(g);
  if (text === "super") text = "super.x";
  for (let count = 1 + g.random.below(3); count > 0; count--) {
    const choice = g.random.below(6);
    if (choice < 2) text += `?.${g.key()}`;
    else if (choice === 2) text += `?.[${g.grammar.element(g)}]`;
    else if (choice === 3) text += `?.${argumentList(g)}`;
    else if (choice === 4 && text.includes("?.")) text += `.${g.key()}`;
    else if (g.privates.length > 0 && g.chance(40)) text += `?.#${g.pick(g.privates)}`;
    else text += `?.${g.key()}`;
  }
  if (g.kind.isTyped && g.chance(8)) text = `${text}!`;
  // A call in it makes Node 24 die: `async function* f(a = delete new.target?.()?.b, [c]) {}`.
  if (g.chance(8) && !text.includes("("))
    return `delete ${text.replace(/\?\.#\w+!?$/, "?.x").replace(/!$/, "")}`;
  return paid(g, text);
}

function binary(g: Context): string {
  if (g.chance(6)) {
    const operators = [g.pick(BINARY), g.pick(BINARY), g.pick(BINARY)];
    return operators.reduce((text, operator) => `${text} ${operator} ${operand(g)}`, operand(g));
  }
  if (g.chance(4) && g.privates.length > 0) return `#${g.pick(g.privates)} in ${operand(g)}`;
  if (g.chance(5)) return `${operand(g)} ** ${operand(g)}`;
  return `${operand(g)} ${g.pick(g.chance(70) ? BINARY : RELATIONAL)} ${operand(g)}`;
}

function logical(g: Context): string {
  return `${operand(g)} ${g.pick(LOGICAL)} ${operand(g)}`;
}

function conditional(g: Context): string {
  return `${operand(g)} ? ${g.grammar.element(g)} : ${g.grammar.element(g)}`;
}

function assignTo(g: Context): string {
  if (g.chance(65)) return g.target();
  if (g.chance(5)) return `(${g.target()})`;
  return member(g);
}

function assignment(g: Context): string {
  const operator = g.pick(ASSIGNMENTS);
  if (operator === "=") return `${assignTo(g)} = ${g.grammar.element(g)}`;
  const target = g.chance(65) ? g.target() : readable(g);
  return `${target} ${operator} ${g.grammar.element(g)}`;
}

/** Reading it before it is written does not fail: the engine notes no place for that. */
function readable(g: Context): string {
  return g.pick(["ob.x", "ob.y", "ob.k", "(ob.x)", "ob['k']"]);
}

function destructuring(g: Context): string {
  const pattern = g.grammar.assignmentPattern(g);
  const value = g.chance(50) ? iterable(g) : g.chance(50) ? objectLiteral(g) : g.name();
  return `${pattern} = ${value}`;
}

function update(g: Context): string {
  const operator = g.pick(["++", "--"]);
  const target = g.chance(65) ? g.target() : readable(g);
  return g.chance(50) ? `${target}·${operator}` : `${operator}${target}`;
}

function unary(g: Context): string {
  const operator = g.pick(["typeof ", "void ", "!", "~", "-", "+ ", "typeof ", "! "]);
  if (g.chance(6)) return `delete ${object(g).replace("super", "this")}.${g.key()}`;
  return `${operator}${operand(g)}`;
}

function objectLiteral(g: Context): string {
  const members: string[] = [];
  for (let count = g.random.below(4); count > 0; count--) members.push(property(g));
  return `{${members.join(", ")}${members.length > 0 && g.chance(10) ? "," : ""}}`;
}

function property(g: Context): string {
  const choice = g.random.below(14);
  const key = g.chance(80) ? g.key() : g.chance(40) ? `[${g.grammar.element(g)}]` : g.pick(KEYS);
  if (choice < 5) return `${key}: ${g.grammar.element(g)}`;
  if (choice === 5) {
    const { text } = g.find(({ binder }) => binder !== "class") ?? { text: "ob" };
    return text === "yield" || text === "await" ? `p: ${text}` : text;
  }
  if (choice === 6) return `...${operand(g)}`;
  if (choice === 7) return g.grammar.method(g, { key, isClass: false, kind: "get" });
  if (choice === 8) return g.grammar.method(g, { key, isClass: false, kind: "set" });
  if (choice === 9 && g.chance(50)) {
    return `__proto__: ${g.pick(["null", g.name("object"), g.name("class"), "ob"])}`;
  }
  if (choice === 10) {
    return `[Symbol.${g.pick(["toPrimitive", "iterator", "asyncIterator", "toStringTag", "hasInstance"])}]: ${g.grammar.functionExpression(g)}`;
  }
  // Its frame is known by this name: the place below it is none.
  if (choice === 11) return g.grammar.method(g, { key: "[Symbol.dispose]", isClass: false });
  return g.grammar.method(g, { key, isClass: false });
}

const KEYS = ["'quoted_key'", "12", "1.5", "async", "get", "set", "static", "5n", "new", "await"];

function arrayLiteral(g: Context): string {
  const elements: string[] = [];
  for (let count = g.random.below(4); count > 0; count--) {
    if (g.chance(8)) elements.push("");
    else if (g.chance(12)) elements.push(`...${iterable(g)}`);
    else elements.push(g.grammar.element(g));
  }
  return `[${elements.join(", ")}]`;
}

function template(g: Context): string {
  const tag = g.chance(35) ? g.pick(["tag", g.name("function"), `${g.name("object")}.x`]) : "";
  const middle = g.canNest ? `\${${g.grammar.element(g)}}` : "";
  const raw = g.pick(["a", "\n", "\\n", "$", "`".replace("`", "\\`"), "//", "\r\n"]);
  const text = `\`${raw}${middle}${g.chance(40) ? `\${${leaf(g)}}b` : ""}\``;
  return tag === "" ? text : paid(g, tag + text);
}

function evaluation(g: Context): string {
  const text = g
    .pick([
      `"${g.pick(["a", "b", "c"])}"`,
      `"1;2"`,
      `"var·v=1;v"`,
      `"let·w=2;w"`,
      `"(function(){return·this})()"`,
      `"if(1){3}else{4}"`,
      `"l:{5;break·l}"`,
      `"for(var·n=0;n<2;n++)n"`,
      `"try{6}finally{7}"`,
      `"throw·new·Error('e')"`,
      `"a="`,
      `"typeof·a"`,
      `"do{8;break}while(0)"`,
      `"'use·strict';this"`,
      `"function·r(){return·1}r()"`,
    ])
    .replaceAll("·", "\u00a0");
  const choice = g.random.below(6);
  if (choice < 3) return `(0, eval)(${text})`;
  if (choice < 5) return `eval(${text})`;
  return `new Function("return\u00a0${g.pick(["1", "this", "new.target", "arguments"])}")()`;
}

function suspension(g: Context): string {
  const { isAsync, isGenerator, isUnguarded } = g.fn;
  if (isGenerator && !isUnguarded && (!isAsync || g.chance(50))) {
    const choice = g.random.below(10);
    if (choice === 0) return "(yield)";
    if (choice < 3) return `(yield·* ${isAsync && g.chance(50) ? `ait(${leaf(g)})` : delegate(g)})`;
    return `(yield·${g.grammar.element(g)})`;
  }
  if (isAsync && !isUnguarded) {
    const choice = g.random.below(6);
    if (choice === 0) return `await watch(Promise.reject(${leaf(g)}))`;
    if (choice === 1) return `await { then(r, s) { print("then"); ${g.pick(["r", "s"])}(1) } }`;
    if (choice === 2) return `await null`;
    return `await ${operand(g)}`;
  }
  return leaf(g);
}

function asyncCall(g: Context): string {
  const name = g.find(({ kind }) => kind === "async");
  if (name === undefined) return `watch((${asyncArrow(g)})())`;
  return paid(g, `watch(${name.text}${argumentList(g)})`);
}

function asyncArrow(g: Context): string {
  return g.inFunction(
    { isAsync: true, isGenerator: false, canReturn: true, isUnguarded: false },
    () => {
      const body = g.grammar.functionBody(g);
      return `async·()·=> {${body}}`;
    },
  );
}

function helper(g: Context): string {
  switch (g.random.below(9)) {
    case 0:
      return `px(${objectLiteral(g)}).${g.key()}`;
    case 1:
      return paid(g, `Array.from(${iterable(g)}, ${g.grammar.arrow(g)})`);
    case 2:
      return paid(g, `[2, 1].map(${g.grammar.arrow(g)})`);
    case 3:
      return `oops(${leaf(g)})`;
    case 4:
      return `src(${g.name()})`;
    case 5:
      return paid(g, `new (px(${g.name("class")}))(1)`);
    case 6:
      return paid(g, `Reflect.construct(${g.name("class")}, [1], ${g.name("class")})`);
    case 7:
      return paid(g, `${g.name("function")}.call(${leaf(g)}, ${leaf(g)})`);
    default:
      return `name(${g.chance(50) ? g.grammar.functionExpression(g) : g.grammar.arrow(g)})`;
  }
}

function typed(g: Context): string {
  if (!g.kind.isTyped) return leaf(g);
  switch (g.random.below(4)) {
    case 0:
      return `(${operand(g)}·as ${g.grammar.type(g)})`;
    case 1:
      return `(${operand(g)}·satisfies ${g.grammar.type(g)})`;
    case 2:
      return `${g.name()}!`;
    default:
      return `(${g.pick(["1", '"c"', "[1]"])}·as const)`;
  }
}

const EXPRESSIONS = weigh([
  [14, leaf],
  [10, call],
  [6, construct],
  [5, member],
  [4, chain],
  [9, binary],
  [5, logical],
  [4, conditional],
  [10, assignment],
  [5, destructuring],
  [7, update],
  [4, unary],
  [6, objectLiteral],
  [4, arrayLiteral],
  [4, template],
  [2, evaluation],
  [7, suspension],
  [3, asyncCall],
  [5, helper],
  [3, typed],
  [5, (g) => g.grammar.functionExpression(g)],
  [7, (g) => g.grammar.arrow(g)],
  [3, (g) => g.grammar.classText(g, g.chance(40) ? "Inner" : "")],
  [3, (g) => `(${g.grammar.expression(g)})`],
  [1, (g) => (g.chance(50) ? `watch(import("node:path"))` : `watch(import(${leaf(g)}))`)],
  [1, (g) => g.pick(REGULAR_EXPRESSIONS) + g.pick([".test('ab')", ".exec('ab')", ".source"])],
]);

export const element: Production = (g) => {
  if (!g.canNest) return leaf(g);
  g.budget--;
  g.depth++;
  const text = g.pick(EXPRESSIONS)(g);
  g.depth--;
  return text;
};

export const expression: Production = (g) =>
  g.chance(4) && g.canNest ? `${element(g)}, ${element(g)}` : element(g);
