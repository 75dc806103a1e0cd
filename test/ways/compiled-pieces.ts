/**
 * Pieces of TypeScript that blanks cannot erase, to be put together in every order.
 *
 * `$` stands for a number that makes the names of a piece its own. Every piece pushes what it made
 * into `log`; decorators note when they are evaluated and called.
 */

/** One piece, and where it may stand. */
export interface Piece {
  readonly name: string;
  readonly text: string;
  /** May also stand in a function or a block. */
  readonly inFunction: boolean;
  /** May also stand in a namespace. */
  readonly inNamespace: boolean;
  /** Node 22 has no syntax for it. */
  readonly isNew?: boolean;
}

/** What every program begins with. */
export const PRELUDE = `
const log: unknown[] = [];
const dec = (label: string): any => {
  log.push("evaluate " + label);
  return (value: any, context: any) => {
    log.push("call " + label + " " + context.kind + " " + String(context.name));
    context.addInitializer?.(function () { log.push("initializer " + label); });
    if (context.kind === "field") return (first: any) => first + 100;
    if (context.kind === "accessor") return { init: (first: any) => first + 200 };
    if (context.kind === "method" || context.kind === "getter") {
      return function (this: any, ...given: any[]) { return value.apply(this, given) + 1000; };
    }
    if (context.kind === "class") return class extends value { static replaced = label; };
  };
};
`;

function anywhere(name: string, text: string): Piece {
  return { name, text, inFunction: true, inNamespace: true };
}

function outside(name: string, text: string): Piece {
  return { name, text, inFunction: false, inNamespace: true };
}

