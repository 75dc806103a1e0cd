/**
 * Names and where they come from: functions, scopes and the table of what a name means now.
 *
 * The table maps a name to its innermost binding, so a reference costs one look-up however deep
 * it is nested. Follows ECMA-262 including Annex B.3 (functions in blocks of sloppy code).
 */

import type { BindingPattern, ParamPattern, Statement } from "oxc-parser";

/** How a binding came to be; `name` is the own name of a function expression or class. */
export type BindingKind =
  | "parameter"
  | "variable"
  | "function"
  | "class"
  | "catch"
  | "lexical"
  | "import"
  | "name"
  | "annexB";

/** One binding of a name. */
export interface Binding {
  readonly name: string;
  readonly kind: BindingKind;
  readonly owner: FunctionContext;
  readonly scope: Scope;
  /** Offset behind which it is initialised; 0 = as soon as the scope is entered. */
  declared: number;
  /** Number of the variable that mirrors it, or -1. */
  mirror: number;
  /** The last function that mentioned it; keeps mentions from being counted twice. */
  mentionedBy: FunctionContext | undefined;
  shadowed: Binding | undefined;
}

/** A stretch of text in which bindings are visible. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly owner: FunctionContext;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly inLoop: boolean;
  readonly isSwitch: boolean;
  readonly bindings: Map<string, Binding>;
}

/** A value that the probes of a function pass. */
export interface LocalValue {
  readonly name: string;
  readonly role: number;
  readonly from: number;
  readonly to: number;
  readonly declared: number;
  readonly depth: number;
  /** How to read it. */
  readonly text: string;
  /** A name of the program, which an inner scope may hide; mirrors are never hidden. */
  readonly direct: boolean;
}

/** A place in a body that passes the locals; they are only known at the end of the function. */
export interface LocalsSlot {
  readonly slot: number;
  readonly scope: Scope | undefined;
  readonly before: string;
  readonly after: string;
}

/** What is known about a function while it is walked. */
export interface FunctionContext {
  readonly id: number;
  readonly parent: FunctionContext | undefined;
  readonly qualname: string;
  /** Offset at which the function value comes to be: hoisted ones at the start of their block. */
  readonly createdAt: number;
  readonly inParameters: boolean;
  /** For arrows: the function whose `this` and `arguments` they see, if it is not a class field. */
  readonly lexicalThis: FunctionContext | undefined;
  readonly isModule: boolean;
  readonly isArrow: boolean;
  readonly isDerivedConstructor: boolean;
  readonly isStrict: boolean;
  /** Whether probes stand around the body. */
  readonly isWrapped: boolean;
  /** Names of the ring, its head and the runtime. */
  readonly globals: Globals;
  readonly locals: LocalValue[];
  readonly captures: string[];
  readonly slots: LocalsSlot[];
  readonly mirrors: number[];
  readonly temporaries: Set<string>;
  usesThis: boolean;
  usesArguments: boolean;
  loopDepth: number;
  statement: number;
}

/** How a function reaches the recorder. */
export interface Globals {
  readonly ring: string;
  readonly head: string;
  readonly runtime: string;
}

/** What every name means at the place that is being walked. */
export class NameTable {
  readonly #innermost = new Map<string, Binding>();

  find(name: string): Binding | undefined {
    return this.#innermost.get(name);
  }

  enter(scope: Scope): void {
    for (const binding of scope.bindings.values()) {
      binding.shadowed = this.#innermost.get(binding.name);
      this.#innermost.set(binding.name, binding);
    }
  }

  leave(scope: Scope): void {
    for (const binding of scope.bindings.values()) {
      if (binding.shadowed === undefined) this.#innermost.delete(binding.name);
      else this.#innermost.set(binding.name, binding.shadowed);
    }
  }
}

/** Declares a name in a scope unless it is there already. */
export function declare(
  scope: Scope,
  name: string,
  kind: BindingKind,
  declared: number,
): Binding {
  const known = scope.bindings.get(name);
  if (known !== undefined) return known;
  const binding: Binding = {
    name,
    kind,
    owner: scope.owner,
    scope,
    declared,
    mirror: -1,
    mentionedBy: undefined,
    shadowed: undefined,
  };
  scope.bindings.set(name, binding);
  return binding;
}

/** Calls `visit` for every name that a pattern binds or assigns. */
export function forEachName(
  pattern: BindingPattern | ParamPattern,
  visit: (name: string) => void,
): void {
  switch (pattern.type) {
    case "Identifier":
      visit(pattern.name);
      break;
    case "ObjectPattern":
      for (const property of pattern.properties) {
        forEachName(property.type === "RestElement" ? property.argument : property.value, visit);
      }
      break;
    case "ArrayPattern":
      for (const element of pattern.elements) {
        if (element !== null) {
          forEachName(element.type === "RestElement" ? element.argument : element, visit);
        }
      }
      break;
    case "AssignmentPattern":
      forEachName(pattern.left, visit);
      break;
    case "RestElement":
      forEachName(pattern.argument, visit);
      break;
    case "TSParameterProperty":
      forEachName(pattern.parameter, visit);
      break;
  }
}

/** What hoists out of statements to the function around them. */
export interface Hoisted {
  readonly variables: Set<string>;
  /** Functions in blocks of sloppy code, which may become variables (Annex B.3.3). */
  readonly blockFunctions: Set<string>;
}

/** Collects `var` names and functions in blocks; does not enter functions or expressions. */
export function collectHoisted(statements: readonly Statement[], hoisted: Hoisted): void {
  for (const statement of statements) collectFrom(statement, hoisted, false);
}

function collectFrom(statement: Statement, hoisted: Hoisted, nested: boolean): void {
  let node: Statement = statement;
  for (;;) {
    switch (node.type) {
      case "VariableDeclaration":
        if (node.kind === "var" && node.declare !== true) {
          for (const { id } of node.declarations) {
            forEachName(id, (name) => hoisted.variables.add(name));
          }
        }
        return;
      case "FunctionDeclaration":
        if (nested && node.id !== null) hoisted.blockFunctions.add(node.id.name);
        return;
      case "BlockStatement":
        for (const inner of node.body) collectFrom(inner, hoisted, true);
        return;
      case "IfStatement":
        collectFrom(node.consequent, hoisted, true);
        if (node.alternate === null) return;
        node = node.alternate;
        nested = true;
        break;
      case "ForStatement":
        if (node.init?.type === "VariableDeclaration") collectFrom(node.init, hoisted, true);
        node = node.body;
        nested = true;
        break;
      case "ForInStatement":
      case "ForOfStatement":
        if (node.left.type === "VariableDeclaration") collectFrom(node.left, hoisted, true);
        node = node.body;
        nested = true;
        break;
      case "WhileStatement":
      case "DoWhileStatement":
      case "WithStatement":
      case "LabeledStatement":
        node = node.body;
        nested = true;
        break;
      case "SwitchStatement":
        for (const { consequent } of node.cases) {
          for (const inner of consequent) collectFrom(inner, hoisted, true);
        }
        return;
      case "TryStatement":
        collectFrom(node.block, hoisted, true);
        if (node.handler !== null) collectFrom(node.handler.body, hoisted, true);
        if (node.finalizer === null) return;
        node = node.finalizer;
        break;
      case "ExportNamedDeclaration":
        if (node.declaration?.type !== "VariableDeclaration") return;
        node = node.declaration;
        break;
      default:
        return;
    }
  }
}
