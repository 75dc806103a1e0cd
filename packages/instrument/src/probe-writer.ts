/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/* oxlint-disable typescript/no-unsafe-type-assertion -- A computed key is an expression; the types of the tree do not say so. */
/**
 * Walks a syntax tree once, in source order, and writes the probes of the recording protocol.
 *
 * Decides for each function whether probes can stand in it; scopes.ts knows what names mean,
 * probe-text.ts how a probe is spelled, type-eraser.ts how types are blanked.
 * Form and measurements: docs/decisions/0002-probe-form.md.
 */

import type {
  ArrowFunctionExpression,
  AssignmentExpression,
  AssignmentTarget,
  AssignmentTargetMaybeDefault,
  AwaitExpression,
  BinaryExpression,
  CallExpression,
  CatchClause,
  Class,
  ClassElement,
  Expression,
  ForInStatement,
  ForOfStatement,
  ForStatement,
  Function as FunctionNode,
  IfStatement,
  LogicalExpression,
  NewExpression,
  PrivateIdentifier,
  PrivateInExpression,
  Program,
  ReturnStatement,
  Statement,
  StaticBlock,
  SwitchStatement,
  TryStatement,
  UnaryExpression,
  UpdateExpression,
  VariableDeclaration,
  YieldExpression,
} from "oxc-parser";
import { MADE_BY_US } from "./dynamic-scope.ts";
import { type EditedText, EditList, type Piece } from "./edits.ts";
import {
  firstRead,
  mayFailAtNoPlace,
  placeOf,
  placeOfAssignment,
  placeOfTargets,
  placeOfValue,
  type Surroundings,
} from "./engine-places.ts";
import type {
  InstrumentOptions,
  Level,
  ModuleFormat,
  RingMask,
  SkippedFunction,
} from "./instrumented.ts";
import { MADE, ownName } from "./made-names.ts";
import { MARKER_END, MARKER_START, ProbeText } from "./probe-text.ts";
import {
  collectHoisted,
  declare,
  forEachName,
  type Binding,
  type BindingKind,
  type FunctionContext,
  type Globals,
  type Hoisted,
  type LocalValue,
  NameTable,
  Scope,
} from "./scopes.ts";
import { exitBehind } from "./exits.ts";
import { positionOf, SITE_KINDS, SiteTableBuilder } from "./site-table.ts";
import {
  conflictOfHoisting,
  countDirectives,
  declaresInBlock,
  declarationIn,
  endsAbruptly,
  forEachTarget,
  hasUseStrict,
  isAnonymousFunction,
  isDefinite,
  isDisposal,
  isErrorName,
  isLink,
  isLogicalOperator,
  isPatternAssignment,
  isPromiseChain,
  isPromiseReject,
  keyName,
  mayDeclareThrow,
  mayThrow,
  nameOfTarget,
  textStart,
  type Pattern,
} from "./syntax.ts";
import { endsLine, hasLineEnd, skipTrivia, skipWord } from "./tokens.ts";
import {
  isLikeModifier,
  isTypeOnlyMember,
  isTypeOnlyStatement,
  NotErasable,
  TypeEraser,
} from "./type-eraser.ts";
import {
  notesRightSide,
  WriteProbes,
  type Capture,
  type WalkPlace,
  type WriteRange,
} from "./write-probes.ts";

/** How many closure variables one probe passes at most; more would only blow up the text. */
const MAX_CLOSURE_LOCALS = 64;

const FUNCTION = SITE_KINDS.indexOf("function");
const STATEMENT = SITE_KINDS.indexOf("statement");
const AWAIT = SITE_KINDS.indexOf("await");
const YIELD = SITE_KINDS.indexOf("yield");
const THROW = SITE_KINDS.indexOf("throw");
const CATCH = SITE_KINDS.indexOf("catch");
const BIRTH = SITE_KINDS.indexOf("birth");
const MODULE = SITE_KINDS.indexOf("module");
const CLASS = SITE_KINDS.indexOf("class");
const WRITE = SITE_KINDS.indexOf("write");

const MODULE_NAME = "<module>";

const PARAMETER_ROLE = 0;
const VARIABLE_ROLE = 1;
const FUNCTION_ROLE = 2;
const CLASS_ROLE = 3;
const CATCH_ROLE = 4;
const CLOSURE_ROLE = 5;
const ARGUMENTS_ROLE = 6;

const EVENT_SUSPEND = 2;
const EVENT_RESUME = 3;
const EVENT_CATCH = 4;
const EVENT_THROW = 5;
const EVENT_STATEMENT = 6;

/** What the walk has to know about the text. */
export interface WalkOptions {
  readonly text: string;
  readonly program: Program;
  readonly format: ModuleFormat;
  readonly typed: boolean;
  readonly level: Level;
  readonly ringMask: RingMask;
  /** The level of a function; undefined leaves it alone. */
  readonly levelAt?: InstrumentOptions["levelAt"];
  /** Prefix of the names that probes add; no name of the text begins with it. */
  readonly prefix: string;
  readonly lineStarts: readonly number[];
  /** The same of `text`, which may have been compiled. */
  readonly textLineStarts: readonly number[];
  /** Functions (and the program) that hold a direct eval or a `with`, and which of the two. */
  readonly dynamic: ReadonlyMap<object, string>;
  /** Variables that compiling added: nothing shows them. */
  readonly madeNames?: ReadonlySet<string>;
  /** Maps an offset of `text` to the original text. */
  readonly toOriginal: (offset: number) => number;
  /** For the text without types: every unit has to be the one that Node writes. */
  readonly isExact?: boolean;
}

/** A walked text with its edits applied, and what they mean. */
export interface Walked {
  readonly edited: EditedText;
  readonly sites: SiteTableBuilder;
  readonly skipped: readonly SkippedFunction[];
}

/** Walks a program and collects the edits that put probes into it. */
export function writeProbes(options: WalkOptions): Walked {
  return new ProbeWriter(options).run();
}

/** Walks a program and returns its text without types, but with nothing added to it. */
export function eraseOnly(options: WalkOptions): string {
  return new ProbeWriter({ ...options, isExact: true }).erase();
}

interface FunctionInfo {
  /** Where the text begins and ends that `toString` gives. */
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly qualname: string;
  /** For declarations: where their scope begins. */
  readonly hoistedTo?: number;
  readonly globals?: Globals;
  readonly isDerivedConstructor?: boolean;
}

interface PendingFunction {
  readonly id: number;
  readonly captures: readonly string[];
  readonly info: FunctionInfo;
  readonly flags: number;
  readonly locals: readonly LocalValue[];
  readonly firstEdit: number;
  readonly endEdit: number;
}

/** The place of a marker that may not be needed, and how many changes there were before it. */
interface Marked {
  readonly slot: number;
  readonly changes: number;
}

type SavedState = readonly [
  fn: FunctionContext,
  host: FunctionContext | undefined,
  temporaries: FunctionContext,
  ownThis: boolean,
  noWrap: boolean,
  inParameters: boolean,
  quoted: boolean,
];

type AnyFunction = FunctionNode | ArrowFunctionExpression;

/** Whether what is read first may be the name of an error or promise that is made. */
function namesError(first: Expression): boolean {
  return first.type === "Identifier" && (isErrorName(first.name) || first.name === "Promise");
}

