/**
 * Writes the nodes that hold one value (numbers, texts, bytes …) the way JavaScript spells them.
 *
 * Version 1 spells them in Python's way; a recording of another language keeps that spelling.
 * Mapping: docs/format.md, "Values".
 */
import type { ObjectNode } from "@orangebox/format";

import { clipText, quoteText, visibleText } from "./visible-text.ts";

/** Which spelling values get. Anything that is no JavaScript runtime keeps the recorded text. */
export type Language = "javascript" | "other";

/** Longest text of one value, in UTF-16 units. */
const DEFAULT_TEXT_LIMIT = 1000;
/** Most bytes of a buffer that are shown; the format keeps 64. */
const BYTES_SHOWN = 64;

const NONE_TEXT = new Map([
  ["None", "null"],
  ["nil", "null"],
]);
const FLOAT_TEXT = new Map([
  ["nan", "NaN"],
  ["inf", "Infinity"],
  ["-inf", "-Infinity"],
  ["-0.0", "-0"],
  ["-0", "-0"],
]);

/** Writes a scalar node; undefined when the node is not scalar. */
export function scalarText(
  node: ObjectNode,
  language: Language,
  textLimit: number = DEFAULT_TEXT_LIMIT,
): string | undefined {
  switch (node.kind) {
    case "str":
      return boxed(node, stringText(node, textLimit));
    case "redacted":
      return "<redacted>";
    case "truncated":
      return cutText(node, textLimit);
    case "none":
    case "bool":
    case "int":
    case "float":
    case "bytes":
      return language === "javascript"
        ? javaScriptText(node, textLimit)
        : plainText(node, textLimit);
    default:
      return undefined;
  }
}

function javaScriptText(node: ObjectNode, textLimit: number): string {
  const repr = node.repr ?? "";
  switch (node.kind) {
    case "none":
      return NONE_TEXT.get(repr) ?? plainText(node, textLimit);
    case "bool":
      return boxed(node, repr === "True" ? "true" : repr === "False" ? "false" : visibleText(repr));
    case "int":
      return node.typeName === "bigint"
        ? `${plainText(node, textLimit)}n`
        : boxed(node, plainText(node, textLimit));
    case "float":
      return boxed(node, FLOAT_TEXT.get(repr) ?? plainText(node, textLimit));
    default:
      return bytesText(node);
  }
}

function plainText(node: ObjectNode, textLimit: number): string {
  return visibleText(clipText(node.repr ?? node.kind, textLimit));
}

function stringText(node: ObjectNode, textLimit: number): string {
  const text = node.repr ?? "";
  const clipped = clipText(text, textLimit);
  const quoted = quoteText(clipped);
  if (!node.truncated && clipped === text) return quoted;
  const note = node.length === null ? "" : ` (${node.length} characters)`;
  return clipped === text ? `${quoted.slice(0, -1)}…"${note}` : `${quoted}${note}`;
}

/** A node that the recorder did not look into, because a limit was reached. */
function cutText(node: ObjectNode, textLimit: number): string {
  const repr = node.repr ?? "<truncated>";
  if (repr === "<truncated>" || repr === "") {
    return node.typeName === null ? "<cut>" : `<cut ${visibleText(clipText(node.typeName, 80))}>`;
  }
  return visibleText(clipText(repr, textLimit));
}

/** `new Number(5)` and the like: a primitive with a class. */
function boxed(node: ObjectNode, text: string): string {
  return node.typeName === null || node.typeName === ""
    ? text
    : `[${visibleText(clipText(node.typeName, 80))}: ${text}]`;
}

/** Writes a bytes literal such as `b'ab\x00'` as text when all of it is readable, else in hex. */
function bytesText(node: ObjectNode): string {
  const name = visibleText(clipText(node.typeName ?? "Uint8Array", 80));
  const bytes = bytesOf(node.repr ?? "");
  if (bytes === undefined) return `${name} ${visibleText(clipText(node.repr ?? "", 200))}`;
  const shown = bytes.slice(0, BYTES_SHOWN);
  const size = node.length ?? bytes.length;
  const cut = BigInt(size) > BigInt(shown.length);
  const readable =
    shown.length > 0 && shown.every((b) => (b >= 32 && b < 127) || b === 9 || b === 10 || b === 13);
  if (readable) {
    const quoted = quoteText(String.fromCharCode(...shown));
    return `${name}(${size}) ${cut ? `${quoted.slice(0, -1)}…"` : quoted}`;
  }
  const hex = shown.map((b) => b.toString(16).padStart(2, "0"));
  return `${name}(${size}) <${[...hex, ...(cut ? ["…"] : [])].join(" ")}>`;
}

const BYTE_ESCAPES = new Map([
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["\\", 92],
  ["'", 39],
  ['"', 34],
]);

/** Reads a v1 bytes literal; undefined when it is none. */
function bytesOf(literal: string): number[] | undefined {
  const body = /^b(['"])([^]*)\1(?:…|\.\.\.)?$/.exec(literal)?.[2];
  if (body === undefined || body.length > BYTES_SHOWN * 4) return undefined;
  const bytes: number[] = [];
  for (let i = 0; i < body.length; i += 1) {
    const code = body.charCodeAt(i);
    if (code > 126) return undefined;
    if (code !== 92) {
      bytes.push(code);
      continue;
    }
    i += 1;
    const letter = body.charAt(i);
    const hex = letter === "x" ? /^[0-9a-f]{2}$/i.exec(body.slice(i + 1, i + 3))?.[0] : undefined;
    const byte = hex === undefined ? BYTE_ESCAPES.get(letter) : Number.parseInt(hex, 16);
    if (byte === undefined) return undefined;
    if (hex !== undefined) i += 2;
    bytes.push(byte);
  }
  return bytes;
}
