/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/**
 * Questions about a piece of syntax that need nothing but the piece itself.
 */

import type {
  AssignmentTarget,
  AssignmentTargetMaybeDefault,
  AssignmentTargetRest,
  BindingIdentifier,
  BindingPattern,
  BindingRestElement,
  Declaration,
  Expression,
  ParamPattern,
  Program,
  Statement,
  VariableDeclaration,
} from "oxc-parser";
import { forEachName, type Hoisted } from "./scopes.ts";
import { skipTrivia } from "./tokens.ts";

/** Whatever binds or assigns names. */
export type Pattern =
  | BindingPattern
  | ParamPattern
  | AssignmentTargetMaybeDefault
  | AssignmentTargetRest
  | BindingRestElement;

/** Names `textStart` of a member of a class in JavaScript, where `static` is the only modifier. */
export function textStart(text: string, start: number, isStatic: boolean): number {
  return isStatic ? skipTrivia(text, start + "static".length) : start;
}

export function isDefinite(member: { definite?: boolean } | object): boolean {
  return "definite" in member && member.definite;
}

export function countDirectives(statements: readonly unknown[]): number {
  let count = 0;
  for (const statement of statements) {
    if (!isDirective(statement)) break;
    count++;
  }
  return count;
}

function isDirective(statement: unknown): statement is { directive: string } {
  return (
    typeof statement === "object" &&
    statement !== null &&
    "directive" in statement &&
    typeof statement.directive === "string"
  );
}

/** Whether a statement makes a text an ES module, once its types are erased. */
export function isModuleSyntax(statement: Program["body"][number]): boolean {
  switch (statement.type) {
    case "ImportDeclaration":
      return statement.importKind !== "type";
    case "ExportAllDeclaration":
      return statement.exportKind !== "type";
    case "ExportNamedDeclaration":
      // `export import a = require("a")` belongs to scripts.
      return (
        statement.exportKind !== "type" &&
        statement.declaration?.type !== "TSImportEqualsDeclaration"
      );
    case "ExportDefaultDeclaration":
      return (
        statement.declaration.type !== "TSInterfaceDeclaration" &&
        statement.declaration.type !== "TSDeclareFunction"
      );
    default:
      return false;
  }
}

/** What the function that Node puts around a script is given. */
const SCRIPT_NAMES = new Set(["exports", "require", "module", "__filename", "__dirname"]);

/** Whether a statement at the top of a script declares again what Node hands to it: an early error. */
export function declaresScriptName(statement: Program["body"][number]): boolean {
  if (statement.type === "ClassDeclaration") {
    return statement.declare !== true && SCRIPT_NAMES.has(statement.id?.name ?? "");
  }
  if (statement.type !== "VariableDeclaration") return false;
  if (statement.kind === "var" || statement.declare === true) return false;
  let found = false;
  for (const { id } of statement.declarations) {
    forEachName(id, (name) => {
      found ||= SCRIPT_NAMES.has(name);
    });
  }
  return found;
}

/** Whether a statement only links modules: it runs before everything else, wherever it stands. */
export function isLink(statement: Program["body"][number]): boolean {
  switch (statement.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return true;
    case "ExportNamedDeclaration":
      return statement.source !== null;
    default:
      return false;
  }
}

export function hasUseStrict(statements: readonly unknown[]): boolean {
  for (const statement of statements) {
    if (!isDirective(statement)) return false;
    if (statement.directive === "use strict") return true;
  }
  return false;
}

/**
 * Says why a body cannot be put into a block: there, function declarations are block-scoped.
 *
 * That is the same unless a function shares its name with a variable, a parameter, another
 * function or (in sloppy code) a function in a block, or hides behind a label.
 */
export function conflictOfHoisting(
  statements: readonly Statement[],
  parameters: readonly string[],
  hoisted: Hoisted,
  isStrict: boolean,
): string | undefined {
  let seen: Set<string> | undefined;
  let variables: Set<string> | undefined;
  for (const statement of statements) {
    if (statement.type === "LabeledStatement" && isLabelledFunction(statement)) {
      return "function declaration with a label";
    }
    if (statement.type !== "FunctionDeclaration" || statement.id === null) continue;
    const { name } = statement.id;
    if (seen === undefined) {
      seen = new Set();
      variables = new Set(hoisted.variables);
    }
    if (seen.has(name)) return `two functions named ${name}`;
    if (parameters.includes(name)) return `function named like the parameter ${name}`;
    if (variables?.has(name) === true) return `function named like the variable ${name}`;
    if (name === "arguments") return "function named arguments";
    if (!isStrict && hoisted.blockFunctions.includes(name)) {
      return `function named like the function ${name} in a block`;
    }
    seen.add(name);
  }
  return undefined;
}

function isLabelledFunction(statement: Statement): boolean {
  let node = statement;
  while (node.type === "LabeledStatement") node = node.body;
  return node.type === "FunctionDeclaration";
}

export function declarationIn(statement: Statement): Declaration | Statement | null {
  if (statement.type === "ExportNamedDeclaration") return statement.declaration;
  if (statement.type === "ExportDefaultDeclaration") {
    const { declaration } = statement;
    return declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration"
      ? declaration
      : null;
  }
  return statement;
}