class ProbeWriter {
  readonly #options: WalkOptions;
  readonly #text: string;
  readonly #typed: boolean;
  readonly #edits = new EditList();
  readonly #sites = new SiteTableBuilder();
  readonly #names: NameTable;
  readonly #probe: ProbeText;
  readonly #types: TypeEraser;
  readonly #toOriginal: (offset: number) => number;
  readonly #skipped: SkippedFunction[] = [];
  readonly #pending: PendingFunction[] = [];
  #mirrorCount = 0;
  #scope: Scope | undefined;
  /** The function whose text is being walked. */
  #fn: FunctionContext;
  /** The function whose probes can be written here; none in parameters and field initialisers. */
  #host: FunctionContext | undefined;
  /** The function whose temporaries can be used here. */
  #temporaries: FunctionContext;
  /** Whether `this` and `arguments` here are those of `#fn`. */
  #ownThis = true;
  /** No call may be wrapped: inside an optional chain or the callee of `new`. */
  #noWrap = false;
  /**
   * The engine may quote the text of this expression in a message, as in `a[i++].b is not a
   * function`. Whatever would change that text is put off or left out.
   */
  #quoted = false;
  /** Bindings that were written where no mirror could be; mirrored before the next statement. */
  readonly #putOff: Binding[] = [];
  /** What a `throw` throws: the probe of the throw tells where it was made. */
  #thrown: Expression | undefined;
  /** A cycle of imports may call the functions of this module before its body, and so its prologue. */
  readonly #mayRunEarly: boolean;
  /** Where the last statement ended. */
  #lastEnd = 0;
  /** The class around, for names of methods. */
  #className = "";
  /** At level `writes`. */
  readonly #writes: WriteProbes | undefined;
  /** The expression that is a statement. */
  #wholeStatement: Expression | undefined;
  /** The classes around the place that is being walked, the innermost last. */
  readonly #classes: Class[] = [];
  /** What is read first in the statements around, and where it is shown. */
  readonly #firstReads = new Map<Expression, number>();
  /** Where assignments that a statement begins with are shown, as far as they have no place. */
  readonly #firstAssignments = new WeakMap<Expression, number>();
  /** The property that is about to be written: its owner and key are kept for the note. */
  #written: Capture | undefined;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#text = options.text;
    this.#names = new NameTable(options.text.length);
    this.#typed = options.typed;
    const notesWrites = options.level === "writes";
    this.#probe = new ProbeText(options.prefix, options.ringMask, notesWrites);
    this.#types = new TypeEraser(options.text, this.#edits, options.isExact === true);
    this.#toOriginal = options.toOriginal;
    const { program } = options;
    this.#mayRunEarly = options.format === "module" && program.body.some(importsOwnFile);
    const isCommonJs = options.format === "commonjs";
    const id = this.#sites.add(
      MODULE,
      0,
      this.#toOriginal(program.start),
      this.#toOriginal(options.text.length),
    );
    this.#fn = {
      id,
      parent: undefined,
      qualname: MODULE_NAME,
      createdAt: 0,
      inParameters: false,
      lexicalThis: undefined,
      isModule: true,
      isArrow: false,
      isDerivedConstructor: false,
      isGenerator: false,
      isStrict: !isCommonJs || hasUseStrict(program.body),
      isWrapped: true,
      level: options.level,
      globals: this.#probe.constants,
      locals: [],
      captures: [],
      slots: undefined,
      mirrors: [],
      temporaries: "",
      usesThis: isCommonJs,
      usesArguments: false,
      usesActivation: false,
      exit: undefined,
      loopDepth: 0,
      statement: id,
    };
    this.#host = this.#fn;
    this.#temporaries = this.#fn;
    if (notesWrites) this.#writes = this.#noteWrites();
  }

  /** Shows the place of the walk to what spells the notes of writes. */
  #noteWrites(): WriteProbes {
    const place: WalkPlace = {
      now: () => ({
        fn: this.#fn,
        host: this.#host,
        temporaries: this.#temporaries,
        inParameters: this.#inParameters,
        quoted: this.#quoted,
        noWrap: this.#noWrap,
      }),
      find: (name) => this.#names.find(name),
      site: (start, end) => this.#site(WRITE, start, end),
      leaveOut: (start, reason) => {
        this.#skip(start, `write not noted: ${reason}`);
      },
    };
    return new WriteProbes({
      text: this.#text,
      isScript: this.#options.format === "commonjs",
      place,
      sites: this.#sites,
      probe: this.#probe,
      madeNames: this.#options.madeNames,
    });
  }

  /** What notes writes here; undefined below its level and in functions that are left alone. */
  get #noting(): WriteProbes | undefined {
    // A cycle of imports may call the function before temporaries of the module are there.
    const isEarly = this.#mayRunEarly && this.#temporaries.isModule;
    if (this.#inParameters && (this.#quietParameters || isEarly)) return undefined;
    return this.#fn.isWrapped && this.#fn.level === "writes" ? this.#writes : undefined;
  }

  run(): Walked {
    this.#module();
    const { text, textLineStarts } = this.#options;
    const edited = this.#edits.apply(text, textLineStarts);
    const { growth } = edited;
    for (const { id, captures, info, flags, locals, firstEdit, endEdit } of this.#pending) {
      const localNames: string[] = [];
      const localNumbers: number[] = [];
      for (const { name, role, from, to, declared, depth } of locals) {
        localNames.push(name);
        localNumbers.push(role, from, to, declared, depth);
      }
      this.#sites.addFunction({
        id,
        qualname: info.qualname,
        name: info.name,
        flags,
        generatedLength: info.end - info.start + (growth[endEdit] ?? 0) - (growth[firstEdit] ?? 0),
        localNames,
        localNumbers,
        captures,
      });
    }
    return { edited, sites: this.#sites, skipped: this.#skipped };
  }

  erase(): string {
    this.#module();
    return this.#edits.applyErasures(this.#text);
  }

  // ------------------------------------------------------------------ module

  #module(): void {
    const { program, format } = this.#options;
    const context = this.#fn;
    const statements = program.body;
    const directives = countDirectives(statements);
    const hoisted = collectHoisted(statements);
    const scope = this.#newScope(0, this.#text.length, 1, false);
    for (const name of hoisted.variables) {
      declare(scope, name, "variable", 0);
      this.#addLocal(context, name, VARIABLE_ROLE, scope, 0, name);
    }
    let wrapped = format === "commonjs";
    if (wrapped) {
      const reason =
        this.#options.dynamic.get(program) ??
        conflictOfHoisting(statements, [], hoisted, context.isStrict);
      if (reason !== undefined) {
        wrapped = false;
        this.#skip(program.start, `module body: ${reason}`);
      }
    }
    this.#declareLexical(scope, statements);
    if (!context.isStrict) this.#declareBlockFunctions(scope, hoisted);
    const outer = this.#enter(scope);
    // The engine quotes the line of an import that cannot be linked, so nothing is put into it.
    const isWork = (statement: Program["body"][number]): boolean =>
      format === "commonjs" || !isLink(statement);
    const firstWork = statements.findIndex(
      (statement, index) => index >= directives && isWork(statement),
    );
    const lastWork = firstWork === -1 ? -1 : statements.findLastIndex(isWork);
    let head = -1;
    let separator = "";
    for (let index = directives; index < statements.length; index++) {
      const statement = statements[index];
      if (statement === undefined) continue;
      if (index === firstWork) {
        const lastDirective = index === directives ? statements[index - 1] : undefined;
        head = this.#edits.slot(lastDirective === undefined ? statement.start : lastDirective.end);
        if (lastDirective !== undefined) separator = ";";
      }
      context.level = this.#levelOf(statement) ?? "calls";
      this.#statement(statement);
      if (index === lastWork) this.#edits.insert(statement.end, this.#probe.moduleFoot(wrapped));
    }
    this.#leave(scope, outer);
    const last = statements[statements.length - 1];
    if (head === -1 && statements.length > directives && last !== undefined) {
      // Only imports: the probes get a line of their own if there is one.
      const at = endsLine(this.#text) ? this.#text.length : last.end;
      head = this.#edits.slot(at);
      separator = ";";
      this.#edits.insert(at, this.#probe.moduleFoot(wrapped));
    }
    if (head !== -1) {
      this.#edits.fill(head, [separator, this.#probe.moduleHead(context, wrapped)]);
    }
    this.#fillSlots(context, () => this.#probe.moduleValues);
    this.#pending.push({
      id: context.id,
      captures: context.captures,
      info: { start: 0, end: this.#text.length, name: "", qualname: "<module>" },
      flags: 0,
      locals: context.locals,
      firstEdit: 0,
      endEdit: this.#edits.count,
    });
  }

  // ------------------------------------------------------------------ scopes

  #newScope(from: number, to: number, depth: number, isSwitch: boolean): Scope {
    return new Scope({
      parent: this.#scope,
      owner: this.#fn,
      start: from,
      from: this.#toOriginal(from),
      to: this.#toOriginal(to),
      depth,
      isSwitch,
    });
  }

  #enter(scope: Scope): Scope | undefined {
    const outer = this.#scope;
    this.#scope = scope;
    this.#names.enter(scope);
    return outer;
  }

  #leave(scope: Scope, outer: Scope | undefined): void {
    this.#names.leave(scope);
    this.#scope = outer;
  }

  get #innerDepth(): number {
    return (this.#scope?.depth ?? 0) + 1;
  }

  #addLocal(
    context: FunctionContext,
    name: string,
    role: number,
    scope: Scope,
    declared: number,
    text: string,
  ): void {
    if (this.#options.madeNames?.has(name) === true) return;
    context.locals.push({
      name,
      role,
      from: scope.from,
      to: scope.to,
      declared,
      depth: scope.depth,
      text,
      direct: text === name,
    });
  }

  /** Declares a binding of a block; inside functions a mirror carries its value to the probes. */
  #declareMirrored(
    scope: Scope,
    name: string,
    kind: BindingKind,
    role: number,
    declared: number,
  ): Binding {
    const known = scope.find(name);
    if (known !== undefined) return known;
    const original = declared === 0 ? 0 : this.#toOriginal(declared);
    const binding = declare(scope, name, kind, declared);
    const context = scope.owner;
    // The static block of a class in a parameter sees nothing of the body.
    if (!context.isWrapped || this.#inParameters) return binding;
    if (context.isModule && scope.parent === undefined) {
      if (kind !== "import") this.#addLocal(context, name, role, scope, original, name);
      return binding;
    }
    binding.mirror = this.#newMirror(context);
    this.#addLocal(context, name, role, scope, original, this.#probe.mirror(binding.mirror));
    return binding;
  }

  #newMirror(context: FunctionContext): number {
    context.mirrors.push(this.#mirrorCount);
    return this.#mirrorCount++;
  }

  /** Declares what `let`, `const`, `using`, `class`, `function` and `import` bind in a list. */
  #declareLexical(scope: Scope, statements: readonly Statement[]): string {
    let functionMirrors = "";
    for (const statement of statements) {
      const node = declarationIn(statement);
      if (node === null || node === undefined) continue;
      switch (node.type) {
        case "VariableDeclaration":
          if (node.kind === "var" || node.declare === true) break;
          for (const declarator of node.declarations) {
            forEachName(declarator.id, (name) => {
              const kind = kindOf(node);
              this.#declareMirrored(scope, name, kind, VARIABLE_ROLE, declarator.end);
            });
          }
          break;
        case "ClassDeclaration":
          if (node.id !== null && node.declare !== true) {
            this.#declareMirrored(scope, node.id.name, "class", CLASS_ROLE, node.end);
          }
          break;
        case "FunctionDeclaration": {
          if (node.id === null || scope.has(node.id.name)) break;
          if (scope.isSwitch) {
            declare(scope, node.id.name, "function", 0);
            break;
          }
          const binding = this.#declareMirrored(scope, node.id.name, "function", FUNCTION_ROLE, 0);
          if (binding.mirror >= 0) {
            functionMirrors += `${this.#probe.mirror(binding.mirror)}=${binding.name};`;
          }
          break;
        }
        case "ImportDeclaration":
          for (const { local } of node.specifiers) declare(scope, local.name, "import", 0);
          break;
      }
    }
    return functionMirrors;
  }

  /** Makes names of functions in blocks resolve to the function scope; they are never read. */
  #declareBlockFunctions(scope: Scope, hoisted: Hoisted): void {
    for (const name of hoisted.blockFunctions) declare(scope, name, "annexB", 0);
  }

  #block(statements: readonly Statement[], start: number, end: number, head: Piece = ""): void {
    if (!statements.some(declaresInBlock)) {
      if (head !== "") this.#edits.insert(start + 1, head);
      this.#list(statements);
      return;
    }
    const scope = this.#newScope(start, end, this.#innerDepth, false);
    const mirrors = this.#declareLexical(scope, statements);
    const outer = this.#enter(scope);
    if (mirrors !== "" || head !== "") this.#edits.insert(start + 1, [head, mirrors]);
    this.#list(statements);
    this.#leave(scope, outer);
  }

  #list(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  /** Notes that the function being walked mentions a name. */
  #mention(name: string): void {
    const binding = this.#names.find(name);
    if (binding === undefined) {
      if (name === "arguments" && this.#ownThis) this.#fn.usesArguments = true;
      return;
    }
    const context = this.#fn;
    if (binding.owner === context || binding.mentionedBy === context) return;
    binding.mentionedBy = context;
    if (!context.isWrapped) return;
    const { kind, scope, owner } = binding;
    if (kind !== "resource" && !canReadBack(binding)) return;
    if (owner.isModule && scope.parent === undefined) {
      context.captures.push(name);
      return;
    }
    const text = this.#closureText(binding, context);
    if (text === undefined) return;
    context.locals.push({
      name,
      role: CLOSURE_ROLE,
      from: scope.from,
      to: scope.to,
      declared: 0,
      depth: 0,
      text,
      direct: text === name,
    });
  }

  /** How an inner function can read a binding without ever meeting its temporal dead zone. */
  #closureText(binding: Binding, context: FunctionContext): string | undefined {
    let child = context;
    while (child.parent !== binding.owner) {
      if (child.parent === undefined) return undefined;
      child = child.parent;
    }
    if (child.inParameters) return undefined;
    if (binding.kind === "parameter" || binding.kind === "variable") return binding.name;
    // Once the declaration was passed when the function came to be, it is initialised for ever.
    if (!binding.scope.isSwitch && binding.declared <= child.createdAt) return binding.name;
    if (binding.mirror < 0 || binding.scope.inLoop) return undefined;
    return this.#probe.mirror(binding.mirror);
  }

  // --------------------------------------------------------------- functions

  #function(node: AnyFunction, info: FunctionInfo): void {
    const firstEdit = this.#edits.count;
    const id = this.#sites.add(
      FUNCTION,
      0,
      this.#toOriginal(info.start),
      this.#toOriginal(info.end),
    );
    const { body } = node;
    if (body === null) return;
    const isArrow = node.type === "ArrowFunctionExpression";
    const statements: readonly Statement[] | undefined =
      body.type === "BlockStatement" ? body.body : undefined;
    const directives = statements === undefined ? 0 : countDirectives(statements);
    const isStrict = this.#fn.isStrict || (statements !== undefined && hasUseStrict(statements));
    const parameters: string[] = [];
    for (const parameter of node.params) forEachName(parameter, (name) => parameters.push(name));
    const hoisted = collectHoisted(statements ?? []);
    const reason =
      this.#options.dynamic.get(node) ??
      (statements === undefined
        ? undefined
        : conflictOfHoisting(statements, parameters, hoisted, isStrict));
    if (reason !== undefined && reason !== MADE_BY_US) this.#skip(info.start, reason);
    const level = this.#levelOf(info);
    const context: FunctionContext = {
      id,
      parent: this.#fn,
      qualname: reason === MADE_BY_US ? this.#fn.qualname : info.qualname,
      createdAt: info.hoistedTo ?? info.start,
      inParameters: this.#inParameters,
      lexicalThis: isArrow && this.#ownThis ? this.#fn : undefined,
      isModule: false,
      isArrow,
      isDerivedConstructor: info.isDerivedConstructor === true,
      isGenerator: node.generator,
      isStrict,
      isWrapped: reason === undefined && level !== undefined,
      level: level ?? "calls",
      globals: info.globals ?? (this.#fn.isModule ? this.#probe.constants : this.#fn.globals),
      locals: [],
      captures: [],
      slots: undefined,
      mirrors: [],
      temporaries: "",
      usesThis: !isArrow,
      usesArguments: false,
      usesActivation: false,
      exit:
        reason === undefined && level !== undefined && info.isDerivedConstructor !== true
          ? exitBehind(node, this.#text)
          : undefined,
      loopDepth: 0,
      statement: id,
    };
    const saved = this.#save();
    this.#fn = context;
    this.#ownThis = true;
    this.#noWrap = false;
    this.#quoted = false;

    const parameterScope = this.#newScope(info.start, info.end, 0, false);
    for (const name of parameters) {
      if (parameterScope.has(name)) continue;
      declare(parameterScope, name, "parameter", 0);
      if (name !== "this") this.#addLocal(context, name, PARAMETER_ROLE, parameterScope, 0, name);
    }
    const outerScope = this.#enter(parameterScope);
    this.#host = undefined;
    this.#inParameters = true;
    const [first] = node.params;
    const end = node.params[node.params.length - 1]?.end ?? 0;
    const quietAround = this.#quietParameters;
    this.#quietParameters =
      this.#writes !== undefined &&
      first !== undefined &&
      this.#text.slice(first.start, end).includes("[");
    this.#parameters(node);
    this.#inParameters = false;
    this.#quietParameters = quietAround;

    const variableScope =
      hoisted.variables.length + hoisted.blockFunctions.length === 0
        ? parameterScope
        : this.#newScope(body.start, body.end, 1, false);
    for (const name of hoisted.variables) {
      if (parameterScope.has(name)) continue;
      declare(variableScope, name, "variable", 0);
      this.#addLocal(context, name, VARIABLE_ROLE, variableScope, 0, name);
    }
    if (!isStrict) {
      for (const name of hoisted.blockFunctions) {
        if (!parameterScope.has(name)) declare(variableScope, name, "annexB", 0);
      }
    }
    let parameterOuter: Scope | undefined;
    if (variableScope !== parameterScope) parameterOuter = this.#enter(variableScope);
    if (context.isWrapped) {
      this.#host = context;
      this.#temporaries = context;
      this.#wrappedBody(node, context, variableScope, directives);
    } else {
      this.#host = undefined;
      this.#plainBody(node, id);
    }
    if (variableScope !== parameterScope) this.#leave(variableScope, parameterOuter);
    this.#leave(parameterScope, outerScope);
    this.#restore(saved);
    this.#pending.push({
      id: context.id,
      captures: context.captures,
      info,
      flags: (node.async ? 1 : 0) | (node.generator ? 2 : 0) | (isArrow ? 4 : 0),
      locals: context.locals,
      firstEdit,
      endEdit: this.#edits.count,
    });
  }

  #levelOf({ start, end }: { start: number; end: number }): Level | undefined {
    const { level, levelAt } = this.#options;
    return levelAt === undefined ? level : levelAt(start, end);
  }

  get #statementEvents(): boolean {
    return this.#fn.level !== "calls";
  }

  #inParameters = false;
  /**
   * What is written in parameters is not noted: the engine says of what cannot be iterated there,
   * `f(a = b = 0, [])`, what it called last.
   */
  #quietParameters = false;
  /** Site of the `for await` whose head was noted last. */
  #awaitLoop = 0;

  #save(): SavedState {
    return [
      this.#fn,
      this.#host,
      this.#temporaries,
      this.#ownThis,
      this.#noWrap,
      this.#inParameters,
      this.#quoted,
    ];
  }

  #restore(saved: SavedState): void {
    [
      this.#fn,
      this.#host,
      this.#temporaries,
      this.#ownThis,
      this.#noWrap,
      this.#inParameters,
      this.#quoted,
    ] = saved;
  }

  #parameters(node: AnyFunction): void {
    if (this.#typed && node.typeParameters) this.#typeParameters(node);
    for (let index = 0; index < node.params.length; index++) {
      const parameter = node.params[index];
      if (parameter === undefined) continue;
      if (this.#typed && parameter.type === "Identifier" && parameter.name === "this") {
        // The comma goes too: `this` is no parameter in JavaScript.
        const next = node.params[index + 1];
        const comma = skipTrivia(this.#text, parameter.end);
        const end = this.#text.charAt(comma) === "," ? comma + 1 : parameter.end;
        this.#types.blank(parameter.start, Math.min(end, next?.start ?? end));
      } else {
        this.#pattern(parameter);
      }
    }
    const returns = node.returnType;
    if (!this.#typed || !returns) return;
    const close = this.#text.lastIndexOf(")", returns.start);
    const isBroken =
      node.type === "ArrowFunctionExpression" &&
      hasLineEnd(this.#text, close, skipTrivia(this.#text, returns.end));
    if (isBroken && close >= 0) {
      // No line break may stand before `=>`, so the parenthesis moves behind the type.
      this.#edits.overwrite(close, returns.end, `${this.#types.blanks(close, returns.end - 1)})`);
    } else {
      this.#types.blank(returns.start, returns.end);
    }
  }

  #typeParameters(node: AnyFunction): void {
    const { typeParameters } = node;
    if (!typeParameters) return;
    const { start, end } = typeParameters;
    const open = skipTrivia(this.#text, end);
    if (node.type === "ArrowFunctionExpression" && hasLineEnd(this.#text, start, open)) {
      // `return <T>⏎(x) => x` must not end at the line break.
      this.#edits.overwrite(start, open + 1, `(${this.#types.blanks(start + 1, open + 1)}`);
    } else {
      this.#types.blank(start, end);
    }
  }

  /** A function that is left alone: only the marker, and what is inside. */
  #plainBody(node: AnyFunction, id: number): void {
    const { body } = node;
    if (body === null) return;
    if (body.type === "BlockStatement") {
      const marked = this.#beginMarked(body.start + 1, id, this.#options.levelAt === undefined);
      this.#block(body.body, body.start, body.end);
      this.#endMarked(marked, id);
    } else {
      const marked = this.#beginMarked(body.start, id, this.#options.levelAt === undefined);
      this.#expression(body, true);
      this.#endMarked(marked, id);
    }
  }

  /** Markers that stand nowhere, so far: nothing behind them was changed. */
  #openMarkers = 0;

  /** Puts a marker where it is needed; else only where something inside is changed. */
  #beginMarked(at: number, id: number, isNeeded: boolean): Marked | undefined {
    if (isNeeded) {
      this.#marker(at, id);
      return undefined;
    }
    const slot = this.#edits.slot(at);
    this.#openMarkers++;
    return { slot, changes: this.#edits.count - this.#openMarkers };
  }

  #endMarked(marked: Marked | undefined, id: number): void {
    if (marked === undefined) return;
    if (this.#edits.count - this.#openMarkers === marked.changes) return;
    this.#edits.fill(marked.slot, [MARKER_START, id, MARKER_END]);
    this.#openMarkers--;
  }

  #wrappedBody(
    node: AnyFunction,
    context: FunctionContext,
    boundary: Scope,
    directives: number,
  ): void {
    const { body } = node;
    if (body === null) return;
    if (body.type !== "BlockStatement") {
      const statement = this.#site(STATEMENT, body.start, body.end);
      context.statement = statement;
      this.#edits.insert(body.start, "{");
      this.#marker(body.start, context.id);
      const head = this.#edits.slot(body.start);
      const place = placeOf(this.#text, body);
      const before = context.exit === undefined ? "return " : `${this.#probe.result}=`;
      this.#edits.insertAs(body.start, before, place);
      this.#beginAt(place, body);
      this.#expression(body, true);
      this.#edits.insert(body.end, this.#finish(context, boundary));
      this.#edits.insert(body.end, "}");
      const notes = this.#parameterNotes(node);
      const functionHead = this.#probe.functionHead(context, "");
      this.#edits.fill(head, [functionHead, notes, this.#probe.at, statement, ";"]);
      return;
    }
    const statements = body.body;
    const lastDirective = statements[directives - 1];
    this.#marker(body.start + 1, context.id);
    const head = this.#edits.slot(lastDirective?.end ?? body.start + 1);
    const separator = lastDirective === undefined ? "" : ";";
    if (statements.length === directives) {
      this.#edits.fill(head, [separator, this.#probe.emptyBody(context)]);
      return;
    }
    let mirrorWrites = "";
    if (statements.some(declaresInBlock)) {
      const scope = this.#newScope(body.start, body.end, 1, false);
      mirrorWrites = this.#declareLexical(scope, statements);
      const outer = this.#enter(scope);
      this.#listFrom(statements, directives);
      this.#leave(scope, outer);
    } else {
      this.#listFrom(statements, directives);
    }
    this.#edits.insert(body.end - 1, this.#finish(context, boundary));
    const notes = this.#parameterNotes(node);
    this.#edits.fill(head, [separator, this.#probe.functionHead(context, mirrorWrites), notes]);
  }

  /** Notes what the parameters got, at the head of the body. */
  #parameterNotes({ params }: AnyFunction): Piece {
    const writes = this.#noting;
    if (writes === undefined || params.length === 0) return "";
    const notes: Piece[] = [];
    for (const parameter of params) {
      if (parameter.type === "Identifier" && parameter.name === "this") continue;
      const { start, end } = parameter;
      const piece = writes.names(parameter, { start, end, operator: "param" });
      if (piece !== "") notes.push(piece, ";");
    }
    return notes;
  }

  #listFrom(statements: readonly Statement[], first: number): void {
    for (let index = first; index < statements.length; index++) {
      const statement = statements[index];
      if (statement !== undefined) this.#statement(statement);
    }
  }

  #marker(at: number, id: number): void {
    this.#edits.insertId(at, MARKER_START, id, MARKER_END);
  }

  /** Settles what the probes of a function pass, and returns the text behind its body. */
  #finish(context: FunctionContext, boundary: Scope): Piece {
    // A function without variables has no scope for them.
    const parameters = boundary.parent?.owner === context ? boundary.parent : undefined;
    let closures = 0;
    for (let index = 0; index < context.locals.length; index++) {
      const local = context.locals[index];
      if (local === undefined || local.role !== CLOSURE_ROLE) continue;
      const hidden =
        local.direct && (boundary.has(local.name) || parameters?.has(local.name) === true);
      if (hidden || ++closures > MAX_CLOSURE_LOCALS) context.locals.splice(index--, 1);
    }
    if (context.usesArguments && hasArguments(context, this.#options.format)) {
      context.locals.push({
        name: "arguments",
        role: ARGUMENTS_ROLE,
        from: boundary.from,
        to: boundary.to,
        declared: 0,
        depth: 0,
        text: "arguments",
        direct: true,
      });
    }
    const self = this.#selfOf(context);
    this.#fillSlots(context, (scope, isOwn) => `[${valuesAt(context, scope, boundary, isOwn)}]`);
    return this.#probe.functionFoot(context, self, valuesAt(context, undefined, boundary));
  }

  #fillSlots(
    context: FunctionContext,
    values: (scope: Scope | undefined, isOwn: boolean) => string,
  ): void {
    if (context.slots === undefined) return;
    const self = this.#selfOf(context);
    for (const { slot, scope, before, after, isOwn } of context.slots) {
      const locals = values(scope, isOwn);
      this.#edits.fill(slot, [before, `${isOwn ? self : "void 0"},${locals}${after}`]);
    }
  }

  #selfOf(context: FunctionContext): string {
    if (context.isModule) return this.#options.format === "commonjs" ? "this" : "void 0";
    if (context.isArrow && !context.usesThis) return "void 0";
    let owner = context;
    let inParameters = false;
    while (owner.isArrow) {
      if (owner.lexicalThis === undefined) return "this";
      inParameters ||= owner.inParameters;
      owner = owner.lexicalThis;
    }
    if (!owner.isDerivedConstructor) {
      return owner.isModule && this.#options.format === "module" ? "void 0" : "this";
    }
    // `this` would throw before super() has returned; its result is mirrored instead.
    if (!owner.isWrapped || inParameters) return "void 0";
    useTemporary(owner, "s");
    return this.#probe.temporary("s");
  }

  #skip(start: number, reason: string): void {
    const { line, column } = positionOf(this.#options.lineStarts, this.#toOriginal(start));
    this.#skipped.push({ line, column, reason });
  }

  #site(kind: number, start: number, end: number): number {
    return this.#sites.add(kind, this.#fn.id, this.#toOriginal(start), this.#toOriginal(end));
  }

  #event(id: number, kind: number): Piece {
    return this.#probe.event(this.#fn, id, kind);
  }

  // -------------------------------------------------------------- statements

  /** Notes where the function is, before a statement. */
  #before(start: number, end: number): void {
    const host = this.#host;
    if (host === undefined) return;
    const id = this.#site(STATEMENT, start, end);
    host.statement = id;
    this.#edits.insertId(start, this.#probe.at, id, ";");
    if (this.#statementEvents) this.#edits.insert(start, [this.#event(id, EVENT_STATEMENT), ";"]);
    if (this.#putOff.length > 0) this.#edits.insert(start, this.#lateMirrors(start));
    const late = this.#noting?.lateNotes(start) ?? "";
    if (late !== "") this.#edits.insert(start, late);
  }

  /** Writes the mirrors that were put off, as far as their names can be read here. */
  #lateMirrors(start: number): string {
    let text = "";
    for (const binding of this.#putOff.splice(0)) {
      const { name, mirror, owner, scope, declared } = binding;
      if (owner !== this.#fn || scope.isSwitch || declared > start) continue;
      if (this.#names.find(name) !== binding) continue;
      text += `${this.#probe.mirror(mirror)}=${name};`;
    }
    return text;
  }

  #expressionQuoted(node: Expression): void {
    const { type } = node;
    if (type === "Identifier" || type === "Literal") {
      this.#expression(node, true);
      return;
    }
    const quoted = this.#quoted;
    this.#quoted = true;
    this.#expression(node, true);
    this.#quoted = quoted;
  }

  /** Notes that the function waits, before a loop that awaits each of its values. */
  #beforeLoop(node: Statement): void {
    let loop = node;
    while (loop.type === "LabeledStatement") loop = loop.body;
    if (this.#host === undefined || loop.type !== "ForOfStatement" || !loop.await) return;
    this.#awaitLoop = this.#site(AWAIT, loop.right.start, loop.right.end);
    this.#edits.insert(node.start, [this.#event(this.#awaitLoop, EVENT_SUSPEND), ";"]);
  }

  /** Walks an expression that is evaluated again and again, the test of a loop, with a note of it. */
  #repeated(node: Expression, used: boolean): void {
    this.#beginAt(undefined, node);
    if (this.#host === undefined || !mayThrow(node, 0)) {
      this.#expression(node, used);
      return;
    }
    const id = this.#site(STATEMENT, node.start, node.end);
    this.#host.statement = id;
    // A sequence stays one of its own: the engine notes the places of its commas.
    const isSequence = node.type === "SequenceExpression";
    this.#edits.insertId(node.start, this.#probe.at, id, isSequence ? ",(" : ",");
    this.#expression(node, used);
    if (isSequence) this.#edits.insert(node.end, ")");
  }

  #statement(node: Statement): void {
    if (this.#typed && isTypeOnlyStatement(node)) {
      this.#types.blankStatement(node.start, node.end, this.#lastEnd);
      this.#lastEnd = node.end;
      return;
    }
    this.#untypedStatement(node);
    this.#lastEnd = node.end;
  }

  #untypedStatement(node: Statement): void {
    switch (node.type) {
      case "ExpressionStatement":
        this.#before(node.start, node.end);
        this.#wholeStatement = node.expression;
        this.#beginAt(node.start, node.expression);
        this.#expression(node.expression, false);
        this.#endStatement(node.end);
        break;
      case "VariableDeclaration":
        if (this.#statementEvents || mayDeclareThrow(node)) this.#before(node.start, node.end);
        this.#declaration(node, node.end);
        this.#endStatement(node.end);
        break;
      case "ReturnStatement":
        this.#before(node.start, node.end);
        this.#return(node);
        break;
      case "IfStatement":
        this.#before(node.start, node.end);
        this.#if(node);
        break;
      case "FunctionDeclaration":
        this.#functionDeclaration(node, undefined);
        break;
      case "BlockStatement":
        this.#block(node.body, node.start, node.end);
        break;
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "SwitchStatement":
      case "ThrowStatement":
        this.#before(node.start, node.end);
        this.#beforeLoop(node);
        this.#unprefixed(node);
        break;
      case "LabeledStatement":
        // A label stays right before its loop, so the note goes before the label.
        this.#before(node.start, node.end);
        this.#beforeLoop(node);
        this.#unprefixed(node.body);
        break;
      default:
        this.#unprefixed(node);
    }
  }

  /** Walks a statement that nothing may be put in front of, or that needs nothing there. */
  #unprefixed(node: Statement): void {
    switch (node.type) {
      case "ForStatement":
        this.#for(node);
        break;
      case "ForInStatement":
      case "ForOfStatement":
        this.#forEach(node);
        break;
      case "WhileStatement":
        this.#fn.loopDepth++;
        this.#repeated(node.test, true);
        this.#body(node.body);
        this.#fn.loopDepth--;
        break;
      case "DoWhileStatement":
        this.#fn.loopDepth++;
        this.#body(node.body);
        this.#repeated(node.test, true);
        this.#fn.loopDepth--;
        break;
      case "SwitchStatement":
        this.#switch(node);
        break;
      case "TryStatement":
        this.#try(node);
        break;
      case "ThrowStatement":
        this.#throw(node.argument, node.start, node.end);
        this.#endStatement(node.end);
        break;
      case "LabeledStatement":
        this.#unprefixed(node.body);
        break;
      case "IfStatement":
        this.#if(node);
        break;
      case "ExpressionStatement":
        this.#wholeStatement = node.expression;
        this.#beginAt(node.start, node.expression);
        this.#expression(node.expression, false);
        this.#endStatement(node.end);
        break;
      case "VariableDeclaration":
        this.#declaration(node, node.end);
        this.#endStatement(node.end);
        break;
      case "FunctionDeclaration":
        this.#functionDeclaration(node, undefined);
        break;
      case "ClassDeclaration":
        this.#before(node.start, node.end);
        this.#class(node, node.id?.name ?? "");
        this.#writeMirror(node.id?.name, node.end);
        this.#noteClass(node);
        break;
      case "BlockStatement":
        this.#block(node.body, node.start, node.end);
        break;
      case "ExportNamedDeclaration":
        this.#exportNamed(node);
        break;
      case "ExportDefaultDeclaration": {
        const { declaration } = node;
        if (declaration.type === "FunctionDeclaration") {
          this.#functionDeclaration(declaration, "default");
          break;
        }
        this.#before(node.start, node.end);
        if (declaration.type === "ClassDeclaration") {
          this.#class(declaration, declaration.id?.name ?? "default");
        } else if (
          declaration.type !== "TSInterfaceDeclaration" &&
          declaration.type !== "TSDeclareFunction"
        ) {
          this.#named(declaration, "default");
          this.#endStatement(node.end);
        }
        break;
      }
      case "ImportDeclaration":
        if (this.#typed) this.#typeSpecifiers(node.specifiers);
        break;
      case "ReturnStatement":
        this.#return(node);
        break;
      case "WithStatement":
        // Every name inside may be a property of the object: nothing is written there.
        if (this.#typed) throw new NotErasable("with");
        break;
      case "TSEnumDeclaration":
      case "TSModuleDeclaration":
      case "TSImportEqualsDeclaration":
      case "TSExportAssignment":
      case "TSTypeAliasDeclaration":
      case "TSInterfaceDeclaration":
      case "TSNamespaceExportDeclaration":
      case "ExportAllDeclaration":
      case "BreakStatement":
      case "ContinueStatement":
      case "DebuggerStatement":
      case "EmptyStatement":
        break;
    }
  }

  #noteClass({ id, start, end }: Class): void {
    const writes = this.#noting;
    if (writes === undefined || id === null) return;
    this.#edits.insert(end, [writes.note(id.name, { start, end, operator: "class" }), ";"]);
  }

  #return(node: ReturnStatement): void {
    const { start, argument } = node;
    const { exit } = this.#fn;
    if (exit === undefined) {
      if (argument === null) return;
      this.#beginAt(start, argument);
      this.#expression(argument, true);
      this.#endStatement(node.end);
      return;
    }
    const { result, label } = this.#probe;
    const behind = start + "return".length;
    let jump = ";";
    if (node !== exit.last) {
      exit.usesLabel = true;
      jump = `;break ${label};`;
    }
    // The engine knows the statement by its first place, which is that of `return`.
    if (argument === null) {
      const forgets = exit.hasResult && exit.mayBeCancelled;
      this.#edits.insert(start, `${forgets ? `${result}=void 0` : ""}${jump}/*`);
      this.#edits.insert(behind, "*/");
      return;
    }
    const isSequence = argument.type === "SequenceExpression";
    this.#edits.insert(start, `${result}=${isSequence ? "(" : ""}/*`);
    this.#edits.insert(behind, "*/");
    this.#beginAt(start, argument);
    this.#expression(argument, true);
    this.#edits.insert(argument.end, `${isSequence ? ")" : ""}${jump}`);
  }

  /** Keeps a statement whose end was a blanked type from joining the next line. */
  #endStatement(end: number): void {
    if (this.#typed && this.#types.endsAt(end)) this.#edits.insert(end, ";");
  }

  #exportNamed(node: Extract<Statement, { type: "ExportNamedDeclaration" }>): void {
    const { declaration } = node;
    if (declaration === null) {
      if (this.#typed) this.#typeSpecifiers(node.specifiers);
      return;
    }
    if (declaration.type === "FunctionDeclaration") {
      this.#functionDeclaration(declaration, undefined);
      return;
    }
    this.#before(node.start, node.end);
    if (declaration.type === "ClassDeclaration") {
      this.#class(declaration, declaration.id?.name ?? "");
      this.#noteClass(declaration);
    } else if (declaration.type === "VariableDeclaration") {
      this.#declaration(declaration, node.end);
      this.#endStatement(node.end);
    }
  }

  /** Blanks `type A,` between braces. */
  #typeSpecifiers(specifiers: readonly { type: string; start: number; end: number }[]): void {
    for (const specifier of specifiers) {
      const kind =
        "importKind" in specifier
          ? specifier.importKind
          : "exportKind" in specifier
            ? specifier.exportKind
            : undefined;
      if (kind !== "type") continue;
      const comma = skipTrivia(this.#text, specifier.end);
      const end = this.#text.charAt(comma) === "," ? comma + 1 : specifier.end;
      this.#types.blank(specifier.start, end);
    }
  }

  #functionDeclaration(node: FunctionNode, fallback: string | undefined): void {
    const isTop = this.#fn.isModule && this.#scope?.parent === undefined;
    const name = node.id?.name ?? fallback ?? "";
    this.#function(node, {
      start: node.start,
      end: node.end,
      name,
      qualname: this.#qualify(name, node.start),
      hoistedTo: this.#scope?.start ?? 0,
      ...(isTop && this.#mayRunEarly ? { globals: this.#probe.globals } : {}),
    });
  }

  /** The body of a loop or branch: gets braces when something has to stand in front of it. */
  #body(node: Statement, head: Piece = "", tail: Piece = ""): void {
    if (node.type === "BlockStatement") {
      // A body may declare the names that its head binds; the head reads them outside of it. And
      // errors of disposal have the place that was noted last in the block.
      const isApart =
        (head !== "" && node.body.some(declaresInBlock)) ||
        (tail !== "" && node.body.some(isDisposal));
      if (isApart) this.#edits.insert(node.start, ["{", head]);
      this.#block(node.body, node.start, node.end, isApart ? "" : head);
      if (isApart) this.#edits.insert(node.end, [tail, "}"]);
      else if (tail !== "") this.#edits.insert(node.end - 1, tail);
      return;
    }
    const isPlain = node.type === "EmptyStatement" || node.type === "FunctionDeclaration";
    if (this.#host === undefined || (isPlain && head === "" && tail === "")) {
      this.#unprefixed(node);
      return;
    }
    this.#edits.insert(node.start, head === "" ? "{" : ["{", head]);
    this.#statement(node);
    this.#edits.insert(node.end, tail === "" ? "}" : [tail, "}"]);
  }

  #if(first: IfStatement): void {
    let node = first;
    this.#beginAt(node.start, node.test);
    this.#expression(node.test, true);
    for (;;) {
      this.#body(node.consequent);
      const { alternate } = node;
      if (alternate === null) return;
      if (alternate.type !== "IfStatement") {
        this.#body(alternate);
        return;
      }
      node = alternate;
      this.#elseIf(node);
    }
  }

  /** The test of an `else if`, with a note of it that leaves the place of the statement as it is. */
  #elseIf({ start, test }: IfStatement): void {
    const isNoted = this.#host !== undefined && mayThrow(test, 0);
    this.#beginAt(start, test, isNoted || this.#marksFirst);
    if (this.#host === undefined || !isNoted) {
      this.#expression(test, true);
      return;
    }
    const id = this.#site(STATEMENT, test.start, test.end);
    this.#host.statement = id;
    this.#edits.insert(test.start, `(${this.#probe.at.slice(0, -1)}`);
    this.#edits.insertAs(test.start, ["=", id, ")&&("], start);
    this.#expression(test, true);
    this.#edits.insert(test.end, ")");
  }

  #for(node: ForStatement): void {
    const { init, test, update } = node;
    const context = this.#fn;
    context.loopDepth++;
    let head: Piece = "";
    let scope: Scope | undefined;
    let outer: Scope | undefined;
    if (init?.type === "VariableDeclaration") {
      if (init.kind !== "var") {
        scope = this.#newScope(node.start, node.end, this.#innerDepth, false);
        this.#declareLexical(scope, [init]);
        outer = this.#enter(scope);
      }
      head = this.#declaration(init, -1);
    } else if (init !== null) {
      this.#wholeStatement = init;
      this.#beginAt(init.start, init);
      this.#expression(init, false);
    }
    if (test !== null) {
      this.#repeated(test, true);
    }
    if (update !== null) {
      this.#repeated(update, false);
    }
    this.#body(node.body, head === "" ? "" : [head, ";"]);
    if (scope !== undefined) this.#leave(scope, outer);
    context.loopDepth--;
  }

  #forEach(node: ForInStatement | ForOfStatement): void {
    const { left, right, body } = node;
    const context = this.#fn;
    const loop = context.statement;
    context.loopDepth++;
    let head: Piece = "";
    const range = { start: left.start, end: right.end, operator: "for" };
    let scope: Scope | undefined;
    let outer: Scope | undefined;
    if (left.type === "VariableDeclaration") {
      if (left.kind !== "var") {
        scope = this.#newScope(node.start, node.end, this.#innerDepth, false);
        // The names are set when the body begins.
        for (const { id } of left.declarations) {
          forEachName(id, (name) => {
            if (scope !== undefined) {
              this.#declareMirrored(scope, name, kindOf(left), VARIABLE_ROLE, body.start);
            }
          });
        }
        outer = this.#enter(scope);
      }
      for (const declarator of left.declarations) {
        this.#pattern(declarator.id);
        if (declarator.init !== null) this.#expression(declarator.init, true);
        head = this.#followUp(declarator.id, range);
      }
    } else {
      this.#assignmentTarget(left);
      head = this.#followUp(left, range);
    }
    if (head !== "") head = [head, ";"];
    const waits = node.type === "ForOfStatement" && node.await && this.#host !== undefined;
    if (!waits) {
      const { length } = this.#pending;
      if (node.type === "ForOfStatement") this.#expressionQuoted(right);
      else {
        this.#beginAt(undefined, right);
        this.#expression(right, true);
      }
      const unnamed =
        this.#host === undefined ? "" : this.#probe.unnamed(this.#countFunctions(length));
      if (unnamed !== "") head = [unnamed, head];
      const again = this.#host !== undefined && !endsAbruptly(body);
      this.#body(body, head, again ? [";", this.#probe.at, loop] : "");
    } else {
      // Each turn of the loop waits: the frame is suspended except while the body runs. The first
      // suspension is noted before the loop, for wrapping `right` would change the engine's text
      // of "… is not async iterable".
      const id = this.#awaitLoop;
      const suspend = this.#event(id, EVENT_SUSPEND);
      const resume = this.#event(id, EVENT_RESUME);
      this.#expressionQuoted(right);
      const keepsPlace = !context.isModule;
      const again: Piece = [
        keepsPlace ? this.#probe.loopCatch() : "}",
        "finally{",
        this.#probe.at,
        loop,
        ";",
        suspend,
        "}",
      ];
      if (keepsPlace) {
        useTemporary(context, "q");
        useTemporary(context, "y");
      }
      this.#body(body, [resume, ";", head, "try{"], again);
      this.#edits.insert(node.end, [resume, ";"]);
    }
    if (scope !== undefined) this.#leave(scope, outer);
    context.loopDepth--;
  }

  /** How many functions, not counting those inside of them, were walked since. */
  #countFunctions(since: number): number {
    let count = 0;
    let from = Infinity;
    for (let index = this.#pending.length - 1; index >= since; index--) {
      const info = this.#pending[index]?.info;
      if (info === undefined || info.start >= from) continue;
      count++;
      from = info.start;
    }
    return count;
  }

  #switch(node: SwitchStatement): void {
    const statements = node.cases.flatMap(({ consequent }) => consequent);
    // What the cases declare is set up first, at the place of the statement.
    if (!statements.some(declaresInBlock)) this.#beginAt(node.start, node.discriminant);
    this.#expression(node.discriminant, true);
    const scope = this.#newScope(node.discriminant.end, node.end, this.#innerDepth, true);
    this.#declareLexical(scope, statements);
    const outer = this.#enter(scope);
    for (const { test, consequent } of node.cases) {
      if (test !== null) this.#expression(test, true);
      this.#list(consequent);
    }
    this.#leave(scope, outer);
  }

  #try(node: TryStatement): void {
    this.#block(node.block.body, node.block.start, node.block.end);
    if (node.handler !== null) this.#catch(node.handler);
    const { finalizer } = node;
    if (finalizer === null) return;
    if (this.#host === undefined || finalizer.body.length === 0) {
      this.#block(finalizer.body, finalizer.start, finalizer.end);
      return;
    }
    // What left the block before goes on behind this one: the place of an error stays its own.
    const [keep, restore] = this.#probe.keptPlace;
    const isApart = finalizer.body.some(isDisposal);
    if (isApart) this.#edits.insert(finalizer.start, ["{", keep]);
    this.#block(finalizer.body, finalizer.start, finalizer.end, isApart ? "" : keep);
    if (isApart) this.#edits.insert(finalizer.end, [restore, "}"]);
    else if (!endsAbruptly(finalizer)) this.#edits.insert(finalizer.end - 1, restore);
  }

  #catch(node: CatchClause): void {
    const { param, body } = node;
    const scope = this.#newScope(node.start, node.end, this.#innerDepth, false);
    const host = this.#host;
    let event: Piece = "";
    let writes: Piece = "";
    const mirrors: number[] = [];
    if (host !== undefined) {
      const id = this.#site(CATCH, node.start, node.end);
      event = [this.#event(id, EVENT_CATCH), ";"];
    }
    if (param !== null) {
      forEachName(param, (name) => {
        const binding = this.#declareMirrored(scope, name, "catch", CATCH_ROLE, 0);
        binding.declared = scope.start;
        if (binding.mirror >= 0) mirrors.push(binding.mirror);
      });
    } else if (host !== undefined) {
      const mirror = this.#newMirror(host);
      mirrors.push(mirror);
      this.#addLocal(host, "<catch>", CATCH_ROLE, scope, 0, this.#probe.mirror(mirror));
      const name = this.#probe.temporary("c");
      this.#edits.insert(node.start + "catch".length, `(${name})`);
      writes = `${this.#probe.mirror(mirror)}=${name};`;
    }
    const outer = this.#enter(scope);
    if (param !== null) {
      this.#pattern(param);
      const { start, end } = param;
      writes = this.#followUp(param, { start, end, operator: "catch" });
      if (writes !== "") writes = [writes, ";"];
    }
    const head = event === "" ? writes : [event, writes];
    this.#block(body.body, body.start, body.end, head);
    if (mirrors.length > 0 && !endsAbruptly(body)) {
      // The function may run on for long, and a handled error holds all the frames it left.
      const cleared = mirrors.map((mirror) => `${this.#probe.mirror(mirror)}=`).join("");
      this.#edits.insert(body.end - 1, `;${cleared}void 0`);
    }
    this.#leave(scope, outer);
  }

  #throw(argument: Expression, start: number, end: number): void {
    if (this.#host === undefined) {
      this.#expression(argument, true);
      return;
    }
    const id = this.#site(THROW, start, end);
    this.#beginAt(start, argument);
    const value = this.#temporary("z");
    this.#edits.insert(argument.start, `(${value}=${this.#guard(argument, "(0,")}`);
    if (!this.#fn.isModule) this.#thrown = argument;
    this.#expression(argument, true);
    const event = this.#event(id, EVENT_THROW);
    this.#edits.insert(argument.end, [
      `${this.#guard(argument, ")")},${this.#probe.at}`,
      id,
      ",",
      event,
      `,${value})`,
    ]);
  }

  /** What has to enclose an operand so that it is neither split by a comma nor named. */
  #guard(operand: Expression, text: string): string {
    return operand.type === "SequenceExpression" || isAnonymousFunction(operand) ? text : "";
  }

  #temporary(letter: string): string {
    useTemporary(this.#temporaries, letter);
    return this.#probe.temporary(letter);
  }

  // ------------------------------------------------------------ declarations

  /** Walks a declaration and mirrors its names; returns the writes if `end` is negative. */
  #declaration(node: VariableDeclaration, end: number): string {
    let writes = "";
    const notes: Piece[] = [];
    for (const { id, init, start, end: declaredTo } of node.declarations) {
      const isMade = id.type === "Identifier" && this.#options.madeNames?.has(id.name) === true;
      const noting = isMade ? undefined : this.#noting;
      this.#pattern(id);
      const binding =
        id.type === "Identifier" && node.kind !== "var" ? this.#names.find(id.name) : undefined;
      const mirror = binding === undefined || binding.mirror < 0 ? undefined : binding;
      const range = { start, end: declaredTo, operator: node.kind };
      if (init === null) {
        if (mirror?.scope.inLoop === true) {
          writes += `${writes === "" ? "" : ","}${this.#probe.mirror(mirror.mirror)}=void 0`;
        }
        if (noting !== undefined && id.type === "Identifier" && node.kind === "let") {
          notes.push(",", noting.note(id.name, range, "void 0"));
        }
        continue;
      }
      const isPlain = id.type === "Identifier" && !isAnonymousFunction(init);
      this.#wholeStatement = init;
      this.#beginAt(init.start, init);
      if (isPlain && (mirror !== undefined || noting !== undefined)) {
        const slot = this.#edits.slot(init.start);
        const { length } = this.#pending;
        this.#expression(init, true);
        if (this.#pending.length === length) {
          const assign = mirror === undefined ? "" : `${this.#probe.mirror(mirror.mirror)}=`;
          this.#edits.fill(slot, [assign, noting?.open(id.name, range) ?? ""]);
          if (noting !== undefined) this.#edits.insert(init.end, ")");
          continue;
        }
        // In stacks the engine calls nameless functions in here after what they are assigned to.
      } else if (id.type === "Identifier") this.#named(init, id.name);
      else this.#expressionQuoted(init);
      const own = node.kind === "var" ? "" : this.#mirrorWrites(id);
      if (own !== "") writes += `${writes === "" ? "" : ","}${own}`;
      const note = noting?.names(id, range) ?? "";
      if (note !== "") notes.push(",", note);
    }
    if (end >= 0 && writes !== "") this.#edits.insert(end, `;${writes};`);
    if (notes.length > 0) this.#noteDeclared(node, end, notes.slice(1));
    return writes;
  }

  /** Notes what a declaration bound: behind it, or in the head of a loop as one more variable. */
  #noteDeclared(node: VariableDeclaration, end: number, notes: readonly Piece[]): void {
    if (end >= 0) this.#edits.insert(end, [";", notes, ";"]);
    else {
      // A `var` is one of the whole function: it may not have the name of a `let` around it.
      const letter = node.kind === "var" ? "j" : "v";
      // Not the value itself: `using` would dispose of it twice.
      this.#edits.insert(node.end, [`,${this.#probe.temporary(letter)}=(`, notes, ",void 0)"]);
    }
  }

  /** What follows a write of the names of a pattern: their mirrors, and the notes of the writes. */
  #followUp(pattern: Pattern, range: WriteRange): Piece {
    const mirrors = this.#mirrorWrites(pattern);
    const notes = this.#noting?.names(pattern, range) ?? "";
    if (notes === "" || mirrors === "") return notes === "" ? mirrors : notes;
    return [mirrors, ",", notes];
  }

  /** Text that copies the names of a pattern into their mirrors; empty if there are none. */
  #mirrorWrites(pattern: Pattern): string {
    let text = "";
    forEachTarget(pattern, (name) => {
      const binding = this.#names.find(name);
      if (binding === undefined || binding.mirror < 0) return;
      text += `${text === "" ? "" : ","}${this.#probe.mirror(binding.mirror)}=${name}`;
    });
    return text;
  }

  #writeMirror(name: string | undefined, at: number): void {
    const binding = name === undefined ? undefined : this.#names.find(name);
    if (binding !== undefined && binding.mirror >= 0 && name !== undefined) {
      this.#edits.insert(at, `${this.#probe.mirror(binding.mirror)}=${name};`);
    }
  }

  /** Walks a pattern that binds or assigns. */
  #pattern(node: Pattern): void {
    switch (node.type) {
      case "Identifier":
        if (this.#typed) this.#typedName(node);
        break;
      case "ObjectPattern":
        for (const property of node.properties) {
          if (property.type === "RestElement") {
            this.#pattern(property.argument);
          } else {
            if (property.computed) this.#expression(property.key as Expression, true);
            this.#pattern(property.value);
          }
        }
        if (this.#typed) this.#annotation(node);
        break;
      case "ArrayPattern":
        for (const element of node.elements) if (element !== null) this.#pattern(element);
        if (this.#typed) this.#annotation(node);
        break;
      case "AssignmentPattern":
        this.#pattern(node.left);
        if (node.left.type === "Identifier") this.#named(node.right, node.left.name);
        else this.#expressionQuoted(node.right);
        break;
      case "RestElement":
        this.#pattern(node.argument);
        if (this.#typed) this.#annotation(node);
        break;
      case "TSParameterProperty":
        throw new NotErasable("parameter property");
      default:
        this.#assignmentTarget(node);
    }
  }

  #annotation(node: {
    typeAnnotation?: { start: number; end: number } | null;
    decorators?: readonly unknown[];
  }): void {
    if ((node.decorators?.length ?? 0) > 0) throw new NotErasable("decorator");
    if (node.typeAnnotation) this.#types.blank(node.typeAnnotation.start, node.typeAnnotation.end);
  }

  #typedName(node: {
    start: number;
    end: number;
    optional?: boolean;
    typeAnnotation?: { start: number; end: number } | null;
    decorators?: readonly unknown[];
  }): void {
    if ((node.decorators?.length ?? 0) > 0) throw new NotErasable("decorator");
    const { typeAnnotation } = node;
    if (node.optional !== true && !typeAnnotation) return;
    // The mark of `let a!: T` belongs to the declaration; it stands behind the name all the same.
    this.#types.blankMark(skipWord(this.#text, node.start));
    if (typeAnnotation) this.#types.blank(typeAnnotation.start, typeAnnotation.end);
  }

  #assignmentTarget(node: AssignmentTarget | AssignmentTargetMaybeDefault): void {
    switch (node.type) {
      case "Identifier":
        this.#mention(node.name);
        break;
      case "ObjectPattern":
      case "ArrayPattern":
      case "AssignmentPattern":
        this.#targets(node);
        break;
      default:
        this.#expression(node, true);
    }
  }

  #targets(node: AssignmentTargetMaybeDefault): void {
    switch (node.type) {
      case "ObjectPattern":
        for (const property of node.properties) {
          if (property.type === "RestElement") {
            this.#targets(property.argument);
          } else {
            if (property.computed) this.#expression(property.key as Expression, true);
            this.#targets(property.value);
          }
        }
        break;
      case "ArrayPattern":
        for (const element of node.elements) {
          if (element === null) continue;
          this.#targets(element.type === "RestElement" ? element.argument : element);
        }
        break;
      case "AssignmentPattern":
        this.#targets(node.left);
        if (node.left.type === "Identifier") this.#named(node.right, node.left.name);
        else this.#expressionQuoted(node.right);
        break;
      case "Identifier":
        this.#assignmentTarget(node);
        break;
      default: {
        // What is opened has no place of its own: the engine shows what it noted last in here.
        const quoted = this.#quoted;
        this.#quoted = true;
        this.#assignmentTarget(node);
        this.#quoted = quoted;
      }
    }
  }

  // ------------------------------------------------------------- expressions

  /**
   * Has what is read first in an expression shown at the place of its statement (without a place:
   * its own), as in a plain run: a note in front of it takes that place for itself.
   */
  #beginAt(place: number | undefined, node: Expression, isNoted: boolean = this.#marksFirst): void {
    if (!isNoted) {
      // An error or promise that is made is noted in front of it.
      const first = firstRead(node, this.#surroundings);
      if (first === undefined || !namesError(first)) return;
      this.#firstReads.set(first, place ?? placeOf(this.#text, node));
      return;
    }
    const shown = place ?? placeOf(this.#text, node);
    const first = firstRead(node, this.#surroundings, (assignment) =>
      this.#firstAssignments.set(assignment, shown),
    );
    if (first === undefined) return;
    this.#firstReads.set(first, shown);
    if (first.type === "UpdateExpression") this.#firstAssignments.set(first, shown);
  }

  get #surroundings(): Surroundings {
    return {
      isStrict: this.#fn.isStrict || this.#classes.length > 0,
      isStaticMethod: (name) => this.#isStaticMethod(name),
    };
  }

  /** Whether `#name` is a static method or accessor of the innermost class that has such a name. */
  #isStaticMethod(name: string): boolean {
    for (const { body } of this.#classes.toReversed()) {
      const member = body.body.find(
        (one) => "key" in one && one.key.type === "PrivateIdentifier" && one.key.name === name,
      );
      if (member !== undefined) return member.type === "MethodDefinition" && member.static;
    }
    return false;
  }

  /** Whether something may be written in front of what is read first. */
  get #marksFirst(): boolean {
    return this.#fn.isGenerator || this.#noting !== undefined;
  }

  #showFirst(node: Expression): void {
    const place = this.#takeFirst(node);
    if (place !== undefined) this.#edits.show(node.start, place);
  }

  /** Where what is done first in a statement is shown; undefined if it is not the first. */
  #takeFirst(node: Expression): number | undefined {
    const place = this.#firstReads.get(node);
    this.#firstReads.delete(node);
    return place;
  }

  #expression(node: Expression, used: boolean): void {
    switch (node.type) {
      case "Identifier":
        if (this.#firstReads.size > 0) this.#showFirst(node);
        this.#mention(node.name);
        break;
      case "Literal":
        break;
      case "MemberExpression":
        if (this.#written?.member === node) {
          this.#keptMember(this.#written);
          break;
        }
        this.#expression(node.object, true);
        if (node.computed) this.#enclosed(node.property);
        break;
      case "CallExpression":
        this.#call(node);
        break;
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        this.#named(node, "");
        break;
      case "BinaryExpression":
      case "LogicalExpression":
        this.#binary(node);
        break;
      case "AssignmentExpression":
        this.#assignment(node, used);
        break;
      case "ObjectExpression":
        this.#object(node);
        break;
      case "ThisExpression":
        if (this.#ownThis) this.#fn.usesThis = true;
        break;
      case "ConditionalExpression":
        this.#conditional(node);
        break;
      case "ParenthesizedExpression": {
        const noWrap = this.#noWrap;
        this.#noWrap = false;
        this.#expression(node.expression, used);
        this.#noWrap = noWrap;
        break;
      }
      case "UnaryExpression":
        this.#unary(node);
        break;
      case "UpdateExpression":
        this.#update(node, used);
        break;
      case "ArrayExpression":
        for (const element of node.elements) {
          if (element === null) continue;
          if (element.type === "SpreadElement") this.#spread(element.argument);
          else this.#enclosed(element);
        }
        break;
      case "TemplateLiteral":
        for (const inner of node.expressions) this.#converted(inner);
        break;
      case "NewExpression":
        this.#new(node);
        break;
      case "SequenceExpression": {
        const last = node.expressions.length - 1;
        for (let index = 0; index <= last; index++) {
          const inner = node.expressions[index];
          if (inner === undefined) continue;
          // The first goes on with the place of what is around.
          if (index > 0) this.#beginAt(undefined, inner);
          this.#expression(inner, used && index === last);
        }
        break;
      }
      case "AwaitExpression":
        this.#await(node);
        break;
      case "YieldExpression":
        this.#yield(node);
        break;
      case "ChainExpression": {
        const noWrap = this.#noWrap;
        this.#noWrap = true;
        this.#expression(node.expression, true);
        this.#noWrap = noWrap;
        break;
      }
      case "TaggedTemplateExpression":
        this.#expressionQuoted(node.tag);
        if (this.#typed) this.#typeArguments(node);
        this.#expression(node.quasi, true);
        break;
      case "ClassExpression":
        this.#class(node, node.id?.name ?? "");
        break;
      case "ImportExpression":
        this.#enclosed(node.source);
        if (node.options !== null) this.#enclosed(node.options);
        break;
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "TSInstantiationExpression":
        this.#expression(node.expression, used);
        this.#types.behindExpression(node);
        break;
      case "TSTypeAssertion":
        if (this.#options.isExact === true) throw new NotErasable("type assertion");
        this.#edits.overwrite(
          node.start,
          node.expression.start,
          `(${this.#types.blanks(node.start + 1, node.expression.start)}`,
        );
        this.#expression(node.expression, true);
        this.#edits.insert(node.end, ")");
        break;
      case "JSXElement":
      case "JSXFragment":
        throw new NotErasable("JSX");
      case "MetaProperty":
      case "Super":
        break;
      default:
        throw new RangeError(`unknown syntax: ${node.type}`);
    }
  }

  #unary(node: UnaryExpression): void {
    const capture = this.#noting?.deletion(node);
    if (capture === undefined) {
      this.#expression(node.argument, true);
      return;
    }
    this.#edits.insert(node.start, [`${this.#fn.globals.runtime}.d(`, capture.rest]);
    this.#written = capture;
    this.#expression(node.argument, true);
    this.#edits.insert(node.end, capture.close);
    this.#noting?.leave();
  }

  /** Walks a property that is written, and keeps its owner and key for the note. */
  #keptMember({ member, owner, key }: Capture): void {
    this.#written = undefined;
    const { object, property } = member;
    if (owner === undefined) this.#expression(object, true);
    else this.#kept(object, owner);
    if (!member.computed) return;
    if (key === undefined) this.#enclosed(property as Expression);
    else this.#kept(property as Expression, key);
  }

  #kept(node: Expression, temporary: string): void {
    this.#edits.insert(node.start, `(${temporary}`);
    this.#edits.insertAs(
      node.start,
      `=${this.#guard(node, "(0,")}`,
      this.#firstReads.get(node) ?? placeOfValue(node) ?? node.start,
    );
    this.#enclosed(node);
    this.#edits.insert(node.end, `${this.#guard(node, ")")})`);
  }

  /** An expression between brackets of its own, where calls may be wrapped again. */
  #enclosed(node: Expression): void {
    if (!this.#noWrap) {
      this.#expression(node, true);
      return;
    }
    this.#noWrap = false;
    this.#expression(node, true);
    this.#noWrap = true;
  }

  /** What becomes a text, a key or a number has no place for that, and messages quote a pattern in it. */
  #converted(node: Expression): void {
    const quoted = this.#quoted;
    this.#quoted ||= isPatternAssignment(node);
    this.#enclosed(node);
    this.#quoted = quoted;
  }

  #arguments(list: CallExpression["arguments"]): void {
    if (list.length === 0) return;
    const quoted = this.#quoted;
    this.#quoted = false;
    for (const argument of list) {
      const value = argument.type === "SpreadElement" ? argument.argument : argument;
      const isApart = isPatternAssignment(value);
      if (isApart) this.#edits.insert(value.start, "(");
      if (value === argument) this.#enclosed(value);
      else this.#spread(value);
      if (isApart) this.#edits.insert(value.end, ")");
    }
    this.#quoted = quoted;
  }

  #spread(node: Expression): void {
    const quoted = this.#quoted;
    this.#quoted = true;
    this.#enclosed(node);
    this.#quoted = quoted;
  }

  #typeArguments(node: { typeArguments?: { start: number; end: number } | null }): void {
    if (node.typeArguments) this.#types.blank(node.typeArguments.start, node.typeArguments.end);
  }

  #binary(node: BinaryExpression | LogicalExpression | PrivateInExpression): void {
    // Long sums lean to the left: their spine is walked in a loop, not by recursion.
    const rights: Expression[] = [];
    let left: Expression | PrivateIdentifier = node;
    while (left.type === "BinaryExpression" || left.type === "LogicalExpression") {
      rights.push(left.right);
      left = left.left;
    }
    const isPrivate = (left.type as string) === "PrivateIdentifier";
    // Checked on the line before; the loop above has narrowed the type too far to say so.
    if (!isPrivate) this.#expression(left as Expression, true);
    for (let index = rights.length - 1; index >= 0; index--) {
      const right = rights[index];
      if (right !== undefined) this.#expression(right, true);
    }
  }

  #conditional(first: Extract<Expression, { type: "ConditionalExpression" }>): void {
    let node: Expression = first;
    while (node.type === "ConditionalExpression") {
      this.#expression(node.test, true);
      this.#expression(node.consequent, true);
      node = node.alternate;
    }
    this.#expression(node, true);
  }

  #assignment(node: AssignmentExpression, used: boolean): void {
    const { left, right, start, end, operator } = node;
    const range = { start, end, operator };
    if (left.type === "ObjectPattern" || left.type === "ArrayPattern") {
      const writes = this.#quoted ? this.#putOffTargets(left, range) : this.#followUp(left, range);
      const isKept = writes !== "" && used;
      if (isKept) {
        this.#edits.insert(start, `(${this.#temporary("d")}`);
        this.#edits.insertAs(start, "=", placeOfAssignment(this.#text, node));
      }
      this.#targets(left);
      this.#expressionQuoted(right);
      if (writes === "") return;
      if (!isKept) {
        this.#behind(node, writes);
        return;
      }
      this.#edits.insert(end, [",", writes]);
      this.#edits.insert(end, ",");
      this.#edits.insertAs(end, `${this.#temporary("d")})`, placeOfTargets(left) ?? end);
      return;
    }
    const target = nameOfTarget(left);
    if (target === undefined) {
      this.#storing(node);
      return;
    }
    const binding = this.#names.find(target);
    const noting = this.#noting;
    if (!this.#quoted && noting !== undefined && operator !== "=" && canReadBack(binding)) {
      if (!isLogicalOperator(operator)) {
        this.#counting(node, used, { name: target, binding, note: noting.open(target, range) });
        return;
      }
    }
    if (binding !== undefined && binding.mirror >= 0) {
      if (this.#quoted) this.#putOff.push(binding);
      else this.#openMirror(binding.mirror, node);
    }
    if (this.#quoted) noting?.putOff(left, range);
    const note = this.#quoted ? "" : (noting?.open(target, range) ?? "");
    const isInside = notesRightSide(node);
    if (note !== "" && !isInside) this.#openNote(note, node);
    this.#assignmentTarget(left);
    if (note !== "" && isInside) this.#edits.insert(right.start, note);
    if (operator !== "=" && isPatternAssignment(right)) this.#assigned(node);
    else if (left.type === "Identifier") this.#named(right, left.name);
    else this.#expression(right, true);
    if (note !== "") this.#edits.insert(node.end, ")");
  }

  /** Writes `mirror=` around an assignment; behind it the engine shows the place of that. */
  #openMirror(mirror: number, node: AssignmentExpression | UpdateExpression): void {
    this.#edits.insert(node.start, this.#probe.mirror(mirror));
    this.#edits.insertAs(node.start, "=", placeOfAssignment(this.#text, node));
  }

  /**
   * Writes what follows an assignment whose value is not used. Two in a sequence have the place of
   * the second, which is shown as that of the first.
   */
  #behind(node: AssignmentExpression | UpdateExpression, follow: Piece, note: Piece = ""): void {
    const place = placeOfAssignment(this.#text, node);
    const equals = typeof follow === "string" ? follow.indexOf("=") : -1;
    if (typeof follow === "string" && equals >= 0) {
      this.#edits.insert(node.end, `,${follow.slice(0, equals)}`);
      this.#edits.insertAs(node.end, [follow.slice(equals), note], place);
      return;
    }
    this.#edits.insert(node.end, ",");
    this.#edits.insertAs(node.end, [follow, note], place);
  }

  /** Writes the beginning of a note around an assignment, unless that begins a statement. */
  #openNote(note: Piece, node: AssignmentExpression | UpdateExpression): void {
    if (this.#beginsStatement(node)) this.#edits.insert(node.start, note);
    else {
      const own = placeOfAssignment(this.#text, node);
      const place = this.#firstAssignments.get(node);
      if (place === undefined) this.#edits.insertAs(node.start, note, own);
      else {
        // What converts has no place; behind `=` the call of the note is where that was.
        const isPlain = node.type === "AssignmentExpression" && node.operator === "=";
        this.#insertAllAs(node.start, note, { place, callee: isPlain ? own : place });
      }
    }
  }

  /** Inserts a note each of whose names is shown at a place: the last that is read may stay noted. */
  #insertAllAs(at: number, note: Piece, shown: { place: number; callee: number }): void {
    if (typeof note === "number") this.#edits.insert(at, note);
    else if (typeof note === "string") {
      for (const part of note.split(/(?=\$o)/)) {
        const place = part.endsWith("(") ? shown.callee : shown.place;
        if (part.startsWith("$o")) this.#edits.insertAs(at, part, place);
        else this.#edits.insert(at, part);
      }
    } else for (const inner of note) this.#insertAllAs(at, inner, shown);
  }

  /** Whether a statement begins with this: it has the place of that. */
  #beginsStatement(node: AssignmentExpression | UpdateExpression): boolean {
    let first = this.#wholeStatement;
    while (first?.type === "SequenceExpression") first = first.expressions[0];
    return first === node;
  }

  /** An assignment to a property. */
  #storing(node: AssignmentExpression): void {
    const { left, right, start, end, operator } = node;
    const capture = this.#noting?.property(left, { start, end, operator }, right);
    if (capture === undefined) {
      this.#assignmentTarget(left);
      this.#assigned(node);
      return;
    }
    const note = capture.open;
    const isInside = notesRightSide(node);
    if (!isInside) this.#openNote(note, node);
    this.#written = capture;
    this.#assignmentTarget(left);
    if (isInside) this.#edits.insert(right.start, note);
    this.#assigned(node);
    this.#edits.insert(end, capture.close);
    this.#noting?.leave();
  }

  /** The right side of an assignment, which only `+=` and the like convert. */
  #assigned({ operator, right }: AssignmentExpression): void {
    if (operator === "=" || isLogicalOperator(operator)) this.#expression(right, true);
    else this.#converted(right);
  }

  #putOffTargets(pattern: Pattern, range: WriteRange): Piece {
    this.#noting?.putOff(pattern, range);
    forEachTarget(pattern, (name) => {
      const binding = this.#names.find(name);
      if (binding !== undefined && binding.mirror >= 0) this.#putOff.push(binding);
    });
    return "";
  }

  #update(node: UpdateExpression, used: boolean): void {
    const name = nameOfTarget(node.argument);
    const binding = name === undefined ? undefined : this.#names.find(name);
    const noting = this.#noting;
    const range = { start: node.start, end: node.end, operator: node.operator };
    if (name === undefined) {
      this.#updating(node, range);
      return;
    }
    if (this.#quoted) {
      if (binding !== undefined && binding.mirror >= 0) this.#putOff.push(binding);
      noting?.putOff(node.argument, range);
      this.#assignmentTarget(node.argument);
      return;
    }
    if (noting !== undefined) {
      this.#updateNoted(node, used, { name, binding, note: noting.open(name, range) });
      return;
    }
    if (binding === undefined || binding.mirror < 0) {
      this.#assignmentTarget(node.argument);
      return;
    }
    if (node.prefix) {
      if (used) this.#edits.insert(node.start, "(");
      this.#openMirror(binding.mirror, node);
      this.#assignmentTarget(node.argument);
      if (used) this.#edits.insert(node.end, ")");
      return;
    }
    const mirror = this.#probe.mirror(binding.mirror);
    if (!used) {
      this.#assignmentTarget(node.argument);
      this.#behind(node, `${mirror}=${name}`);
      return;
    }
    const value = this.#temporary("u");
    this.#edits.insert(node.start, `(${value}`);
    this.#edits.insertAs(node.start, "=", this.#takeFirst(node) ?? placeOf(this.#text, node));
    this.#assignmentTarget(node.argument);
    this.#edits.insert(node.end, `,${mirror}=${name},`);
    this.#edits.insertAs(node.end, `${value})`, placeOfAssignment(this.#text, node));
  }

  /** The same at level `writes`: the note passes the new value on. */
  #updateNoted(
    node: UpdateExpression,
    used: boolean,
    { name, binding, note }: { name: string; binding: Binding | undefined; note: Piece },
  ): void {
    const hasMirror = binding !== undefined && binding.mirror >= 0;
    const mirror = hasMirror ? `${this.#probe.mirror(binding.mirror)}=` : "";
    if (node.prefix && canReadBack(binding)) {
      this.#counting(node, used, { name, binding, note });
      return;
    }
    if (node.prefix) {
      this.#edits.insert(node.start, "(");
      if (hasMirror) this.#openMirror(binding.mirror, node);
      this.#openNote(note, node);
      this.#assignmentTarget(node.argument);
      this.#edits.insert(node.end, "))");
      return;
    }
    if (!used) {
      this.#assignmentTarget(node.argument);
      this.#behind(node, mirror, [note, `${name})`]);
      return;
    }
    if (this.#host === undefined) {
      // Nothing can keep the old value here, so it is passed through.
      this.#edits.insert(node.start, `${this.#fn.globals.runtime}.`);
      this.#openNote("o(", node);
      this.#assignmentTarget(node.argument);
      this.#edits.insert(node.end, [`,${mirror}`, note, `${name}))`]);
      return;
    }
    const value = this.#temporary("u");
    this.#edits.insert(node.start, `(${value}`);
    this.#edits.insertAs(node.start, "=", this.#takeFirst(node) ?? placeOf(this.#text, node));
    this.#assignmentTarget(node.argument);
    this.#edits.insert(node.end, [`,${mirror}`, note, `${name}),`]);
    this.#edits.insertAs(node.end, `${value})`, placeOfAssignment(this.#text, node));
  }

  /**
   * `a += b` and `++a` with a note: that reads the variable again, for what is in front of a name
   * that cannot be read yet would change its place.
   */
  #counting(
    node: AssignmentExpression | UpdateExpression,
    used: boolean,
    { name, binding, note }: { name: string; binding: Binding; note: Piece },
  ): void {
    if (used) this.#edits.insert(node.start, "(");
    if (node.type === "AssignmentExpression") {
      this.#assignmentTarget(node.left);
      this.#converted(node.right);
    } else {
      this.#assignmentTarget(node.argument);
    }
    const mirror = binding.mirror < 0 ? "" : `${this.#probe.mirror(binding.mirror)}=`;
    this.#behind(node, mirror, [note, `${name})${used ? ")" : ""}`]);
  }

  /** `++` and `--` of a property. */
  #updating(node: UpdateExpression, range: WriteRange): void {
    const capture = this.#noting?.property(node.argument, range, undefined);
    if (capture === undefined) {
      this.#assignmentTarget(node.argument);
      return;
    }
    const delta = node.operator === "++" ? "1" : "-1";
    if (node.prefix) this.#openNote(capture.open, node);
    else {
      this.#edits.insert(node.start, `${this.#fn.globals.runtime}.`);
      this.#openNote([`u(${delta},`, capture.rest], node);
    }
    this.#written = capture;
    this.#assignmentTarget(node.argument);
    this.#edits.insert(node.end, capture.close);
    this.#noting?.leave();
  }

  #object(node: Extract<Expression, { type: "ObjectExpression" }>): void {
    for (const property of node.properties) {
      if (property.type === "SpreadElement") {
        this.#enclosed(property.argument);
        continue;
      }
      const { key, value } = property;
      if (property.computed) this.#converted(key as Expression);
      const name = property.computed ? "" : keyName(key);
      if (value.type === "FunctionExpression" && (property.method || property.kind !== "init")) {
        const accessor = property.kind === "init" ? "" : `${property.kind} `;
        this.#function(value, {
          start: property.start,
          end: property.end,
          name,
          qualname: accessor + this.#qualify(name, property.start),
        });
      } else {
        const noWrap = this.#noWrap;
        this.#noWrap = false;
        // `__proto__: function () {}` sets the prototype and names nothing.
        this.#named(value, name === "__proto__" ? "" : name);
        this.#noWrap = noWrap;
      }
    }
  }

  /** Walks an expression whose value gets `name` if it is a nameless function. */
  #named(node: Expression, name: string, owner = ""): void {
    let inner = node;
    while (inner.type === "ParenthesizedExpression") inner = inner.expression;
    switch (inner.type) {
      case "ArrowFunctionExpression":
        this.#function(inner, {
          start: inner.start,
          end: inner.end,
          name,
          qualname: this.#qualify(name, inner.start, owner),
        });
        return;
      case "FunctionExpression": {
        const own = inner.id?.name ?? name;
        const info = {
          start: inner.start,
          end: inner.end,
          name: own,
          qualname: this.#qualify(own, inner.start, owner),
        };
        if (inner.id === null) {
          this.#function(inner, info);
          return;
        }
        const scope = this.#newScope(inner.start, inner.end, this.#innerDepth, false);
        declare(scope, inner.id.name, "name", 0);
        const outer = this.#enter(scope);
        this.#function(inner, info);
        this.#leave(scope, outer);
        return;
      }
      case "ClassExpression":
        this.#class(inner, inner.id?.name ?? name);
        return;
      default:
        this.#expression(node, true);
    }
  }

  #qualify(name: string, start: number, owner = ""): string {
    if (name === "") {
      const { line, column } = positionOf(this.#options.lineStarts, this.#toOriginal(start));
      return `<anonymous:${line}:${column}>`;
    }
    if (owner !== "") return `${owner}.${name}`;
    const around = this.#fn.qualname;
    return around === MODULE_NAME ? name : `${around}.${name}`;
  }

  #call(node: CallExpression): void {
    const { callee } = node;
    if (callee.type === "Super") {
      this.#superCall(node);
      return;
    }
    const isBirth = this.#isBirth(node);
    const note = isBirth ? undefined : this.#noting?.call(node);
    if (note !== undefined) {
      this.#changing(node, note);
      return;
    }
    if (isBirth) this.#edits.insert(node.start, this.#fn.globals.birth);
    // Promises have these three, so no message will quote what they are called on.
    if (isPromiseChain(callee)) this.#expression(callee, true);
    else this.#expressionQuoted(callee);
    if (this.#typed) this.#typeArguments(node);
    this.#arguments(node.arguments);
    if (isBirth) this.#birth(node);
  }

  /** A call of a method that changes its owner, such as `push`. */
  #changing(node: CallExpression, note: NonNullable<ReturnType<WriteProbes["call"]>>): void {
    this.#edits.insert(node.start, note.open);
    this.#expressionQuoted(node.callee);
    if (this.#typed) this.#typeArguments(node);
    const [first, ...others] = node.arguments;
    if (note.argument === "" || first === undefined || first.type === "SpreadElement") {
      this.#arguments(node.arguments);
    } else {
      const quoted = this.#quoted;
      this.#quoted = false;
      this.#noting?.enterArgument();
      this.#kept(first, note.argument);
      this.#quoted = quoted;
      this.#arguments(others);
      this.#noting?.leave();
    }
    this.#edits.insert(node.end, note.close);
  }

  #superCall(node: CallExpression): void {
    let owner: FunctionContext | undefined = this.#temporaries;
    let visible = this.#host !== undefined && !this.#quoted;
    while (visible && owner !== undefined && owner.isArrow) {
      visible = !owner.inParameters;
      owner = owner.lexicalThis;
    }
    visible &&= owner?.isDerivedConstructor === true && owner.isWrapped;
    if (visible) {
      if (owner !== undefined) useTemporary(owner, "s");
      this.#edits.insert(node.start, `(${this.#probe.temporary("s")}=`);
    }
    if (this.#typed) this.#typeArguments(node);
    this.#arguments(node.arguments);
    if (visible) this.#edits.insert(node.end, ")");
  }

  #new(node: NewExpression): void {
    const { callee } = node;
    const isPromise =
      callee.type === "Identifier" &&
      callee.name === "Promise" &&
      this.#host !== undefined &&
      !this.#noWrap &&
      !this.#quoted &&
      this.#names.find("Promise") === undefined;
    const isBirth = !isPromise && this.#isBirth(node);
    const { runtime, birth } = this.#fn.globals;
    if (isPromise) this.#edits.insert(node.start, `${runtime}.p(`);
    else if (isBirth) this.#edits.insert(node.start, birth);
    const noWrap = this.#noWrap;
    this.#noWrap = true;
    this.#expressionQuoted(callee);
    this.#noWrap = noWrap;
    if (this.#typed) this.#typeArguments(node);
    this.#arguments(node.arguments);
    if (isPromise) {
      this.#edits.insertId(node.end, ",", this.#site(BIRTH, node.start, node.end), ")");
    } else if (isBirth) {
      this.#birth(node);
    }
  }

  /** Whether an error is made here, by its name; the wrapped call must be legal in its place. */
  #isBirth(node: CallExpression | NewExpression): boolean {
    if (this.#host === undefined || this.#noWrap || this.#quoted) return false;
    if (this.#thrown === node) return false;
    const { callee } = node;
    if (callee.type === "Identifier") {
      if (!isErrorName(callee.name)) return false;
      // The name of a call notes no place before the call.
      return node.type === "NewExpression" || !node.arguments.some(mayFailAtNoPlace);
    }
    if (callee.type !== "MemberExpression" || callee.computed) return false;
    if (callee.property.type !== "Identifier") return false;
    if (isErrorName(callee.property.name)) return true;
    return (
      node.type === "CallExpression" &&
      isPromiseReject(callee) &&
      this.#names.find("Promise") === undefined
    );
  }

  #birth(node: CallExpression | NewExpression): void {
    const id = this.#site(BIRTH, node.start, node.end);
    if (this.#fn.isModule) {
      this.#edits.insertId(node.end, ",", id, ")");
      return;
    }
    this.#slot(node.end, [",", id, ","], ")");
  }

  #slot(at: number, before: Piece, after: string): void {
    const slot = this.#edits.slot(at);
    (this.#fn.slots ??= []).push({
      slot,
      scope: this.#scope,
      before,
      after,
      isOwn: this.#ownThis,
    });
  }

  #await(node: AwaitExpression): void {
    const { argument } = node;
    const host = this.#host;
    if (host === undefined) {
      this.#expression(argument, true);
      return;
    }
    const statement = host.statement;
    const id = this.#site(AWAIT, node.start, node.end);
    const value = this.#temporary("w");
    const quoted = this.#quoted;
    if (!quoted) this.#edits.insert(node.start, `(${value}=`);
    this.#edits.insert(argument.start, `(${value}=${this.#guard(argument, "(0,")}`);
    this.#operand(argument);
    const [before, after] = this.#probe.startingFrame(host);
    const end = `${this.#guard(argument, ")")},${this.#probe.at}`;
    const suspend: Piece = [end, id, ",", this.#event(id, EVENT_SUSPEND), `,${before}`];
    this.#slot(node.end, suspend, `${after},${value})`);
    // Nothing can be put behind a quoted await; the next event of the function says it went on.
    if (quoted) return;
    this.#resume(node, id, statement, value);
  }

  #resume(node: Expression, id: number, statement: number, value: string): void {
    this.#edits.insert(node.end, [
      ",",
      this.#event(id, EVENT_RESUME),
      `,${this.#probe.at}`,
      statement,
      ",",
    ]);
    // An error without a place of its own is shown at the last one, which is that of the await.
    this.#edits.insertAs(node.end, `${value})`, node.start);
  }

  /** The operand of `await` or `yield`, which no message quotes. */
  #operand(node: Expression): void {
    const saved = { quoted: this.#quoted, noWrap: this.#noWrap };
    this.#quoted = false;
    this.#noWrap = false;
    this.#expression(node, true);
    this.#quoted = saved.quoted;
    this.#noWrap = saved.noWrap;
  }

  #yield(node: YieldExpression): void {
    const { argument } = node;
    const host = this.#host;
    if (host === undefined) {
      if (argument !== null) this.#expression(argument, true);
      return;
    }
    const statement = host.statement;
    const id = this.#site(YIELD, node.start, node.end);
    const value = this.#temporary("y");
    const suspend: Piece = [this.#probe.at, id, ",", this.#event(id, EVENT_SUSPEND)];
    const quoted = this.#quoted;
    if (argument === null) {
      if (quoted) this.#edits.insert(node.end, [" (", suspend, ",void 0)"]);
      else this.#edits.insert(node.start, ["(", suspend, `,${value}=`]);
    } else if (node.delegate) {
      // A message may quote what is delegated to, so the suspension is noted before it.
      if (!quoted) {
        this.#edits.insert(node.start, ["(", suspend, `,${value}`]);
        this.#edits.insertAs(node.start, "=", this.#placeOfDelegation(node, argument));
      }
      this.#expressionQuoted(argument);
    } else {
      if (!quoted) this.#edits.insert(node.start, `(${value}=`);
      this.#edits.insert(argument.start, `(${value}=${this.#guard(argument, "(0,")}`);
      this.#operand(argument);
      const end = this.#guard(argument, ")");
      this.#edits.insert(node.end, [`${end},`, suspend, `,${value})`]);
    }
    if (!quoted) this.#resume(node, id, statement, value);
  }

  /** Where the engine says that what is delegated to is not iterable. */
  #placeOfDelegation(node: YieldExpression, argument: Expression): number {
    return this.#takeFirst(node) ?? firstRead(argument, this.#surroundings)?.start ?? node.start;
  }

  // ----------------------------------------------------------------- classes

  #class(node: Class, given: string): void {
    const name = ownName(given);
    const firstEdit = this.#edits.count;
    if (node.decorators.length > 0) throw new NotErasable("decorator");
    const id = this.#sites.add(CLASS, 0, this.#toOriginal(node.start), this.#toOriginal(node.end));
    const qualname = this.#qualify(name, node.start);
    if (this.#typed) this.#types.classModifiers(node);
    const scope = this.#newScope(node.start, node.end, this.#innerDepth, false);
    if (node.id !== null) declare(scope, node.id.name, "name", 0);
    const outer = this.#enter(scope);
    let headEnd = node.id?.end ?? node.start + "class".length;
    if (this.#typed && node.typeParameters) {
      this.#types.blank(node.typeParameters.start, node.typeParameters.end);
      headEnd = node.typeParameters.end;
    }
    if (node.superClass !== null) {
      this.#expression(node.superClass, true);
      headEnd = node.superClass.end;
      if (this.#typed && node.superTypeArguments) {
        this.#types.blank(node.superTypeArguments.start, node.superTypeArguments.end);
        headEnd = node.superTypeArguments.end;
      }
    }
    if (this.#typed) this.#types.implementsClause(node, headEnd);
    const isRecorded = this.#levelOf(node) !== undefined;
    const marked = this.#beginMarked(node.body.start + 1, id, isRecorded);
    const outerName = this.#className;
    const quoted = this.#quoted;
    this.#quoted = false;
    this.#className = qualname;
    const privates: string[] = [];
    this.#writes?.enterClass(node);
    this.#classes.push(node);
    for (const member of node.body.body) this.#member(member, node, privates);
    this.#classes.pop();
    this.#writes?.leaveClass();
    this.#className = outerName;
    this.#quoted = quoted;
    if (privates.length > 0 && isRecorded) {
      this.#edits.insert(node.body.end - 1, this.#probe.privates(this.#fn, privates));
    }
    this.#endMarked(marked, id);
    this.#leave(scope, outer);
    this.#pending.push({
      id,
      captures: [],
      info: { start: node.start, end: node.end, name, qualname },
      flags: 0,
      locals: [],
      firstEdit,
      endEdit: this.#edits.count,
    });
  }

  #member(member: ClassElement, node: Class, privates: string[]): void {
    if (this.#typed && isTypeOnlyMember(member)) {
      this.#types.blankMember(member.start, member.end);
      return;
    }
    if (member.type === "StaticBlock") {
      this.#staticBlock(member);
      return;
    }
    if (member.type === "TSIndexSignature") return;
    const isAccessor = member.type === "AccessorProperty";
    if (isAccessor || member.decorators.length > 0) throw new NotErasable("decorator");
    const start = this.#typed
      ? this.#types.memberModifiers(member)
      : textStart(this.#text, member.start, member.static);
    const { key } = member;
    if (member.computed) {
      // Unlike that of an object, the engine evaluates it like a statement.
      this.#beginAt(undefined, key as Expression);
      this.#converted(key as Expression);
    }
    const name = member.computed ? "" : keyName(key);
    if (member.type === "MethodDefinition") {
      if (this.#typed && member.optional === true) {
        this.#types.blankMark(this.#keyEnd(member.computed, key.end));
      }
      const isConstructor = member.kind === "constructor";
      this.#function(member.value, {
        start,
        end: member.end,
        name: isConstructor ? this.#className : name,
        qualname: this.#methodName(member.kind, member.static, name, member.start),
        isDerivedConstructor: isConstructor && node.superClass !== null,
      });
      return;
    }
    if (key.type === "PrivateIdentifier" && member.type === "PropertyDefinition") {
      if (!key.name.startsWith(MADE)) privates.push(key.name);
    }
    if (this.#typed) {
      const keyEnd = this.#keyEnd(member.computed, key.end);
      if (member.optional === true || isDefinite(member)) this.#types.blankMark(keyEnd);
      if ("typeAnnotation" in member && member.typeAnnotation) {
        const { start: from, end } = member.typeAnnotation;
        this.#types.blankFieldType(from, end, isLikeModifier(member));
      }
    }
    if (member.value !== null) {
      const saved = this.#save();
      this.#host = undefined;
      this.#ownThis = false;
      this.#noWrap = false;
      const noting = member.computed ? undefined : this.#noting;
      // The engine takes the place of the value for that of the whole field.
      const place = placeOf(this.#text, member.value);
      const slot = noting === undefined ? 0 : this.#edits.slot(member.value.start, place);
      this.#beginAt(undefined, member.value);
      const { length } = this.#pending;
      this.#named(member.value, name, this.#className);
      if (noting !== undefined && this.#pending.length === length) {
        const range = { start: member.start, end: member.value.end, operator: "field" };
        this.#edits.fill(slot, noting.field(name, range));
        this.#edits.insert(member.value.end, ")");
      }
      this.#restore(saved);
    }
    if (this.#typed && this.#text.charAt(member.end - 1) !== ";") this.#endStatement(member.end);
  }

  #keyEnd(computed: boolean, keyEnd: number): number {
    return computed ? skipTrivia(this.#text, keyEnd) + 1 : keyEnd;
  }

  #methodName(kind: string, isStatic: boolean, name: string, start: number): string {
    const owner = this.#className;
    if (kind === "constructor") return `new ${owner}`;
    const { line, column } = positionOf(this.#options.lineStarts, this.#toOriginal(start));
    const own = name === "" ? `<anonymous:${line}:${column}>` : name;
    const method = `${owner}.${isStatic ? "static " : ""}${own}`;
    return kind === "method" ? method : `${kind} ${method}`;
  }

  #staticBlock(node: StaticBlock): void {
    const saved = this.#save();
    this.#ownThis = false;
    const open = this.#text.indexOf("{", skipTrivia(this.#text, node.start + "static".length));
    const hoisted = collectHoisted(node.body);
    const scope = this.#newScope(node.start, node.end, this.#innerDepth, false);
    for (const name of hoisted.variables) declare(scope, name, "variable", 0);
    const outer = this.#enter(scope);
    this.#block(node.body, open, node.end);
    this.#leave(scope, outer);
    this.#restore(saved);
  }
}

