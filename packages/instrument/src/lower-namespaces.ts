/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/* oxlint-disable typescript/no-unsafe-type-assertion -- Children are reached by the names of their keys. */
/**
 * Writes namespaces of TypeScript as the functions that TypeScript makes of them.
 *
 * An exported variable of a namespace is a property of its object and nothing else: every reference
 * becomes `N.x`. Other exports keep their own variable in the block that declares them, and are
 * properties in every other block of the same namespace. Nothing moves: the text of a namespace
 * stays where it is, and the result is TypeScript still, without namespaces.
 */

import {
  type ArrowFunctionExpression,
  type Function,
  type Node,
  type Program,
  type Statement,
  type TSEnumDeclaration,
  type TSGlobalDeclaration,
  type TSImportEqualsDeclaration,
  type TSModuleDeclaration,
  type VariableDeclaration,
  visitorKeys,
} from "oxc-parser";
import { type CompiledText, MovedText } from "./moved-text.ts";
import { collectHoisted, forEachName } from "./scopes.ts";
import { skipTrivia, skipWord } from "./tokens.ts";
import { isTypeOnlyStatement, NotErasable } from "./type-eraser.ts";
import { isTypeSyntax } from "./unused-imports.ts";

/** A text without namespaces. */
export interface LoweredNamespaces extends CompiledText {
  /** Names that no text of the program has: `N_1` for an `N` that is declared again in itself. */
  readonly made: ReadonlySet<string>;
}

/**
 * Rewrites every namespace of a program.
 *
 * @returns Undefined when there is none.
 * @throws {NotErasable} where a namespace holds what TypeScript refuses there.
 */
export function lowerNamespaces(text: string, program: Program): LoweredNamespaces | undefined {
  const statements = program.body.map(unwrap);
  if (!statements.some((node) => node.type === "TSModuleDeclaration" && isInstantiated(node))) {
    return undefined;
  }
  return new Lowering(text, program).run();
}

type FunctionNode = Function | ArrowFunctionExpression;
type NamespaceNode = TSModuleDeclaration | TSGlobalDeclaration;

/** What the blocks of one name in one scope are together. */
interface Namespace {
  /** Names of values that any of its blocks exports. */
  readonly exports: Set<string>;
  readonly inner: Map<string, Namespace>;
  /** Members of enums that are exported, which several blocks may add to. */
  readonly enums: Map<string, { count: number; readonly members: Map<string, Node> }>;
  /** Exported constants that are strings: enums have to know that they are. */
  readonly strings: Map<string, Node>;
  /** Whether some of it stands in another file. */
  isAmbient: boolean;
}

/** One block of a namespace; `A.B` has two. */
interface Block {
  readonly namespace: Namespace;
  /** Namespaces that this block does not export. */
  readonly locals: Map<string, Namespace>;
  /** Variables that this block exports: they are properties in it as well. */
  readonly variables: Set<string>;
  /** What the object is called in it. */
  parameter: string;
}

/** A stretch of text with names of its own. */
interface Scope {
  readonly parent: Scope | undefined;
  readonly names: ReadonlySet<string>;
  readonly block: Block | undefined;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The place that the text is shown as. */
  readonly origin: number;
}

/** What a reference becomes: a property of the object of a block, or a string. */
interface Target {
  readonly block: Block;
  readonly string: Node | undefined;
}

class Lowering {
  readonly #text: string;
  readonly #program: Program;
  readonly #edits: Edit[] = [];
  readonly #top = new Map<string, Namespace>();
  readonly #blocks = new Map<NamespaceNode, Block[]>();
  /** Names of values that stand anywhere: an alias that is none of them only names types. */
  readonly #used = new Set<string>();
  readonly #made = new Set<string>();

  constructor(text: string, program: Program) {
    this.#text = text;
    this.#program = program;
  }

