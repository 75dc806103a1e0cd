/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/**
 * Spells the notes of level `writes` and decides where one can stand.
 *
 * A note gets the value that was written and never reads a property: what may be an accessor or a
 * Proxy is not looked at twice. Where the engine may quote the text of an expression, the note is
 * put off to the next statement, or left out and reported.
 * Form and alternatives: docs/decisions/0007-writes.md.
 */

import type {
  AssignmentExpression,
  AssignmentTarget,
  BindingIdentifier,
  CallExpression,
  Class,
  Expression,
  MemberExpression,
  UnaryExpression,
} from "oxc-parser";
import type { Piece } from "./edits.ts";
import { placeOfValue } from "./engine-places.ts";
import type { WriteKind } from "./instrumented.ts";
import { withoutNumber } from "./made-names.ts";
import type { ProbeText } from "./probe-text.ts";
import type { Binding, FunctionContext } from "./scopes.ts";
import { type SiteTableBuilder, WRITE_METHODS } from "./site-table.ts";
import { forEachTarget, isAnonymousFunction, isLogicalOperator, type Pattern } from "./syntax.ts";

/** A stretch of text that writes, and how. */
export interface WriteRange {
  readonly start: number;
  readonly end: number;
  readonly operator: string;
}

/** Where the walk is. */
export interface WalkState {
  readonly fn: FunctionContext;
  /** The function whose statements and temporaries can be used here, if any. */
  readonly host: FunctionContext | undefined;
  readonly temporaries: FunctionContext;
  readonly inParameters: boolean;
  readonly quoted: boolean;
  readonly noWrap: boolean;
}

/** What the notes have to know about the walk, and what they ask of it. */
export interface WalkPlace {
  now(): WalkState;
  find(name: string): Binding | undefined;
  /** Adds a site of a write. */
  site(start: number, end: number): number;
  /** Reports a write that gets no note. */
  leaveOut(start: number, reason: string): void;
}

/** How the owner and the key of a property that is written are kept for the note. */
export interface Capture {
  readonly member: MemberExpression;
  /** The temporary that gets the owner; undefined when it can be named again. */
  readonly owner: string | undefined;
  /** The temporary that gets a computed key. */
  readonly key: string | undefined;
  /** The call and what it is told first; `rest` without the call. */
  readonly open: Piece;
  readonly rest: Piece;
  readonly close: Piece;
}

/** Of these the first argument says which entry is meant, or what is added. */
const KEYED_MUTATORS = new Set(["set", "add", "delete", "splice", "push"]);

/** Letters of temporaries, two for each level of writes inside writes. */
const LETTERS = "BDEGIJKLMNOPQTUVXYZ";
/** A method and the number of its arguments share a number. */
const METHOD_LIMIT = 32;
const UNKNOWN_COUNT = 15;
/** Added when the first argument is kept and passed on. */
const KEPT = 512;
const MAX_LABEL = 60;
const MAX_CHAIN = 6;
/** How deep a value is searched for functions. */
const MAX_LOOK = 8;

/** A note of a variable that could not stand where the variable was written. */
interface LateNote {
  readonly fn: FunctionContext;
  readonly binding: Binding;
  readonly piece: Piece;
}

/** The notes of one text. */
export class WriteProbes {
  readonly #text: string;
  readonly #place: WalkPlace;
  readonly #sites: SiteTableBuilder;
  readonly #probe: ProbeText;
  readonly #isScript: boolean;
  readonly #madeNames: ReadonlySet<string> | undefined;
  #late: LateNote[] = [];
  #depth = 0;
  /** Private names of the classes around; true for fields, which can be read twice. */
  readonly #privateNames: ReadonlyMap<string, boolean>[] = [];

  constructor(init: {
    text: string;
    /** Whether Node hands `module` and `exports` to the text. */
    isScript: boolean;
    place: WalkPlace;
    sites: SiteTableBuilder;
    probe: ProbeText;
    madeNames: ReadonlySet<string> | undefined;
  }) {
    this.#madeNames = init.madeNames;
    this.#text = init.text;
    this.#isScript = init.isScript;
    this.#place = init.place;
    this.#sites = init.sites;
    this.#probe = init.probe;
  }

  // --------------------------------------------------------------- variables

  /** What stands in front of the value of a variable; `)` stands behind it. */
  open(name: string, range: WriteRange): Piece {
    const binding = this.#place.find(name);
    const owner = binding?.owner ?? this.#place.now().fn;
    const id = this.#site("local", range, { name, owner });
    return [`${this.#place.now().fn.globals.write}(`, id, `,${this.#frameOf(owner)},`];
  }

