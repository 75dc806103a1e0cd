/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/* oxlint-disable typescript/no-unsafe-type-assertion -- Children are reached by the names of their keys. */
/**
 * Writes classes with standard decorators, and `accessor` fields, as classes that every Node runs.
 *
 * The result is still TypeScript if the text was. What is evaluated, when, and with which contexts
 * is that of TypeScript's own output; the calls go to one object for each evaluation of a class
 * (decorate.ts). Decorators of elements are evaluated in a computed key where one follows, else in
 * a static block at the beginning of the class. Functions that are added begin with the directive
 * `"__obD"`: they get no probes. Decorators of `experimentalDecorators` are the compiler's matter.
 */

import {
  type AccessorProperty,
  type Class,
  type Decorator,
  type Expression,
  type MemberExpression,
  type MethodDefinition,
  type Node,
  type Program,
  type PropertyDefinition,
  visitorKeys,
} from "oxc-parser";
import { DECORATORS, MADE, madeName } from "./made-names.ts";
import { type CompiledText, MovedText } from "./moved-text.ts";
import { skipTrivia } from "./tokens.ts";
import { isTypeOnlyMember, NotErasable } from "./type-eraser.ts";

const DIRECTIVE = `"${MADE}";`;

/** Flags of an element, as in decorate.ts. */
const STATIC = 1;
const PRIVATE = 2;

/** What runs after an element: as in decorate.ts. */
const INSTANCE = -1;
const STATICS = -2;
const CLASS = -3;

type Member = MethodDefinition | PropertyDefinition | AccessorProperty;

/** A class that has to be rewritten, and what stands around it. */
interface FoundClass {
  readonly node: Class;
  /** With its decorators and its `export`. */
  readonly start: number;
  readonly end: number;
  readonly form: "statement" | "export" | "default" | "expression";
  /** What the engine would call a class without a name. */
  readonly inferred: string;
  readonly merged?: Merged | undefined;
}

/** What a class is to a namespace of the same name, which the compiler only adds to a class. */
interface Merged {
  /** The namespace around both that exports the class. */
  readonly exportedBy: string | undefined;
}

/**
 * Rewrites every class of a program that needs it.
 *
 * @returns Undefined when no class does.
 * @throws {NotErasable} where a decorator waits, yields, or stands at a parameter.
 */
