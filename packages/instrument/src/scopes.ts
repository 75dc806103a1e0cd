/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/**
 * Names and where they come from: functions, scopes and the table of what a name means now.
 *
 * The table maps a name to its innermost binding, so a reference costs one look-up however deep
 * it is nested. Follows ECMA-262 including Annex B.3 (functions in blocks of sloppy code).
 */

import type { BindingPattern, ParamPattern, Statement } from "oxc-parser";
import type { Piece } from "./edits.ts";
import type { Level } from "./instrumented.ts";
import { MADE } from "./made-names.ts";

/** How a binding came to be; `name` is the own name of a function expression or class. */
export type BindingKind =
  | "parameter"
  | "variable"
  | "function"
  | "class"
  | "catch"
  | "lexical"
  // Of `using`: some engines drop what is assigned to it.
  | "resource"
  | "import"
  | "name"
  | "annexB";

/** One binding of a name. */
export interface Binding {
  readonly name: string;
  readonly kind: BindingKind;
  readonly owner: FunctionContext;
  readonly scope: Scope;
  /** Offset in the walked text behind which it is initialised; 0 = when the scope is entered. */
  declared: number;
  /** Number of the variable that mirrors it, or -1. */
  mirror: number;
  /** The last function that mentioned it; keeps mentions from being counted twice. */
  mentionedBy: FunctionContext | undefined;
  shadowed: Binding | undefined;
  /** Where the table keeps what the name means. */
  meaning: Meaning | undefined;
}

interface Meaning {
  readonly name: string;
  binding: Binding | undefined;
  /** The next one in the same bucket. */
  readonly next: Meaning | undefined;
}

/** How many bindings a scope searches one by one; most scopes have fewer, and need no map. */
const FEW_BINDINGS = 8;

interface ScopeInit {
  readonly parent: Scope | undefined;
  readonly owner: FunctionContext;
  /** Offset in the walked text. */
  readonly start: number;
  /** Original offsets. */
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly isSwitch: boolean;
}

/** A stretch of text in which bindings are visible. */
export class Scope {
  readonly parent: Scope | undefined;
  readonly owner: FunctionContext;
  readonly start: number;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly inLoop: boolean;
  readonly isSwitch: boolean;
  readonly bindings: Binding[] = [];
  #byName: Map<string, Binding> | undefined;

  constructor({ parent, owner, start, from, to, depth, isSwitch }: ScopeInit) {
    this.parent = parent;
    this.owner = owner;
    this.start = start;
    this.from = from;
    this.to = to;
    this.depth = depth;
    this.inLoop = owner.loopDepth > 0;
    this.isSwitch = isSwitch;
  }

