/* oxlint-disable typescript/switch-exhaustiveness-check -- The tree has 170 kinds of nodes: the default stands for the rest. */
/**
 * Which places V8 notes while it evaluates an expression.
 *
 * An operation without a place of its own (a property that a pattern takes, a spread of an object,
 * `delete`) fails at the place that was noted last, so what stands around it has to be shown there.
 * The place of a statement goes before the first of its expression, unless something was done.
 */

import type {
  Argument,
  AssignmentExpression,
  Class,
  Expression,
  Node,
  ObjectExpression,
  ObjectPropertyKind,
  TemplateLiteral,
  UpdateExpression,
} from "oxc-parser";
import type { Pattern } from "./syntax.ts";
import { skipLine, skipTrivia } from "./tokens.ts";

/** The offset that is noted when a variable or property has been assigned. */
export function placeOfAssignment(
  text: string,
  node: AssignmentExpression | UpdateExpression,
): number {
  if (node.type === "AssignmentExpression") return operatorBehind(text, node.left.end);
  const { argument, prefix, end } = node;
  if (!prefix) return end - 2;
  // V8 remembers the last token of what is counted.
  if (text.charAt(end - 1) === ")") return end - 1;
  switch (argument.type) {
    case "Identifier":
      return argument.start;
    case "MemberExpression":
      return argument.computed ? argument.end - 1 : argument.property.start;
    default:
      return end - 1;
  }
}

/** The offset that is noted last when the value of an owner or key is there; undefined if unsure. */
export function placeOfValue(node: Expression): number | undefined {
  switch (node.type) {
    case "Identifier":
      return node.start;
    case "MemberExpression":
      return node.computed ? undefined : node.property.start;
    case "CallExpression":
      return node.callee.type === "Super" || node.optional ? undefined : placeOfValue(node.callee);
    default:
      return undefined;
  }
}

/** The place that an expression has for itself: that of a statement made of it. */
export function placeOf(text: string, node: Expression): number {
  switch (node.type) {
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSInstantiationExpression":
      return placeOf(text, node.expression);
    case "AssignmentExpression":
    case "UpdateExpression":
      return placeOfAssignment(text, node);
    case "LogicalExpression":
      return placeOfOperator(text, node.left, node.operator);
    case "BinaryExpression":
      // `#a in b`
      if (node.left.type === "PrivateIdentifier") return operatorBehind(text, node.left.end);
      return placeOfOperator(text, node.left, node.operator);
    case "SequenceExpression": {
      // Two have the place of the second, more that of the first.
      const { expressions } = node;
      const inner = expressions[expressions.length === 2 ? 1 : 0];
      return inner === undefined ? node.start : placeOf(text, inner);
    }
    case "MemberExpression":
      return node.computed ? operatorBehind(text, node.object.end) : node.property.start;
    case "CallExpression": {
      const { callee } = node;
      if (callee.type === "Identifier") return callee.start;
      if (callee.type === "MemberExpression" && !callee.computed) return callee.property.start;
      return operatorBehind(text, callee.end);
    }
    default:
      return node.start;
  }
}

/** Two operands have the place of the operator, more that of the first of them. */
function placeOfOperator(text: string, left: Expression, operator: string): number {
  let first = left;
  while (
    (first.type === "BinaryExpression" || first.type === "LogicalExpression") &&
    first.operator === operator &&
    first.left.type !== "PrivateIdentifier"
  ) {
    first = first.left;
  }
  return first === left ? operatorBehind(text, left.end) : placeOf(text, first);
}

/** The offset that is noted last when a pattern has been opened; undefined if it sets nothing. */
export function placeOfTargets(node: Pattern | Expression): number | undefined {
  switch (node.type) {
    case "ObjectPattern": {
      const last = node.properties.at(-1);
      if (last === undefined) return undefined;
      return placeOfTargets(last.type === "RestElement" ? last.argument : last.value);
    }
    case "ArrayPattern": {
      const last = node.elements.at(-1);
      return last === undefined || last === null ? undefined : placeOfTargets(last);
    }
    case "AssignmentPattern":
      return placeOfTargets(node.left);
    case "RestElement":
      return placeOfTargets(node.argument);
    case "Identifier":
      return node.start;
    default:
      return undefined;
  }
}

/** What has to be known of the text around an expression. */
export interface Surroundings {
  readonly isStrict: boolean;
  /** Whether a private name is that of a static method or accessor. */
  isStaticMethod(privateName: string): boolean;
}

/**
 * What is read or done before anything else of an expression: names, `yield*`, and what counts.
 *
 * @param visit Told of the assignments that stand around it.
 */
