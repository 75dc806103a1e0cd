function simple(a) { return a + 1; }
function never(b) { if (b) return 1; return 2; }
const arrow = (x) => x ? x.y ?? 1 : 0;
function branches(n) {
  if (n > 1) {
    n++;
  } else if (n < 0) throw new Error("neg");
  for (let i = 0; i < n; i++) { if (i === 2) break; else continue; }
  while (n > 100) n--;
  switch (n) { case 1: return "one"; case 2: n = 3; break; default: n = n && n || 4; }
  try { if (n > 3) throw new Error("x"); } catch { n = 0; } finally { n += 1; }
  return n;
}
class K { #p = 1; get v() { return this.#p; } unused() { return 0; } constructor(a) { if (a) this.a = a; } }
async function wait(n) { await null; if (n) await wait(n - 1); for await (const x of [1, 2]) if (x > 1) return x; return 0; }
function* gen() { yield 1; yield* [2, 3]; if (Math.random() > 2) yield 4; }
label: for (const a of [1, 2]) { for (const b of [1, 2]) { if (b === 2) continue label; } }
const o = { m() { return 1; }, get g() { return 2; }, async *ag() { yield 1; }, f: function () {}, h: () => {} };
console.log(simple(1), arrow({}), branches(1), branches(2), new K(1).v, await wait(1), [...gen()], o.m(), o.g);
try { branches(-1); } catch (e) { console.log(e.message); }
do { var q = 1; } while (q > 1);
const nested = () => { const inner = function named() { return () => 7; }; return inner()(); };
nested();
if (q === 2) { console.log("no"); } else console.log("yes");
const u = q > 3 ? never(1) : arrow(null);
export default class extends K { constructor() { super(0); } }
class Fixed { static s = 2; static { this.t = 3; } static m(a) { return a ? 1 : 2; } }
Fixed.m(0);
