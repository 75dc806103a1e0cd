/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/**
 * Writes the types that `emitDecoratorMetadata` asks for in a form that the compiler reads as
 * TypeScript does.
 *
 * TypeScript looks into the aliases, enums and type parameters of a file: `status: Status` is
 * `String` if `type Status = "open" | "done"`. The compiler only knows what stands at the place.
 * Of a rest parameter TypeScript takes the type of one element. What comes from other files is
 * left as it is.
 */

import type { Class, ParamPattern, Program, Statement, TSEnumMember, TSType } from "oxc-parser";
import { type CompiledText, MovedText } from "./moved-text.ts";

/** How a constructor of types at run time is written as a type. */
const WRITTEN = {
  string: "string",
  number: "number",
  boolean: "boolean",
  bigint: "bigint",
  symbol: "symbol",
  function: "(() => void)",
  array: "[]",
  nothing: "void",
  object: "any",
} as const;

type Kind = keyof typeof WRITTEN;

const MAX_DEPTH = 20;

/** The text with such types written out; undefined when there are none. */
export function writeMetadataTypes(
  text: string,
  program: Program,
  strictNullChecks: boolean,
): CompiledText | undefined {
  const resolver = new Resolver(program, strictNullChecks);
  const changes = classesOf(program).flatMap((node) => changesOf(node, text, resolver));
  if (changes.length === 0) return undefined;
  changes.sort((a, b) => a.start - b.start);
  const moved = new MovedText(text);
  let at = 0;
  for (const { start, end, written } of changes) {
    if (start < at) continue;
    moved.take(at, start);
    moved.write(written, start);
    at = end;
  }
  moved.take(at, text.length);
  return moved.finish();
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly written: string;
}

/** The statement that is exported, or the statement. */
function declared(statement: Statement): { readonly type: string } {
  const isExport =
    statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  return isExport ? (statement.declaration ?? statement) : statement;
}

/** Classes of the top of a file: inside of functions names may mean something else. */
function classesOf({ body }: Program): Class[] {
  return body.map(declared).filter((node): node is Class => node.type === "ClassDeclaration");
}

function changesOf(node: Class, text: string, outer: Resolver): Change[] {
  const resolver = outer.within(node.typeParameters?.params ?? []);
  const changes: Change[] = [];
  const change = (type: TSType | undefined, written = resolver.written(type)): void => {
    if (type === undefined || written === undefined) return;
    changes.push({ start: type.start, end: type.end, written });
  };
  for (const member of node.body.body) {
    switch (member.type) {
      case "PropertyDefinition":
      case "AccessorProperty":
        if (member.decorators.length > 0) change(member.typeAnnotation?.typeAnnotation);
        break;
      case "MethodDefinition": {
        const { params, returnType } = member.value;
        const isDecorated =
          member.decorators.length > 0 ||
          (member.kind === "constructor" && node.decorators.length > 0) ||
          params.some((param) => "decorators" in param && (param.decorators?.length ?? 0) > 0);
        if (!isDecorated) break;
        for (const param of params) {
          const type = typeOfParameter(param);
          if (param.type !== "RestElement") change(type);
          else if (type !== undefined) change(type, writtenElement(type, text, resolver));
        }
        change(returnType?.typeAnnotation);
        break;
      }
    }
  }
  return changes;
}

function typeOfParameter(param: ParamPattern): TSType | undefined {
  if (param.type === "TSParameterProperty") return typeOfParameter(param.parameter);
  const pattern = param.type === "AssignmentPattern" ? param.left : param;
  return "typeAnnotation" in pattern ? pattern.typeAnnotation?.typeAnnotation : undefined;
}

/** The type of one element of a rest parameter. */
function writtenElement(type: TSType, text: string, resolver: Resolver): string {
  const given = type.type === "TSTypeReference" ? type.typeArguments?.params : undefined;
  const element =
    type.type === "TSArrayType" ? type.elementType : given?.length === 1 ? given[0] : undefined;
  if (element === undefined) return WRITTEN.object;
  return resolver.written(element) ?? text.slice(element.start, element.end);
}

interface TypeParameter {
  readonly name: { readonly name: string };
  readonly constraint?: TSType | null;
}