export function firstRead(
  node: Expression,
  around: Surroundings,
  visit?: (assignment: AssignmentExpression) => void,
): Expression | undefined {
  let inner: Expression | { type: "Super" } | { type: "PrivateIdentifier" } = node;
  for (;;) {
    switch (inner.type) {
      case "Identifier":
        return inner;
      case "YieldExpression":
        if (inner.delegate) return inner;
        if (inner.argument === null) return undefined;
        inner = inner.argument;
        break;
      case "ParenthesizedExpression":
      case "ChainExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
        inner = inner.expression;
        break;
      case "AssignmentExpression":
        visit?.(inner);
        if (inner.left.type === "MemberExpression") inner = inner.left;
        else if (inner.operator === "=") inner = inner.right;
        else return undefined;
        break;
      case "UpdateExpression":
        if (inner.argument.type !== "MemberExpression") return inner;
        inner = inner.argument;
        break;
      case "UnaryExpression":
      case "AwaitExpression":
        inner = inner.argument;
        break;
      case "MemberExpression":
        inner = inner.object;
        break;
      case "CallExpression":
        // The place of `f()` is that of its name.
        if (inner.callee.type === "Identifier") return undefined;
        inner = inner.callee;
        break;
      case "NewExpression":
        inner = inner.callee;
        break;
      case "TemplateLiteral": {
        const [first]: TemplateLiteral["expressions"] = inner.expressions;
        if (first === undefined || inner.quasis[0]?.value.raw !== "") return undefined;
        inner = first;
        break;
      }
      case "BinaryExpression":
      case "LogicalExpression":
        if (inner.left.type === "PrivateIdentifier") {
          // A static method is looked for in no place; another is read at the operator.
          if (!around.isStaticMethod(inner.left.name)) return undefined;
          inner = inner.right;
        } else inner = inner.left;
        break;
      case "ConditionalExpression":
        inner = inner.test;
        break;
      case "SequenceExpression": {
        const [first]: readonly Expression[] = inner.expressions;
        if (first === undefined) return undefined;
        inner = first;
        break;
      }
      case "ClassExpression":
        if (inner.superClass === null || hasContext(inner, around)) return undefined;
        inner = inner.superClass;
        break;
      case "ObjectExpression": {
        const [first]: readonly ObjectPropertyKind[] = inner.properties;
        // A context for `super` is made before anything is read.
        if (first?.type !== "SpreadElement" || hasHome(inner)) return undefined;
        inner = first.argument;
        break;
      }
      default:
        return undefined;
    }
  }
}

/** Whether a context is made for a class, before anything of it is read. */
function hasContext({ id, body }: Class, { isStrict }: Surroundings): boolean {
  if (!isStrict) return true;
  return body.body.some((member) => {
    if (member.type === "StaticBlock") return namesSuper(member.body) || names(member.body, id);
    if (!("key" in member)) return false;
    const { key, value, computed, type } = member;
    if (key.type === "PrivateIdentifier") return true;
    if (computed && type !== "MethodDefinition") return true;
    const inside = value?.type === "FunctionExpression" ? Object.values(value) : value;
    return namesSuper(inside) || names(inside, id) || (computed && names(key, id));
  });
}

/** Whether a name is said somewhere, whatever it means there. */
function names(value: unknown, id: { readonly name: string } | null): boolean {
  if (id === null || typeof value !== "object" || value === null) return false;
  if (isNode(value) && value.type === "Identifier" && value.name === id.name) return true;
  return Object.values(value).some((inner) => names(inner, id));
}

/** Whether a method or accessor of an object may speak of `super`, itself or in an `eval`. */
function hasHome({ properties }: ObjectExpression): boolean {
  return properties.some(
    (property) =>
      property.type === "Property" &&
      (property.method || property.kind !== "init") &&
      Object.entries(property.value).some(([key, value]) => key !== "type" && namesSuper(value)),
  );
}

function namesSuper(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesSuper);
  if (!isNode(value)) return false;
  switch (value.type) {
    case "Super":
      return true;
    case "FunctionExpression":
    case "FunctionDeclaration":
      return false;
    case "ClassBody":
      return value.body.some((one) => "computed" in one && one.computed && namesSuper(one.key));
    case "CallExpression":
      if (value.callee.type === "Identifier" && value.callee.name === "eval") return true;
      break;
    default:
  }
  return Object.values(value).some(namesSuper);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/**
 * Whether an argument may fail without noting a place before: such a call cannot have a probe that
 * is read in front of it.
 */
export function mayFailAtNoPlace(node: Argument | Expression | null): boolean {
  switch (node?.type) {
    case "UnaryExpression":
      return node.operator === "delete" || mayFailAtNoPlace(node.argument);
    case "ObjectExpression":
      return node.properties.some(
        (property) =>
          property.type === "SpreadElement" ||
          property.computed ||
          mayFailAtNoPlace(property.value),
      );
    case "AssignmentExpression":
      return node.operator !== "=" || mayFailAtNoPlace(node.right);
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
      return mayFailAtNoPlace(node.expression);
    case "SpreadElement":
    case "AwaitExpression":
      return mayFailAtNoPlace(node.argument);
    case "BinaryExpression":
    case "LogicalExpression":
      return node.left.type === "PrivateIdentifier"
        ? mayFailAtNoPlace(node.right)
        : mayFailAtNoPlace(node.left) || mayFailAtNoPlace(node.right);
    case "ConditionalExpression":
      return [node.test, node.consequent, node.alternate].some(mayFailAtNoPlace);
    case "SequenceExpression":
    case "TemplateLiteral":
      return node.expressions.some(mayFailAtNoPlace);
    case "ArrayExpression":
      return node.elements.some(mayFailAtNoPlace);
    case "MemberExpression":
      return node.object.type !== "Super" && mayFailAtNoPlace(node.object);
    case "UpdateExpression":
    case "ClassExpression":
    case "ImportExpression":
      return true;
    case "YieldExpression":
      return node.delegate || mayFailAtNoPlace(node.argument);
    default:
      return false;
  }
}

/** Finds the operator behind a target: the tree leaves out the parentheses around that. */
function operatorBehind(text: string, from: number): number {
  let at = skipTrivia(text, from);
  for (;;) {
    if (text.charAt(at) === ")") at = skipTrivia(text, at + 1);
    else if (text.startsWith("<!--", at) || text.startsWith("-->", at)) {
      at = skipTrivia(text, skipLine(text, at));
    } else return at;
  }
}
