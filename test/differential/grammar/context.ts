/**
 * What the productions of the grammar share: choices, names that are visible, and the kind of
 * function that the text is in.
 *
 * Texts are templates: a space stands for any white space, comment or line break, `·` for white
 * space without a line break, `¶` for the end of a statement (a semicolon, or what replaces it).
 * `layout.ts` decides what they become.
 */
import type { Random } from "../random.ts";

/** What a program is. */
export interface ProgramKind {
  readonly format: "commonjs" | "module";
  readonly isStrict: boolean;
  readonly isTyped: boolean;
  /** Enums, namespaces and parameter properties, which blanks cannot erase. */
  readonly hasCompiledTypes: boolean;
}

export type NameKind = "any" | "function" | "generator" | "async" | "class" | "object";
export type Binder = "var" | "let" | "const" | "function" | "class" | "parameter" | "catch";

export interface Name {
  readonly text: string;
  readonly kind: NameKind;
  readonly binder: Binder;
}

/** A block with its names. */
export class Scope {
  readonly names: Name[] = [];
  readonly parent: Scope | undefined;
  readonly isFunction: boolean;
  /** Not at the top of a script, nor right inside `case`. */
  allowsUsing = true;
  /** Names that a `let` here may not take. */
  readonly taken = new Set<string>();
  /** Names that a `var` may not be hoisted through. */
  readonly lexical = new Set<string>();

  constructor(parent: Scope | undefined, isFunction: boolean) {
    this.parent = parent;
    this.isFunction = isFunction;
  }
}

/** What the function around allows. */
export interface FunctionFacts {
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  readonly isStrict: boolean;
  readonly hasArguments: boolean;
  readonly hasNewTarget: boolean;
  readonly hasSuper: boolean;
  readonly isDerivedConstructor: boolean;
  readonly canReturn: boolean;
  /** Nothing here stops a recursion: calls are paid for. */
  readonly isUnguarded: boolean;
  /** `await` is no name here: static blocks and parameters of async functions. */
  readonly noAwaitName: boolean;
}

/** Names of labels that `break` and `continue` can name here. */
export interface Jumps {
  readonly loops: readonly string[];
  readonly blocks: readonly string[];
  readonly canBreak: boolean;
  readonly canContinue: boolean;
}

const NO_JUMPS: Jumps = { loops: [], blocks: [], canBreak: false, canContinue: false };

/** The kinds of text that productions ask each other for. */
export interface Grammar {
  expression(g: Context): string;
  /** An expression that can stand between commas. */
  element(g: Context): string;
  statement(g: Context): string;
  functionBody(g: Context): string;
  functionExpression(g: Context): string;
  arrow(g: Context): string;
  method(g: Context, options: MethodOptions): string;
  parameters(g: Context): string;
  classText(g: Context, name: string): string;
  bindingPattern(g: Context, binder: Binder): string;
  assignmentPattern(g: Context): string;
  annotation(g: Context): string;
  type(g: Context): string;
}

export interface MethodOptions {
  readonly key: string;
  readonly isClass: boolean;
  readonly kind?: "get" | "set" | "constructor";
  readonly isDerived?: boolean;
}

const POOL: readonly string[] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "m"];
const RARE: readonly string[] = ["$", "_", "ä", "of", "get", "async", "from", "ℕ", "static_", "𝒳"];
/** Names of properties. */
const KEYS: readonly string[] = ["x", "y", "z", "k", "p", "q", "length", "name", "then_"];

export const GLOBAL_NAMES: readonly string[] = [
  ...POOL,
  ...RARE,
  ...KEYS.filter((key) => key !== "name" && key !== "length"),
  ..."let yield await eval_ v w n r s t u Inner".split(" "),
];

export class Context {
  readonly random: Random;
  readonly kind: ProgramKind;
  readonly grammar: Grammar;
  scope: Scope = new Scope(undefined, true);
  fn: FunctionFacts;
  jumps: Jumps = NO_JUMPS;
  /** How many more nodes the program may get. */
  budget: number;
  depth = 0;
  /** Names of private members of the classes around. */
  privates: readonly string[] = [];
  /** Names given to types. */
  typeCount = 0;
  labelCount = 0;
  functionCount = 0;

  constructor(random: Random, kind: ProgramKind, grammar: Grammar) {
    this.random = random;
    this.scope.allowsUsing = kind.format === "module";
    this.kind = kind;
    this.grammar = grammar;
    this.budget = random.chance(5) ? 40 : 2 + random.below(12);
    this.fn = {
      isAsync: kind.format === "module",
      isGenerator: false,
      isStrict: kind.isStrict,
      hasArguments: kind.format === "commonjs",
      hasNewTarget: kind.format === "commonjs" && !kind.isTyped,
      hasSuper: false,
      isDerivedConstructor: false,
      canReturn: kind.format === "commonjs" && !kind.isTyped,
      isUnguarded: false,
      noAwaitName: kind.format === "module",
    };
  }

  /** Whether another level of nesting may begin. */
  get canNest(): boolean {
    return this.budget > 0 && this.depth < 9;
  }

  chance(percent: number): boolean {
    return this.random.chance(percent);
  }

  pick<Item>(list: readonly Item[]): Item {
    return this.random.pick(list);
  }