  run(): LoweredNamespaces {
    const { body } = this.#program;
    for (const statement of body) this.#find(statement, this.#top, undefined, false);
    this.#collectUsed(this.#program);
    const names = new Set(collectHoisted(body).variables);
    declareLexical(body, names);
    const scope: Scope = { parent: undefined, names, block: undefined };
    const emitted = new Set<string>();
    for (const statement of body) {
      this.#statement(statement, scope, emitted, body);
    }
    return { ...this.#apply(), made: this.#made };
  }

  #apply(): CompiledText {
    const moved = new MovedText(this.#text);
    // Those at one place stand in the order in which they were made.
    this.#edits.sort((a, b) => a.start - b.start || a.end - b.end);
    let at = 0;
    for (const { start, end, text, origin } of this.#edits) {
      moved.take(at, start);
      moved.write(text, origin);
      at = Math.max(at, end);
    }
    moved.take(at, this.#text.length);
    return moved.finish();
  }

  #replace(start: number, end: number, text: string, origin = start): void {
    if (end > start || text !== "") this.#edits.push({ start, end, text, origin });
  }

  // ------------------------------------------------------------ what there is

  /** Finds the namespaces of a statement and what they export. */
  #find(
    statement: Statement,
    known: Map<string, Namespace>,
    around: Block | undefined,
    isAmbient: boolean,
  ): void {
    const node = unwrap(statement);
    const isExport = node !== statement || isAmbient;
    if (around !== undefined && isExport) this.#export(node, around);
    if (node.type !== "TSModuleDeclaration" || node.kind === "global") return;
    if (node.id.type === "Literal") return;
    const ambient = isAmbient || node.declare;
    const blocks: Block[] = [];
    let place = around === undefined || isExport ? known : around.locals;
    for (const name of namesOf(node)) {
      let namespace = place.get(name);
      if (namespace === undefined) {
        namespace = newNamespace();
        place.set(name, namespace);
      }
      const previous = blocks[blocks.length - 1];
      if (previous !== undefined && isInstantiated(node)) {
        previous.namespace.exports.add(name);
      }
      if (ambient) namespace.isAmbient = true;
      blocks.push({ namespace, locals: new Map(), variables: new Set(), parameter: name });
      place = namespace.inner;
    }
    this.#blocks.set(node, blocks);
    const own = blocks[blocks.length - 1];
    if (own === undefined) return;
    for (const inner of bodyOf(node)) this.#find(inner, own.namespace.inner, own, ambient);
  }

