import { timelineJson, WriteHistory } from "@orangebox/analysis";
import { openRecording } from "@orangebox/format";
import { Ajv2020 } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { buildRecording } from "../../analysis/test/build-recording.ts";
import { evilRecording, wrongExtensions } from "../../analysis/test/hostile-recording.ts";
import { writesRecording } from "../../analysis/test/writes-recording.ts";

const schema: unknown = JSON.parse(readFileSync("docs/timeline-json.schema.json", "utf8"));
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });

test.each([
  ["writes", writesRecording()],
  ["no writes", buildRecording({})],
  ["wrong extensions", wrongExtensions()],
  ["evil texts", evilRecording()],
])("the JSON of %s follows docs/timeline-json.schema.json", (_, bytes) => {
  if (typeof schema !== "object" || schema === null) throw new Error("the schema is no object");
  const history = new WriteHistory(openRecording(bytes, { salvage: true }));
  const document: unknown = JSON.parse(
    JSON.stringify(timelineJson(history, [...history.find({})], 0)),
  );
  const validate = ajv.compile(schema);
  validate(document);
  expect(validate.errors).toBeNull();
});