  /** Writes something inside a block of its own. */
  inBlock(write: () => string): string {
    const outer = this.scope;
    this.scope = new Scope(outer, false);
    const text = write();
    this.scope = outer;
    return text;
  }

  /** Writes something inside a function. */
  inFunction(facts: Partial<FunctionFacts>, write: () => string): string {
    const { scope, fn, jumps } = this;
    this.scope = new Scope(scope, true);
    this.fn = { ...fn, ...facts };
    this.jumps = NO_JUMPS;
    this.functionCount++;
    const text = write();
    this.scope = scope;
    this.fn = fn;
    this.jumps = jumps;
    return text;
  }

  withFacts(facts: Partial<FunctionFacts>, write: () => string): string {
    const { fn } = this;
    this.fn = { ...fn, ...facts };
    const text = write();
    this.fn = fn;
    return text;
  }

  withJumps(jumps: Partial<Jumps>, write: () => string): string {
    const outer = this.jumps;
    this.jumps = { ...outer, ...jumps };
    const text = write();
    this.jumps = outer;
    return text;
  }

  /** Declares a name that nothing forbids here; the text may spell it with escapes. */
  declare(binder: Binder, kind: NameKind = "any"): string {
    for (let tries = 0; tries < 12; tries++) {
      const text = this.#freshName();
      if (!this.#canDeclare(text, binder)) continue;
      this.#note(text, binder);
      this.scope.names.push({ text, kind, binder });
      return this.spell(text);
    }
    const text = `u${this.labelCount++}`;
    this.#note(text, binder);
    this.scope.names.push({ text, kind, binder });
    return text;
  }

  #freshName(): string {
    if (this.chance(92)) return this.pick(POOL);
    if (!this.fn.isStrict && this.chance(25)) {
      if (this.chance(50) && !this.fn.isGenerator) return "yield";
      return this.chance(50) ? "arguments" : "eval";
    }
    return this.pick(RARE);
  }

  #canDeclare(text: string, binder: Binder): boolean {
    if (text === "yield" && (binder === "class" || binder === "function")) return false;
    if ((text === "arguments" || text === "eval") && binder !== "var" && binder !== "parameter") {
      return false;
    }
    const { scope } = this;
    if (binder === "var") {
      for (let block: Scope | undefined = scope; block !== undefined; block = block.parent) {
        if (block.lexical.has(text)) return false;
        if (block.isFunction) break;
      }
      return true;
    }
    // Two functions of one name are allowed in a function's body, and a body is left alone for it.
    if (binder === "function" && scope.isFunction && !scope.lexical.has(text)) {
      return this.chance(15) || !scope.taken.has(text);
    }
    return !scope.taken.has(text);
  }

  #note(text: string, binder: Binder): void {
    const { scope } = this;
    scope.taken.add(text);
    if (binder === "var") {
      for (let block: Scope | undefined = scope; block !== undefined; block = block.parent) {
        block.taken.add(text);
        if (block.isFunction) break;
      }
    } else if (binder !== "parameter" && !(binder === "function" && scope.isFunction)) {
      scope.lexical.add(text);
    }
  }

  /** A name, now and then with an escape. */
  spell(text: string): string {
    if (!this.chance(2) || text.length !== 1 || text === "_" || text === "$") return text;
    const code = text.charCodeAt(0).toString(16);
    return this.chance(50) ? `\\u${code.padStart(4, "0")}` : `\\u{${code}}`;
  }

  /** A visible name of a kind, or of any; now and then one that may not exist. */
  name(kind?: NameKind): string {
    if (this.chance(4)) return this.pick(POOL);
    const found = this.find((name) => kind === undefined || name.kind === kind);
    return found === undefined ? this.pick(POOL) : this.spell(found.text);
  }

  /** A visible name that passes a test. */
  find(test: (name: Name) => boolean): Name | undefined {
    const found: Name[] = [];
    for (let scope: Scope | undefined = this.scope; scope !== undefined; scope = scope.parent) {
      for (const name of scope.names) {
        if (name.text === "yield" && (this.fn.isStrict || this.fn.isGenerator)) continue;
        if (name.text === "arguments" && !this.fn.hasArguments) continue;
        if (test(name)) found.push(name);
      }
    }
    return found.length === 0 ? undefined : this.pick(found);
  }

  /** A name that may be assigned; constants now and then, for the error. */
  target(): string {
    if (this.chance(3)) return this.pick(POOL);
    const rare = this.chance(4);
    const found = this.find(
      ({ binder, text }) =>
        (rare || (binder !== "const" && binder !== "class")) &&
        !(this.fn.isStrict && (text === "arguments" || text === "eval")),
    );
    return found === undefined ? this.pick(POOL) : this.spell(found.text);
  }

  key(): string {
    return this.pick(KEYS);
  }

  label(): string {
    return `l${this.labelCount++}`;
  }
}

/** A production, and how often it is chosen among its neighbours. */
export type Production = (g: Context) => string;

/** Lists every production as often as it weighs, so that choosing is one look-up. */
export function weigh(
  list: readonly (readonly [weight: number, production: Production])[],
): readonly Production[] {
  return list.flatMap(([weight, production]) => Array.from({ length: weight }, () => production));
}