/** What the names of types in a file mean. */
class Resolver {
  readonly #strictNullChecks: boolean;
  /** Aliases without parameters. */
  readonly #aliases = new Map<string, TSType>();
  readonly #enums = new Map<string, Map<string, Kind>>();
  /** Names of values and of types that are no aliases. */
  readonly #own = new Set<string>();
  readonly #imported = new Set<string>();
  #parameters: ReadonlyMap<string, TSType | undefined> = new Map();

  constructor(program: Program | undefined, strictNullChecks: boolean) {
    this.#strictNullChecks = strictNullChecks;
    for (const statement of program?.body ?? []) this.#declare(statement);
  }

  #declare(statement: Statement): void {
    if (statement.type === "ImportDeclaration") {
      for (const { local } of statement.specifiers) this.#imported.add(local.name);
      return;
    }
    const isExport =
      statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
    const node = isExport ? statement.declaration : statement;
    switch (node?.type) {
      case "TSTypeAliasDeclaration":
        if (node.typeParameters == null) this.#aliases.set(node.id.name, node.typeAnnotation);
        break;
      case "TSEnumDeclaration": {
        const members = this.#enums.get(node.id.name) ?? new Map<string, Kind>();
        for (const member of node.body.members)
          members.set(nameOfMember(member), kindOf(member, members));
        this.#enums.set(node.id.name, members);
        break;
      }
      case "ClassDeclaration":
      case "FunctionDeclaration":
        if (node.id !== null) this.#own.add(node.id.name);
        break;
      case "TSInterfaceDeclaration":
        this.#own.add(node.id.name);
        break;
    }
  }

  /** The same inside of a class with type parameters. */
  within(parameters: readonly TypeParameter[]): Resolver {
    this.#parameters = new Map(
      parameters.map(({ name, constraint }) => [name.name, constraint ?? undefined]),
    );
    return this;
  }

  /** How a type is to be written instead; undefined where it may stay. */
  written(type: TSType | undefined): string | undefined {
    if (type === undefined || !this.#needsNames(type, 0)) return undefined;
    const kind = this.#kindOf(type, false, 0);
    return kind === undefined ? undefined : WRITTEN[kind];
  }

  /** Whether a name stands at the place whose meaning the compiler does not look up. */
  #needsNames(type: TSType, depth: number): boolean {
    if (depth > MAX_DEPTH) return false;
    switch (type.type) {
      case "TSParenthesizedType":
        return this.#needsNames(type.typeAnnotation, depth + 1);
      case "TSUnionType":
        return type.types.some((inner) => this.#needsNames(inner, depth + 1));
      case "TSTypeReference": {
        const name = rootOf(type.typeName);
        return this.#parameters.has(name) || this.#aliases.has(name) || this.#enums.has(name);
      }
      default:
        return false;
    }
  }

  /**
   * @param isInside [the type is what a name means: then TypeScript asks what can be assigned, and
   *   a class is only an object]
   */
  #kindOf(type: TSType, isInside: boolean, depth: number): Kind | undefined {
    if (depth > MAX_DEPTH) return undefined;
    switch (type.type) {
      case "TSParenthesizedType":
        return this.#kindOf(type.typeAnnotation, isInside, depth + 1);
      case "TSStringKeyword":
      case "TSTemplateLiteralType":
        return "string";
      case "TSNumberKeyword":
        return "number";
      case "TSBooleanKeyword":
        return "boolean";
      case "TSBigIntKeyword":
        return "bigint";
      case "TSSymbolKeyword":
        return "symbol";
      case "TSFunctionType":
      case "TSConstructorType":
        return "function";
      case "TSArrayType":
      case "TSTupleType":
        return "array";
      case "TSVoidKeyword":
      case "TSUndefinedKeyword":
      case "TSNullKeyword":
      case "TSNeverKeyword":
        return "nothing";
      case "TSAnyKeyword":
      case "TSUnknownKeyword":
      case "TSObjectKeyword":
      case "TSTypeLiteral":
      case "TSMappedType":
        return "object";
      case "TSLiteralType":
        return kindOfLiteral(type.literal);
      case "TSUnionType":
        return this.#kindOfUnion(type.types, isInside, depth);
      case "TSIntersectionType":
        return isInside ? this.#kindOfIntersection(type.types, depth) : "object";
      case "TSTypeOperator":
        return type.operator === "readonly"
          ? this.#kindOf(type.typeAnnotation, isInside, depth + 1)
          : undefined;
      case "TSTypeReference":
        return this.#kindOfReference(type, isInside, depth);
      default:
        return undefined;
    }
  }

  #kindOfUnion(types: readonly TSType[], isInside: boolean, depth: number): Kind | undefined {
    let found: Kind | undefined;
    for (const type of types) {
      if (type.type === "TSNeverKeyword") continue;
      const isNull = type.type === "TSNullKeyword" || type.type === "TSUndefinedKeyword";
      if (isNull && !this.#strictNullChecks) continue;
      const kind = this.#kindOf(type, isInside, depth + 1);
      if (kind === undefined) return undefined;
      if (found !== undefined && found !== kind) return "object";
      found = kind;
    }
    return found ?? "nothing";
  }

  /** A string with a mark is a string. */
  #kindOfIntersection(types: readonly TSType[], depth: number): Kind | undefined {
    let isKnown = true;
    for (const type of types) {
      const kind = this.#kindOf(type, true, depth + 1);
      if (kind === undefined) isKnown = false;
      else if (kind !== "object") return kind;
    }
    return isKnown ? "object" : undefined;
  }

  #kindOfReference(
    { typeName }: Extract<TSType, { type: "TSTypeReference" }>,
    isInside: boolean,
    depth: number,
  ): Kind | undefined {
    const name = rootOf(typeName);
    const members = this.#enums.get(name);
    if (typeName.type === "TSQualifiedName") {
      return members === undefined || typeName.left.type !== "Identifier"
        ? undefined
        : members.get(typeName.right.name);
    }
    if (this.#parameters.has(name)) {
      const constraint = this.#parameters.get(name);
      return constraint === undefined ? "object" : this.#kindOf(constraint, true, depth + 1);
    }
    if (members !== undefined) return kindOfEnum(members);
    const alias = this.#aliases.get(name);
    // A class of that name is what TypeScript takes.
    if (alias !== undefined && !this.#own.has(name)) return this.#kindOf(alias, true, depth + 1);
    if (!isInside || this.#imported.has(name)) return undefined;
    return name === "Array" || name === "ReadonlyArray" ? "array" : "object";
  }
}

type Reference = Extract<TSType, { type: "TSTypeReference" }>["typeName"];

/** `A` of `A.B.C`. */
function rootOf(name: Reference): string {
  if (name.type === "TSQualifiedName") return rootOf(name.left);
  return name.type === "Identifier" ? name.name : "";
}

function kindOfLiteral(
  literal: Extract<TSType, { type: "TSLiteralType" }>["literal"],
): Kind | undefined {
  const value = literal.type === "UnaryExpression" ? literal.argument : literal;
  if (value.type === "TemplateLiteral") return "string";
  if (value.type !== "Literal") return undefined;
  switch (typeof value.value) {
    case "string":
      return "string";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "bigint":
      return "bigint";
    default:
      return undefined;
  }
}

function nameOfMember({ id }: TSEnumMember): string {
  if (id.type === "Identifier") return id.name;
  return id.type === "Literal" ? id.value : "";
}

/** What a member of an enum is, as far as its text says it; numbers are what computes. */
function kindOf({ initializer }: TSEnumMember, before: ReadonlyMap<string, Kind>): Kind {
  let node = initializer;
  while (node?.type === "ParenthesizedExpression") node = node.expression;
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? "string" : "number";
    case "TemplateLiteral":
      return "string";
    case "Identifier":
      return before.get(node.name) ?? "number";
    case "MemberExpression":
      return node.property.type === "Identifier"
        ? (before.get(node.property.name) ?? "number")
        : "number";
    case "BinaryExpression":
      return [node.left, node.right].some(
        ({ type, ...rest }) =>
          type === "TemplateLiteral" || ("value" in rest && typeof rest.value === "string"),
      )
        ? "string"
        : "number";
    default:
      return "number";
  }
}

function kindOfEnum(members: ReadonlyMap<string, Kind>): Kind {
  const kinds = new Set(members.values());
  if (kinds.size > 1) return "object";
  const [only] = kinds;
  return only ?? "number";
}