  #export(node: Statement, { namespace, variables }: Block): void {
    const { exports, enums, strings } = namespace;
    const addVariable = (name: string): void => {
      exports.add(name);
      variables.add(name);
    };
    switch (node.type) {
      case "VariableDeclaration":
        for (const { id, init } of node.declarations) {
          forEachName(id, addVariable);
          if (node.kind === "const" && id.type === "Identifier" && isString(init)) {
            strings.set(id.name, init);
          }
        }
        break;
      case "TSImportEqualsDeclaration":
        if (node.importKind !== "type") addVariable(node.id.name);
        break;
      case "TSEnumDeclaration": {
        const known = enums.get(node.id.name) ?? { count: 0, members: new Map<string, Node>() };
        for (const { id } of node.body.members) known.members.set(memberName(id), node);
        enums.set(node.id.name, { ...known, count: node.declare ? known.count : known.count + 1 });
        exports.add(node.id.name);
        break;
      }
      case "TSModuleDeclaration":
        if (isInstantiated(node)) for (const name of namesOf(node).slice(0, 1)) exports.add(name);
        break;
      default: {
        const name = declaredName(node);
        if (name !== undefined) exports.add(name);
      }
    }
  }

  /** Gives another name to an object whose own is declared again inside of the namespace. */
  #nameParameters(node: NamespaceNode, blocks: readonly Block[]): void {
    const declared = new Set<string>();
    collectDeclared(node.body ?? node, declared);
    const names = namesOf(node);
    blocks.forEach((block, at) => {
      const name = block.parameter;
      const isHidden = declared.has(name) || names.includes(name, at + 1);
      if (isHidden) block.parameter = this.#freshName(name);
    });
  }

  /** As TypeScript calls it: error messages and stacks may show it. */
  #freshName(name: string): string {
    for (let count = 1; ; count++) {
      const fresh = `${name}_${count}`;
      if (this.#made.has(fresh) || this.#text.includes(fresh)) continue;
      this.#made.add(fresh);
      return fresh;
    }
  }

  #collectUsed(node: Node): void {
    if (node.type === "Identifier" || node.type === "JSXIdentifier") this.#used.add(node.name);
    if (isTypeSyntax(node.type) && node.type !== "TSQualifiedName") return;
    for (const [key, child] of childrenOf(node)) {
      if (node.type === "TSImportEqualsDeclaration" && key === "id") continue;
      this.#collectUsed(child);
    }
  }

  /** What a name means: a property of a namespace, or undefined where it stays as it is. */
  #resolve(name: string, from: Scope): Target | undefined {
    for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.parent) {
      const { block } = scope;
      const isOwn = scope.names.has(name);
      const isProperty = isOwn
        ? block?.variables.has(name) === true
        : block?.namespace.exports.has(name) === true;
      if (block !== undefined && isProperty) {
        return { block, string: block.namespace.strings.get(name) };
      }
      if (isOwn) return undefined;
    }
    return undefined;
  }

  // --------------------------------------------------------------- namespaces

  /** @param siblings [the statements of the same block] */
  #statement(
    statement: Statement,
    scope: Scope,
    emitted: Set<string>,
    siblings: readonly Statement[],
  ): void {
    const node = unwrap(statement);
    if (node.type === "TSModuleDeclaration") {
      this.#namespace(statement, node, scope, emitted, siblings);
      return;
    }
    const name = declaredName(node);
    const { block } = scope;
    if (block === undefined) {
      this.#walk(statement, scope);
    } else if (node !== statement) {
      this.#exported(statement, node, scope, block, emitted);
    } else if (node.type === "TSImportEqualsDeclaration") {
      this.#alias(node, node, scope, undefined);
    } else if (isModuleSyntax(node)) {
      throw new NotErasable("import or export in a namespace");
    } else if (!isTypeOnly(node)) {
      this.#walk(node, scope);
    }
    if (name !== undefined) emitted.add(name);
  }

  #namespace(
    statement: Statement,
    node: NamespaceNode,
    scope: Scope,
    emitted: Set<string>,
    siblings: readonly Statement[],
  ): void {
    const blocks = this.#blocks.get(node);
    if (blocks === undefined || node.declare || !isInstantiated(node) || node.body === null) {
      // At the top they are types that blanks erase.
      if (scope.block !== undefined) this.#replace(statement.start, statement.end, ";");
      return;
    }
    this.#nameParameters(node, blocks);
    const names = namesOf(node);
    const isExport = statement !== node;
    const { start, end } = node.body;
    const tails: string[] = [];
    let container = scope;
    let around = isExport ? scope.block : undefined;
    names.forEach((name, at) => {
      const block = blocks[at];
      if (block === undefined) return;
      const { parameter } = block;
      const isFirst = at === 0;
      const known = isFirst ? emitted.has(name) : false;
      let declaration = `var ${name};`;
      if (known) declaration = ";";
      else if (isFirst) declaration = this.#declaration(name, scope, isExport, siblings);
      if (isFirst) emitted.add(name);
      // The function of a block is shown as the whole of it: it begins where a run does.
      this.#replace(
        isFirst ? statement.start : start + 1,
        start + 1,
        `${declaration}(`,
        statement.start,
      );
      this.#replace(start + 1, start + 1, `function(${parameter}){`, statement.start);
      const own = around === undefined ? name : `${around.parameter}.${name}`;
      const value = `${own}||(${own}={})`;
      tails.unshift(`(${around === undefined ? value : `${name}=${value}`});`);
      const isLast = at === names.length - 1;
      const next = names[at + 1];
      const inner = isLast ? scopeNames(bodyOf(node)) : new Set(next === undefined ? [] : [next]);
      container = { parent: container, names: inner, block };
      around = block;
    });
    const body = bodyOf(node);
    const inside = new Set<string>();
    for (const inner of body) this.#statement(inner, container, inside, body);
    tails.forEach((tail, at) => {
      this.#replace(end, end, at === 0 ? ")" : "})");
      this.#replace(end, end, tail, statement.start);
    });
  }

  /** Declares the variable of a namespace, unless something of the same name has done so. */
  #declaration(
    name: string,
    { block }: Scope,
    isExport: boolean,
    siblings: readonly Statement[],
  ): string {
    const modifier = isExport && block === undefined ? "export " : "";
    const later = siblings.map(unwrap).find((other) => declaredName(other) === name);
    if (later?.type === "TSEnumDeclaration") {
      return `${modifier}${later.const ? "const " : ""}enum ${name}{};`;
    }
    if (later !== undefined) return ";";
    return `${modifier}${block === undefined ? "var" : "let"} ${name};`;
  }

  /** What a namespace exports. */
  #exported(
    statement: Statement,
    node: Statement,
    scope: Scope,
    block: Block,
    emitted: ReadonlySet<string>,
  ): void {
    if (node.type === "TSImportEqualsDeclaration") {
      this.#alias(statement, node, scope, block);
      return;
    }
    if (isTypeOnly(node)) {
      this.#replace(statement.start, statement.end, ";");
      return;
    }
    if (node.type === "VariableDeclaration") {
      this.#variables(statement, node, scope, block);
      return;
    }
    const name = declaredName(node);
    if (name === undefined) throw new NotErasable("export in a namespace");
    const keyword = this.#exportKeyword(statement, node);
    const behind = skipTrivia(this.#text, keyword + "export".length);
    const isReopened =
      node.type === "TSEnumDeclaration" && (block.namespace.enums.get(name)?.count ?? 0) > 1;
    const value = `${block.parameter}.${name}`;
    if (isReopened && node.type === "TSEnumDeclaration") {
      const first = emitted.has(name) ? "" : `${node.const ? "const " : ""}enum ${name}{};`;
      this.#replace(keyword, behind, `;${first}${name}=${value}||(${value}={});`);
    } else {
      this.#replace(keyword, behind, "");
    }
    this.#walk(node, scope);
    this.#replace(node.end, node.end, `;${value}=${name};`);
  }

  /** Where `export` stands: decorators may come before it. */
  #exportKeyword(statement: Statement, node: Statement): number {
    let at = statement.start;
    const decorators = node.type === "ClassDeclaration" ? node.decorators : [];
    for (const { start, end } of decorators) {
      if (skipTrivia(this.#text, at) === start) at = skipTrivia(this.#text, end);
    }
    return at;
  }

  #variables(
    statement: Statement,
    node: VariableDeclaration,
    scope: Scope,
    { parameter }: Block,
  ): void {
    let at = statement.start;
    let isFirst = true;
    for (const { id, init } of node.declarations) {
      if (init === null) continue;
      this.#replace(at, id.start, isFirst ? ";" : ",");
      isFirst = false;
      const isObject = id.type === "ObjectPattern";
      if (id.type === "Identifier") {
        const end = skipWord(this.#text, id.start);
        this.#replace(id.start, id.start, `${parameter}.`);
        this.#replace(end, id.end, "");
      } else {
        if (isObject) this.#replace(id.start, id.start, "(");
        this.#walk(id, scope);
        const type = "typeAnnotation" in id ? id.typeAnnotation : undefined;
        if (type !== undefined && type !== null) this.#replace(type.start, type.end, "");
      }
      this.#walk(init, scope);
      at = init.end;
      if (isObject) this.#replace(at, at, ")");
    }
    const last = node.declarations[node.declarations.length - 1];
    if (isFirst) this.#replace(statement.start, statement.end, ";");
    else if (last !== undefined) this.#replace(at, Math.max(at, last.end), "");
  }

  /** `import A = B.C` in a namespace. */
  #alias(
    statement: Statement,
    node: TSImportEqualsDeclaration,
    scope: Scope,
    exportedBy: Block | undefined,
  ): void {
    const { moduleReference: reference, id } = node;
    if (reference.type === "TSExternalModuleReference") {
      throw new NotErasable("import of a module in a namespace");
    }
    const isUsed = exportedBy !== undefined || this.#used.has(id.name);
    if (node.importKind === "type" || !isUsed || this.#namesType(reference, scope)) {
      this.#replace(statement.start, statement.end, ";");
      return;
    }
    const target = exportedBy === undefined ? "var " : `;${exportedBy.parameter}.`;
    this.#replace(statement.start, id.start, target);
    this.#walk(reference, scope);
  }

  /** Whether the name of an alias is known to be one of types only. */
  #namesType(reference: Node, scope: Scope): boolean {
    const path: string[] = [];
    let node = reference;
    for (; node.type === "TSQualifiedName"; node = node.left) path.unshift(node.right.name);
    if (node.type !== "Identifier") return false;
    let namespace = this.#namespaceOf(node.name, scope);
    if (path.length === 0) return namespace?.isValue === false;
    for (const [at, name] of path.entries()) {
      if (namespace === undefined) return false;
      const { found } = namespace;
      if (found.isAmbient) return false;
      const inner = found.inner.get(name);
      const isValue = found.exports.has(name);
      if (at === path.length - 1) return !isValue;
      namespace = inner === undefined ? undefined : { found: inner, isValue };
    }
    return false;
  }

  #namespaceOf(name: string, from: Scope): { found: Namespace; isValue: boolean } | undefined {
    for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.parent) {
      const { block, names } = scope;
      const isValue = names.has(name) || block?.namespace.exports.has(name) === true;
      const known = block === undefined ? this.#top : block.namespace.inner;
      const found = block?.locals.get(name) ?? known.get(name);
      if (found !== undefined) return { found, isValue };
      if (isValue) return undefined;
    }
    return undefined;
  }

  // --------------------------------------------------------------- references

  #walk(node: Node, scope: Scope): void {
    switch (node.type) {
      case "Identifier":
        this.#reference(node.name, node.start, scope);
        this.#walkChildren(node, scope);
        return;
      case "JSXIdentifier":
        return;
      case "JSXOpeningElement":
      case "JSXClosingElement":
        this.#elementName(node.name, scope);
        if (node.type === "JSXOpeningElement") {
          for (const attribute of node.attributes) this.#walk(attribute, scope);
        }
        return;
      case "MemberExpression":
        this.#walk(node.object, scope);
        if (node.computed) this.#walk(node.property, scope);
        return;
      case "TSQualifiedName":
        this.#walk(node.left, scope);
        return;
      case "MetaProperty":
      case "BreakStatement":
      case "ContinueStatement":
      case "ImportDeclaration":
      case "ExportAllDeclaration":
        return;
      case "LabeledStatement":
        this.#walk(node.body, scope);
        return;
      case "ExportNamedDeclaration":
        if (node.declaration !== null) this.#walk(node.declaration, scope);
        return;
      case "Property":
        if (node.shorthand) this.#shorthand(node.value, scope);
        else this.#keyed(node, node.value, scope);
        return;
      case "MethodDefinition":
      case "PropertyDefinition":
      case "AccessorProperty":
        for (const decorator of node.decorators) this.#walk(decorator, scope);
        this.#keyed(node, node.value, scope);
        return;
      case "StaticBlock":
        this.#body(node.body, scope);
        return;
      case "BlockStatement":
        this.#lexical(node.body, scope);
        return;
      case "SwitchStatement":
        this.#walk(node.discriminant, scope);
        this.#switch(node.cases, scope);
        return;
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement": {
        const names = new Set<string>();
        const head = node.type === "ForStatement" ? node.init : node.left;
        if (head?.type === "VariableDeclaration") declareLexical([head], names);
        this.#walkChildren(node, { parent: scope, names, block: undefined });
        return;
      }
      case "CatchClause": {
        const names = new Set<string>();
        if (node.param !== null) forEachName(node.param, (name) => names.add(name));
        this.#walkChildren(node, { parent: scope, names, block: undefined });
        return;
      }
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        this.#function(node, scope);
        return;
      case "ClassDeclaration":
      case "ClassExpression": {
        // Decorators do not see the name that only the class has.
        for (const decorator of node.decorators) this.#walk(decorator, scope);
        const names = new Set(node.id === null ? [] : [node.id.name]);
        const inner: Scope = { parent: scope, names, block: undefined };
        if (node.superClass !== null) this.#walk(node.superClass, inner);
        this.#walk(node.body, inner);
        return;
      }
      case "TSEnumDeclaration":
        if (!node.declare) this.#enum(node, scope);
        return;
      case "TSParameterProperty":
        for (const decorator of node.decorators) this.#walk(decorator, scope);
        this.#walk(node.parameter, scope);
        return;
      default:
        if (!isTypeSyntax(node.type)) this.#walkChildren(node, scope);
    }
  }

  #walkChildren(node: Node, scope: Scope): void {
    for (const [, child] of childrenOf(node)) this.#walk(child, scope);
  }

  #reference(name: string, start: number, scope: Scope): void {
    const target = this.#resolve(name, scope);
    if (target !== undefined) this.#replace(start, start, `${target.block.parameter}.`);
  }

  #elementName(name: Node, scope: Scope): void {
    if (name.type === "JSXMemberExpression") {
      let first: Node = name;
      while (first.type === "JSXMemberExpression") first = first.object;
      if (first.type === "JSXIdentifier") this.#reference(first.name, first.start, scope);
    } else if (name.type === "JSXIdentifier" && !/^[a-z]|-/.test(name.name)) {
      this.#reference(name.name, name.start, scope);
    }
  }

  /** `{ x }`, which as well may be a pattern, and have a default. */
  #shorthand(value: Node, scope: Scope): void {
    const name = value.type === "AssignmentPattern" ? value.left : value;
    if (name.type === "Identifier" && this.#resolve(name.name, scope) !== undefined) {
      this.#replace(name.start, name.start, `${name.name}:`);
    }
    this.#walk(value, scope);
  }

  #keyed(
    { key, computed }: { readonly key: Node; readonly computed: boolean },
    value: Node | null,
    scope: Scope,
  ): void {
    if (computed) this.#walk(key, scope);
    if (value !== null) this.#walk(value, scope);
  }

  #lexical(body: readonly Statement[], scope: Scope): void {
    const names = new Set<string>();
    declareLexical(body, names);
    const inner: Scope = names.size === 0 ? scope : { parent: scope, names, block: undefined };
    for (const statement of body) if (!isTypeOnly(statement)) this.#walk(statement, inner);
  }

  #switch(
    cases: readonly { readonly test: Node | null; readonly consequent: readonly Statement[] }[],
    scope: Scope,
  ): void {
    const names = new Set<string>();
    for (const { consequent } of cases) declareLexical(consequent, names);
    const inner: Scope = { parent: scope, names, block: undefined };
    for (const { test, consequent } of cases) {
      if (test !== null) this.#walk(test, inner);
      for (const statement of consequent) if (!isTypeOnly(statement)) this.#walk(statement, inner);
    }
  }

  /** The body of a function: what hoists out of its blocks is declared in it. */
  #body(body: readonly Statement[], scope: Scope): void {
    const names = new Set(collectHoisted(body).variables);
    this.#lexical(body, { parent: scope, names, block: undefined });
  }

  #function(node: FunctionNode, scope: Scope): void {
    const names = new Set<string>();
    if (node.type === "FunctionExpression" && node.id !== null) names.add(node.id.name);
    for (const parameter of node.params) forEachName(parameter, (name) => names.add(name));
    const inner: Scope = { parent: scope, names, block: undefined };
    for (const parameter of node.params) this.#walk(parameter, inner);
    const { body } = node;
    if (body === null) return;
    if (body.type === "BlockStatement") this.#body(body.body, inner);
    else this.#walk(body, inner);
  }

  /** An enum: its members are names in it, also those that another block has declared. */
  #enum(node: TSEnumDeclaration, scope: Scope): void {
    const own = new Set<string>([node.id.name]);
    for (const { id } of node.body.members) own.add(memberName(id));
    const { block } = scope;
    const elsewhere = block?.namespace.enums.get(node.id.name);
    for (const name of elsewhere?.members.keys() ?? []) own.add(name);
    const inner: Scope = { parent: scope, names: own, block: undefined };
    for (const { initializer } of node.body.members) {
      if (initializer === null) continue;
      this.#initializer(node, initializer, inner, elsewhere?.members);
    }
  }

  #initializer(
    node: TSEnumDeclaration,
    value: Node,
    scope: Scope,
    members: ReadonlyMap<string, Node> | undefined,
  ): void {
    if (value.type === "Identifier") {
      const declaring = members?.get(value.name);
      const isHere = node.body.members.some(({ id }) => memberName(id) === value.name);
      if (declaring !== undefined && !isHere) {
        this.#replace(value.start, value.start, `${node.id.name}.`);
        return;
      }
      const string = this.#resolve(value.name, scope)?.string;
      if (string !== undefined) {
        // Members that are strings have no way back from their values.
        this.#replace(value.start, value.end, this.#text.slice(string.start, string.end));
        return;
      }
    }
    if (value.type === "BinaryExpression" || value.type === "ParenthesizedExpression") {
      const parts =
        value.type === "BinaryExpression" ? [value.left, value.right] : [value.expression];
      for (const part of parts) this.#initializer(node, part, scope, members);
      return;
    }
    this.#walk(value, scope);
  }
}