/** Whether a variable holds what was assigned to it: the name of a function in itself does not. */
/** What a declaration in a block makes of its names. */
function kindOf({ kind }: VariableDeclaration): BindingKind {
  return kind.endsWith("using") ? "resource" : "lexical";
}

function canReadBack(binding: Binding | undefined): binding is Binding {
  const kind = binding?.kind;
  return kind === "parameter" || kind === "variable" || kind === "lexical" || kind === "catch";
}

function useTemporary(context: FunctionContext, letter: string): void {
  if (!context.temporaries.includes(letter)) context.temporaries += letter;
}

function hasArguments(context: FunctionContext, format: ModuleFormat): boolean {
  let owner = context;
  while (owner.isArrow) {
    if (owner.lexicalThis === undefined) return false;
    owner = owner.lexicalThis;
  }
  return !owner.isModule || format === "commonjs";
}

/** The values of a function's locals, as seen from a scope in its body (or behind its body). */
function valuesAt(
  context: FunctionContext,
  scope: Scope | undefined,
  boundary: Scope,
  isOwn = true,
): string {
  let values = "";
  for (const { name, text, direct, role } of context.locals) {
    const isReadable =
      scope === undefined ||
      ((isOwn || (role !== ARGUMENTS_ROLE && name !== "arguments")) &&
        (!direct || !(RESERVED.has(name) || isHidden(name, scope, boundary))));
    const value = isReadable ? text : "void 0";
    values += values === "" ? value : `,${value}`;
  }
  return values;
}

/** Names of sloppy code that strict code inside of it, the key of a member of a class, cannot say. */
const RESERVED = new Set(
  "yield let static await implements interface package private protected public".split(" "),
);

function isHidden(name: string, scope: Scope | undefined, boundary: Scope): boolean {
  for (let inner = scope; inner !== undefined && inner !== boundary; inner = inner.parent) {
    if (inner.has(name)) return true;
  }
  return false;
}

/** Whether a statement imports a file that may import this one back. */
function importsOwnFile(statement: Program["body"][number]): boolean {
  switch (statement.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration": {
      const specifier = statement.source?.value ?? "node:";
      // A package does not import the program that uses it.
      return !/^(?:node:|[a-z@])/i.test(specifier) || specifier.startsWith("file:");
    }
    default:
      return false;
  }
}
