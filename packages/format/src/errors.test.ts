import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FLIGHT_ERROR_CODES } from "./errors.ts";

test("has a heading in docs/errors.md for every code, in the same order", () => {
  const text = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const headings = [...text.matchAll(/^## (\w+)$/gm)].map((match) => match[1]);
  expect(headings).toEqual([...FLIGHT_ERROR_CODES]);
});