export function declaresInBlock(statement: Statement): boolean {
  switch (statement.type) {
    case "VariableDeclaration":
      return statement.kind !== "var";
    case "ClassDeclaration":
    case "FunctionDeclaration":
      return true;
    default:
      return false;
  }
}

/** Whether something is disposed of when the block of this statement ends. */
export function isDisposal(statement: Statement): boolean {
  return (
    statement.type === "VariableDeclaration" &&
    (statement.kind === "using" || statement.kind === "await using")
  );
}

/** Whether an abrupt statement ends a loop body, so that nothing may follow it. */
export function endsAbruptly(body: Statement): boolean {
  const last = body.type === "BlockStatement" ? body.body[body.body.length - 1] : body;
  switch (last?.type) {
    case "ReturnStatement":
    case "ThrowStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return true;
    default:
      return false;
  }
}

/** Whether a nameless function or class would take the name of a variable it is assigned to. */
export function isAnonymousFunction(node: Expression): boolean {
  let inner = node;
  while (inner.type === "ParenthesizedExpression") inner = inner.expression;
  switch (inner.type) {
    case "ArrowFunctionExpression":
      return true;
    case "FunctionExpression":
    case "ClassExpression":
      return inner.id === null;
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
      return isAnonymousFunction(inner.expression);
    default:
      return false;
  }
}

/** A cheap look at the tests and updates of loops: only what certainly cannot throw is safe. */
export function mayThrow(node: Expression, depth: number): boolean {
  if (depth > 3) return true;
  switch (node.type) {
    case "Identifier":
    case "Literal":
      return false;
    case "BinaryExpression":
      if (node.operator === "in" || node.operator === "instanceof") return true;
      return mayThrow(node.left, depth + 1) || mayThrow(node.right, depth + 1);
    case "LogicalExpression":
      return mayThrow(node.left, depth + 1) || mayThrow(node.right, depth + 1);
    case "UnaryExpression":
      return node.operator === "delete" || mayThrow(node.argument, depth + 1);
    case "UpdateExpression":
      return node.argument.type !== "Identifier";
    default:
      return true;
  }
}

export function mayDeclareThrow(node: VariableDeclaration): boolean {
  return node.declarations.some(({ id, init }) => {
    if (id.type !== "Identifier") return true;
    return init !== null && init.type !== "Literal" && !isAnonymousFunction(init);
  });
}

/** The name that a simple target assigns, through parentheses and type assertions. */
export function nameOfTarget(node: AssignmentTarget | BindingIdentifier): string | undefined {
  let inner: AssignmentTarget | BindingIdentifier | Expression = node;
  for (;;) {
    switch (inner.type) {
      case "Identifier":
        return inner.name;
      case "ParenthesizedExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "TSTypeAssertion":
        inner = inner.expression;
        break;
      default:
        return undefined;
    }
  }
}

export function forEachTarget(node: Pattern, visit: (name: string) => void): void {
  switch (node.type) {
    case "ObjectPattern":
      for (const property of node.properties) {
        forEachTarget(property.type === "RestElement" ? property.argument : property.value, visit);
      }
      break;
    case "ArrayPattern":
      for (const element of node.elements) {
        if (element === null) continue;
        forEachTarget(element.type === "RestElement" ? element.argument : element, visit);
      }
      break;
    case "AssignmentPattern":
      forEachTarget(node.left, visit);
      break;
    case "RestElement":
      forEachTarget(node.argument, visit);
      break;
    case "TSParameterProperty":
      break;
    default: {
      const name = nameOfTarget(node);
      if (name !== undefined) visit(name);
    }
  }
}

export function keyName(key: { type: string }): string {
  if (key.type === "PrivateIdentifier" && "name" in key) return `#${String(key.name)}`;
  if (key.type === "Identifier" && "name" in key) return String(key.name);
  return key.type === "Literal" && "value" in key ? String(key.value) : "";
}

export function isErrorName(name: string): boolean {
  return name.endsWith("Error") || name.endsWith("Exception");
}

export function isPromiseReject(
  callee: Extract<Expression, { type: "MemberExpression" }>,
): boolean {
  return (
    callee.object.type === "Identifier" &&
    callee.object.name === "Promise" &&
    callee.property.type === "Identifier" &&
    callee.property.name === "reject" &&
    !callee.computed
  );
}

/**
 * Whether an expression assigns to a pattern.
 *
 * In a list of arguments V8 takes one for a syntax error if something before it in the list holds
 * what cannot be assigned to, as in `f([1], [a] = b)`, and much of what is put into a text is that.
 * With parentheses around it, it is read on its own.
 */
export function isPatternAssignment(node: Expression): boolean {
  if (node.type !== "AssignmentExpression") return false;
  return node.left.type === "ObjectPattern" || node.left.type === "ArrayPattern";
}

export function isPromiseChain(callee: Expression): boolean {
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  const { name } = callee.property;
  return !callee.computed && (name === "then" || name === "catch" || name === "finally");
}

/** `??=`, `||=`, `&&=`: assignments that may not happen. */
export function isLogicalOperator(operator: string): boolean {
  return operator === "??=" || operator === "||=" || operator === "&&=";
}
