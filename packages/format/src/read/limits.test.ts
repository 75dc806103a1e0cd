import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "./limits.ts";

const UNITS: Record<string, number> = { Mi: 2 ** 20, Gi: 2 ** 30, M: 1_000_000, "": 1 };

test("are the limits that docs/format.md names", () => {
  const text = readFileSync(new URL("../../../../docs/format.md", import.meta.url), "utf8");
  const section = text.slice(text.indexOf("## 12. Limits"), text.indexOf("## 13."));
  const rows = [...section.matchAll(/^\| `(\w+)` +\| +(\d+) ?(\w*) +\|/gm)];
  const documented = rows.map(([, name, count, unit]) => [
    name,
    Number(count) * (UNITS[unit ?? ""] ?? Number.NaN),
  ]);
  expect(Object.fromEntries(documented)).toEqual(DEFAULT_LIMITS);
});