function newNamespace(): Namespace {
  return {
    exports: new Set(),
    inner: new Map(),
    enums: new Map(),
    strings: new Map(),
    isAmbient: false,
  };
}

/** What `export` stands before. */
function unwrap(statement: Statement): Statement {
  return statement.type === "ExportNamedDeclaration" && statement.declaration !== null
    ? statement.declaration
    : statement;
}

/** `A`, `B` and `C` of `namespace A.B.C`. */
function namesOf({ id }: NamespaceNode): string[] {
  const names: string[] = [];
  let node: Node = id;
  for (; node.type === "TSQualifiedName"; node = node.left) names.unshift(node.right.name);
  if (node.type === "Identifier") names.unshift(node.name);
  return names;
}

function bodyOf({ body }: NamespaceNode): readonly Statement[] {
  return body?.type === "TSModuleBlock" ? body.body : [];
}

/** Whether TypeScript makes anything of a namespace, by its own rules. */
function isInstantiated(node: NamespaceNode): boolean {
  return (
    !node.declare &&
    node.kind !== "global" &&
    bodyOf(node).some((statement) => {
      const inner = unwrap(statement);
      switch (inner.type) {
        case "TSInterfaceDeclaration":
        case "TSTypeAliasDeclaration":
          return false;
        case "TSImportEqualsDeclaration":
          return inner !== statement && inner.importKind !== "type";
        case "TSModuleDeclaration":
          return isInstantiated(inner);
        default:
          return true;
      }
    })
  );
}

