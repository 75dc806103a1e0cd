/** The probes by hand leave programs as they are, and stand in every function. */
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { writeForm } from "../../bench/forms.ts";
import { FORMS } from "../../bench/variants.ts";

const PROGRAM = `"use strict";
const said = [];
const nested = (a) => (b) => a + b, object = () => ({ a: 1 });
function outer(x) { "use strict"; if (x) return nested(x)(1); else return; }
function* counting() { yield 1; return 2 }
class Thing { get size() { return this.all.length } all = [1, 2]; static { said.push(() => this) } }
const last = function () { said.push(typeof this) };
last();
try { (() => { throw new Error("no") })() } catch (error) { said.push(error.message) }
said.push(outer(2), outer(0), object().a, [...counting()], new Thing().size);
JSON.stringify(said)`;

test.each(FORMS)("%s", (form) => {
  const written = writeForm("program.cjs", PROGRAM, form);
  expect(runInNewContext(written, {})).toBe(runInNewContext(PROGRAM, {}));
  const found = written.split(form.startsWith("entry") ? "=1;" : "try{").length - 1;
  expect(found).toBe(9);
});

test("a text that cannot be read is refused", () => {
  expect(() => writeForm("program.cjs", "function (", "entry")).toThrow(SyntaxError);
});