  /** A note of what a variable holds now. */
  note(name: string, range: WriteRange, value: string = name): Piece {
    return [this.open(name, range), value, ")"];
  }

  /** Notes of all names that a pattern has just bound or assigned, separated by commas. */
  names(pattern: Pattern, range: WriteRange): Piece {
    const pieces: Piece[] = [];
    forEachTarget(pattern, (name) => {
      if (this.#madeNames?.has(name) === true) return;
      if (pieces.length > 0) pieces.push(",");
      pieces.push(this.note(name, range));
    });
    this.#reportMembers(pattern);
    return pieces.length === 0 ? "" : pieces;
  }

  /** Puts the notes of a pattern or name off to the next statement. */
  putOff(pattern: Pattern | BindingIdentifier, range: WriteRange): void {
    const { fn } = this.#place.now();
    forEachTarget(pattern, (name) => {
      const binding = this.#place.find(name);
      if (binding === undefined) return;
      this.#late.push({ fn, binding, piece: this.note(name, range) });
    });
    this.#reportMembers(pattern);
  }

  /** The notes that were put off, as far as their names can be read at `start`. */
  lateNotes(start: number): Piece {
    if (this.#late.length === 0) return "";
    const { fn } = this.#place.now();
    const pieces: Piece[] = [];
    const kept: LateNote[] = [];
    for (const late of this.#late) {
      if (late.fn !== fn) {
        kept.push(late);
        continue;
      }
      if (this.#canRead(late.binding, start)) pieces.push(late.piece, ";");
    }
    this.#late = kept;
    return pieces;
  }

  /** Whether a name can be read although it may not have been written: never in its dead zone. */
  #canRead({ name, kind, scope, owner, declared }: Binding, start: number): boolean {
    if (this.#place.find(name)?.scope !== scope) return false;
    if (kind === "variable") return true;
    if (kind === "parameter") return !this.#isAmongParametersOf(owner);
    return owner === this.#place.now().fn && !scope.isSwitch && declared <= start;
  }

  /** Whether this place is in the parameters of a function, or in functions that stand there. */
  #isAmongParametersOf(owner: FunctionContext): boolean {
    let { inParameters } = this.#place.now();
    let inner: FunctionContext | undefined = this.#place.now().fn;
    while (inner !== undefined && inner !== owner) {
      ({ inParameters, parent: inner } = inner);
    }
    return inParameters;
  }

  // -------------------------------------------------------------- properties

  /**
   * Plans the note of a write to a property.
   *
   * The walk writes `open`, then the expression with `owner` and `key` kept in temporaries, then
   * `close`. Undefined when no note can stand here.
   */
  property(
    target: AssignmentTarget | Expression,
    range: WriteRange,
    value: Expression | undefined,
  ): Capture | undefined {
    const member = memberOf(target);
    if (member === undefined) return undefined;
    if (this.#place.now().quoted || this.#place.now().noWrap) {
      this.#place.leaveOut(range.start, "the engine may quote it");
      return undefined;
    }
    return this.#capture(member, range, value);
  }

  /** The same for `delete`; the member may end an optional chain. */
  deletion(node: UnaryExpression): Capture | undefined {
    const { argument } = node;
    if (node.operator !== "delete") return undefined;
    const inner = argument.type === "ChainExpression" ? argument.expression : argument;
    const member = memberOf(inner);
    if (member === undefined) return undefined;
    const range = { start: node.start, end: node.end, operator: "delete" };
    if (this.#place.now().quoted || this.#place.now().noWrap) {
      this.#place.leaveOut(range.start, "the engine may quote it");
      return undefined;
    }
    if (argument.type === "ChainExpression" && hasOptionalLink(member.object)) {
      this.#place.leaveOut(range.start, "its owner ends an optional chain");
      return undefined;
    }
    if (!keepsPlace(member)) {
      this.#place.leaveOut(range.start, "its error would be shown somewhere else");
      return undefined;
    }
    return this.#capture(member, range, undefined);
  }

  /** Says that the write which was planned last is finished. */
  leave(): void {
    this.#depth--;
  }

  /** What stands in front of the value of a class field; `)` stands behind it. */
  field(key: string, range: WriteRange): Piece {
    const id = this.#site("property", range, { name: "this", key, owner: this.#place.now().fn });
    return [`${this.#place.now().fn.globals.store}(`, id, ",0,this,"];
  }

  // ------------------------------------------------------------------- calls

  /** Plans the note of a call that changes its owner: what stands before, in its first argument, behind. */
  call(node: CallExpression): { open: Piece; argument: string; close: string } | undefined {
    const { callee } = node;
    if (callee.type !== "MemberExpression" || callee.computed) return undefined;
    if (callee.property.type !== "Identifier") return undefined;
    const { name } = callee.property;
    const isStatic = this.#isObject(callee.object);
    const operator = isStatic ? `Object.${name}` : name;
    const method = WRITE_METHODS.indexOf(operator);
    if (method === -1) return undefined;
    const { fn, host, quoted, noWrap } = this.#place.now();
    const owner = isStatic ? "void 0" : this.#ownerText(callee.object);
    if (quoted || noWrap || owner === undefined) {
      this.#place.leaveOut(node.start, `call of ${name}: what it changes cannot be named twice`);
      return undefined;
    }
    const [first, second] = node.arguments;
    const isSpread = node.arguments.some((argument) => argument.type === "SpreadElement");
    const count = isSpread ? UNKNOWN_COUNT : Math.min(node.arguments.length, UNKNOWN_COUNT);
    const range = { start: node.start, end: node.end, operator };
    const label = this.#labelOf(isStatic ? (first ?? callee) : callee.object);
    const id = this.#site("method", range, { name: label, owner: fn });
    const frame = this.#frameOf(host ?? fn);
    const opened = (flags: number): Piece => [
      `${fn.globals.change}(`,
      id,
      `,${frame},${method + METHOD_LIMIT * count + flags},${owner},`,
    ];
    if (isStatic) {
      const isNamed = second?.type === "Literal" && typeof second.value === "string";
      return {
        open: opened(0),
        argument: "",
        close: isNamed ? `,${JSON.stringify(second.value)})` : ")",
      };
    }
    const letter = LETTERS[this.#depth * 2];
    const isKept = KEYED_MUTATORS.has(name) && host !== undefined && letter !== undefined;
    if (
      !isKept ||
      first === undefined ||
      first.type === "SpreadElement" ||
      mayHoldFunction(first)
    ) {
      return { open: opened(0), argument: "", close: ")" };
    }
    const temporary = this.#temporary(letter);
    return { open: opened(KEPT), argument: temporary, close: `,${temporary},${temporary}=void 0)` };
  }

  /** While an argument of a noted call is walked, its temporary is taken. */
  enterArgument(): void {
    this.#depth++;
  }

  // ----------------------------------------------------------------- classes

  enterClass(node: Class): void {
    const names = new Map<string, boolean>();
    for (const member of node.body.body) {
      if (!("key" in member) || member.key.type !== "PrivateIdentifier") continue;
      names.set(member.key.name, member.type === "PropertyDefinition");
    }
    this.#privateNames.push(names);
  }

  leaveClass(): void {
    this.#privateNames.pop();
  }

  // ----------------------------------------------------------------- helpers

  #site(
    kind: WriteKind,
    range: WriteRange,
    { name, key, owner }: { name: string; key?: string | undefined; owner: FunctionContext },
  ): number {
    const id = this.#place.site(range.start, range.end);
    this.#sites.addWrite(id, { kind, name, key, operator: range.operator, owner: owner.id });
    return id;
  }

  /** How the number of a function's running activation is read here; 0 where it cannot be. */
  #frameOf(owner: FunctionContext): string {
    if (owner.isModule || !owner.isWrapped) return "0";
    let inParameters = this.#place.now().inParameters;
    for (let inner = this.#place.now().fn; inner !== owner; inner = inner.parent) {
      if (inner.parent === undefined) return "0";
      inParameters = inner.inParameters;
    }
    // It is counted in the body, which its parameters cannot see.
    if (inParameters) return "0";
    owner.usesActivation = true;
    return this.#probe.activation(owner);
  }

  #capture(
    member: MemberExpression,
    range: WriteRange,
    value: Expression | undefined,
  ): Capture | undefined {
    const { fn, host } = this.#place.now();
    const { object } = member;
    const fixedKey = fixedKeyOf(member);
    const first = this.#ownerBefore(object, value);
    const ownerLetter = LETTERS[this.#depth * 2];
    const keyLetter = LETTERS[this.#depth * 2 + 1];
    const needsTemporary = first === undefined || fixedKey === undefined;
    const hasRoom = host !== undefined && ownerLetter !== undefined && keyLetter !== undefined;
    if (needsTemporary && !hasRoom) {
      this.#place.leaveOut(range.start, "there is no room to keep what it writes to");
      return undefined;
    }
    // The engine would call functions in here after our temporary.
    if (first === undefined && value !== undefined && mayHoldFunction(value)) {
      this.#place.leaveOut(range.start, "functions in it would get other names");
      return undefined;
    }
    const owner = first === undefined ? this.#temporary(ownerLetter ?? "") : undefined;
    const key = fixedKey === undefined ? this.#temporary(keyLetter ?? "") : undefined;
    const label = object.type === "Super" ? "this" : this.#labelOf(object);
    const id = this.#site("property", range, { name: label, key: fixedKey, owner: fn });
    const isNameless = value !== undefined && mayHoldFunction(value) && !beginsWithName(object);
    const rest: Piece = [id, `,${this.#frameOf(host ?? fn)},${first ?? "void 0"},`];
    const open: Piece = [
      // The engine would call functions in there after ours: a name in parentheses is forgotten.
      isNameless ? `(0,${fn.globals.store})(` : `${fn.globals.store}(`,
      rest,
    ];
    let close = "";
    if (key !== undefined || owner !== undefined) close += `,${key ?? "void 0"}`;
    if (owner !== undefined) close += `,${owner},${owner}=void 0`;
    if (key !== undefined)
      close += owner === undefined ? `,void 0,${key}=void 0` : `,${key}=void 0`;
    this.#depth++;
    return { member, owner, key, open, rest, close: `${close})` };
  }

  /** An owner that can be read once more before the write; undefined when it must be kept. */
  #ownerBefore(
    object: Expression | { type: "Super" },
    value: Expression | undefined,
  ): string | undefined {
    const isPlain =
      object.type === "ThisExpression" || object.type === "Super" || object.type === "Identifier";
    if (isPlain || (value !== undefined && mayHoldFunction(value))) return this.#ownerText(object);
    return undefined;
  }

  /** How an owner can be read once more before it is used, without running anything. */
  #ownerText(object: Expression | { type: "Super" }): string | undefined {
    if (object.type === "ThisExpression" || object.type === "Super") return "this";
    if (object.type === "Identifier") {
      const { name } = object;
      // Another global may be an accessor of the global object.
      return this.#place.find(name) !== undefined || this.#isScriptName(name) ? name : undefined;
    }
    const keys: string[] = [];
    let inner: Expression | { type: "Super" } = object;
    while (inner.type === "MemberExpression" && keys.length < MAX_CHAIN) {
      if (inner.computed || inner.optional) return undefined;
      if (inner.property.type === "PrivateIdentifier") {
        const { name } = inner.property;
        const isField = this.#privateNames.findLast((names) => names.has(name))?.get(name) === true;
        if (!isField || inner.object.type !== "ThisExpression" || keys.length > 0) return undefined;
        return `this.#${name}`;
      }
      if (inner.property.type !== "Identifier") return undefined;
      keys.unshift(JSON.stringify(inner.property.name));
      inner = inner.object;
    }
    const isBase = inner.type === "Identifier" || inner.type === "ThisExpression";
    const base = isBase && keys.length > 0 ? this.#ownerText(inner) : undefined;
    if (base === undefined) return undefined;
    return `${this.#place.now().fn.globals.runtime}.q(${base},${keys.join(",")})`;
  }

