/** docs/configuration.md lists every option as the table in options.ts has it. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OPTIONS, type OptionEntry } from "../../src/config/options.ts";

const DOCUMENT = new URL("../../../../docs/configuration.md", import.meta.url);

/** The row of an option; what to write into the document when this test fails. */
function row(option: OptionEntry): string {
  return `| \`${option.name}\` | \`${option.env}\` | ${typeText(option)} | ${defaultText(option)} | ${option.meaning} |`;
}

function typeText({ type }: OptionEntry): string {
  if (type.kind === "integer") return `integer, ${type.min} to ${type.max}`;
  return type.kind === "choice" ? type.values.map((value) => `\`${value}\``).join(", ") : type.kind;
}

function defaultText(option: OptionEntry): string {
  if (option.defaultText !== undefined) return option.defaultText;
  const value = option.default;
  if (value === undefined) return "none";
  return typeof value === "object" ? "empty" : `\`${value}\``;
}

test("has one row for each option, in the order of the table", () => {
  const rows = readFileSync(DOCUMENT, "utf8")
    .split("\n")
    .filter((line) => line.includes("`ORANGEBOX_") && line.startsWith("|"));
  expect(rows.map((line) => line.replaceAll(/ +/g, " "))).toEqual(OPTIONS.map(row));
});
