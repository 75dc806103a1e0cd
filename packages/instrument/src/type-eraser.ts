/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/**
 * Blanks TypeScript syntax in place, so that everything else keeps its line and column.
 *
 * Only what can be erased; enums and the like are compiled (compile-typescript.ts). Where a blank
 * would join two statements or members, its first unit becomes a semicolon, as in Node.
 */

import type { Class, ClassElement, Statement } from "oxc-parser";
import type { EditList } from "./edits.ts";
import { blankText, hasLineEnd, skipTrivia, skipWord } from "./tokens.ts";

/** Thrown when a text needs more than blanks. */
export class NotErasable extends Error {
  override name = "NotErasable";
}

const MODIFIERS = new Set([
  "public",
  "private",
  "protected",
  "readonly",
  "override",
  "abstract",
  "declare",
]);

/** What begins a token that would continue a statement of the line before. */
const CONTINUES = /^(?:[([`/]|\+(?!\+)|-(?!-))/;

/** Names of members that would be operators behind a field without a semicolon. */
const OPERATOR_NAMES = new Set(["in", "instanceof"]);

/** Names of fields that would be modifiers of the next member. */
const MODIFIER_NAMES = new Set(["get", "set", "static"]);

/** Blanks into an edit list; offsets must come in order, like all edits. */
export class TypeEraser {
  readonly #text: string;
  readonly #edits: EditList;
  /**
   * Whether every unit has to be the one that Node writes: its semicolons, and for letters with
   * accents blanks that are as long in UTF-8. With probes only the places matter.
   */
  readonly #isExact: boolean;
  #blankedTo = 0;

  constructor(text: string, edits: EditList, isExact: boolean) {
    this.#text = text;
    this.#edits = edits;
    this.#isExact = isExact;
  }

  /** Whether the last blank ended there, so that what follows may join what was before it. */
  endsAt(offset: number): boolean {
    return this.#blankedTo === offset && offset > 0;
  }

  /** The blanks that stand for a stretch of the text. */
  blanks(start: number, end: number): string {
    const text = this.#text.slice(start, end);
    return this.#isExact ? blankBytes(text) : blankText(text);
  }

  blank(start: number, end: number): void {
    if (end <= start) return;
    this.#edits.overwrite(start, end, this.blanks(start, end));
    this.#blankedTo = end;
  }

  /**
   * Blanks a statement; the semicolon keeps its neighbours apart.
   *
   * @param previousEnd Where the last statement before it ended.
   */
  blankStatement(start: number, end: number, previousEnd: number): void {
    if (this.#isExact && !this.#mayJoin(start, end, previousEnd)) this.blank(start, end);
    else this.#blankBehindSemicolon(start, end);
  }

  /** The same for a member of a class. */
  blankMember(start: number, end: number): void {
    if (this.#isExact) this.blank(start, end);
    else this.#blankBehindSemicolon(start, end);
  }

  /** Blanks the type of a field. */
  blankFieldType(start: number, end: number, canJoin: boolean): void {
    if (this.#isExact && canJoin) this.#blankBehindSemicolon(start, end);
    else this.blank(start, end);
  }

  #blankBehindSemicolon(start: number, end: number): void {
    this.#edits.overwrite(start, end, `;${this.blanks(start + 1, end)}`);
    this.#blankedTo = end;
  }

  /** Whether the statements around one that vanishes could be read as one. */
  #mayJoin(start: number, end: number, previousEnd: number): boolean {
    const text = this.#text;
    const isApart = text.charAt(previousEnd - 1) === ";" && skipTrivia(text, previousEnd) === start;
    if (isApart || !this.#continuesAt(end, CONTINUES)) return false;
    return start > skipTrivia(text, 0);
  }

  #continuesAt(end: number, tokens: RegExp): boolean {
    const next = skipTrivia(this.#text, end);
    return hasLineEnd(this.#text, end, next) && tokens.test(this.#text.slice(next, next + 2));
  }

  /** Blanks `as T`, `satisfies T`, `!` or `<T>` behind an expression. */
  behindExpression(node: { type: string; end: number; expression: { end: number } }): void {
    const from = node.expression.end;
    const isPhrase = node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression";
    const start = isPhrase ? from : skipTrivia(this.#text, from);
    if (this.#isExact && isPhrase && this.#continuesAt(node.end, /^[([`]/)) {
      const word = skipTrivia(this.#text, from);
      this.blank(from, word);
      this.#blankBehindSemicolon(word, node.end);
    } else {
      this.blank(start, node.end);
    }
  }

  /** Blanks `?` or `!` behind a name or key, if it is there, and returns where the blank ends. */
  blankMark(from: number): void {
    const at = skipTrivia(this.#text, from);
    const mark = this.#text.charAt(at);
    if (mark === "?" || mark === "!") this.blank(at, at + 1);
  }

  /** Blanks `abstract` before `class`. */
  classModifiers(node: Class): void {
    if (node.abstract === true) this.blank(node.start, node.start + "abstract".length);
  }

  /** Blanks `implements A, B`. */
  implementsClause(node: Class, from: number): void {
    const list = node.implements;
    const last = list?.[list.length - 1];
    if (last !== undefined) this.blank(skipTrivia(this.#text, from), last.end);
  }

  /** Blanks the modifiers of a member and returns where its text begins for `toString`. */
  memberModifiers(member: ClassElement): number {
    let at = member.start;
    let first = true;
    for (;;) {
      const end = skipWord(this.#text, at);
      const word = this.#text.slice(at, end);
      const next = skipTrivia(this.#text, end);
      // A modifier is only one if a name follows: `readonly = 1` is a field.
      const isName =
        end === at || /^[=;:(!?<},]/.test(this.#text.charAt(next)) || next >= member.end;
      if (isName) return at;
      if (MODIFIERS.has(word)) {
        if (first && (!this.#isExact || isRisky(member))) this.#blankBehindSemicolon(at, end);
        else this.blank(at, end);
      } else if (word !== "static") {
        return at;
      }
      first = false;
      at = next;
    }
  }
}

/** Whether a member would join a field before it that has no semicolon. */
function isRisky(member: ClassElement): boolean {
  if (!("key" in member) || member.static) return false;
  const { key } = member;
  if (member.computed || (key.type === "Identifier" && OPERATOR_NAMES.has(key.name))) return true;
  return member.type === "MethodDefinition" && member.value.generator;
}

/** Whether a field without its type would be read as a modifier of the next member. */
export function isLikeModifier(member: ClassElement): boolean {
  return (
    member.type === "PropertyDefinition" &&
    !member.computed &&
    member.value === null &&
    member.key.type === "Identifier" &&
    MODIFIER_NAMES.has(member.key.name)
  );
}

/** Blanks that are as long as the text in UTF-16 and in UTF-8. */
function blankBytes(text: string): string {
  return text.replaceAll(/[^\n\r\u2028\u2029]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x80) return " ";
    if (point < 0x800) return "\u00A0";
    return point < 0x10000 ? "\u2002" : " \uFEFF";
  });
}

/** Whether a member has no code at all: overloads, abstract members, `declare`, signatures. */
export function isTypeOnlyMember(member: ClassElement): boolean {
  switch (member.type) {
    case "TSIndexSignature":
    case "TSAbstractMethodDefinition":
    case "TSAbstractPropertyDefinition":
    case "TSAbstractAccessorProperty":
      return true;
    case "MethodDefinition":
      return member.value.body === null;
    case "PropertyDefinition":
      return member.declare === true;
    default:
      return false;
  }
}

/**
 * Whether a statement has no code at all.
 *
 * @throws {NotErasable} if it has code that blanks cannot make.
 */
export function isTypeOnlyStatement(node: Statement): boolean {
  switch (node.type) {
    case "TSTypeAliasDeclaration":
    case "TSInterfaceDeclaration":
    case "TSDeclareFunction":
    case "TSNamespaceExportDeclaration":
      return true;
    case "TSEnumDeclaration":
      if (node.declare) return true;
      throw new NotErasable("enum");
    case "TSModuleDeclaration":
      // Node refuses the old keyword for namespaces.
      if (node.kind === "module" && node.id.type === "Identifier") throw new NotErasable("module");
      if (node.declare || node.kind === "global" || !isInstantiated(node.body?.body ?? [])) {
        return true;
      }
      throw new NotErasable("namespace");
    case "TSImportEqualsDeclaration":
      if (node.importKind === "type") return true;
      throw new NotErasable("import =");
    case "TSExportAssignment":
      throw new NotErasable("export =");
    case "VariableDeclaration":
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.declare === true;
    case "ImportDeclaration":
      return node.importKind === "type";
    case "ExportAllDeclaration":
      return node.exportKind === "type";
    case "ExportNamedDeclaration":
      if (node.declaration !== null) return isTypeOnlyStatement(node.declaration);
      return node.exportKind === "type";
    case "ExportDefaultDeclaration":
      return (
        node.declaration.type === "TSInterfaceDeclaration" ||
        node.declaration.type === "TSDeclareFunction"
      );
    default:
      return false;
  }
}

function isInstantiated(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    const node =
      statement.type === "ExportNamedDeclaration" && statement.declaration !== null
        ? statement.declaration
        : statement;
    if (node.type === "TSModuleDeclaration") return isInstantiated(node.body?.body ?? []);
    return node.type !== "TSTypeAliasDeclaration" && node.type !== "TSInterfaceDeclaration";
  });
}
