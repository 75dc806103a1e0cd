/**
 * A law: whatever the program, probes change neither what it prints nor how it fails.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { instrument } from "../src/index.ts";
import { RUNTIMES, runSnippets, type Snippet } from "./support/run-plain-and-instrumented.ts";

const TIMEOUT_MS = 300_000;
const PROGRAMS_PER_BATCH = 60;
const BATCHES = Number(process.env["INSTRUMENT_BATCHES"] ?? 4);

const LEVELS = ["writes", "calls", "writes", "lines"] as const;

const NAMES = ["a", "b", "c", "d"] as const;
const name = fc.constantFrom(...NAMES);
const declaration = fc.constantFrom("let", "var", "const");
const operator = fc.constantFrom("+", "-", "*", "??", "||", "&&", "===", "<", ",");
const assignment = fc.constantFrom("=", "+=", "??=", "||=", "-=");

/** A plain object, one with accessors, a Proxy, an array, a Map: each says when its code runs. */
const owner = fc.constantFrom("o", "o.inner", "acc", "px", "list", "map", "list[0]", "this", "a");
const target = fc
  .tuple(owner, fc.constantFrom(".x", ".y", "[KEY]", "['lit']", "[0]"))
  .map(([o, k]) => o + k);
const mutation = fc.constantFrom("push", "set", "add", "delete", "splice", "pop", "sort");

const { expression, statement, body } = fc.letrec<{
  expression: string;
  statement: string;
  body: string;
}>((tie) => {
  const inner = tie("expression");
  const block = tie("body");
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc
        .constantFrom("1", "0", "'s'", "null", "undefined", "[1, 2]", "{}.x", "this?.q")
        .map((t) => (t.startsWith("{") ? `(${t})` : t)),
      name,
      fc.tuple(inner, operator, inner).map(([l, o, r]) => `((${l}) ${o} (${r}))`),
      fc.tuple(name, assignment, inner).map(([n, o, v]) => `(${n} ${o} ${v})`),
      fc.tuple(name, fc.constantFrom("++", "--")).map(([n, o]) => `${n}${o}`),
      fc.tuple(name, fc.constantFrom("++", "--")).map(([n, o]) => `${o}${n}`),
      fc.tuple(inner, inner, inner).map(([t, c, a]) => `(${t} ? ${c} : ${a})`),
      fc.tuple(name, inner).map(([p, e]) => `((${p}) => ${e})(1)`),
      fc.tuple(name, inner, block).map(([p, d, s]) => `(function (${p} = ${d}) { ${s} })()`),
      fc.tuple(inner, inner).map(([f, x]) => `call(() => ${f}, ${x})`),
      fc.tuple(name, inner).map(([n, v]) => `([${n}] = [${v}])`),
      fc.tuple(name, inner).map(([n, v]) => `({ k: ${n} = 5 } = { k: ${v} })`),
      inner.map((e) => `[...call(function* () { const r = yield ${e}; yield* [r, 2] })]`),
      fc
        .tuple(name, inner, block)
        .map(
          ([n, v, s]) =>
            `new (class { ${n} = ${v}; #p = 1; constructor(x) { ${s} } get g() { return this.#p } })(${n}).${n}`,
        ),
      inner.map((e) => `\`t\${${e}}\``),
      inner.map((e) => `typeof ${e}`),
      inner.map((e) => `[${e}].map((x) => x)`),
      fc.tuple(name, inner).map(([n, e]) => `(${n})?.x ?? ${e}`),
      fc
        .tuple(target, assignment, inner)
        .map(([t, o, v]) => `(${t.replace("KEY", "k2")} ${o} ${v})`),
      fc
        .tuple(target, inner, assignment, inner)
        .map(([t, k, o, v]) => `(${t.replace("KEY", k)} ${o} ${v})`),
      fc.tuple(target, fc.constantFrom("++", "--")).map(([t, o]) => `${t.replace("KEY", "1")}${o}`),
      fc
        .tuple(target, name, fc.constantFrom("++", "--"))
        .map(([t, n, o]) => `${o}${t.replace("KEY", `(${n}++)`)}`),
      fc.tuple(target, inner).map(([t, k]) => `(delete ${t.replace("KEY", k)})`),
      fc.tuple(name, inner).map(([n, k]) => `(delete ${n}?.[${k}])`),
      fc.tuple(owner, mutation, inner, inner).map(([o, m, x, y]) => `${o}.${m}(${x}, ${y})`),
      fc
        .tuple(owner, target, inner)
        .map(([o, t, v]) => `([${o}.z, ${t.replace("KEY", "'k'")}] = [${v}])`),
      inner.map((e) => `new Error(String(${e})).message`),
    ),
    statement: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      inner.map((e) => `print(${e});`),
      inner.map((e) => `;(${e})\n`),
      fc.tuple(declaration, name, inner).map(([k, n, v]) => `${k} ${n} = ${v}`.concat("\n")),
      fc.tuple(inner, block, block).map(([t, c, a]) => `if (${t}) { ${c} } else { ${a} }`),
      fc
        .tuple(inner, inner, inner)
        .map(([t, c, a]) => `if (${t}) print(${c}); else if (${a}) print(2); else print(3)\n`),
      fc
        .tuple(declaration, name, block)
        .map(([k, n, s]) => `for (${k} ${n} of [1, 2]) { if (tick()) break; ${s} }`),
      fc
        .tuple(name, inner, block)
        .map(([n, u, s]) => `for (let ${n} = 0; ${n} < 2 && !tick(); ${n}++, ${u}) { ${s} }`),
      fc.tuple(name, inner).map(([n, e]) => `for (${n} in { x: 1, y: 2 }) print(${e})\n`),
      fc.tuple(inner, block).map(([t, s]) => `while (!tick() && (${t})) { ${s} }`),
      fc
        .tuple(block, name, block, block)
        .map(([t, n, c, f]) => `try { ${t} } catch (${n}) { ${c} } finally { ${f} }`),
      fc.tuple(block, block).map(([t, c]) => `try { ${t} } catch { ${c} }`),
      inner.map((e) => `throw ${e}\n`),
      inner.map((e) => `if (tick()) throw new TypeError(String(${e}))\n`),
      fc
        .tuple(inner, inner, block, block)
        .map(([d, t, c, o]) => `switch (${d}) { case ${t}: ${c}; default: ${o} }`),
      fc.tuple(name, name, block).map(([f, p, s]) => `function ${f}(${p}) { ${s} }`),
      fc
        .tuple(name, block, inner)
        .map(([f, s, e]) => `{ ${s}; print(${e}); var q_${f} = () => ${f}; fs.push(q_${f}) }`),
      fc
        .tuple(name, inner)
        .map(([n, v]) => `l: for (;;) { const ${n} = ${v}; fs.push(() => ${n}); break l }`),
      fc
        .tuple(name, inner, block)
        .map(
          ([p, e, s]) =>
            `as.push((async (${p}) => { ${s}; const w = await ${e}; print(w, await (${p})) })(1).catch((e) => print(String(e))));`,
        ),
    ),
    body: fc
      .array(tie("statement"), { maxLength: 3, depthIdentifier: "body" })
      .map((list) => list.join("\n")),
  };
});

