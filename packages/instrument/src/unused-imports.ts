/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/* oxlint-disable typescript/no-unsafe-type-assertion -- Children are reached by the names of their keys. */
/**
 * Blanks names that TypeScript imports and only uses as types.
 *
 * Node keeps them, and fails if the other module does not export them; tsc and tsx leave them out.
 * Only names go: the module is loaded all the same. A name counts as used if any variable in the
 * text is called so, whatever it means there.
 */

import { type ImportDeclaration, type Node, type Program, visitorKeys } from "oxc-parser";
import { skipTrivia } from "./tokens.ts";

/** Nodes of TypeScript that hold code, and not only types. */
const WITH_VALUES: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSParameterProperty",
  "TSEnumDeclaration",
  "TSEnumBody",
  "TSEnumMember",
  "TSModuleDeclaration",
  "TSModuleBlock",
  "TSExportAssignment",
  "TSImportEqualsDeclaration",
  "TSQualifiedName",
  "TSAbstractMethodDefinition",
  "TSAbstractPropertyDefinition",
  "TSAbstractAccessorProperty",
]);

/** The text with such names blanked, as long as before; undefined when there are none. */
export function blankUnusedImports(text: string, program: Program): string | undefined {
  const imports = program.body.filter(
    (statement): statement is ImportDeclaration =>
      statement.type === "ImportDeclaration" &&
      statement.importKind !== "type" &&
      statement.specifiers.some(({ type }) => type !== "ImportNamespaceSpecifier"),
  );
  if (imports.length === 0) return undefined;
  const used = new Set<string>();
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration") collect(statement, used);
  }
  // Code in a text may name anything; JSX needs names that do not stand there.
  if (used.has("eval") || used.has(JSX)) return undefined;
  const blanks = imports.flatMap((statement) => blanksOf(text, statement, used));
  if (blanks.length === 0) return undefined;
  let blanked = "";
  let copied = 0;
  for (const [start, end] of blanks) {
    blanked += text.slice(copied, start) + text.slice(start, end).replaceAll(/[^\n\r]/g, " ");
    copied = end;
  }
  return blanked + text.slice(copied);
}

/** Whether nodes of a type hold no code. */
export function isTypeSyntax(type: string): boolean {
  return type.startsWith("TS") && !WITH_VALUES.has(type);
}

/** Stands for any JSX in the set of names. */
const JSX = "<>";

function collect(node: Node, used: Set<string>): void {
  if (node.type === "Identifier") {
    used.add(node.name);
    return;
  }
  if (node.type === "JSXElement" || node.type === "JSXFragment") {
    used.add(JSX);
    return;
  }
  if (isTypeSyntax(node.type)) return;
  const naming = keyOfNaming(node);
  for (const key of visitorKeys[node.type] ?? []) {
    if (key === naming) continue;
    const child = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(child)) {
      for (const element of child as unknown[]) if (isNode(element)) collect(element, used);
    } else if (isNode(child)) collect(child, used);
  }
}

/** Where the name of a member, a label or an export stands, which no variable is looked up for. */
function keyOfNaming(node: Node): string | undefined {
  switch (node.type) {
    case "MemberExpression":
      return node.computed ? undefined : "property";
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return node.computed ? undefined : "key";
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return "label";
    case "ExportSpecifier":
      return "exported";
    case "ExportAllDeclaration":
      return "exported";
    default:
      return undefined;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Ranges of one import that are to be blanked, ascending. */
function blanksOf(
  text: string,
  { specifiers, source }: ImportDeclaration,
  used: ReadonlySet<string>,
): [number, number][] {
  const blanks: [number, number][] = [];
  const [first] = specifiers;
  if (first?.type === "ImportDefaultSpecifier" && !used.has(first.local.name)) {
    const after = skipTrivia(text, first.end);
    // `import A from "x"` loses `from` as well, `import A, { B } from "x"` the comma.
    const end = text.charAt(after) === "," ? after + 1 : source.start;
    blanks.push([first.start, end]);
  }
  for (const specifier of specifiers) {
    if (specifier.type !== "ImportSpecifier" || specifier.importKind === "type") continue;
    if (used.has(specifier.local.name)) continue;
    const after = skipTrivia(text, specifier.end);
    blanks.push([specifier.start, text.charAt(after) === "," ? after + 1 : specifier.end]);
  }
  return blanks;
}