export function lowerDecorators(text: string, program: Program): CompiledText | undefined {
  const found: FoundClass[] = [];
  collect(program, found, undefined, program);
  if (found.length === 0) return undefined;
  const merged = new Map<Node, Merged>();
  findMerged(program.body, undefined, merged);
  if (merged.size > 0) {
    found.forEach((one, at) => (found[at] = { ...one, merged: merged.get(one.node) }));
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return new Lowering(text, found).run(text.length);
}

/** @param whole [the node with the parentheses and types around it, which `parent` holds] */
function collect(node: Node, found: FoundClass[], parent: Node | undefined, whole: Node): void {
  if (node.type === "ClassDeclaration" || node.type === "ClassExpression") {
    if (needsLowering(node)) found.push(describe(node, parent, whole));
  }
  const isAround = isWrapper(node);
  for (const child of childrenOf(node)) {
    if (isAround && child === node.expression) collect(child, found, parent, whole);
    else collect(child, found, node, child);
  }
}

type Wrapper = Extract<
  Node,
  {
    type:
      | "ParenthesizedExpression"
      | "TSAsExpression"
      | "TSSatisfiesExpression"
      | "TSNonNullExpression"
      | "TSTypeAssertion"
      | "TSInstantiationExpression";
  }
>;

/** Whether a node is the same value as the expression inside of it. */
function isWrapper(node: Node): node is Wrapper {
  switch (node.type) {
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
      return true;
    default:
      return false;
  }
}

function unwrapped(node: Node): Node {
  return isWrapper(node) ? unwrapped(node.expression) : node;
}

/** Finds the classes that a namespace of the same name stands beside. */
function findMerged(
  body: Program["body"],
  around: string | undefined,
  merged: Map<Node, Merged>,
): void {
  const names = new Set<string>();
  const classes: { node: Class; isExported: boolean }[] = [];
  for (const statement of body) {
    const isExport =
      statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
    const node = isExport ? statement.declaration : statement;
    if (node?.type === "ClassDeclaration") {
      classes.push({ node, isExported: isExport });
    } else if (node?.type === "TSModuleDeclaration") {
      const own = namesOfNamespace(node.id);
      names.add(own.first);
      const inner = node.body;
      if (inner?.type === "TSModuleBlock") findMerged(inner.body, own.last, merged);
    }
  }
  for (const { node, isExported } of classes) {
    if (node.id === null || !names.has(node.id.name)) continue;
    merged.set(node, { exportedBy: isExported ? around : undefined });
  }
}

/** `A` and `C` of `namespace A.B.C`. */
function namesOfNamespace(id: Node): { first: string; last: string } {
  if (id.type !== "TSQualifiedName") return { first: nameOf(id), last: nameOf(id) };
  return { first: namesOfNamespace(id.left).first, last: id.right.name };
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(child)) {
      for (const element of child as unknown[]) if (isNode(element)) children.push(element);
    } else if (isNode(child)) children.push(child);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function needsLowering(node: Class): boolean {
  if (node.declare === true) return false;
  return (
    node.decorators.length > 0 ||
    node.body.body.some(
      (member) =>
        member.type === "AccessorProperty" ||
        ("decorators" in member && member.decorators.length > 0),
    )
  );
}

function describe(node: Class, parent: Node | undefined, whole: Node): FoundClass {
  const first = node.decorators[0]?.start ?? node.start;
  const { start, end } = node;
  const isStatement = node.type === "ClassDeclaration";
  if (isStatement && parent?.type === "ExportNamedDeclaration") {
    return { node, start: Math.min(first, parent.start), end, form: "export", inferred: "" };
  }
  if (isStatement && parent?.type === "ExportDefaultDeclaration") {
    return {
      node,
      start: Math.min(first, parent.start),
      end,
      form: "default",
      inferred: "default",
    };
  }
  const form = isStatement ? "statement" : "expression";
  return { node, start: Math.min(first, start), end, form, inferred: inferredName(whole, parent) };
}

/** The name that an assignment gives to a class without one. */
function inferredName(node: Node, parent: Node | undefined): string {
  switch (parent?.type) {
    case "VariableDeclarator":
      return parent.id.type === "Identifier" ? parent.id.name : "";
    case "AssignmentExpression":
    case "AssignmentPattern":
      return parent.right === node && parent.left.type === "Identifier" ? parent.left.name : "";
    case "Property":
    case "PropertyDefinition":
    case "AccessorProperty":
      if (parent.value !== node) return "";
      return !parent.computed || parent.key.type === "Literal" ? nameOf(parent.key) : "";
    case "ExportDefaultDeclaration":
      return "default";
    default:
      return "";
  }
}

function nameOf(key: Node): string {
  switch (key.type) {
    case "Identifier":
      return key.name;
    case "PrivateIdentifier":
      return `#${key.name}`;
    case "Literal":
      return String(key.value);
    default:
      return "";
  }
}

/** What `this` is written as in a piece; undefined where it stays. */
type ThisText = string | undefined;

/** A class that is being written. */
interface ClassPlan {
  readonly node: Class;
  /** The variable with what its decorators made. */
  readonly state: string;
  /** The class itself in static code: a decorator may have replaced it. */
  readonly self: string;
  readonly hasClassDecorators: boolean;
  readonly members: ReadonlyMap<Member, number>;
  readonly flushes: ReadonlyMap<Member, readonly Member[]>;
  readonly inBlock: readonly Member[];
}

/** `a.b` and `a?.b`; of `a?.b.c` no part can be taken out. */
function memberOf(node: Node): MemberExpression | undefined {
  if (node.type === "MemberExpression") return node;
  if (node.type !== "ChainExpression" || node.expression.type !== "MemberExpression") {
    return undefined;
  }
  return node.expression.optional ? node.expression : undefined;
}

/** An object that is looked at for a static private member: by `state.u(…)`. */
interface Wrap {
  readonly start: number;
  readonly end: number;
  readonly state: string;
}

/**
 * Finds the objects that the static private members of a class are looked for in. What a decorator
 * put in the place of the class has none of them, and is meant all the same.
 */
function findWraps(node: Class, state: string): Wrap[] {
  const names = privateNamesOf(node, true);
  if (names.size === 0) return [];
  const wraps: Wrap[] = [];
  const visit = (inner: Node, hidden: ReadonlySet<string>): void => {
    let within = hidden;
    if (inner !== node && (inner.type === "ClassDeclaration" || inner.type === "ClassExpression")) {
      within = new Set([...hidden, ...privateNamesOf(inner, false)]);
    }
    const object = privateObject(inner, (name) => names.has(name) && !within.has(name));
    if (object !== undefined) wraps.push({ start: object.start, end: object.end, state });
    for (const child of childrenOf(inner)) visit(child, within);
  };
  visit(node.body, new Set());
  return wraps;
}

function privateNamesOf({ body }: Class, onlyStatic: boolean): Set<string> {
  const names = new Set<string>();
  for (const member of body.body) {
    if (!isMember(member) || member.key.type !== "PrivateIdentifier") continue;
    if (member.static || !onlyStatic) names.add(member.key.name);
  }
  return names;
}

/** `a` of `a.#b` and of `#b in a`. */
function privateObject(node: Node, isMeant: (name: string) => boolean): Node | undefined {
  if (node.type === "MemberExpression") {
    const { object, property } = node;
    return property.type === "PrivateIdentifier" && isMeant(property.name) ? object : undefined;
  }
  if (node.type !== "BinaryExpression" || node.left.type !== "PrivateIdentifier") return undefined;
  return isMeant(node.left.name) ? node.right : undefined;
}

class Lowering {
  readonly #text: string;
  readonly #found: readonly FoundClass[];
  readonly #out: MovedText;
  readonly #privateNames: Set<string>;
  readonly #wraps: Wrap[] = [];
  #count = 0;

  constructor(text: string, found: readonly FoundClass[]) {
    this.#text = text;
    this.#found = found;
    this.#out = new MovedText(text);
    this.#privateNames = new Set(
      Array.from(text.matchAll(/#([\w$]+)/g), (match) => match[1] ?? ""),
    );
  }

  run(end: number): CompiledText {
    this.#copy(0, end);
    return this.#out.finish();
  }

  /** Copies a stretch, with the classes in it rewritten. */
  #copy(start: number, end: number, places?: readonly number[], thisText?: ThisText): void {
    let at = start;
    const take = (to: number): void => {
      for (const place of places ?? []) {
        if (thisText === undefined || place < at || place >= to) continue;
        this.#takeWrapped(at, place);
        this.#openAt(place);
        this.#out.write(thisText, place);
        at = place + "this".length;
        this.#closeAt(at);
      }
      this.#takeWrapped(at, to);
    };
    for (const found of this.#found) {
      if (found.start < at || found.end > end) continue;
      take(found.start);
      this.#class(found);
      at = found.end;
    }
    take(end);
  }

  /** Takes a stretch, with calls around the objects in it that private members are looked for in. */
  #takeWrapped(start: number, end: number): void {
    let at = start;
    const places = new Set<number>();
    for (const wrap of this.#wraps) {
      if (wrap.start >= start && wrap.start < end) places.add(wrap.start);
      if (wrap.end > start && wrap.end <= end) places.add(wrap.end);
    }
    for (const place of Array.from(places).toSorted((a, b) => a - b)) {
      this.#out.take(at, place);
      if (place > start) this.#closeAt(place);
      if (place < end) this.#openAt(place);
      at = place;
    }
    this.#out.take(at, end);
  }

  #openAt(place: number): void {
    for (const { start, state } of this.#wraps) {
      if (start === place) this.#write(`${state}.u(`, place);
    }
  }

  #closeAt(place: number): void {
    for (const { end } of this.#wraps) if (end === place) this.#write(")", place);
  }

  /** Copies an expression. @param thisText [what `this` is there] */
  #expression(node: Node, thisText?: ThisText): void {
    this.#copy(node.start, node.end, thisText === undefined ? [] : placesOfThis(node), thisText);
  }

  #write(text: string, origin: number): void {
    this.#out.write(text, origin);
  }

  // ----------------------------------------------------------------- classes

  #class({ node, start, end, form, inferred, merged }: FoundClass): void {
    const plan = this.#plan(node);
    const { state, hasClassDecorators } = plan;
    if (hasClassDecorators) this.#wraps.push(...findWraps(node, state));
    const isExpression = form === "expression";
    const name = node.id?.name ?? "";
    if (hasClassDecorators || isExpression) this.#refuseWaiting(node);
    const begin = (): void => {
      this.#write(`let ${state}=${DECORATORS}.n(${usesThis(node) ? "this" : "void 0"});`, start);
      if (!hasClassDecorators) return;
      this.#write(`${state}.e(`, start);
      this.#decorators(state, node.decorators, undefined);
      this.#write(");", start);
    };
    if (!hasClassDecorators && !isExpression) {
      begin();
      this.#copy(start, node.body.start + 1);
      this.#body(plan, undefined);
      this.#write("}", end);
      return;
    }
    const variable = name === "" ? madeName(state, inferred) : name;
    if (isExpression) this.#write("((()=>{", start);
    else {
      const kind = form === "export" ? "export " : "";
      // The binding of a class may be assigned; one of a variable has no namespace beside it.
      const binding = merged === undefined ? `let ${variable}` : `class ${name}{};${name}`;
      this.#write(`${kind}${binding}=(()=>{`, start);
    }
    this.#write(DIRECTIVE, start);
    begin();
    const isVariable = hasClassDecorators || name === "";
    this.#write(isVariable ? `var ${variable}=class` : `return class ${name}`, node.start);
    this.#copy(this.#behindName(node), node.body.start + 1);
    const given = name === "" && !hasStaticName(node) ? inferred : undefined;
    this.#body(plan, given, variable);
    this.#write("}", end);
    if (hasClassDecorators) this.#write(`;return ${variable}=${state}.t`, end);
    else if (isVariable) this.#write(`;return ${variable}`, end);
    this.#write(isExpression ? ";})())" : ";})();", end);
    const around = merged?.exportedBy;
    if (around !== undefined) this.#write(`${around}.${name}=${name};`, end);
    if (form === "default") this.#write(`export{${variable} as default};`, end);
  }

  /** Where the text of a class goes on behind `class` and its name. */
  #behindName(node: Class): number {
    return node.id === null ? this.#classKeyword(node) + "class".length : node.id.end;
  }

  /** Where `class` stands. */
  #classKeyword(node: Class): number {
    const last = node.decorators.findLast(({ start }) => start >= node.start);
    const at = skipTrivia(this.#text, last?.end ?? node.start);
    if (!this.#text.startsWith("abstract", at)) return at;
    return skipTrivia(this.#text, at + "abstract".length);
  }

  /** Decides which elements get a number, and where their decorators are evaluated. */
  #plan(node: Class): ClassPlan {
    const state = `${MADE}${this.#count++}`;
    const hasClassDecorators = node.decorators.length > 0;
    const members = new Map<Member, number>();
    const flushes = new Map<Member, Member[]>();
    let pending: Member[] = [];
    for (const member of node.body.body) {
      if (!isMember(member) || isTypeOnlyMember(member)) continue;
      if (isMethod(member)) refuseParameters(member);
      const isDecorated = member.decorators.length > 0;
      if (isDecorated || isAccessor(member)) members.set(member, members.size);
      if (isDecorated) pending.push(member);
      if (member.computed && pending.length > 0) {
        flushes.set(member, pending);
        pending = [];
      }
    }
    const self = hasClassDecorators ? `${state}.t` : "this";
    return { node, state, self, hasClassDecorators, members, flushes, inBlock: pending };
  }

  /** `await` and `yield` cannot stand in the function that is put around a class. */
  #refuseWaiting(node: Class): void {
    const parts: (Node | null)[] = [node.superClass, ...node.decorators];
    for (const member of node.body.body) {
      if (isMember(member)) parts.push(member.computed ? member.key : null, ...member.decorators);
    }
    if (parts.some((part) => part !== null && waits(part))) {
      throw new NotErasable("await or yield beside a decorator");
    }
  }

  #decorators(state: string, decorators: readonly Decorator[], thisText: ThisText): void {
    const origin = decorators[0]?.start ?? 0;
    this.#write("[", origin);
    decorators.forEach(({ expression }, index) => {
      if (index > 0) this.#write(",", expression.start);
      const inner = memberOf(unwrapped(expression));
      if (inner === undefined || inner.object.type === "Super") {
        this.#expression(expression, thisText);
        return;
      }
      // `@a.b` calls `b` with `a` as `this`.
      const { object } = inner;
      this.#write(`${state}.m(${state}.w(`, object.start);
      this.#expression(object, thisText);
      this.#write(")", object.end);
      const places = thisText === undefined ? [] : placesOfThis(inner);
      this.#copy(object.end, inner.end, places, thisText);
      this.#write(")", inner.end);
    });
    this.#write("]", decorators[decorators.length - 1]?.end ?? origin);
  }

  /** Keeps the decorators of elements, where they are evaluated. */
  #keep(state: string, members: readonly Member[], plan: ClassPlan, thisText: ThisText): void {
    for (const member of members) {
      this.#write(`${state}.d(${plan.members.get(member)},`, member.start);
      this.#decorators(state, member.decorators, thisText);
      this.#write(thisText === undefined ? ")," : ");", member.start);
    }
  }

  #body(plan: ClassPlan, name: string | undefined, variable = ""): void {
    const { node, state, self } = plan;
    const { body } = node.body;
    const open = node.body.start + 1;
    const given = name === undefined ? "" : `,${JSON.stringify(name)}`;
    this.#write(`static{${state}.b(this${given});`, open);
    this.#keep(state, plan.inBlock, plan, `${state}.o`);
    const decorated = [...plan.members.keys()].filter(({ decorators }) => decorators.length > 0);
    if (decorated.length > 0) this.#apply(plan);
    if (plan.hasClassDecorators) {
      this.#write(`${variable}=${state}.c();`, this.#classKeyword(node));
    }
    const methods = decorated.filter(isMethod);
    if (methods.some((member) => member.static))
      this.#write(`${state}.r(${self},${STATICS});`, open);
    this.#write("}", open);
    const carry: number[] = methods.some((member) => !member.static) ? [INSTANCE] : [];
    let at = open;
    for (const member of body) {
      this.#out.take(at, member.start);
      at = member.end;
      if (isTypeOnlyMember(member)) {
        this.#write(";", member.start);
      } else if (!isMember(member)) {
        const isBlock = member.type === "StaticBlock" && plan.hasClassDecorators;
        this.#expression(member, isBlock ? self : undefined);
      } else if (plan.members.has(member)) {
        this.#write(";", member.start);
        this.#member(member, plan, carry);
      } else {
        this.#plainMember(member, plan, carry);
      }
    }
    this.#write(";", at);
    this.#flush(plan, carry, at);
    if (plan.hasClassDecorators) {
      this.#write(`static{${state}.r(${state}.t,${CLASS});}`, at);
    }
    this.#out.take(at, node.body.end - 1);
  }

  /** Runs what is due before the next field of an instance. */
  #flush({ state }: ClassPlan, carry: number[], origin: number): void {
    if (carry.length === 0) return;
    this.#write(`#${MADE}${this.#count++}=${state}.r(this,${carry.splice(0).join()});`, origin);
  }

  // ---------------------------------------------------------------- elements

  /** An element without decorators. */
  #plainMember(member: Member, plan: ClassPlan, carry: number[]): void {
    const isPlainField = isField(member);
    if (isPlainField && !member.static && carry.length > 0) {
      this.#write(";", member.start);
      this.#flush(plan, carry, member.start);
    }
    const from = this.#key(member, plan, member.start);
    const replaces =
      isPlainField && member.static && plan.hasClassDecorators && member.value !== null;
    if (!replaces || member.value === null) {
      this.#copy(from, member.end);
      return;
    }
    this.#copy(from, member.value.start);
    this.#expression(member.value, plan.self);
    this.#out.take(member.value.end, member.end);
  }

  /** Copies up to a computed key, with what is evaluated there. @returns where the copy goes on */
  #key(member: Member, plan: ClassPlan, start: number): number {
    const { key } = member;
    const flushed = plan.flushes.get(member);
    const index = plan.members.get(member);
    if (!member.computed || (flushed === undefined && index === undefined)) return start;
    this.#copy(start, key.start);
    this.#write("(", key.start);
    this.#keep(plan.state, flushed ?? [], plan, undefined);
    if (index !== undefined) this.#write(`${plan.state}.k(${index},`, key.start);
    this.#expression(key);
    this.#write(index === undefined ? ")" : "))", key.end);
    return key.end;
  }

  /** An element with decorators, or an accessor. */
  #member(member: Member, plan: ClassPlan, carry: number[]): void {
    const start = this.#behindDecorators(member);
    if (isAccessor(member)) {
      this.#accessor(member, plan, carry);
    } else if (isField(member)) {
      this.#prefix(member);
      const keyEnd = this.#fieldKey(member, plan);
      this.#write("=", keyEnd);
      this.#initializer(member, plan, carry);
      this.#write(";", member.end);
    } else if (isMethod(member) && member.key.type === "PrivateIdentifier") {
      this.#prefix(member);
      this.#write(privateStandIn(member, plan), member.start);
    } else {
      this.#copy(this.#key(member, plan, start), member.end);
    }
  }

  #behindDecorators({ decorators, start }: Member): number {
    const last = decorators[decorators.length - 1];
    return last === undefined ? start : skipTrivia(this.#text, last.end);
  }

  #prefix(member: Member): void {
    if (member.static) this.#write("static ", member.start);
  }

  /** Writes the key of a field. @returns where it ends */
  #fieldKey(member: Member, plan: ClassPlan): number {
    const { key, computed } = member;
    if (!computed) {
      this.#expression(key);
      return key.end;
    }
    this.#write("[", key.start);
    this.#key(member, plan, key.start);
    this.#write("]", key.end);
    return key.end;
  }

  /** The value that a field begins with. */
  #initializer(
    member: PropertyDefinition | AccessorProperty,
    plan: ClassPlan,
    carry: number[],
  ): void {
    const { state } = plan;
    const index = plan.members.get(member) ?? 0;
    const isDecorated = member.decorators.length > 0;
    const self = member.static ? plan.self : "this";
    this.#write("(", member.key.end);
    if (!member.static && carry.length > 0) {
      this.#write(`${state}.r(this,${carry.splice(0).join()}),`, member.key.end);
    }
    if (isDecorated) this.#write(`${state}.i(${self},${index},`, member.key.end);
    this.#value(member, member.static && plan.hasClassDecorators ? self : undefined);
    this.#write(isDecorated ? "))" : ")", member.end);
    if (!isDecorated) return;
    if (member.static && isField(member)) {
      this.#write(`;static{${state}.r(${self},${index});}`, member.end);
    } else if (!member.static) carry.push(index);
  }

  #value(member: PropertyDefinition | AccessorProperty, thisText: ThisText): void {
    const { value } = member;
    if (value === null) {
      this.#write("void 0", member.key.end);
      return;
    }
    const name =
      member.computed || !isNameless(value) ? undefined : JSON.stringify(nameOf(member.key));
    // A function without a name is called like its field.
    if (name !== undefined) this.#write(`{${name}:`, value.start);
    this.#expression(value, thisText);
    if (name !== undefined) this.#write(`}[${name}]`, value.end);
  }

  #accessor(member: AccessorProperty, plan: ClassPlan, carry: number[]): void {
    const { state, self } = plan;
    const index = plan.members.get(member) ?? 0;
    const origin = member.start;
    const prefix = member.static ? "static " : "";
    const isPrivate = member.key.type === "PrivateIdentifier";
    const storage = member.static ? `${state}.x[${index}]` : `this.${this.#storageOf(member)}`;
    if (member.static) {
      this.#write(`static{${storage}=`, origin);
      this.#initializer(member, plan, carry);
      this.#write(member.decorators.length > 0 ? `;${state}.r(${self},${index});}` : ";}", origin);
    } else {
      this.#write(`${this.#storageOf(member)}=`, origin);
      this.#initializer(member, plan, carry);
      this.#write(";", origin);
    }
    const [get, set] =
      isPrivate && member.decorators.length > 0
        ? [`return ${state}.g(${index},this)`, `${state}.s(${index},this,v)`]
        : [`return ${storage}`, `${storage}=v`];
    this.#write(`${prefix}get `, origin);
    this.#fieldKey(member, plan);
    this.#write(`(){${DIRECTIVE}${get}}${prefix}set `, member.key.start);
    if (member.computed) this.#write(`[${state}.k(${index})]`, member.key.start);
    else this.#out.take(member.key.start, member.key.end);
    this.#write(`(v){${DIRECTIVE}${set}}`, member.key.start);
  }

  readonly #storages = new Map<AccessorProperty, string>();

  /** A private name for the value of an accessor: its own, if nothing else is called so. */
  #storageOf(member: AccessorProperty): string {
    let name = this.#storages.get(member);
    if (name !== undefined) return name;
    const wanted = member.computed ? "" : nameOf(member.key).replace(/^#/, "");
    const isFree = /^[A-Za-z_$][\w$]*$/.test(wanted) && !this.#privateNames.has(wanted);
    name = isFree && wanted !== "constructor" ? `#${wanted}` : `#${MADE}${this.#count++}`;
    this.#storages.set(member, name);
    return name;
  }

  // ------------------------------------------------------------------- notes

  /** Applies the decorators of elements: methods before fields, static ones first. */
  #apply(plan: ClassPlan): void {
    const decorated = [...plan.members].filter(([{ decorators }]) => decorators.length > 0);
    for (const ofFields of [false, true]) {
      for (const isStatic of [true, false]) {
        for (const [member, index] of decorated) {
          if (isField(member) === ofFields && member.static === isStatic) {
            this.#applyTo(member, index, plan);
          }
        }
      }
    }
    if (!plan.hasClassDecorators) this.#write(`${plan.state}.z();`, plan.node.body.start + 1);
  }

  #applyTo(member: Member, index: number, plan: ClassPlan): void {
    const { state } = plan;
    const isPrivate = member.key.type === "PrivateIdentifier";
    const flags = (member.static ? STATIC : 0) + (isPrivate ? PRIVATE : 0);
    const name = member.computed ? `${state}.k(${index})` : JSON.stringify(nameOf(member.key));
    const place = member.key.start;
    this.#write(`${state}.a([${index},"${kindOf(member)}",${name},${flags}`, place);
    if (isPrivate) this.#privateNote(member, plan);
    this.#write("]);", place);
  }

  #privateNote(member: Member, plan: ClassPlan): void {
    const kind = kindOf(member);
    const name = nameOf(member.key);
    const parts = [`has:o=>{${DIRECTIVE}return ${name} in o}`];
    if (kind !== "setter") parts.push(`get:o=>{${DIRECTIVE}return o.${name}}`);
    if (kind === "setter" || kind === "field" || kind === "accessor") {
      parts.push(`set:(o,v)=>{${DIRECTIVE}o.${name}=v}`);
    }
    this.#write(`,{${parts.join()}}`, member.key.start);
    if (isField(member)) return;
    const { state } = plan;
    const label = JSON.stringify(name);
    this.#write(`,${DECORATORS}.p({__proto__:${state}.h(${member.static}),`, member.start);
    if (isAccessor(member)) {
      const index = plan.members.get(member) ?? 0;
      const storage = member.static ? `${state}.x[${index}]` : `this.${this.#storageOf(member)}`;
      this.#write(`get ${label}(){${DIRECTIVE}return ${storage}},`, member.start);
      this.#write(`set ${label}(v){${DIRECTIVE}${storage}=v}`, member.start);
    } else if (isMethod(member)) {
      const { value } = member;
      const kindText = member.kind === "method" ? "" : `${member.kind} `;
      const modifiers = `${value.async ? "async " : ""}${value.generator ? "*" : ""}`;
      this.#write(`${kindText}${modifiers}${label}`, member.key.start);
      this.#copy(member.key.end, member.end);
    }
    this.#write(`},${label})`, member.end);
  }
}