const PROLOGUE = `let ticks = 0; const fs = [], as = []; const tick = () => ++ticks > 40; const call = (f, x) => { if (tick()) return x; return f(x) };
const say = (...words) => { if (ticks < 40) print(...words.map((w) => typeof w)) };
const o = { x: 1, inner: { x: 2 } }, list = [{ x: 1 }, 2], map = new Map([[1, 2]]);
const acc = { get x() { say('get', 1); return 1 }, set x(v) { say('set', v) }, get y() { throw new Error('y is read') } };
const px = new Proxy({ x: 1 }, { get(t, k) { say('trap get', k); return t[k] }, set(t, k, v) { say('trap set', v); t[k] = v; return true }, deleteProperty(t, k) { say('trap delete', k); return delete t[k] }, has(t, k) { say('trap has', k); return k in t }, getOwnPropertyDescriptor(t, k) { say('trap own', k); return Reflect.getOwnPropertyDescriptor(t, k) }, getPrototypeOf(t) { say('trap proto', 0); return null } });\n`;
const EPILOGUE = `\nfor (const f of fs.splice(0)) { try { print(f()) } catch (e) { print(String(e)) } }\nexports.done = Promise.all(as);`;

const program = fc
  .tuple(
    fc.boolean(),
    fc.array(statement, { minLength: 1, maxLength: 6 }),
    fc.array(name, { maxLength: 4 }),
  )
  .map(([strict, list, outer]) => {
    const own = [...new Set(outer)].map((n) => `var ${n} = 0;`).join(" ");
    const main = `(function main() { ${own}\n${list.join("\n")}\n})();`;
    const directive = strict ? `"use strict";\n` : "";
    return `${directive}${PROLOGUE}try { ${main} } catch (e) { print('failed', String(e)) }${EPILOGUE}`;
  });

test.each(Array.from({ length: BATCHES }, (_, batch) => batch))(
  "generated programs do the same with probes, batch %i",
  (batch) => {
    const seed = Number(process.env["INSTRUMENT_SEED"] ?? 1000) + batch;
    const runtime = RUNTIMES[batch % RUNTIMES.length] ?? process.execPath;
    const snippets: Snippet[] = fc
      .sample(program, { seed, numRuns: PROGRAMS_PER_BATCH * 4 })
      .filter(isProgram)
      .slice(0, PROGRAMS_PER_BATCH)
      .map((source, index) => ({
        name: `seed ${seed}, program ${index}`,
        format: "commonjs",
        source,
      }));
    expect(snippets.length).toBeGreaterThan(PROGRAMS_PER_BATCH / 3);
    const level = LEVELS[batch % LEVELS.length] ?? "writes";
    for (const { snippet, plain, instrumented } of runSnippets(runtime, snippets, level)) {
      for (const outcome of instrumented) {
        expect(outcome, snippet.source).toEqual({ ...plain, problems: [] });
      }
    }
  },
  TIMEOUT_MS,
);

/** Generated text may break rules of the language, such as declaring a name twice. */
function isProgram(source: string): boolean {
  const options = {
    filename: "a.cjs",
    format: "commonjs",
    language: "js",
    level: "calls",
    ringMask: 255,
  } as const;
  const result = instrument(source, options);
  return !("untouched" in result && result.untouched.startsWith("syntax error"));
}

void expression;
void body;
