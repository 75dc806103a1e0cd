/**
 * Turns the template of a program into text: white space, comments, line ends and semicolons,
 * each in many forms.
 *
 * A space is any white space, `·` white space without a line end, `¶` the end of a statement, `§`
 * a space that stays one.
 */
import type { Random } from "./random.ts";

/** How a program looks. */
export type Style = "plain" | "bare" | "dense" | "wild";

const LINE_ENDS = ["\n", "\n", "\r\n", "\r", "\u2028", "\u2029"];
const WILD_GAPS = [
  " ",
  "\t",
  "\u00a0",
  "\ufeff",
  "\v\f",
  "/*c*/",
  "/* ; } */",
  "//c\n",
  "/*\n*/",
  "// a `${ '\r\n",
  "/*\u2029*/",
  "\u3000",
  "/**/\n/**/",
];
const SAME_LINE = [" ", "\t", "/*c*/", " /* $ol */ ", "\u00a0"];
/** Web browsers' comments: scripts only. */
const SCRIPT_GAPS = ["\n-->c\n", "<!--c\n", "\n/*x*/-->c\n", "\n--> }\n"];

/** A statement that ends without a semicolon goes on if the next line begins with one of these. */
const GOES_ON = new Set("([/+-*`.,?<>=&|^%:".split(""));

/** Lays a template out. */
export function layOut(
  template: string,
  random: Random,
  options: { style: Style; isModule: boolean },
): string {
  const { style, isModule } = options;
  let text = "";
  for (let at = 0; at < template.length; at++) {
    const unit = template.charAt(at);
    if (unit === "¶") text += statementEnd(nextUnit(template, at), random, style);
    else if (unit === " ") text += gap(text, template.charAt(at + 1), random, { style, isModule });
    else if (unit === "·") text += style === "wild" ? random.pick(SAME_LINE) : " ";
    else text += unit === "§" ? " " : unit;
  }
  return text;
}

/** The first unit behind a place that is no gap; a statement's end counts. */
function nextUnit(template: string, at: number): string {
  let next = at + 1;
  while (template.charAt(next) === " " || template.charAt(next) === "·") next++;
  return template.charAt(next);
}

function statementEnd(next: string, random: Random, style: Style): string {
  switch (style) {
    case "plain":
      return ";\n";
    case "dense":
      return next === "}" && random.chance(70) ? "" : ";";
    case "bare":
    case "wild":
    default: {
      if (next === "}" && random.chance(50)) return "";
      if (GOES_ON.has(next) || next === "¶" || next === "") return ";";
      if (style === "wild" && random.chance(30)) return ";";
      return random.pick(LINE_ENDS);
    }
  }
}

function gap(
  before: string,
  next: string,
  random: Random,
  { style, isModule }: { style: Style; isModule: boolean },
): string {
  if (style === "plain" || style === "bare") return " ";
  const last = before.charAt(before.length - 1);
  if (style === "dense") {
    const isFree = "(){}[],;:?=&|".includes(last) || "(){}[],;:?=&|".includes(next);
    return isFree ? "" : " ";
  }
  if (!random.chance(25)) return " ";
  if (!isModule && random.chance(10)) return random.pick(SCRIPT_GAPS);
  return random.chance(40) ? random.pick(LINE_ENDS) : random.pick(WILD_GAPS);
}
