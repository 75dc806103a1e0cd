/** Shows one object: what it is, its members, and which names lead to it. */
import { findNames, isMapNode, keyText, hasPositions, previewValue } from "@orangebox/analysis";
import type { Inspection } from "@orangebox/analysis";
import { FlightError } from "@orangebox/format";
import type { Id, ObjectNode } from "@orangebox/format";

import type { Screen } from "../terminal/screen.ts";
import { countText, fit, nameText, valueText } from "./shown-text.ts";

const MAX_ITEMS = 200;
const MAX_TEXT = 20_000;
/** Most names of the object. */
const MAX_NAMES = 20;

/**
 * Gives the lines of one object.
 *
 * @throws {FlightError} `FLIGHT_NOT_FOUND` if no object has this id.
 */
export function objectLines(
  inspection: Inspection,
  at: { readonly id: Id; readonly path: string },
  options: { readonly screen: Screen; readonly verbose: boolean },
): string[] {
  const { screen, verbose } = options;
  const node = getObject(inspection, at.id);
  const value = previewValue(inspection.values(), at.id, {
    maxLength: node.items.length === 0 ? MAX_TEXT : 200,
  });
  const most = verbose ? Infinity : MAX_ITEMS;
  const facts = [
    `kind ${nameText(node.kind)}`,
    ...(node.typeName === null ? [] : [`type ${nameText(node.typeName)}`]),
    ...(node.length === null ? [] : [`length ${node.length}`]),
    ...(node.truncated ? [screen.style.yellow("not recorded wholly")] : []),
    `object ${at.id}`,
  ];
  return [
    `${screen.style.bold(nameText(at.path))} = ${value}`,
    fit(screen, `    ${facts.join(", ")}`),
    ...nameLines(inspection, at, screen),
    ...node.items.slice(0, most).map((item, index) => {
      const name = `    ${memberName(inspection, node, index)}`;
      const text = valueText(inspection, item.id, { screen, taken: name.length + 3 });
      return fit(screen, `${name} = ${text}  ${screen.style.dim(`(${item.id})`)}`);
    }),
    ...(node.items.length > most
      ? [`    … ${countText(node.items.length - most, "more item")}; --verbose shows all`]
      : []),
  ];
}

/**
 * Gives the node with this id.
 *
 * @throws {FlightError} `FLIGHT_NOT_FOUND` if there is none.
 */
export function getObject(inspection: Inspection, id: Id): ObjectNode {
  const node = inspection.values().objects.get(id);
  if (node !== undefined) return node;
  throw new FlightError(
    "FLIGHT_NOT_FOUND",
    `there is no object ${id} in the recording`,
    "Take an id that inspect --json or --path shows.",
  );
}

function memberName(inspection: Inspection, node: ObjectNode, index: number): string {
  const key = node.items[index]?.key ?? null;
  if (hasPositions(node) || key === null) return `[${index}]`;
  const keyId = isMapNode(node) ? inspection.values().mapKeys(node.id)?.[index] : undefined;
  if (keyId !== undefined) return previewValue(inspection.values(), keyId, { maxLength: 60 });
  return keyText(key);
}

function nameLines(
  inspection: Inspection,
  at: { readonly id: Id; readonly path: string },
  screen: Screen,
): string[] {
  const { names, complete } = findNames(inspection, at.id, MAX_NAMES);
  const others = names.filter(
    ({ frame, path }) => at.path !== (frame === undefined ? path : `frames[${frame}].${path}`),
  );
  const lines = others.map(({ frame, path }) =>
    frame === undefined ? nameText(path) : `${nameText(path)} in #${frame}`,
  );
  if (!complete) lines.push("…");
  return lines.map((line) => fit(screen, screen.style.cyan(`    ↔ ${line}`)));
}