/** Pieces of ES modules and of CommonJS alike. */
export const PIECES: readonly Piece[] = [
  anywhere(
    "enum",
    `enum E$ { A = 1, B = A << 2, C = "abc".length, D = "d" }\nlog.push({ ...E$ });`,
  ),
  anywhere("const enum", "const enum CE$ { Q = 7, R = Q * 2 }\nlog.push(CE$.R, CE$[`Q`]);"),
  anywhere("declare enum", "declare enum DE$ { Z }\nlog.push(typeof DE$);"),
  anywhere("merged enum", "enum ME$ { A }\nenum ME$ { B = 5 }\nlog.push(ME$.A, ME$.B, ME$[5]);"),
  outside(
    "namespace",
    `namespace N$ { export const q = 1; const own = 2; export function f() { return q + own; } }
log.push(N$.f(), Object.keys(N$));`,
  ),
  outside(
    "nested namespace",
    `namespace O$.P { export const v = 3; export namespace Q { export const w = v + 1; } }
log.push(O$.P.Q.w);`,
  ),
  outside(
    "namespace of types",
    "namespace T$ { export interface I { a: number } }\nlog.push(typeof (0 as any as T$.I));",
  ),
  outside(
    "import alias",
    "namespace R$ { export const s = { t: 5 }; }\nimport al$ = R$.s;\nlog.push(al$.t);",
  ),
  outside(
    "namespace of variables",
    `namespace NV$ {
  export let x = 1, none: number, [p, { q = x }]: any[] = [5, {}];
  export var y!: number;
  export function inc(by = x) { x += by; y = x++; return { x, y }; }
  export const shadows = (x: number) => { for (const y of [x]) log.push(x, y); return () => x; };
}
log.push(NV$.inc(), NV$.x, NV$.y, NV$.p, NV$.q, "none" in NV$, NV$.shadows(8)(), Object.keys(NV$));
NV$.x = 70;
log.push(NV$.inc(3), NV$.shadows.name);`,
  ),
  outside(
    "blocks of a namespace",
    `namespace NB$ { export let x = 1; export class C { n = x; } export function f() { return this; } export enum E { A = 3 } }
namespace NB$ {
  x++;
  export namespace In { export let deep = x; }
  [x, In.deep] = [In.deep + 5, x];
  for (x of [x + 1]) log.push(x, new C().n, f() === NB$);
  ({ x = 9 } = {} as any);
  export enum E { B = A + 1 }
  log.push({ x }, typeof x, E.B);
}
namespace NB$.In { deep += x; log.push(deep, E.A); }
log.push(NB$.x, NB$.In.deep, NB$.E);`,
  ),
  outside(
    "namespace that hides its name",
    `namespace NH$ {
  export let NH$ = 1;
  export const twice = (NH$: number) => NH$ * 2;
  export namespace In { export let NH$ = 5; NH$++; export const sum = () => NH$ + twice(NH$); }
  NH$ += In.sum();
}
log.push(NH$.NH$, NH$.In.NH$, NH$.twice(4));`,
  ),
  outside(
    "namespaces beside what they add to",
    `function NF$() { return NF$.count++; }
namespace NF$ { export let count = 0; }
class NC$ { static made = 0; constructor(public id = NC$.next++) { NC$.made++; } }
namespace NC$ { export let next = 10; export type Id = number; }
enum NE$ { A, B }
namespace NE$ { export let last = NE$.B; export function parse(text: string) { return (last = (NE$ as any)[text]); } }
namespace NE0$ { export let early = 1; }
enum NE0$ { Late = 4 }
NF$();
log.push(NF$(), NF$.count, new NC$().id, new NC$().id, NC$.next, NC$.made, NE$.parse("A"), NE$.last, NE0$);`,
  ),
  outside(
    "aliases in a namespace",
    `namespace NL$ {
  export namespace Deep.Down { export let v = 1; export type T = string; }
  export namespace Types { export interface I { a: 1 } }
  import D = Deep.Down;
  export import Out = D;
  export import Only = Types;
  import Unused = Types.I;
  const t: D.T = "t", u: Unused | undefined = undefined;
  D.v++;
  Out.v++;
  log.push(t, u, D.v);
}
namespace NL$ { Out.v++; log.push(Out.v, Object.keys(NL$)); }
log.push(NL$.Out.v);`,
  ),
  anywhere(
    "parameter property",
    `class PP$ { y = 1; constructor(private x = 2, readonly z = x + 1, plain = 3) { this.y += plain; } }
log.push({ ...new PP$() }, Object.keys(new PP$()));`,
  ),
  anywhere(
    "parameter property behind super",
    `class PB$ { constructor(protected a = 1) {} }
class PS$ extends PB$ { b = 2; constructor(public c = 3) { super(9); log.push(this.c, this.b); } }
log.push({ ...new PS$() });`,
  ),
  anywhere(
    "decorated class",
    `@dec("K$") class K$ { static me = K$; m() { return new.target === undefined ? K$ : 0; } }
log.push((K$ as any).replaced, new K$().m() === K$, K$.me === K$, K$.name);`,
  ),
  anywhere(
    "decorated expression",
    `const X$ = @dec("X$") class { s = 1; };\nlog.push((X$ as any).replaced, new X$().s, X$.name);`,
  ),
  anywhere(
    "decorated methods",
    `class M$ {
  @dec("m$") m(x: number): number { return x; }
  @dec("s$") static s(): number { return 2; }
  @dec("p$") #p(): number { return 3; }
  @dec("g$") get g(): number { return 4; }
  @dec("computed$") ["c" + "$"](): number { return 5; }
  all() { return [this.m(1), M$.s(), this.#p(), this.g, (this as any)["c$"]()]; }
}
log.push(new M$().all());`,
  ),
  anywhere(
    "decorated fields",
    `class F$ {
  @dec("f$") f: number = 1;
  @dec("sf$") static sf = 2;
  @dec("pf$") #pf = 3;
  declare only: string;
  all() { return [this.f, F$.sf, this.#pf]; }
}
log.push(new F$().all());`,
  ),
  anywhere(
    "accessor",
    `class A$ {
  accessor a = 1;
  static accessor sa = 2;
  accessor #pa: number = 3;
  all() { this.a += 1; A$.sa += 1; this.#pa += 1; return [this.a, A$.sa, this.#pa]; }
}
log.push(new A$().all());`,
  ),
  anywhere(
    "decorated accessor",
    `class DA$ {
  @dec("a$") accessor a = 1;
  @dec("sa$") static accessor sa = 2;
  @dec("pa$") accessor #pa: number = 3;
  all() { this.a += 1; DA$.sa += 1; this.#pa += 1; return [this.a, DA$.sa, this.#pa]; }
}
log.push(new DA$().all());`,
  ),
  anywhere(
    "decorated class with parameter properties",
    `@dec("DP$") class DP$ {
  @dec("df$") f = 1;
  accessor a = 2;
  constructor(private x = 3, public y = x + this.f) { log.push("body", this.x, this.y); }
  @dec("dm$") m() { return this.x + this.a; }
}
log.push({ ...new DP$() }, new DP$().m());`,
  ),
  anywhere(
    "decorator behind super and parameter property",
    `class B$ { constructor(protected a = 1) {} }
@dec("S$") class S$ extends B$ {
  @dec("sm$") m() { return this.a + this.b; }
  constructor(readonly b = 2) { super(8); }
}
log.push(new S$().m(), { ...new S$() });`,
  ),
  outside(
    "decorated class in a namespace",
    `namespace ND$ {
  @dec("NK$") export class NK$ { static n = 1; m() { return NK$; } }
  export class NA$ { accessor a = 1; }
  export const made = new NK$().m() === NK$;
}
log.push(ND$.made, (ND$.NK$ as any).replaced, new ND$.NA$().a);`,
  ),
  outside(
    "namespace behind its decorated class",
    `@dec("W$") class W$ { m() { return W$.extra; } }
namespace W$ { export const extra = 6; }
log.push(new W$().m());`,
  ),
  outside(
    "namespaces behind exported classes in a namespace",
    `namespace Q$.R {
  @dec("J$") export class J$ { m() { return J$.extra; } }
  export namespace J$ { export const extra = 7; export const made = new J$().m(); }
  export interface J$ { own: number }
}
log.push(Q$.R.J$.made, Q$.R.J$.extra, (Q$.R.J$ as any).replaced);`,
  ),
  outside(
    "namespace behind its class with an accessor",
    `class V$ { accessor a = 1; m() { return V$.extra; } }
namespace V$ { export const extra = 6; }
log.push(new V$().m(), new V$().a);`,
  ),
  anywhere(
    "decorator that names an enum",
    `enum L$ { First = "first$", Last = First }
class U$ { @dec(L$.First) m() { return 1; } @dec(L$.Last + "!") static x = L$.Last.length; }
log.push(new U$().m(), U$.x);`,
  ),
  anywhere(
    "class with decorators in an enum",
    `enum Y$ { A = new (class { @dec("y$") m() { return 1; } })().m(), B = "b".length }
log.push(Y$.A, Y$.B, Y$[1001]);`,
  ),
  anywhere(
    "decorated class in a method with parameter properties around",
    `class Z$ {
  constructor(public x = 1) {}
  make() { const x = this.x; return new (@dec("zz$") class Inner { accessor v = x; })().v; }
}
log.push(new Z$().make());`,
  ),
  {
    name: "using",
    text: `{ using u$ = { v: 1, [Symbol.dispose]() { log.push("disposed"); } }; log.push(u$.v); }`,
    inFunction: true,
    inNamespace: true,
    isNew: true,
  },
];

/** What the pieces that only one of the two can have are put together with. */
export const MODULE_PIECES: readonly Piece[] = [
  {
    name: "exported decorated class",
    text: `@dec("XK$") export class XK$ { m() { return XK$; } }
export @dec("XL$") class XL$ { accessor a = 1; }
export enum XE$ { A = 3 }
export namespace XN$ { export const q = XE$.A; }
@dec("XM$") export class XM$ {}
export namespace XM$ { export const q = XE$.A; }
log.push(XM$.q, (XM$ as any).replaced);
log.push(new XK$().m() === XK$, new XL$().a, XN$.q);`,
    inFunction: false,
    inNamespace: true,
  },
];

/** Pieces of CommonJS. */
export const COMMONJS_PIECES: readonly Piece[] = [
  {
    name: "import require",
    text: `import path$ = require("node:path");\nlog.push(path$.basename("a/b$"));`,
    inFunction: false,
    inNamespace: false,
  },
];