/** What stands in the class in the place of a private method, getter or setter. */
function privateStandIn(member: MethodDefinition, { state, members }: ClassPlan): string {
  const index = members.get(member) ?? 0;
  const name = nameOf(member.key);
  switch (member.kind) {
    case "get":
      return `get ${name}(){${DIRECTIVE}return ${state}.g(${index},this)}`;
    case "set":
      return `set ${name}(v){${DIRECTIVE}${state}.s(${index},this,v)}`;
    default:
      return `get ${name}(){${DIRECTIVE}return ${state}.v(${index})}`;
  }
}

function isMethod(member: Node): member is MethodDefinition {
  return member.type === "MethodDefinition";
}

function isField(member: Node): member is PropertyDefinition {
  return member.type === "PropertyDefinition";
}

function isAccessor(member: Node): member is AccessorProperty {
  return member.type === "AccessorProperty";
}

function isMember(member: Node): member is Member {
  return isMethod(member) || isField(member) || isAccessor(member);
}

function kindOf(member: Member): string {
  if (isField(member)) return "field";
  if (isAccessor(member)) return "accessor";
  if (!isMethod(member) || member.kind === "method") return "method";
  return member.kind === "get" ? "getter" : "setter";
}

/** Standard decorators cannot stand at parameters. */
function refuseParameters({ value }: MethodDefinition): void {
  for (const parameter of value.params) {
    if ("decorators" in parameter && (parameter.decorators?.length ?? 0) > 0) {
      throw new NotErasable("decorator of a parameter without experimentalDecorators");
    }
  }
}