  find(name: string): Binding | undefined {
    if (this.#byName !== undefined) return this.#byName.get(name);
    for (const binding of this.bindings) if (binding.name === name) return binding;
    return undefined;
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  add(binding: Binding): void {
    this.bindings.push(binding);
    if (this.#byName !== undefined) {
      this.#byName.set(binding.name, binding);
    } else if (this.bindings.length > FEW_BINDINGS) {
      this.#byName = new Map(this.bindings.map((known) => [known.name, known]));
    }
  }
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
  readonly before: Piece;
  readonly after: string;
  /** Whether `this` and `arguments` here are those of the function; not so in a static block. */
  readonly isOwn: boolean;
}

/** What is known about a function while it is walked. */
export interface FunctionContext {
  readonly id: number;
  readonly parent: FunctionContext | undefined;
  readonly qualname: string;
  /** Where in the walked text the function comes to be: hoisted ones at the start of their block. */
  readonly createdAt: number;
  readonly inParameters: boolean;
  /** For arrows: the function whose `this` and `arguments` they see, if it is not a class field. */
  readonly lexicalThis: FunctionContext | undefined;
  readonly isModule: boolean;
  readonly isArrow: boolean;
  readonly isDerivedConstructor: boolean;
  readonly isStrict: boolean;
  readonly isGenerator: boolean;
  /** Whether probes stand around the body. */
  readonly isWrapped: boolean;
  /** What is noted in its body; in that of a module it may differ by statement. */
  level: Level;
  /** Names of the ring, its head and the runtime. */
  readonly globals: Globals;
  readonly locals: LocalValue[];
  readonly captures: string[];
  slots: LocalsSlot[] | undefined;
  readonly mirrors: number[];
  /** One letter for each; see `ProbeText.temporary`. */
  temporaries: string;
  usesThis: boolean;
  usesArguments: boolean;
  /** Whether its activations are numbered, so that writes can say which one they belong to. */
  usesActivation: boolean;
  /**
   * How the function is left where every `return` goes to one exit behind its block; undefined where
   * a `finally` sees them.
   */
  readonly exit: ExitBehind | undefined;
  loopDepth: number;
  statement: number;
}

/** One exit behind the block of a body. */
export interface ExitBehind {
  /** Whether some `return` has a value, which waits in a variable. */
  readonly hasResult: boolean;
  /** Whether a `return` may be cancelled on its way out: by a `finally` or a `catch`. */
  readonly mayBeCancelled: boolean;
  /** The last statement of the body: as a `return` it needs no jump. */
  readonly last: Statement | undefined;
  /** Whether a jump asks for a label before the block. */
  usesLabel: boolean;
}

/** How a function reaches the recorder. */
export interface Globals {
  readonly ring: string;
  readonly head: string;
  readonly runtime: string;
  /** The next slot of the ring, up to and with the equals sign. */
  readonly next: string;
  /** The event of leaving the function. */
  readonly exit: string;
  /** Beginnings of texts that only differ in ids and names. */
  readonly birth: string;
  readonly letAt: string;
  readonly error: string;
  readonly foot: string;
  /** The same where the exit is behind the block. */
  readonly tail: string;
  /** Level `writes`: notes a write of a variable, of a property, and a call that changes its owner. */
  readonly write: string;
  readonly store: string;
  readonly change: string;
  /** Level `writes`: the number of the next activation. */
  readonly activations: string;
}

const MIN_BUCKETS = 64;
const MAX_BUCKETS = 1 << 15;

/** What every name means at the place that is being walked. */
export class NameTable {
  /**
   * A hash table of its own: names come out of the parser as fresh strings, and a `Map` has to
   * hash each of them in full. Cells stay in it when a scope is left.
   */
  readonly #buckets: (Meaning | undefined)[];

  /** @param textLength Decides the number of buckets. */
  constructor(textLength: number) {
    const wanted = Math.min(MAX_BUCKETS, textLength >>> 7);
    let count = MIN_BUCKETS;
    while (count < wanted) count *= 2;
    this.#buckets = Array.from({ length: count }, () => undefined);
  }

  find(name: string): Binding | undefined {
    const bucket = bucketOf(name) & (this.#buckets.length - 1);
    for (let meaning = this.#buckets[bucket]; meaning !== undefined; meaning = meaning.next) {
      if (meaning.name === name) return meaning.binding;
    }
    return undefined;
  }

  enter(scope: Scope): void {
    for (const binding of scope.bindings) {
      const meaning = this.#meaningOf(binding.name);
      binding.meaning = meaning;
      binding.shadowed = meaning.binding;
      meaning.binding = binding;
    }
  }

  #meaningOf(name: string): Meaning {
    const bucket = bucketOf(name) & (this.#buckets.length - 1);
    const first = this.#buckets[bucket];
    for (let meaning = first; meaning !== undefined; meaning = meaning.next) {
      if (meaning.name === name) return meaning;
    }
    return (this.#buckets[bucket] = { name, binding: undefined, next: first });
  }

  leave(scope: Scope): void {
    for (const { meaning, shadowed } of scope.bindings) {
      if (meaning !== undefined) meaning.binding = shadowed;
    }
  }
}

function bucketOf(name: string): number {
  const { length } = name;
  return (
    name.charCodeAt(0) * 7 +
    name.charCodeAt(length - 1) * 131 +
    name.charCodeAt(length >>> 1) * 1021 +
    name.charCodeAt(length >>> 2) * 4099 +
    length * 613
  );
}

/** Declares a name in a scope unless it is there already. */
export function declare(scope: Scope, name: string, kind: BindingKind, declared: number): Binding {
  const known = scope.find(name);
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
    meaning: undefined,
  };
  scope.add(binding);
  return binding;
}

/** Calls `visit` for every name of the program that a pattern binds or assigns. */
export function forEachName(
  pattern: BindingPattern | ParamPattern,
  visit: (name: string) => void,
): void {
  switch (pattern.type) {
    case "Identifier":
      if (!pattern.name.startsWith(MADE)) visit(pattern.name);
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
  readonly variables: readonly string[];
  /** Functions in blocks of sloppy code, which may become variables (Annex B.3.3). */
  readonly blockFunctions: readonly string[];
}

interface Collecting {
  variables: Set<string> | undefined;
  blockFunctions: Set<string> | undefined;
}

const NOTHING_HOISTED: Hoisted = { variables: [], blockFunctions: [] };

/** Collects `var` names and functions in blocks; does not enter functions or expressions. */
export function collectHoisted(statements: readonly Statement[]): Hoisted {
  const hoisted: Collecting = { variables: undefined, blockFunctions: undefined };
  for (const statement of statements) collectFrom(statement, hoisted, false);
  const { variables, blockFunctions } = hoisted;
  if (variables === undefined && blockFunctions === undefined) return NOTHING_HOISTED;
  return { variables: [...(variables ?? [])], blockFunctions: [...(blockFunctions ?? [])] };
}

function collectFrom(statement: Statement, hoisted: Collecting, nested: boolean): void {
  let node: Statement = statement;
  for (;;) {
    switch (node.type) {
      case "VariableDeclaration":
        if (node.kind === "var" && node.declare !== true) {
          for (const { id } of node.declarations) {
            const variables = (hoisted.variables ??= new Set());
            forEachName(id, (name) => variables.add(name));
          }
        }
        return;
      case "FunctionDeclaration":
        if (nested && node.id !== null) {
          (hoisted.blockFunctions ??= new Set()).add(node.id.name);
        }
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
