import { inspectJson, inspectRecording } from "@orangebox/analysis";
import { openRecording } from "@orangebox/format";
import { Ajv2020 } from "ajv/dist/2020.js";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

import { averageRecording } from "../../analysis/test/average-recording.ts";
import { buildRecording } from "../../analysis/test/build-recording.ts";
import {
  evilRecording,
  strangeGraph,
  wideRecording,
  wrongExtensions,
} from "../../analysis/test/hostile-recording.ts";

const schema: unknown = JSON.parse(readFileSync("docs/inspect-json.schema.json", "utf8"));
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });

function problemsOf(document: unknown, part = ""): unknown {
  if (typeof schema !== "object" || schema === null) throw new Error("the schema is no object");
  const { $id: _, ...whole } = { $id: undefined, ...schema };
  const wanted = part === "" ? whole : { ...whole, ...only(part) };
  const validate = ajv.compile(wanted);
  validate(document);
  return validate.errors;
}

/** Keeps the definitions and replaces the rest by a reference to one of them. */
function only(part: string): object {
  return { type: undefined, required: undefined, properties: undefined, $ref: `#/$defs/${part}` };
}

const SAMPLES: readonly (readonly [string, Uint8Array])[] = [
  ["a crash", averageRecording()],
  ["nothing but a header", buildRecording({ meta: false, isOpen: true })],
  ["no crash", buildRecording({ events: [] })],
  ["evil texts", evilRecording()],
  ["wrong extensions", wrongExtensions()],
  ["a strange graph", strangeGraph()],
  ["many objects", wideRecording(300, 3000)],
  ["a file cut short", averageRecording().subarray(0, 900)],
];

test.each(SAMPLES)("the JSON of %s follows docs/inspect-json.schema.json", (_, bytes) => {
  const document: unknown = JSON.parse(
    JSON.stringify(inspectJson(inspectRecording(openRecording(bytes, { salvage: true })))),
  );
  expect(problemsOf(document)).toBeNull();
});

test.each([
  ["objectDocument", ["--path", "sets"]],
  ["objectDocument", ["--object", "3"]],
  ["searchDocument", ["--search", "evening"]],
])("the JSON of a part is a %s (%#)", (part, args) => {
  const file = join(mkdtempSync(join(tmpdir(), "flight-")), "a.flight");
  writeFileSync(file, averageRecording());
  const main = resolve("packages/cli/src/main.ts");
  const command = ["--conditions=@orangebox/source", main, "inspect", file, "--json", ...args];
  const document: unknown = JSON.parse(execFileSync("node", command, { encoding: "utf8" }));
  expect(problemsOf(document, part)).toBeNull();
});

test("docs/inspect-json.md names every field", () => {
  const text = readFileSync("docs/inspect-json.md", "utf8");
  const fields = [...JSON.stringify(schema).matchAll(/"required":(\[[^\]]*\])/g)].flatMap(
    ([, list = "[]"]): unknown => JSON.parse(list),
  );
  const missing = fields.filter(
    (field) => typeof field !== "string" || !new RegExp(`\\b${field}\\b`).test(text),
  );
  expect(missing).toEqual([]);
});