  #isScriptName(name: string): boolean {
    return this.#isScript && (name === "module" || name === "exports");
  }

  #isObject(object: Expression | { type: "Super" }): boolean {
    return (
      object.type === "Identifier" &&
      object.name === "Object" &&
      this.#place.find("Object") === undefined
    );
  }

  #temporary(letter: string): string {
    const { temporaries } = this.#place.now();
    if (!temporaries.temporaries.includes(letter)) temporaries.temporaries += letter;
    return this.#probe.temporary(letter);
  }

  /** The text of an owner on one line, not too long. */
  #labelOf(node: { start: number; end: number }): string {
    const text = this.#text.slice(node.start, Math.min(node.end, node.start + 4 * MAX_LABEL));
    let line = text.replaceAll(/\s+/g, " ");
    const [first] = /^[\w$\u0080-\uffff]+/.exec(line) ?? [];
    if (first !== undefined && this.#madeNames?.has(first) === true) {
      line = withoutNumber(first) + line.slice(first.length);
    }
    return line.length <= MAX_LABEL ? line : `${line.slice(0, MAX_LABEL - 1)}…`;
  }

  #reportMembers(pattern: Pattern): void {
    forEachMember(pattern, (start) => {
      this.#place.leaveOut(start, "a property in a pattern");
    });
  }
}