/** Whether a class has a name of its own from its beginning on, as fields do not make one. */
function hasStaticName({ body }: Class): boolean {
  return body.body.some(
    (member) =>
      (isMethod(member) || isAccessor(member)) &&
      member.static &&
      !member.computed &&
      nameOf(member.key) === "name",
  );
}

function isNameless(value: Expression): boolean {
  const inner = unwrapped(value);
  switch (inner.type) {
    case "ArrowFunctionExpression":
      return true;
    case "FunctionExpression":
    case "ClassExpression":
      return inner.id === null;
    default:
      return false;
  }
}

/** Whether the decorators of elements of a class say `this`. */
function usesThis({ body }: Class): boolean {
  return body.body.some(
    (member) =>
      isMember(member) && member.decorators.some((decorator) => placesOfThis(decorator).length > 0),
  );
}

/** Where `this` stands in a piece of a class, and means what it means around it. */
function placesOfThis(node: Node): number[] {
  const places: number[] = [];
  const visit = (inner: Node): void => {
    switch (inner.type) {
      case "ThisExpression":
        places.push(inner.start);
        return;
      case "FunctionExpression":
      case "FunctionDeclaration":
      case "PropertyDefinition":
      case "AccessorProperty":
        return;
      case "StaticBlock":
        if (inner !== node) return;
        break;
    }
    childrenOf(inner).forEach(visit);
  };
  visit(node);
  return places.toSorted((a, b) => a - b);
}

/** Whether an `await` or `yield` of the function around stands in a piece. */
function waits(node: Node): boolean {
  switch (node.type) {
    case "AwaitExpression":
    case "YieldExpression":
      return true;
    case "FunctionExpression":
    case "FunctionDeclaration":
    case "ArrowFunctionExpression":
      return false;
    default:
      return childrenOf(node).some(waits);
  }
}