/** Whether a statement of a namespace has no code; namespaces are asked elsewhere. */
function isTypeOnly(node: Statement): boolean {
  if (node.type === "TSEnumDeclaration") return node.declare;
  if (node.type === "TSModuleDeclaration" || node.type === "TSImportEqualsDeclaration")
    return false;
  return isTypeOnlyStatement(node);
}

function isModuleSyntax({ type }: Statement): boolean {
  switch (type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
    case "ExportAllDeclaration":
    case "TSExportAssignment":
    case "TSNamespaceExportDeclaration":
      return true;
    default:
      return false;
  }
}

/** The name of a function, class or enum. */
function declaredName(node: Statement): string | undefined {
  switch (node.type) {
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.declare === true ? undefined : node.id?.name;
    case "TSEnumDeclaration":
      return node.declare ? undefined : node.id.name;
    default:
      return undefined;
  }
}

/** Names that a block declares at its own level. */
function declareLexical(body: readonly Statement[], names: Set<string>): void {
  for (const statement of body) {
    const node = unwrap(statement);
    switch (node.type) {
      case "VariableDeclaration":
        for (const { id } of node.declarations) forEachName(id, (name) => names.add(name));
        break;
      case "FunctionDeclaration":
      case "ClassDeclaration":
        if (node.id !== null) names.add(node.id.name);
        break;
      case "TSDeclareFunction":
        if (node.id !== null) names.add(node.id.name);
        break;
      case "TSEnumDeclaration":
        names.add(node.id.name);
        break;
      case "TSImportEqualsDeclaration":
        if (node.importKind !== "type") names.add(node.id.name);
        break;
      case "TSModuleDeclaration":
        if (isInstantiated(node)) for (const name of namesOf(node).slice(0, 1)) names.add(name);
        break;
      case "ImportDeclaration":
        for (const { local } of node.specifiers) names.add(local.name);
        break;
      case "ExportDefaultDeclaration":
        if ("id" in node.declaration && node.declaration.id?.type === "Identifier") {
          names.add(node.declaration.id.name);
        }
        break;
      case "LabeledStatement":
        declareLexical([node.body], names);
        break;
    }
  }
}

