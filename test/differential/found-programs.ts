/**
 * Programs that once did something else with probes: found by the campaign, made small by it.
 */
import type { Program } from "./generate-program.ts";

const program = (source: string, format: "commonjs" | "module" = "commonjs"): Program => ({
  seed: 0,
  kind: { format, isStrict: format === "module", isTyped: false, hasCompiledTypes: false },
  source,
});

export const FOUND: readonly Program[] = [
  // The values of a function, `arguments` among them, were handed over in a static block.
  program(`async function * a() { class f { static { print(new Error("e")); } } return arguments.length; }
watch(adrain(a(1)))`),
  // The probes of a strict piece of sloppy code named the variable `yield`.
  program(`async function main(a) {
  const yield = 1, k = 2;
  class A { [await k](k) {} }
  return [yield, Object.getOwnPropertyNames(A.prototype)];
} watch(main())`),
  program(`function f(let, static) {
  class A { [new TypeError("a").message]() {} }
  return [let, static];
} print(f(1, 2))`),
  // A note before a sequence made it one with the sequence.
  program(`for (0; ok(); id(a), 0);`),
  program(
    `function f(b) { if (b) return; else if (b.c, 0) return 1; while (b.d, 0); } try { f() } catch (e) { print(e) }`,
  ),
  // What was written behind the last statement moved the place of a disposal.
  program(`(async () => { try {} catch {} finally { using d = dis("d", 1); } })().catch(print)`),
  program(`for (const a of [1, 2]) { using d = dis("d"); print(a); }`),
  program(
    `for await (const a of ait(1)) { using d = { [Symbol.dispose]() { print(new Error("d")); } }; }`,
    "module",
  ),
  // Errors without a place of their own were shown behind an await instead of at it.
  program(`async function main() {
  for ({ p: ob[await null] } of [null]) ok();
} watch(main())`),
  program(`async function main(f) {
  const a = this?.p, i = a[await f
  .x]--;
} watch(main({}))`),
  // The constructor of a nameless class was called by a name of ours, which was hidden.
  program(`try { new (class { #a = b; })() } catch (e) { print(e) }`),
  program(
    `class m { static { try { new (class { constructor() { null.a } })() } catch (e) { print(e) } } }`,
  ),
  program(
    `switch (1) { case(ob.k)--: print(1); default: print(2) } function g(f = f = 0, []) {} try { g(0) } catch (e) { print(e) }`,
  ),
  // Mirrors for a static block in a parameter, where the body is not seen.
  program(
    `function main(a = class { static { class m {} let n = 1; print(m, n); } }) { return a } print(main())`,
  ),
  program(
    `function f(h = { m(a = 1) {} }, d = d >>>= 0, [] = 3) {} try { f(0, 0) } catch (e) { print(e) }`,
  ),
  // A mirror in front of brackets touched the word before them.
  program(`function f() { let c = 2; for (const d in(c)=[1]) print(d); return(c)=3; } print(f())`),
  // Temporaries of the module in parameters of a function that was called before its body.
  {
    ...program(
      `import * as a from "./other.mjs"; export function early(a, j = { q: a } = a) { return j }`,
      "module",
    ),
    other: `import * as main from "./main.mjs"; print(main.early({ q: 1 }))`,
  },
  // Names of probes that the engine gave to nameless classes.
  program(
    `async function main(m) { new (class { constructor(h, g = a) {} })((ob.x) += m) } main()`,
  ),
  {
    ...program(
      `export * as a from "./other.mjs"; async function main(a = new (class extends Base { constructor() {} })()) {} main()`,
      "module",
    ),
    other: `export let x = 1`,
  },
  // V8 refuses an assignment to a pattern behind what probes wrote into the same arguments.
  program(
    `function f(x) { let i = 0; { let x = id; return x(new TypeError("a"), { length: i = new Error("b") } = [7]) } } print(f(1))`,
  ),
  program(
    `function f(o) { let i, j; return id([{ i } = o, j = 1], [j] = [2]) } print(f({ i: 3 }))`,
  ),
  // What has no place of its own was shown where a probe stood, instead of at what was noted last.
  program(
    `function f(i, u) { ({ q: ob[i += 0] } = u) } try { f(1) } catch (e) { print(e) } function g(i, u) { [ob[i--], { x: ob[--i].z }] = u } try { g(1, [1]) } catch (e) { print(e) }`,
  ),
  program(`try { let i = 1; ({ x: { q: (ob[i += 0]) = i } } = i) } catch (e) { print(e) }`),
  program(`async function* main(b) { ({ a: ob[b
|= 1.5] } = b) } adrain(main())`),
  program(`c = { ...ob }`),
  program(`let c; function f() { return c = { ...ob } } try { f() } catch (e) { print(e) }`),
  program(`const f = () => (c = { ...ob }); try { f() } catch (e) { print(e) }`),
  program(`class A extends Base { #s = { ...ob } } try { new A() } catch (e) { print(e) }`),
  program(`let a, b; try { a, (b = { ...ob }) } catch (e) { print(e) }`),
  program(`let a, b; try { a, ({ a } = { ...ob }) } catch (e) { print(e) }`),
  program(`try { if (!ok()) ok(); else if (-(c = { ...ob })) ok() } catch (e) { print(e) }`),
  program(`(f => { using e = f = class {}; })()`),
  program(`function f(b) { using e = b += function* () {} } f()`),
  program(`function f(g) { using e = { q: a => {} }[g] = g } f(1)`),
  program(`switch ({ ...ob }) { default: const g = 0 }`),
  program(`c = [, { p: g = function () { 0 } }] = { ...ob }`),
  program(`"use strict"; delete (typeof null).length`),
  program(`"use strict"; delete "a"?.length`),
  program(
    `"use strict"; function f(o) { delete o.a.b } try { f({ a: Object.freeze({ b: 1 }) }) } catch (e) { print(e) }`,
  ),
  program(
    "for (let f = h => {}; ok(); ) for (var k = class a {}; ok(); ) for (const [g = () => 1] = []; ok(); ) print(f, k, g)",
  ),
  program("function f({ a: h = (() => { ob ??= [h] = 0; return 1 })() }) { print(h) } f({})"),
  program(
    "function f({ a: h = (() => { print(ok() ? 1 : id[[h] = 0]); return 1 })() }) { print(h) } f({})",
  ),
  program(
    "async function f() { await using g = dis('x', 1); print(typeof (g **= 1), typeof g) } watch(f())",
  ),
  program("try { !{ ...i = { get q() { throw new Error('q') } } } } catch (e) { print(e) }"),
  program(
    "const Mixin = (B) => class extends B { m() { throw new Oops('m') } }; const more = () => 1; function f(b) { if (b) return class { m() { throw new Oops('f') } }; more(); return 1 } function g() { throw class { m() { throw new Oops('g') } } } function* h() { yield class { m() { throw new Oops('h') } } } for (const make of [() => Mixin(Object), () => f(1), () => { try { g() } catch (e) { return e } }, () => h().next().value]) try { new (make())().m() } catch (e) { print(e) }",
  ),
  program(`function* f() { (yield* 0) } try { f().next() } catch (e) { print(e) }`),
  // The note of a declaration in the head of a loop was one more variable, which was disposed of too.
  program(`let i; for (using v = { [Symbol.dispose]() { print("d") } }; ok(); ) break`),
  // A parameter named `arguments` was handed over in a static block.
  program(`function f(arguments) { class A { static { print(new Error("e")); } } } f(1)`),
  // Names that are counted before they can be read, and a pattern that a message quotes.
  program(
    `i = { [Symbol.toPrimitive]: function (k, a = a += " ") {} }; try { -i } catch (e) { print(e) }`,
  ),
  program(`try { (({ a = ++a }) => a)({}) } catch (e) { print(e) }`),
  program("let a; try { `${{ p: a } = { [Symbol.toPrimitive]: 0 }}` } catch (e) { print(e) }"),
  program(
    `let i = 1; try { print(i += 1n) } catch (e) { print(e) } print(i += 2, ++i, i++, i -= 1)`,
  ),
  // The value behind a type assertion was taken for unused: the old one of `i++`, all of a pattern.
  {
    ...program(
      `function f(o: any) { let i = 1, a; const r = ({ a } = o) as any, s = i++ as number, t = (i++) satisfies number; return [r === o, s, t, a, i] } print(f({ a: 5 }))`,
    ),
    kind: { format: "commonjs", isStrict: false, isTyped: true, hasCompiledTypes: false },
  },
  // A private static method is looked for at no place: the engine shows the field or statement.
  program(
    `class A { #s1 = #s3 in ""; static set #s3(v) {} } try { new A() } catch (e) { print(e) }`,
  ),
  program(
    `class A { static #s3() {} x = (#s3 in 1); static m(u) { let v = #s3 in u } } try { new A() } catch (e) { print(e) } try { A.m() } catch (e) { print(e) }`,
  ),
  program(
    `class A { static #s3() {} static *m(u) { yield #s3 in u } } try { A.m().next() } catch (e) { print(e) }`,
  ),
  // A made error whose argument fails at no place of its own.
  program(`try { (new RangeError(delete "s".length)) } catch (e) { print(e) }`, "module"),
  program(`try { print(Error(delete "s".length)) } catch (e) { print(e) }`, "module"),
  // Messages that quote a function with probes, also behind a parameter that is written.
  program("try { (class extends ((k = a([] = e)) => a) {}) } catch (e) { print(e) }"),
  program("try { this[function g(g = g -= (i = 𝒳) => a) {}] } catch (e) { print(e) }", "module"),
  program("try { null[async function (k = k++) {}] } catch (e) { print(e) }", "module"),
  program("class b extends function* f(k = k([] = 0)) {} {}"),
  // A context for `super` is made before anything of an object is read.
  ...[
    "super.x",
    "eval('')",
    "() => super.x",
    "class A { [super.x] = 1 }",
    "function z() { eval('') }",
  ].map((text) => program(`let c; try { c = { ...ob, y() { ${text} } } } catch (e) { print(e) }`)),
  // A context for a class is made before what it extends is read.
  ...[
    "",
    "#s = 1",
    "x = super.y",
    "m() { super.y }",
    "m() { A }",
    "[h] = 1",
    "m() { eval('') }",
  ].flatMap((members) => [
    program(
      `function f(h) { "use strict"; (class A extends (delete h.length) { ${members} }) } try { f("s") } catch (e) { print(e) }`,
    ),
    program(
      `function f(h) { (class extends (delete h.length) { ${members} }) } try { f("s") } catch (e) { print(e) }`,
    ),
  ]),
  program(
    "try { (([, k = { [1]() {\n} }]) => k) in import.meta.url } catch (e) { print(e) }",
    "module",
  ),
  program(
    "function f(a = { [Symbol.toPrimitive]: function () {\n class m { static z = b } let b; } }) { -a } try { f() } catch (e) { print(e) }",
  ),
  program("try { (class extends ((c) => c |= 0) {}) } catch (e) { print(e) }"),
];
