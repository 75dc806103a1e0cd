/**
 * Programs that show one corner of the language each; they call `print`.
 */

import type { Snippet } from "./support/run-plain-and-instrumented.ts";

const commonjs = (name: string, source: string): Snippet => ({ name, format: "commonjs", source });
const module = (name: string, source: string): Snippet => ({ name, format: "module", source });

/** Every one must print the same and fail the same, plain and instrumented. */
export const SNIPPETS: readonly Snippet[] = [
  commonjs(
    "returns that are cancelled",
    `function a(){ for (;;) { try { return 1 } finally { break } } }
function b(){ l: { try { return 1 } finally { break l } } }
function c(n){ while (n--) { if (n === 1) return; try { return n } finally { continue } } }
function d(){ try { for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return() { throw new Error('r') } }) }) return x } catch (e) { print(e) } }
function e(){ try { return 1 } finally { return } }
function f(){ try { return 1 } finally { try { return 2 } finally { print('inner') } } }
function g(x){ try { return x } finally { if (x > 1) throw new Error('g') } }
function h(){ try { return u.v } catch { } }
print(a(), b(), c(3), c(2), d(), e(), f(), g(1), h()); try { g(2) } catch (error) { print(error) }`,
  ),
  commonjs(
    "returns everywhere",
    `function a(x){ if (x) return 1; else return (2, 3) } function b(x){ switch (x) { case 1: return 'one'; case 2: l: return 'two'; default: return\n'none' } }
function c(){ do return 1; while (0) } function d(){ for (const x of [1]) return x, 5 } function e(){ for (;;) return/x/g.source } function f(){ return[1][0] } function g(){ return!1 } function h(){ return\u{61} } var a1 = 4; function i(){ return (a1) } function j(){ return/*c*/a1// d
} function k(){ if (a1) return; print('not reached') } function l(){ { return { a: 1 }.a } }
function m(){ 'use strict'; return this } function n(){ return arguments.length } const o = x => x, p = x => (x, 2), q = () => ({ a: 1 }), r = x => [x][0]?.y;
try { h() } catch (error) { print(error) } print(a(1), a(0), b(1), b(2), b(3), c(), d(), e(), f(), g(), i(), j(), k(), l(), m(), n(1, 2), o(1), p(1), q(), r(0))`,
  ),
  commonjs(
    "what returns make of functions",
    `function a(){ return function(){} } function b(){ return () => {} } function c(){ return class {} } function d(){ return { m() {}, get g() { return 1 }, f: () => 1, x: function () {} } } function e(){ return [() => {}, function () { throw new Error('e') }] } function f(x){ return x ?? (y => y) }
print(a().name, b().name, c().name, d().m.name, d().f.name, d().x.name, e()[0].name, f().name, d().g); try { e()[1]() } catch (error) { print(error) }
class B { constructor(x){ if (x) return { x } } } class D extends B { constructor(x){ super(x); if (x === 2) return } get v() { return this.x } set v(y) { return y } static s() { return new.target } }
print(new B(1), new B(0), new D(1), new D(2), new D(0).v, D.s(), new (function () { return 1 })(), new (function () { return [1] })())`,
  ),
  commonjs("plain calls", `function f(a,b){ return a+b } print(f(1,2), f.name, f.length)`),
  commonjs(
    "hoisted calls before declaration",
    `print(g()); function g(){ return h(); function h(){ return 1 } }`,
  ),
  commonjs(
    "function named like a parameter",
    `function f(a){ function a(){} return typeof a } print(f(1))`,
  ),
  commonjs(
    "function named like a variable",
    `function f(){ var a = 1; function a(){} return typeof a } print(f())`,
  ),
  commonjs(
    "duplicate functions",
    `function f(){ return g(); function g(){return 1} function g(){return 2} } print(f())`,
  ),
  commonjs(
    "duplicate functions in strict code",
    `"use strict"; function f(){ return g(); function g(){return 1} function g(){return 2} } print(f())`,
  ),
  commonjs(
    "duplicate functions in the module",
    `print(g()); function g(){return 1} function g(){return 2}`,
  ),
  commonjs(
    "functions in blocks, sloppy",
    `function f(x){ if (x) { function g(){ return 1 } } return typeof g } print(f(true), f(false))`,
  ),
  commonjs(
    "functions in blocks, strict",
    `"use strict"; function f(x){ if (x) { function g(){ return 1 } } return typeof g } print(f(true), f(false))`,
  ),
  commonjs(
    "function in block and body",
    `function f(){ function g(){return 1} { function g(){return 2} } return g() } print(f())`,
  ),
  commonjs(
    "function in block changes outer",
    `function f(){ var r=[typeof g]; { r.push(g()); function g(){return 1} g = 5; r.push(g) } r.push(typeof g); return r } print(f())`,
  ),
  commonjs(
    "function as the body of if",
    `function f(x){ if (x) function g(){return 1} else function g(){return 2} return typeof g === 'function' ? g() : g } print(f(1), f(0))`,
  ),
  commonjs(
    "labelled function",
    `function f(){ a: function g(){ return 3 } return g() } print(f())`,
  ),
  commonjs(
    "function in switch",
    `function f(x){ switch(x){ case 1: function g(){ return 1 } case 2: return typeof g === 'function' && g() } } print(f(1), f(2))`,
  ),
  commonjs(
    "directives stay first",
    `function f(){ "use strict"; return this } function g(){ 'a'
"use strict"
return this === undefined } print(f() === undefined, g())`,
  ),
  commonjs(
    "strict module",
    `"use strict"
print((function(){ return this })() === undefined)`,
  ),
  commonjs(
    "hashbang",
    `#!/usr/bin/env node
print(1)`,
  ),
  commonjs(
    "hashbang and directive",
    `#!/usr/bin/env node
"use strict"
print((function(){ return typeof this })())`,
  ),
  commonjs("only a comment", `// nothing`),
  commonjs("empty", ``),
  commonjs("only a directive", `"use strict"`),
  commonjs(
    "html-like comments",
    `var x = 1 <!-- a comment
--> another
print(x)
var y = x
--> 0
print(y)`,
  ),
  commonjs("return at the top level", `print(1); if (1) return; print(2)`),
  commonjs(
    "arguments of the module",
    `print(arguments.length, typeof require, this === module.exports)`,
  ),
  commonjs(
    "automatic semicolons",
    `let a = 1
let b = a
++b
print(a, b)
const f = () => { return 7 }
;[1].forEach((x) => print(x))
var c = b
(function(){ print('iife') })
print(typeof c)`.replace("var c = b\n(", "var c = b;\n("),
  ),
  commonjs(
    "restricted productions",
    `function f(){ return
1 } print(f())
a: for (var i = 0; i < 2; i++) { continue
a }
print(i)
function g(){ var x = 1
x
++
x
return x } print(g())`,
  ),
  commonjs(
    "regular expressions and divisions",
    `let a = 4, g = 2
let b = a
/g/ 2
if (a) /x/.test('x') && print('re')
a = b / 2; { } /y/.test('y') && print('re2')
print(a, b)`,
  ),
  commonjs(
    "template literals",
    `let a = 1; print(\`x\${a++}y\${(() => a)()}\`); function tag(s, ...v){ return s.raw.join('|') + v } print(tag\`a\${a}\\n\${++a}\`)
const same = () => (s => s)\`q\`; const strings = []; for (let i = 0; i < 2; i++) strings.push((s => s)\`x\`); print(strings[0] === strings[1])`,
  ),
  commonjs(
    "labels",
    `outer: for (let i = 0; i < 3; i++) { inner: for (const j of [1,2,3]) { if (j === 2) continue outer; if (i === 2) break outer; print(i, j) } }
a: b: while (true) { break a }
x: { print('in'); break x; }
y: if (true) { break y }
z: do { continue z } while (false)
l: for (const k in { p: 1, q: 2 }) { for (;;) { continue l } }`,
  ),
  commonjs(
    "closures of loops",
    `const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i++); print(fs.map(f => [f(), f()]))
const gs = []; for (let i = 0, n = 2; i < n; gs.push(() => i), i++); print(gs.map(g => g()))
const hs = []; for (const x of [1,2]) hs.push(() => x); for (const k in {a:1,b:2}) hs.push(() => k); print(hs.map(h => h()))
function f(){ const r = []; for (let i = 0; i < 3; i++) { r.push(() => i); i += 0 } let j = 0; while (j < 2) { let k = j; r.push(() => k + j); j++ } return r.map(x => x()) } print(f())
function g(){ const r = []; for (let i = (r.push(() => i), 5); i < 7; i++) r.push(() => i); return r.map(x => x()) } print(g())`,
  ),
  commonjs(
    "bodies without braces",
    `function f(n){ let a = 0; for (let i = 0; i < n; i++) if (i % 2) a += i; else if (i > 3) a -= i; else a++
while (a > 5) a--
do a++; while (a < 9)
for (const k in {x:1}) a += k.length
for (const v of [1]) a += v
return a } print(f(8))`,
  ),
  commonjs(
    "else if with closures",
    `function f(x){ let y = 1; if (x === 1) y = 2; else if ((() => x === 2)()) y = 3; else if (x === 3) { let y = 9; return () => y } else return -1; return y } print([1,2,4].map(f), f(3)())`,
  ),
  commonjs(
    "switch",
    `function f(x){ let r = []; switch (x) { case 0: let a = 1; r.push(a); case (r.push('t'), 1): r.push('one'); break; default: r.push('d'); { let a = 3; r.push(a) } case 2: a = 5; r.push(a) } return r } print(f(0), f(1)); try { f(2) } catch (e) { print(e) }`,
  ),
  commonjs(
    "dead zones",
    `try { x; let x = 1 } catch (e) { print(e) }
function f(){ try { return y } catch (e) { return e.message } let y = 1 } print(f())
function g(a = b, b){ return a } try { g() } catch (e) { print(e) }
function h(){ const k = () => z; try { k() } catch (e) { print(e) } let z = 2; return k() } print(h())
try { class A extends A {} } catch (e) { print(e) }
function i(){ for (let q = q; ;) {} } try { i() } catch (e) { print(e) }
function j(){ for (const q of [q]) {} } try { j() } catch (e) { print(e) }`,
  ),
  commonjs(
    "constants",
    `function f(){ const c = 1; try { c = 2 } catch (e) { print(e) } try { c++ } catch (e) { print(e) } try { [c] = [3] } catch (e) { print(e) } try { for (c of [1]) ; } catch (e) { print(e) } c && (() => { try { c += 1 } catch (e) { print(e) } })(); return c } print(f())`,
  ),
  commonjs(
    "updates keep their values",
    `function f(){ let a = 1, b = 5n, c = '3', d; const r = [a++, ++a, a--, --a, b++, b, c++, c, d++, d, -a++, typeof a++, a++ + ++a, [a++], {x: a--}.x, a++ ? 1 : 2]; return r.map(String) } print(f())`,
  ),
  commonjs(
    "assignments keep their values",
    `function f(){ let a, b = null, c = 0, o = {}; const r = [a = 1, a += 2, b ??= 4, b ??= 5, c ||= 6, c &&= 7, (a = 8, a), a = b = c = 9, o.x = a **= 2]; let d = (a = 3) + (b = 4); return [r, a, b, c, d, o] } print(f())`,
  ),
  commonjs(
    "destructuring",
    `function f({a, b: [c, d = 4] = [1], ...rest} = {}, ...more){ let x, y, z; [x, y = x, ...z] = [1, undefined, 3, 4]; const v = ({a: x, [\`k\${x}\`]: y = 5} = {a: 9}); ({x, y} = {x: y, y: x}); [x, y] = [y, x]; const {p = () => 1, q = class {}} = {}; return [a, c, d, rest, more, x, y, z, v, p.name, q.name] } print(f({a: 1, k: 2}, 3)); print(f())
function g(){ let a, b; const r = []; for ([a, b] of [[1,2],[3,4]]) r.push(a + b); for ({a} of [{a: 7}]) r.push(a); for (a in {z: 1}) r.push(a); return [r, (([a, b] = [5, 6]), a), [[a] = [8]][0], a, b] } print(g())
let m; ({ m } = { m: 1 }), print(m); [m] = [2]
print(m)`,
  ),
  commonjs(
    "names of functions",
    `function f(){ let a = function(){}, b = () => {}, c = class {}, d = (function(){}), e; e = () => {}; let g; g ??= function(){}; const {h = () => {}} = {}; const o = {i: () => {}, ['j' + 1]: function(){}, k(){}, get l(){ return 1 }, async *m(){}, '__proto__': Object, async(){}, get(){}, set(){}, static(){}, constructor(){}}; return [a, b, c, d, e, g, h, o.i, o.j1, o.k, o.m, o.async, o.get, o.set, o.static, o.constructor].map(x => x.name) } print(f())
function g(){ let thrown; try { throw function(){} } catch (e) { thrown = e } return thrown.name } print('[' + g() + ']')
function* h(){ yield () => {}; yield class {} } print([...h()].map(x => '[' + x.name + ']'))
exports.done = (async () => { print('[' + (await (() => {})).name + ']', '[' + (await function(){}).name + ']') })()`,
  ),
  commonjs(
    "length and name",
    `const fs = [function(a, b = 1, c){}, (...r) => {}, ({a}, [b]) => {}, async x => x, function*(x, y){}]; print(fs.map(f => [f.length, f.name])); class A { static m(a){} get x(){ return 1 } set x(v){} async *g(a, b){} #p(){} constructor(a, b, c){} } print(A.length, A.name, A.m.length, A.prototype.g.length, Object.getOwnPropertyDescriptor(A.prototype, 'x').get.name)`,
  ),
  commonjs(
    "classes",
    `const log = []; class A { static #n = log.push('n'); #a = log.push('a'); static s = this.name; ['c' + log.push('key')] = log.push('field'); static { let v = 1; v++; log.push('static' + v); var w = 3; log.push(() => w) } get a(){ return this.#a } set a(v){ this.#a = v } static has(o){ return #a in o } #m(){ return this.#a } m(){ return this.#m() } static async *[Symbol.asyncIterator](){ yield 1 } 'quoted name'(){} 12(){} accessor(){ } } const x = new A; x.a = 5; print(x.a, x.m(), A.has(x), A.has({}), A.s, log.map(v => typeof v === 'function' ? v() : v), Object.keys(x), Object.getOwnPropertyNames(A.prototype), Object.getOwnPropertyNames(A))
class B extends A { constructor(){ const f = () => super(); let r; try { this } catch (e) { r = e } f(); this.r = r.name } get a(){ return super.a + 1 } static who(){ return super.has(new B) } } const b = new B; print(b.r, b.a, B.who())
class C extends A { constructor(x){ if (x) { return { x } } super() } } print(new C(1).x, new C().a)
class D extends A { constructor(){ } } try { new D } catch (e) { print(e) }
class E extends A { constructor(){ super(); try { super() } catch (e) { print(e) } } } new E
class F extends null { constructor(){ } } try { new F } catch (e) { print(e) }
class G extends A { x = (() => this.a)(); y = new Error('f').message; constructor(z = super()){ z.q = 1 } } print(Object.keys(new G))
print(new (class { constructor(){ this.t = new.target === this.constructor } })().t, (function(){ return new.target })(), typeof new (function(){ this.n = new.target })().n)
const N = class Inner { static me(){ return Inner } }; print(N.me() === N, N.name, (class {}).name)
try { class H { static x = (() => { throw new RangeError('static') })() } } catch (e) { print(e) }
const o = { __proto__: { hi(){ return 'hi' } }, hi(){ return super.hi() + '!' }, get v(){ return super.hi() } }; print(o.hi(), o.v)
class I { static async = 1; static get = 2; static static = 3; get = 4; set = 5; async = 6; 'constructor2' = 7 } print(Object.keys(I), Object.keys(new I))`,
  ),
  commonjs(
    "arguments",
    `function f(a, b){ arguments[0] = 9; b = 8; return [a, arguments[1], arguments.length] } print(f(1, 2))
function g(a){ "use strict"; arguments[0] = 9; return a } print(g(1))
function h(){ const k = () => arguments[0]; return k() } print(h(5))
function i(a, a){ return a } print(i(1, 2))
function j(arguments){ return arguments } print(j(3))
function k(){ var arguments = 4; return arguments } print(k())
function l(eval){ return eval } print(l(6))
function m(){ { let arguments = 1; if (arguments) throw new Error(arguments) } } try { m() } catch (e) { print(e) }
print((function(){ return arguments.callee === arguments.callee })())`,
  ),
  commonjs(
    "default parameters",
    `let n = 0; function f(a = n++, b = () => a, c = (a = 5, b())){ var a; return [a, b(), c] } print(f(), f(1)); function g(x = y, z = 1){ var x = 2, y = 3; return [x, y] } var y = 7; print(g()); function h(a, b = (() => { let q = a++; q++; return q })()){ return [a, b] } print(h(1)); function i(a = function(){ return this }, b = arguments.length){ return b } print(i(), i(1, 2))
function j({ a = n++, b = n = 10 } = {}, c = n){ return [a, b, c] } print(j()); const k = (a, b = a, [c] = [b]) => c; print(k(3))`,
  ),
  commonjs(
    "generators",
    `function* f(){ try { const x = yield 1; print('got', x); yield* [2, 3]; return 4 } finally { print('finally') } } const g = f(); print(g.next(), g.next('a'), g.return(9), g.next()); const h = f(); print(h.next()); try { h.throw(new Error('t')) } catch (e) { print(e) } print([...f()]); const i = f(); print(i.return(5), i.next())
function* j(){ let a = yield; let b = yield a; while (true) { const r = yield [a, b]; if (r) return r } } const k = j(); print(k.next(), k.next(1), k.next(2), k.next(), k.next('end'))
function* l(){ const r = yield* m(); print('r', r); yield (yield 'in'); } function* m(){ yield 'x'; return 'y' } print([...l()])
function* n(){ try { yield 1 } catch (e) { print('caught', e); yield 2 } } const o = n(); o.next(); print(o.throw('z'), o.next()); function* p(){ yield } print(p().next(), [...(function*(){ yield* (yield, []) })()])
function* q(a = 1){ const f = () => a; yield f; a++; yield f } print([...q()].map(f => f()))`,
  ),
  commonjs(
    "async functions",
    `const later = (v, fail) => new Promise((resolve, reject) => setTimeout(fail ? reject : resolve, 1, v)); const order = [];
async function f(x){ let a = 1; order.push('f'); a = await later(x); order.push('f2'); try { await later(new Error('late'), true) } catch (e) { a += e.message } finally { order.push('fin') } return a }
async function g(){ order.push('g'); await null; order.push('g2'); await undefined; order.push('g3'); return await (await 3) + (await 4) }
exports.done = (async () => { const p = f('v'); const q = g(); order.push('sync'); print(await p, await q, order); try { await (async () => { throw new TypeError('x') })() } catch (e) { print(e) } const r = await Promise.allSettled([Promise.reject(1), Promise.reject(new Error('r')), (async x => { let y = x; return await y })(2)]); print(r.map(s => s.status)); const o = { async m(){ return this === o }, async *g(){ yield await 1; yield* [2]; return 3 }, am: async () => { await 0; return this === module.exports } }; print(await o.m(), await o.am()); for await (const v of o.g()) print(v); const it = o.g(); print(await it.next(), await it.return(7), await it.next()) })()`,
  ),
  commonjs(
    "order of ticks",
    `const log = []; const tick = (n) => log.push(n); async function a(){ tick('a1'); await b(); tick('a2'); await null; tick('a3') } async function b(){ tick('b1'); await new Promise(r => r()); tick('b2') } async function* g(){ tick('g1'); yield 1; tick('g2'); yield Promise.resolve(2); tick('g3') } exports.done = (async () => { const p = a(); Promise.resolve().then(() => tick('p1')).then(() => tick('p2')).then(() => tick('p3')).then(() => tick('p4')); (async () => { for await (const x of g()) tick('v' + x); tick('end') })(); queueMicrotask(() => tick('m')); await p; await new Promise(r => setTimeout(r, 5)); print(log) })()`,
  ),
  commonjs(
    "for await",
    `async function* s(){ let i = 0; try { while (i < 5) yield i++ } finally { print('closed') } } exports.done = (async () => { const fs = []; for await (const x of s()) { if (x === 1) continue; fs.push(() => x); if (x === 3) break } print(fs.map(f => f())); o: for (const y of [1, 2]) { for await (const x of s()) { if (x === 1) continue o } } const f = async () => { for await (const x of s()) if (x === 2) return x }; print(await f()); try { for await (const x of s()) throw new Error('in ' + x) } catch (e) { print(e) } let z; for await (z of [1, Promise.resolve(2)]) print(z); for await (const { a = 1 } of [{}]) print(a); try { for await (const q of 5) ; } catch (e) { print(e) } })()`,
  ),
  commonjs(
    "errors and causes",
    `class MyError extends Error { constructor(m, o){ super(m, o); this.name = 'MyError' } } function f(){ throw new MyError('m', { cause: new Error('c') }) } try { f() } catch (e) { print(e, e.cause, e instanceof MyError) } function g(){ try { throw 1 } catch { try { throw 2 } catch (e) { return e } finally { print('fin') } } } print(g()); function h(){ try { return 'try' } finally { print('h') } } print(h()); function i(){ l: try { throw 0 } catch { break l } finally { print('i') } return 'i' } print(i()); function j(){ try { throw { a: 1 } } catch ({ a, b = 2 }) { return [a, b] } } print(j()); function k(){ for (;;) { try { throw 1 } catch (e) { break } finally { print('k') } } return 2 } print(k()); print(Error('called').message, new TypeError().message, (() => { try { null.x } catch (e) { return e.message } })())
function l(){ throw (1, 2) } try { l() } catch (e) { print(e) } const Ns = { AError: Error, make: () => new Ns.AError('ns') }; print(Ns.make(), new Ns.AError, new (Ns.AError)('p').message)
function Wrap(){ return class { constructor(){ this.z = 1 } } } function KError(){ return Wrap() } print(new (KError())().z, new new KError()().z, new new KError().prototype.constructor().constructor.name)
const q = { Error: undefined, e: { Error: (x) => x } }; print(q?.Error?.(1), q.f?.Error(2), q.e?.Error(3).toString(), q?.e.Error(4))`,
  ),
  commonjs(
    "promises",
    `exports.done = (async () => { const P = Promise; const p = new Promise((r) => r(1)); print(await p, await new Promise(r => r(2)).then(x => x + 1)); try { await Promise.reject(new Error('no')) } catch (e) { print(e) } { const Promise = { reject: (x) => x }; print(Promise.reject(3)) } function f(Promise){ return new Promise(1) } print(f(function(x){ this.x = x }).x); print(await Promise.reject().catch(e => typeof e)) })()`,
  ),
  commonjs(
    "optional chains and calls",
    `const o = { a: { f(){ return this === o.a } }, n: null }; print(o?.a?.f(), o.n?.x.y.z(1), o.a.g?.(), (o?.a).f(), delete o?.a.q, o.n?.[(() => 1)()])`,
  ),
  commonjs(
    "operators",
    `let a = 2; print(typeof undeclared, void 0, -a ** 0 === undefined, 'a' in { a }, (a, 3), a ? (a, 1) : 2, !a, ~a, a ?? 1, 2 ** a ** 2)`.replace(
      "-a ** 0",
      "(-a) ** 0",
    ),
  ),
  commonjs(
    "arrow bodies",
    `const f = () => ({ a: 1 }), g = () => ({}).toString(), h = x => y => x + y, i = (x) => (x, 1), j = async x => x, k = () => {}, l = () => [1][0], m = x => x ? { b: x } : /re/g, n = () => (function(){ return 2 })(), o = x =>
  x + 1, p = () => \`t\`, q = () => void 0, r = _ => (() => { })(), s = (a) => a in { a: 1 }
print(f(), g(), h(1)(2), i(), k(), l(), m(0) instanceof RegExp, n(), o(1), p(), q(), r(), s('a')); var t = 1 ? x => x : y => y; print(t(3)); for (var u = (x) => ('a' in { a: x }), v = 0; v < 1; v++) print(u())`,
  ),
  commonjs(
    "this in arrows",
    `const o = { f(){ return (() => this === o)() }, g: () => this === module.exports, h(){ return [1].map(() => () => this === o)[0]() } }; print(o.f(), o.g(), o.h()); print((function(){ return typeof this })(), (function(){ 'use strict'; return typeof this })()); print((() => { this.q = 1; return module.exports.q })())`,
  ),
  commonjs(
    "direct eval",
    `let x = 1; function f(){ let x = 2; eval('x = 3'); return x } print(f()); function g(){ eval('var z = 4'); return z } print(g()); const h = () => eval('x'); print(h()); function i(){ return (0, eval)('typeof x') } print(i()); function j(){ let y = 1; const k = () => { y++; return eval('y') }; return k() + y } print(j()); function k(){ function l(){ return 1 } return eval('var l = 2; l') } print(k())`,
  ),
  commonjs(
    "with",
    `const o = { x: 1, f(){ return 5 } }; function f(){ with (o) { x = 2; var y = x; return (() => f() + y)() } } print(f(), o.x); with (o) { print(x) } function g(){ let a = 1; with ({ a: 7 }) { a = 3 } return a } print(g())
const seen = []; with (new Proxy({}, { has(t, k){ if (typeof k === 'string') seen.push(k); return false } })) { (function(){ try { undefinedName } catch {} })() } print(seen)`,
  ),
  commonjs(
    "words that are names in sloppy code",
    `var let = 1, yield = 2, async = 3, of = 4, get = 5, set = 6, static = 7, await = 8; let = 9
let++
print(let, yield, async, of, get, set, static, await); function f(let){ let = let + 1; { let x = let; x++; return x } } print(f(1)); async
print(1); var o = { async, get, set, await, yield, let }; print(o); function yield2(yield){ return yield } print(yield2(3)); for (let in { p: 1 }) print(let); async = async => async; print(async(4)); function await2(await){ return (await) } print(await2(5)); label: { await: { break await } }`,
  ),
  commonjs(
    "escapes in names",
    `var \\u0061b = 1; let c\\u{64} = 2; function f(){ let \\u0078y = 3; xy++; c\\u0064 += xy; return () => \\u{78}y } print(ab, f()(), cd); const o = { \\u0061: 1, f(){ let l\\u0065t2 = 1; return let2++ } }; print(o.a, o.f()); class K { #\\u{61} = 4; g(){ return this.#a } } print(new K().g()); print((function(){ return ev\\u0061l('var q = 1; q') })())`,
  ),
  commonjs(
    "deletions and typeof",
    `var o = { a: 1 }; function f(x){ delete x.a; return [typeof x.a, typeof nope, delete x] } print(f(o))`,
  ),
  commonjs(
    "getters run once",
    `let n = 0; const o = { get a(){ n++; return { b(){ return n } } }, set a(v){ n += v } }; print(o.a.b(), o.a = 3, n, o['a'].b(), n); const p = new Proxy({}, { get(t, k){ n++; return k } }); function f(){ let x = p.q; let { r } = p; [x] = [p.s]; return [x, r] } print(f(), n)`,
  ),
  commonjs(
    "comma, conditional, void",
    `function f(){ let a = 0; a++, a++, a += (a++, 2); const b = (a++, a); return b ? (a--, a) : a } print(f()); for (let i = 0, j = 9; i < j; i++, j--) if (i === 3) print(i, j); var k; for (k = 0, k++; k < 3; k++); print(k)`,
  ),
  commonjs(
    "debugger and empty statements",
    `function f(){ ;;; debugger; ; if (1) ; else ; for (;;) { break } while (0); { } return 1 } print(f()); if (0);`,
  ),
  commonjs(
    "stack overflow is caught",
    `function depth(n){ try { return depth(n + 1) } catch (e) { if (!(e instanceof RangeError)) throw e; return e.name } } print(depth(0)); function deep(){ return deep() + 1 } try { deep() } catch (e) { print(e.name) }`,
  ),
  commonjs(
    "toString of natives and bound",
    `print(String(Math.max), String((function(){}).bind()), String(class {}).length > 0)`,
  ),
  commonjs(
    "import in scripts",
    `exports.done = (async () => { const m = await import('node:path'); print(typeof m.join, typeof require('node:fs').readFileSync); const k = (x) => import(x); print(typeof (await k('node:os')).cpus) })()`,
  ),
  commonjs(
    "sum of ten thousand terms",
    `var a = 1; var x = ${Array.from({ length: 10_000 }, () => "a").join("+")}; print(x)`,
  ),
  commonjs(
    "two thousand else-ifs",
    `function f(n){ ${Array.from({ length: 2000 }, (_, i) => `if (n === ${i}) return ${i}; else`).join(" ")} return -1 } print(f(1999), f(2000))`,
  ),
  commonjs(
    "nested functions",
    `function a(){ let x = 1; return function b(){ let y = x++; return () => { let z = x + y++; return class { m(){ return [x, y, z] } } } } } print(new (a()()())().m())`,
  ),
  commonjs(
    "captured and changed",
    `function f(){ let n = 0, log = []; const inc = () => { n++; n += 2; [n] = [n + 1]; for (n of [n + 1]) ; return n }; log.push(inc(), n); { let n = 100; inc(); log.push(n) } return [log, n] } print(f())`,
  ),
  commonjs(
    "shadowing",
    `function f(a){ let r = [a]; { let a = 2; r.push(a); { const a = 3; r.push(a); new Error('x'); try { throw new Error('e') } catch (a) { r.push(a.message) } } } for (let a = 7; a < 8; a++) r.push(a); r.push((a => a)(9)); return [r, a] } print(f(1)); function g(x){ if (x) { try { new Error(y) } catch (e) { return e.message } let y = 1 } } print(g(1)); exports.done = (async () => { const h = async (a) => { { await 0; let a = 5; await a } return a }; print(await h(1)) })(); function i(a){ { try { f; new Error('b'); } catch (e) { return 0 } let b = a; { let a = b; } const c = () => { new Error('c'); return b }; return c() } } print(i(3))`,
  ),
  commonjs(
    "line separators",
    `let a = 'x\u2028y'; let b = 1 // c\u2028print('after'); print(a.length, b)`,
  ),
  commonjs(
    "windows line ends",
    "let a = 1\r\nlet b = a\r\n++b\r\nprint(a, b)\r\nfunction f(){\r\n  throw new Error('crlf')\r\n}\r\nf()",
  ),
  commonjs(
    "old mac line ends",
    "let a = 1\rlet b = a\rprint(a, b)\rfunction f(){\r  throw new Error('cr')\r}\rf()",
  ),
  commonjs(
    "minified",
    `!function(e,t){"object"==typeof exports?t(exports):t(e.x={})}(this,(function(e){"use strict";var t=1,n=function(e){return e?n(e-1)+t:0},r=e=>e.map((e=>e*2)),i;for(i in{a:1})t+=i.length;for(var o=0,a=[];o<3;)a[o]=o++;e.z=n(3),e.y=r(a),e.w=(t++,t),void 0===e.q&&(e.q=!0)})),print(exports);`,
  ),
  commonjs(
    "completion of loops",
    `var r = []; for (var i = 0; i < 3; i++) { if (i == 1) continue; r.push(i) } do { r.push('d') } while (r.length < 3); print(r); for (var p of (function*(){ yield 1; yield 2 })()) { if (p == 2) break; r.push(p) } print(r)`,
  ),
  commonjs(
    "class in loops and expressions",
    `const cs = []; for (let i = 0; i < 2; i++) { class K { static v = i; get(){ return i } } cs.push(K) } print(cs.map(c => [c.v, new c().get(), c.name])); const m = (B) => class extends B { constructor(...a){ super(...a); this.k = 1 } }; print(new (m(Object))().k, new (m(class { constructor(x){ this.x = x } }))(4).x); class P { static #c = 0; static inc(){ return ++P.#c } static { P.inc(); { let q = P.inc(); q++ } } } print(P.inc())`,
  ),
  commonjs(
    "thrown at the top",
    `let a = 1
function inner() {
  const b = a
  return b.c.d
}
   class K { static m() { inner() } }
[1].map((x) => K.m())`.replace("}\n[1]", "}\n;[1]"),
  ),
  commonjs(
    "thrown in expressions",
    `function f(x) { return x.y }
const o = { get g() { return f(undefined) } };
for (let i = 0; i < 1; i++) { o
  .g }`,
  ),
  commonjs(
    "thrown in arrows and defaults",
    `const f = (a = g()) => a, g = () => h(\`\${1}\`), h = x => { throw new RangeError(x) }; let v = (0, f)()`,
  ),
  commonjs(
    "thrown after an update",
    `function f() { let a = 1; a++; return [a++, ++a, (a += 1), a].map(x => { if (x === 2) throw new Error('at ' + x); return x }) }
f()`,
  ),
  commonjs("not iterable", `function f() { let a; [a] = {}; } f()`),
  commonjs(
    "thrown by new",
    `class A { constructor(x) { this.x = x.y.z } } class B extends A { constructor() { super({}) } } new B()`,
  ),
  commonjs("thrown primitive", `function f() { throw 'text' } f()`),
  commonjs(
    "rejected after awaits",
    `async function a(x) { await x; await b(x) } async function b(x) { const r = await Promise.resolve(1);   throw new Error('late' + r) } exports.done = a(1)`,
  ),
  commonjs(
    "rejected in for await",
    `async function a() { for await (const x of [1, Promise.reject(new Error('y'))]) print(x) } exports.done = a()`,
  ),
  commonjs(
    "rejected in arrows",
    `const a = async (x) => await b(await x), b = async x => { await null; null.z }; exports.done = a(1)`,
  ),
  module(
    "exports",
    `export const a = 1; export let b = 2; export var c = 3; export function d(){ return b } export class E {} export default function(){ } export { a as f, b as 'g h' }; b++; print(d(), c)`,
  ),
  module("default expression", `let x = 1; export default x + 1; x = 5; export { x }`),
  module(
    "default arrow",
    `export default () => {}
import self from './s0.mjs'`.replace("\nimport self from './s0.mjs'", ""),
  ),
  module("default class", `export default class { static n = this.name } print('ok')`),
  module("default named function", `print(f()); export default function f(){ return f.name }`),
  module(
    "strict mode",
    `print((function(){ return this })(), typeof this, import.meta.url.endsWith('.mjs'))`,
  ),
  module(
    "top-level await",
    `let a = await 1; const { b } = await Promise.resolve({ b: 2 }); for await (const x of [1, Promise.resolve(2)]) print(x); { let c = await 3; c++; print(c) } if (await true) print(await (async () => 4)()); try { await Promise.reject(new Error('tla')) } catch (e) { print(e) } class K { static [await 'k'](){} } print(Object.getOwnPropertyNames(K), a, b); export const done = (async () => { await null; print('done') })()`,
  ),
  module(
    "fails at the top",
    `const a = 1;
let b = await a;
function f(x) { return x.y.z }
export const c = f({})`,
  ),
  module("fails in the dead zone", `print(1); f(); let x = 1; function f() { return x }`),
  module(
    "rejects at the top",
    `const f = async () => { await null; throw new TypeError('m') };
  await f();`,
  ),
  module(
    "loops at the top",
    `const fs = []; for (let i = 0; i < 2; i++) { let j = i * 2; fs.push(() => [i, j++]) } print(fs.map(f => f()), fs.map(f => f())); let n = 0; while (n < 2) n++; do { n-- } while (n > 0); outer: for (const a of [1, 2]) for (const b of [1]) { if (a === 1) continue outer; print(a, b) } switch (n) { case 0: { let z = 1; print(z) } }`,
  ),
  module(
    "updates at the top",
    `let a = 1; { let b = a++; b += a; const c = [b++, ++b, b]; print(a, b, c); ({ b } = { b: 3 }); print(b, ({ b } = { b: 4, q: 1 })) } const g = () => a++; print(g(), a); export { a }`,
  ),
  module(
    "using",
    `let log = []; class R { constructor(n){ this.n = n } [Symbol.dispose ?? Symbol.for('d')](){ log.push(this.n) } } print(typeof R, log)`,
  ),
  module(
    "functions in blocks",
    `{ print(f()); function f(){ return 1 } } print(typeof f); if (true) { function g(){ return 2 } print(g()) } switch (1) { case 1: print(h()); function h(){ return 3 } }`,
  ),
  module(
    "class fields and await",
    `class A { x = async () => { await 1; return this.y }; y = 5; static z = (async () => await 2)() } print(await new A().x(), await A.z)`,
  ),
  module(
    "strict duplicates",
    `function f(){ return g(); function g(){ return 1 } { function g(){ return 2 } } } print(f())`,
  ),
  module(
    "arguments at the top",
    `print(typeof arguments, (() => typeof arguments)()); const f = () => { try { return arguments } catch (e) { return e } }; print(f())`,
  ),
  module(
    "iife and comments",
    `/* first */ (function(){ print('a') })() // c
;(() => print('b'))()
/* last */`,
  ),
  module(
    "no final semicolon",
    `const f = () => 1
export { f }
print(f())
// end`,
  ),
  module(
    "errors",
    `class HttpError extends Error { constructor(s){ super('http ' + s); this.s = s } } const f = (s) => { let t = s + 1; throw new HttpError(t) }; try { f(1) } catch (e) { print(e, e.s) } export const done = Promise.reject(new Error('r')).catch(e => print(e)); const P = new Promise((_, reject) => reject(new HttpError(5))); try { await P } catch ({ message }) { print(message) }`,
  ),
  module(
    "generators and methods",
    `const o = { *g(){ const x = yield 1; print(x); yield* o.h() }, *h(){ yield 2 }, async *a(){ for (const v of o.g()) yield v }, get async(){ return 1 }, async async(){ return 2 } }; for await (const v of o.a()) print(v); print(o.async)`,
  ),
  commonjs(
    "messages that quote the program",
    `const n = null, o = {}, five = 5; const say = async (f) => { try { await f() } catch (e) { print(e) } }
exports.done = (async () => {
await say(async () => (await n).x()); await say(async () => (await o).x()); await say(async () => (await o)()); await say(async () => new (await o)()); await say(async () => { const { a } = await n }); await say(async () => { const [a] = await o }); await say(async () => { for (const x of await o) ; }); await say(async () => [...await o]); await say(async () => (await o)\`\`); await say(async () => o[await 'k']()); await say(async () => o.f(await 1)); await say(async () => { for await (const x of o.q) ; }); await say(async () => { for await (const x of o.toString()()) ; }); await say(async () => Math.max(...await five)); await say(async () => (await o).a.b); await say(async () => { let a; a = await n; a.b() }); await say(async () => { let x = 1; x++(); }); })().catch(e => print(e));
const t = (f) => { try { f() } catch (e) { print(e) } }; t(() => [...(function*(){ yield* 5 })()]); t(() => [...(function*(){ (yield)() })()]); t(() => [...(function*(){ (yield).x.y })()]); t(() => { let x = 1; (x++)() }); t(() => { let x; (x = 5)() }); t(() => { let x; (x = {}).y() }); t(() => { let x = {}; x.y.z() }); t(() => { throw null }); t(() => { let { a } = null }); t(() => { let a; ({ a } = undefined) }); t(() => { let a; [a] = null }); t(() => { let f = 1; f() }); t(() => { const { b: { c } } = {} }); t(() => undefinedError()); t(() => o.MyError()); t(() => new o.MyError()); t(() => new (class extends five {})); t(() => { for (const x of five) ; }); t(() => { let x = 0; for (x of five) ; }); t(() => { new Promise(5) }); t(() => { Promise.reject.call(5) }); t(() => five.a.b.c); t(() => null instanceof five); t(() => 'a' in five); t(() => { let q = 1; q += Symbol() }); t(() => { let q = 1n; q++ + 1 }); t(() => { class A { #p; static f(o){ return o.#p } } A.f({}) }); const fs = [1, 2]; t(() => { let i = 0; fs[i++].x() }); t(() => { let i = 0; fs[i++]() }); t(() => { let i = 0; print((fs[i++].toString())); print(i) }); t(() => { let i; (i = fs)[0]() }); t(() => { let i; [...(i = five)] }); t(() => { let i; (([i] = fs), i)() }); t(() => new Error('x').y()); t(() => new Promise(() => {}).y()); t(() => new Promise(() => {}).then().y()); t(() => Promise.reject().catch(() => {}).y()); t(() => [...(function*(){ const r = yield* [1]; (yield 5)() })()]); t(() => [...(function*(){ yield* five })()]); t(() => [...(function*(){ yield* o.x.y })()]); t(() => { class A extends o.B {} }); t(() => new (class extends Object { constructor(){ super().foo() } })); t(() => { const [a] = five }); t(() => { let a; [a] = (a = five) }); t(() => { let a = 1; ({ b: { c: a } } = o) })`.replace(
      " await say(async () => { let x = 1; x++(); });",
      "",
    ),
  ),
  commonjs(
    "private fields without a semicolon",
    `class A { #a = 1 } class B { #b } class C { #c; static #d = 2
}
class D { #e = 1
  m() { return this.#e } #f
} print(new A, new B, new C, new D().m(), (class { #z = 1 }).name, (() => { const K = class { #y }; return K.name })())`,
  ),
  commonjs(
    "bodies that declare the names of their heads",
    `function f(){ const r = []; for (let c of [1, 2]) { r.push(typeof d); let c = 5; r.push(c); var d } for (const [k] of [[1]]) { const k = 2; r.push(k) } for (let i = () => 1, n = 0; n < 1; n++) { let i = 3; r.push(i) } let z; for (z of [7]) { let z = 8; r.push(z) } for (const q in { a: 1 }) { class q {} r.push(typeof q) } l: for (const w of [1, 2]) { if (w === 1) continue l; { let w = 4; r.push(w) } } return [r, z] } print(f()); exports.done = (async () => { for await (const c of [1, 2]) { if (c_ === 1) continue; let c = 6; print(c); break } })().catch(e => print(e)); var c_ = 0`,
  ),
  commonjs(
    "names like ours, spelled with escapes",
    `let \\u0024o0 = 5, $\\u{6f}l = 6; function f(){ let a = 1, b = \\u0024o0; a++; return [\\u0024o0 + a, $\\u006fl, b] } print(f())`,
  ),
  commonjs(
    "finally blocks",
    `function f(way){ const r = []; l: for (const i of [1, 2]) { try { r.push(i); if (way === 'break') break l; if (way === 'continue') continue; if (way === 'throw') throw new Error('t' + i); if (way === 'return') return r } catch (e) { r.push(e); if (i === 2) throw e } finally { r.push(g()); function g(){ return 'g' } try { let x = way; r.push(x) } finally {} try { r.push(2) } finally { let y = 3; r.push(y) } } } return r } for (const way of ['', 'break', 'continue', 'return']) print(f(way)); const h = () => { try { throw 1 } finally { return 2 } }, u = () => { try { return 1 } finally { throw new Error('u') } }; print(h()); try { u() } catch (e) { print(e) } function* it(){ try { yield 1; yield 2 } finally { print('closing'); yield 3; print('closed') } } for (const v of it()) { print(v); if (v === 1) break } print([...it()]); const i = it(); i.next(); print(i.return(5), i.next(), i.next()); exports.done = (async () => { try { await 1; f('throw') } finally { await 2; print('last') } })()`,
  ),
  module(
    "finally blocks at the top of a module",
    `try { print(1); try { throw new Error('a') } finally { 'text'
(await 2); const p = 1; print(p) } } catch (e) { print(e) } finally { if (1) print('end') }
class A { static { try { print('s') } finally { let q = 1; print(q) } } } new A().x()`,
  ),
  module(
    "imports first, in the middle and last",
    `'use strict'
import path from 'node:path'
import { sep } from 'node:path' /* c
*/ ;export { join } from 'node:path'
print(typeof path.join, sep); function f(){ return basename('/a/b') } import { basename } from 'node:path'
;(() => print(f()))()
export * from 'node:path'`,
  ),
  module(
    "only imports",
    `import 'node:fs'
export { join } from 'node:path' // end
`,
  ),
  module("only imports, and no end of the line", `import 'node:fs'; import 'node:path' // end`),
  module("only directives", `'use strict'; 'b'`),
  module(
    "an import that cannot be linked",
    `import { readFileSync } from 'node:fs'
import { nope } from 'node:fs'
print(nope)`,
  ),
  commonjs(
    "names that the engine finds for nameless functions",
    `const place = (e) => e.stack.split('\\n')[1].trim().replace(/ ?\\(?\\/.*/, ''); const of = (...fs) => fs.map((f) => { try { return place(f()) } catch (e) { return place(e) } })
function f(){ const x = [() => { throw Error() }]; const o = { a: [() => { throw Error() }, function () { throw Error() }], b: () => { throw Error() } }; let c = x.length ? () => { throw Error() } : 0, d = 0 || (() => { throw Error() }); const g = of(() => { throw Error() }), m = new Map([[1, () => { throw Error() }]]); let y, z; y = [() => { throw Error() }]; z = y.a = [() => { throw Error() }]
for (const k of [() => { throw Error() }]) print(of(k)); let l; for (l of [function () { throw Error() }, () => { throw Error() }].slice(1)) print(of(l)); for (const k of [1]) print(k)
for (let i = [() => { throw Error() }], n = 0; n < 1; n++) print(of(...i)); print(of(...x, ...o.a, o.b, c, d), g, of(m.get(1), ...y, ...z)) } f(); (() => { const x = [() => { throw Error() }]
print(of(...x)) })(); (function () { const x = [class { static m() { throw Error() } }.m], y = x
;[1].map(() => print(of(...y))) })()`,
  ),
  commonjs(
    "names like ours",
    `let $o0 = 5, $ol = 6, $oR = 7, $ob0_ = 8; function f(){ let a = 1; a++; return [$o0, $ol, $oR, a] } print(f())`,
  ),
  module("call of what a call gives", `const f = () => []; print(f().push(1), f?.().push(2))`),
  commonjs(
    "writes to properties, in order and once",
    `const log = []; const t = (n, v) => (log.push(n), v); const o = { get p() { log.push('get'); return 1 }, set p(v) { log.push('set ' + v) } }; let i = 0; const a = []
a[i++] = i++; t('o', o)[t('k', 'p')] = t('v', 2); t('o', o).p += t('v', 3); o.p ??= t('never', 4); o.p &&= t('v', 5); o.p++; --t('o', o)[t('k', 'p')]; delete t('o', o)[t('k', 'q')]; print(a, i, log)`,
  ),
  commonjs(
    "writes that fail",
    `'use strict'; const of = (f) => { try { f() } catch (e) { print(e.name, e.message) } }; const o = Object.freeze({ x: 1, a: [] }); let u; const c = 1; class P { #p; static w(o) { o.#p = 1 } static u(o) { o.#p++ } }
of(() => { o.x = 2 }); of(() => { o['x'] += 2 }); of(() => { o.x++ }); of(() => { delete o.x }); of(() => { u.x = 1 }); of(() => { u.x.y = () => 1 }); of(() => { u[0]++ }); of(() => { delete u.x }); of(() => { c = 2 }); of(() => { c++ }); of(() => { P.w({}) }); of(() => { P.u({}) })
of(() => { d = 1; let d }); of(() => { d++; let d }); of(() => { u.push(1) }); of(() => { o.push(1) }); of(() => { o.a.push(1) }); of(() => { o.a.b.push(1) }); of(() => { new Map().set.call(o, 1) }); of(() => { (u = o).set(1) }); of(() => { o.x ??= u.v; o.y ??= 1 }); of(() => { undeclared = 1 }); of(() => { ({ x: o.z } = { x: 1 }) }); of(() => { for (o.x of [1]); }); of(() => { for (const q of u.x = 1); }); of(() => { [...(u = 5)] }); of(() => { (u = 5)() }); of(() => { o[u = 'a'].z(u++) })`,
  ),
  commonjs(
    "writes and names of functions",
    `const o = {}; let f, g; o.a = function () {}; o.b = () => {}; o['c'] = class {}; f = () => {}; g ??= () => {}; let h = () => {}; h ||= 1; o.d ??= () => {}; o.e = f = function () {}; const m = new Map(); m.set('k', () => {}); m.set(() => {}, 1); const l = []; l.push(function () {}); class K { x = () => {}; static y = function () {}; #z = class {}; get z() { return this.#z } }
print(o.a.name, o.b.name, o.c.name, f.name, g.name, h.name, o.d.name, o.e.name, m.get('k').name, [...m.keys()][1].name, l[0].name, new K().x.name, K.y.name, new K().z.name)
const place = (x) => { try { x() } catch (e) { return e.stack.split('\\n')[1].trim().replace(/ ?\\(?\\/.*/, '') } }; o.q = {}; o.q.r = [() => { throw Error() }]; o.s = 0 || (() => { throw Error() }); o.list = []; o.list.push(() => { throw Error() }); this.w = [() => { throw Error() }]; print(place(o.q.r[0]), place(o.s), place(o.list[0]), place(this.w[0]))`,
  ),
  commonjs(
    "writes in parameters, fields and blocks of classes",
    `let n = 0; const o = {}; function f(a = n++, b = (o.x = a), { c = (n += 2) } = {}, d = () => (a = 9, b++)) { d(); var a; return [a, b, c, n] } print(f(), f(5)); class A { static s = (n = 7, n++); x = this.y = n; [(n += 1, 'z')] = 3; static { this.t = n; let q = 1; q++; n = q } } print(new A(), A.s, A.t, n)
class B extends A { constructor() { let w = 1; super(w++); super.v = w; this.#r(); } #p = 1; #r() { this.#p++; this.#p **= 2; super['u'] = this.#p } } print(Object.entries(new B())); print(((x) => { arguments; x = 2; return x })(1)); (function (x) { arguments[0] = 5; print(x); x = 6; print(arguments[0]) })(1)`,
  ),
  module(
    "writes in generators, async functions and loops",
    `export let live = 1; export const done = (async () => { const o = { n: 0 }; const g = (function* () { let x; while (true) { x = yield x; o.n += yield (o.last = x) } })(); print(g.next(), g.next(1), g.next(2), g.next(3)); for (let i = 0, [j] = [i]; i < 2; o.n = await i, i++) { live += i; setTimeout(() => print(i, j)) } for (o.k in { a: 1 }) print(o.k); for (var v of [1, 2]) o['v' + v] = v; for await (o.w of [Promise.resolve(3)]) o.w++
l: for (const [a, b = a] of [[1]]) { o.ab = a + b; continue l } let s = 10n; s++; s **= 2n; o.s = s; o.s--; o.r = await (o.t = Promise.resolve(1)); try { throw { m: 1 } } catch ({ m }) { m = 2; o.m = m } await new Promise((r) => setTimeout(r, 5)); print(o, s, live); [o.n, live] = [live, o.n]; ({ n: live = 3, ...o.rest } = o); print(live, o.rest.k) })()`,
  ),
];
