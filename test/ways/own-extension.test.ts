/** A program that teaches `require` another ending, as CoffeeScript does, and formats stacks itself. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runtimes } from "../../scripts/runtimes.ts";
import { folderWith } from "../cli/flight.ts";
import { removeRun, runPlain, runRecorded } from "../support/recorded-run.ts";

const MAIN = `const Module = require("node:module");
const { readFileSync } = require("node:fs");
Module._extensions[".words"] = (module, filename) => {
  module._compile(readFileSync(filename, "utf8").replaceAll("words are", "return"), filename);
};
Error.prepareStackTrace = (error, sites) =>
  sites.map((site) => [site.getTypeName(), site.getFunctionName(), site.getMethodName(), String(site)].join(" ")).join("\\n");
console.log(require("./a.words").here().stack);
console.log(new Error("main").stack);
`;

describe.each(runtimes())("on Node $version", ({ path: node }) => {
  test("frames of the loader keep their names", async () => {
    const folder = folderWith({});
    const file = join(folder, "main.cjs");
    writeFileSync(file, MAIN);
    writeFileSync(
      join(folder, "a.words"),
      "exports.here = function () { words are new Error('in a'); };\nexports.top = new Error('top').stack;\nconsole.log(exports.top);\n",
    );
    const plain = await runPlain({ node, file });
    const recorded = await runRecorded({ node, file });
    removeRun(recorded);
    expect(plain.stdout.match(/_compile/g)?.length).toBeGreaterThan(4);
    expect(recorded).toMatchObject(plain);
  });
});