/** The property that a target writes, through parentheses and types. */
function memberOf(target: AssignmentTarget | Expression): MemberExpression | undefined {
  let node: AssignmentTarget | Expression = target;
  for (;;) {
    switch (node.type) {
      case "MemberExpression":
        return node;
      case "ParenthesizedExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
        node = node.expression;
        break;
      default:
        return undefined;
    }
  }
}

/** Whether `delete` of this, which has no place of its own, fails where it does without a note. */
function keepsPlace(member: MemberExpression): boolean {
  const { object, property, computed } = member;
  const isPlain = object.type === "ThisExpression" || object.type === "Super";
  if (!isPlain && placeOfValue(object) === undefined) return false;
  return !computed || fixedKeyOf(member) !== undefined || placeOfValue(property) !== undefined;
}

/** A key that is the same whenever the text runs. */
function fixedKeyOf({ computed, property }: MemberExpression): string | undefined {
  if (property.type === "PrivateIdentifier") return `#${property.name}`;
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  if (property.type !== "Literal") return undefined;
  const { value } = property;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Whether a value may hold a function: a cheap look that says yes when in doubt. */
function mayHoldFunction(node: Expression, depth: number = 0): boolean {
  if (depth > MAX_LOOK) return true;
  switch (node.type) {
    case "Literal":
    case "Identifier":
    case "ThisExpression":
    case "MetaProperty":
      return false;
    case "MemberExpression":
      return (
        (node.object.type !== "Super" && mayHoldFunction(node.object, depth + 1)) ||
        (node.computed && mayHoldFunction(node.property, depth + 1))
      );
    case "BinaryExpression":
    case "LogicalExpression":
      return (
        (node.left.type !== "PrivateIdentifier" && mayHoldFunction(node.left, depth + 1)) ||
        mayHoldFunction(node.right, depth + 1)
      );
    case "UnaryExpression":
    case "AwaitExpression":
      return mayHoldFunction(node.argument, depth + 1);
    case "CallExpression":
    case "NewExpression":
      return (
        node.callee.type === "FunctionExpression" ||
        mayHoldFunction(node.callee, depth + 1) ||
        node.arguments.some(
          (argument) => argument.type === "SpreadElement" || mayHoldFunction(argument, depth + 1),
        )
      );
    case "ConditionalExpression":
      return (
        mayHoldFunction(node.test, depth + 1) ||
        mayHoldFunction(node.consequent, depth + 1) ||
        mayHoldFunction(node.alternate, depth + 1)
      );
    case "TemplateLiteral":
      return node.expressions.some((inner) => mayHoldFunction(inner, depth + 1));
    case "ParenthesizedExpression":
      return mayHoldFunction(node.expression, depth + 1);
    case "ArrayExpression":
      return node.elements.some(
        (element) =>
          element !== null &&
          (element.type === "SpreadElement" || mayHoldFunction(element, depth + 1)),
      );
    case "UpdateExpression":
      return false;
    case "ObjectExpression":
      return node.properties.some(
        (property) =>
          property.type === "SpreadElement" ||
          property.computed ||
          property.kind !== "init" ||
          mayHoldFunction(property.value, depth + 1),
      );
    case "AssignmentExpression":
      return node.left.type !== "Identifier" || mayHoldFunction(node.right, depth + 1);
    default:
      return true;
  }
}

/** Whether a name of the program stands in front: then the engine calls functions after that. */
function beginsWithName(node: Expression | { type: "Super" }): boolean {
  let inner: Expression | { type: "Super" } = node;
  while (inner.type === "MemberExpression") inner = inner.object;
  return inner.type === "Identifier";
}

function hasOptionalLink(node: Expression | { type: "Super" }): boolean {
  let inner: Expression | { type: "Super" } = node;
  for (;;) {
    switch (inner.type) {
      case "MemberExpression":
        if (inner.optional) return true;
        inner = inner.object;
        break;
      case "CallExpression":
        if (inner.optional) return true;
        inner = inner.callee;
        break;
      default:
        return false;
    }
  }
}

/** Calls `visit` for every property that a pattern assigns. */
function forEachMember(node: Pattern | Expression, visit: (start: number) => void): void {
  switch (node.type) {
    case "ObjectPattern":
      for (const property of node.properties) {
        forEachMember(property.type === "RestElement" ? property.argument : property.value, visit);
      }
      break;
    case "ArrayPattern":
      for (const element of node.elements) if (element !== null) forEachMember(element, visit);
      break;
    case "AssignmentPattern":
      forEachMember(node.left, visit);
      break;
    case "RestElement":
      forEachMember(node.argument, visit);
      break;
    case "MemberExpression":
      visit(node.start);
      break;
    default:
      break;
  }
}

/** Whether the note of an assignment stands around its right side: it may not happen at all. */
export function notesRightSide(node: AssignmentExpression): boolean {
  return isLogicalOperator(node.operator) && !isAnonymousFunction(node.right);
}
