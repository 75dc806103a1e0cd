/**
 * Draws the picture of the README: records `examples/average.ts`, opens the recording with colours, and
 * writes the terminal's text as `docs/images/inspect.svg`. Run it again when `flight inspect` changes.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const flight = join(root, "packages/orangebox/bin/flight.js");
const FONT_SIZE = 13;
const CHARACTER_WIDTH = 7.83;
const LINE_HEIGHT = 18;
const MARGIN = 16;
const COLUMNS = 100;

const COLORS: Readonly<Record<string, string>> = {
  "31": "#ff7b72",
  "32": "#7ee787",
  "33": "#e3b341",
  "34": "#79c0ff",
  "35": "#d2a8ff",
  "36": "#76e3ea",
  "90": "#8b949e",
  "91": "#ffa198",
  "93": "#f2cc60",
};

interface Style {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly color: string | undefined;
}

const PLAIN: Style = { bold: false, dim: false, color: undefined };

function terminalText(): string {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-picture-"));
  try {
    const { stderr } = spawnSync(
      process.execPath,
      [flight, "run", "--out", folder, "examples/average.ts"],
      { cwd: root, encoding: "utf8" },
    );
    const [recording] = globSync("*.flight", { cwd: folder });
    if (recording === undefined) throw new Error(`nothing was recorded: ${stderr}`);
    const { stdout } = spawnSync(process.execPath, [flight, "inspect", join(folder, recording)], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, FORCE_COLOR: "1", COLUMNS: String(COLUMNS), NO_COLOR: undefined },
    });
    const shown = [
      "$ flight run examples/average.ts",
      `[flight] recorded ${recording}`,
      `$ flight inspect ${recording}`,
      // The first screen of a README is short: what the file itself is made of stays out.
      stdout.replace(/^[\s\S]*?(?=\S*exception)/, ""),
    ];
    return shown
      .join("\n")
      .replaceAll(`${folder}/`, "")
      .replaceAll(root.slice(0, -1), "~/orangebox");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function nextStyle(style: Style, codes: readonly string[]): Style {
  let next = style;
  for (const code of codes) {
    if (code === "0" || code === "") next = PLAIN;
    else if (code === "1") next = { ...next, bold: true };
    else if (code === "2") next = { ...next, dim: true };
    else if (code === "22") next = { ...next, bold: false, dim: false };
    else if (code === "39") next = { ...next, color: undefined };
    else next = { ...next, color: COLORS[code] ?? next.color };
  }
  return next;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function toSpan(text: string, { bold, dim, color }: Style): string {
  const attributes = [
    bold ? ' font-weight="bold"' : "",
    color === undefined ? "" : ` fill="${color}"`,
    dim ? ' fill-opacity="0.6"' : "",
  ].join("");
  return attributes === "" ? escapeXml(text) : `<tspan${attributes}>${escapeXml(text)}</tspan>`;
}

function toSvg(text: string): string {
  const lines = text.trimEnd().split("\n");
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  const escape = /\u001b\[([0-9;]*)m/;
  let style = PLAIN;
  const rows = lines.map((line, index) => {
    const parts = line.split(escape);
    let spans = "";
    for (const [position, part] of parts.entries()) {
      // Odd parts are what the expression captured: the codes between two texts.
      if (position % 2 === 1) style = nextStyle(style, part.split(";"));
      else if (part !== "") spans += toSpan(part, style);
    }
    const y = MARGIN + FONT_SIZE + index * LINE_HEIGHT;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${spans}</text>`;
  });
  const width = Math.ceil(2 * MARGIN + COLUMNS * CHARACTER_WIDTH);
  const height = 2 * MARGIN + lines.length * LINE_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="flight inspect shows the recording of a crash">`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${FONT_SIZE}" fill="#e6edf3">`,
    ...rows,
    "</g></svg>",
    "",
  ].join("\n");
}

writeFileSync(join(root, "docs/images/inspect.svg"), toSvg(terminalText()));
