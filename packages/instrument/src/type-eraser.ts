/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/**
 * Blanks TypeScript syntax in place, so that everything else keeps its line and column.
 *
 * Only what can be erased; enums and the like are compiled (compile-typescript.ts). Where a blank
 * would join two statements or members, its first unit becomes a semicolon, as in Node.
 */

import type { Class, ClassElement, Statement } from "oxc-parser";
import type { EditList } from "./edits.ts";
import { blankText, skipTrivia, skipWord } from "./tokens.ts";

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

/** Blanks into an edit list; offsets must come in order, like all edits. */
export class TypeEraser {
  readonly #text: string;
  readonly #edits: EditList;
  #blankedTo = 0;

  constructor(text: string, edits: EditList) {
    this.#text = text;
    this.#edits = edits;
  }

  /** Whether the last blank ended there, so that what follows may join what was before it. */
  endsAt(offset: number): boolean {
    return this.#blankedTo === offset && offset > 0;
  }

  blank(start: number, end: number): void {
    if (end <= start) return;
    this.#edits.overwrite(start, end, blankText(this.#text.slice(start, end)));
    this.#blankedTo = end;
  }

  /** Blanks a statement or member; the semicolon keeps its neighbours apart. */
  blankWhole(start: number, end: number): void {
    if (end <= start) return;
    this.#edits.overwrite(start, end, `;${blankText(this.#text.slice(start + 1, end))}`);
    this.#blankedTo = end;
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
        if (first) this.blankWhole(at, end);
        else this.blank(at, end);
      } else if (word !== "static") {
        return at;
      }
      first = false;
      at = next;
    }
  }
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