/** Names that a block of a namespace declares. */
function scopeNames(body: readonly Statement[]): Set<string> {
  const names = new Set(collectHoisted(body).variables);
  declareLexical(body, names);
  return names;
}

/** Every name that anything inside declares. */
function collectDeclared(node: Node, names: Set<string>): void {
  switch (node.type) {
    case "VariableDeclarator":
    case "CatchClause": {
      const pattern = node.type === "CatchClause" ? node.param : node.id;
      if (pattern !== null) forEachName(pattern, (name) => names.add(name));
      break;
    }
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      for (const parameter of node.params) forEachName(parameter, (name) => names.add(name));
      if (node.id !== null) names.add(node.id.name);
      break;
    case "ClassDeclaration":
    case "ClassExpression":
      if (node.id !== null) names.add(node.id.name);
      break;
    case "TSEnumDeclaration":
      names.add(node.id.name);
      for (const { id } of node.body.members) names.add(memberName(id));
      break;
    case "TSImportEqualsDeclaration":
      names.add(node.id.name);
      break;
    case "TSModuleDeclaration":
      for (const name of namesOf(node)) names.add(name);
      break;
  }
  if (isTypeSyntax(node.type)) return;
  for (const [, child] of childrenOf(node)) collectDeclared(child, names);
}

function memberName(id: Node): string {
  if (id.type === "Identifier") return id.name;
  return id.type === "Literal" ? String(id.value) : "";
}

function isString(node: Node | null): node is Node {
  if (node === null) return false;
  if (node.type === "TemplateLiteral") return node.expressions.length === 0;
  return node.type === "Literal" && typeof node.value === "string";
}

function childrenOf(node: Node): [key: string, child: Node][] {
  const children: [string, Node][] = [];
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(child)) {
      for (const element of child as unknown[]) if (isNode(element)) children.push([key, element]);
    } else if (isNode(child)) children.push([key, child]);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
