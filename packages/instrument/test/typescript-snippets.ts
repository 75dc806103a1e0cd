/**
 * TypeScript programs; what can be erased is compared with what Node itself runs.
 */

import { stripTypeScriptTypes } from "node:module";
import type { Snippet } from "./support/run-plain-and-instrumented.ts";

const erasable = (name: string, source: string, plain?: string): Snippet => ({
  name,
  format: "module",
  language: "ts",
  source,
  plain: plain ?? stripTypeScriptTypes(source),
});

/** Node strips these; the instrumented program must print and point the same. */
export const ERASABLE: readonly Snippet[] = [
  erasable(
    "annotations",
    `function f(a: number, b?: string, { c, d = 1 }: { c: number; d?: number } = { c: 2 }, [e]: [number] = [3], ...rest: unknown[]): number { let x: number = a, y: string | undefined = b; const z: Array<{ q: number }> = []; var w: () => void = (): void => {}; return x + c + d + e + rest.length + z.length } print(f(1), f.length); let later!: number; later = 1; print(later)`,
  ),
  erasable(
    "assertions",
    `const a = 1 as unknown as string, b = <T>(x: T) => x as T, c = a!, d = (a as any)!.length, e = { f: 1 } satisfies { f: number }; print(a, b(2), c, d, e, (a as any) as number, [a as any, ...([1] as number[])]); let g: any = 1; (g as number) = 2; (g as any)++; g!; print(g as any); for (const x of [1, 2] as const) print(x as number); const h = () => ({ i: 1 } as const); print(h()); print(((): number => 3)()); const u = typeof a as string; print(u)`,
  ),
  erasable(
    "generics",
    `function id<T, U extends T = T>(x: T): T { return x } const a = id<number>(1), b = id<Array<Map<string, number>>>([]), c = new Map<string, number>(), d = id<string>\`x\`; class P<T> { v!: T; static make<U>(): P<U> { return new P<U>() } m<V>(this: P<T>, x: V): V { return x } } print(a, b, c.size, P.make<number>().m<string>('m')); const e = async <T,>(x: T): Promise<T> => x, f = <const T,>(x: T) => x; print(await e<number>(2), f(3)); const g = id<number>; print(g(4)); const o = { m<T>(x: T): T { return x }, async *n<T>(x: T): AsyncGenerator<T> { yield x } }; print(o.m<number>(5)); for await (const v of o.n<number>(6)) print(v); const p: any = { q: id }; print(p.q?.<number>(7), p?.q<number>(8))`,
  ),
  erasable(
    "semicolons that must stay",
    `let a: number = 1
;(() => print(a))()
let b = a as number
;[b] = [2]
print(b)
const c = a as any
let d: string
interface X { y: number }
;(function () { print('iife') })();
type T = number;
;[1].forEach((x) => print(x))
const e = () => 1 as number
;\`t\`
function over(x: string): void
function over(x: number): void
function over(x: any): void { print(x) }
over(1);
declare const nothing: any
;(() => print('end'))()`,
  ),
  erasable(
    "joined lines",
    `let x = 5
const f = (y: any) => y
let a = x as any
(f as any)(1)
print(a)`.replace("as any\n(f", "as any;\n(f"),
  ),
  erasable(
    "ends with a type before a bracket",
    `const f = (v: number) => print(v); let n = 1
let m: number
(f)(n)
var k = n as any
[0].toString()
print(typeof m, k)`,
  ),
  erasable(
    "classes",
    `abstract class Base<T> { abstract readonly size: number; abstract m(): void; protected abstract get g(): number
declare q: number; readonly a: number = 1
private static readonly s?: string = 's'
public b!: T
  [key: string]: any
  constructor(private_: number, public_?: string) { this.c = private_ } c: number
  get v(): number { return 1 } set v(x: number) {}
  over(x: string): void; over(x: number): void; over(x: any): void { print('over', x) }
  private async am?(): Promise<void> {} 
  static override: number = 3; static { let t: number = 1; print(t as number) } #p?: number = 4; gp(): number { return this.#p! }
  private *gen(): Generator<number> { yield 1 }
  public static async *agen<T>(): AsyncGenerator<T> {}
  public in = 1
  readonly ['comp' + 1]: number = 2
  declare readonly = 5; accessor_ = 6 } 
interface I { size: number } interface J {}
class D<T> extends Base<T> implements I, J { override size = 2; override m(): void { super.over(1) } get g() { return 1 } }
const d = new D<number>(1); d.m(); print(Object.keys(d), d.gp(), Base.override, [...(d as any).gen()], d.comp1); export default abstract class { abstract x: number; y = 1 } class E extends (Base as any)<string> { } print(new E(1) instanceof Base); const F = class<T> implements I { size = 1; t!: T }; print(new F<number>().size, F.name)`.replace(
      "declare readonly = 5; ",
      "",
    ),
  ),
  erasable(
    "members that would join",
    `class A { x = 1
  abstract_ = 2
  declare y: number
  *gen() { yield this.x }
  z = 3 as number
  ['k' + 1] = 4
  w: number
  *g2() {}
  get: number
  set: number
  static: number
  v = 5
  private in = 6
  private instanceof = 7
  u = 8 as any
  private ['l'] = 9
  async: any
  m() { return [...this.gen(), this.z, (this as any).k1, this.v, this.l] } }
print(new A().m(), Object.keys(new A()))`,
    `class A { x = 1; abstract_ = 2; *gen() { yield this.x } z = 3; ['k' + 1] = 4; w; *g2() {} get; set; static; v = 5; in = 6; instanceof = 7; u = 8; ['l'] = 9; async; m() { return [...this.gen(), this.z, this.k1, this.v, this.l] } }
print(new A().m(), Object.keys(new A()))`,
  ),
  erasable(
    "this parameters",
    `function f(this: { a: number }, b: number) { return this.a + b } print(f.call({ a: 1 }, 2), f.length); function g(this: any) { return this } print(g.call(3)); const o = { m(this: any, ...r: number[]) { return r.length } }; print(o.m(1, 2))`,
  ),
  erasable(
    "types only",
    `import type { A } from './nowhere.mjs'; import { type B, type C as D } from 'node:fs'; import { type E, readFileSync, type F } from 'node:fs'; export type { A }; export type G = number; export interface H {} export type * from './nowhere.mjs'; type I = { [K in keyof G]: I }; declare module 'x' { export const y: number } declare global { var z: number } declare function j(): void; declare class K {} declare enum L { A } declare namespace M { const n: number } declare let o: number; export declare const p: number; export declare function q(): void; namespace R { export type S = 1 } print(typeof readFileSync); export { type H as HH, u }; let u = 1; import v, { type WriteStream } from 'node:fs'; print(typeof v)`.replace(
      "namespace R { export type S = 1 } ",
      "",
    ),
  ),
  erasable(
    "arrows over lines",
    `const f = (
  a: number,
  b: string,
): {
  c: number
} => ({ c: a })
const g = async <
  T,
>(x: T) => x
function h() { return <T>(
  x: T) => x }
print(f(1, 'x'), await g(2), h()(3))
const i = (x: any): x is
  number => true
print(i(1))`,
  ),
  erasable(
    "catch, satisfies and predicates",
    `function isN(x: unknown): x is number { return typeof x === 'number' } function assertN(x: unknown): asserts x is number { if (!isN(x)) throw new TypeError('n') } try { assertN('x') } catch (e: unknown) { print(e as Error) } const t = { a: 1, b: 2 } satisfies Record<string, number>; print(t.a satisfies number); let k: unique symbol; for (let i: number = 0, n = 2 as number; i < n!; i++) print(i!); switch (1 as number) { case 1 as number: let q: number = 1; print(q) } const m: typeof t = t, l = t.a! + t.b!; print(m === t, l); let fn: new (...args: any[]) => object = Map; print(new fn() instanceof Map); label: for (const z of [1] as number[]) { continue label }`,
  ),
  erasable(
    "throws from the middle",
    `interface Order { total: number; lines?: string[] }
function validate(this: void, order: Order | undefined, ...rest: Array<number>): number {
  const lines: string[] = order!.lines as string[];
  return   (lines as any).length satisfies number;
}
class Shop<T extends Order> { private readonly orders: Map<string, T> = new Map<string, T>(); public async place<U>(order: T, u?: U): Promise<number> { await null; return    validate(order as Order) } }
await (new Shop<Order>() as Shop<Order>).place<string>({ total: 1 } as Order);`,
  ),
  erasable(
    "unicode and comments",
    `const größe: /* ü */ number /* 漢字 */ = 1 as /* 😀 */ any; function f(ä: string /* x */ , /* y */ ö?: /* z */ number): /* r */ void { throw new Error(ä + größe) } /* 漢 */ f('ß' as string)`,
  ),
  erasable(
    "windows line ends",
    "interface A {\r\n  b: number\r\n}\r\nconst f = (\r\n  x: A,\r\n  y?: number\r\n) => { throw new Error('crlf') }\r\nf({ b: 1 } as\r\n  A)",
  ),
  erasable(
    "decorator-free fields and captures",
    `export const make = (n: number) => { let total: number = n; const add = (x: number): number => (total += x); return { add, get total(): number { return total } } }; const m = make(1); m.add(2); print(m.total); export let state: { n: number } = { n: 1 }; export function bump(by: number = 1): void { state.n += by } bump(); print(state)`,
  ),
  erasable(
    "imports and types before the first statement",
    `import type { Stats } from 'node:fs'
import { join, type ParsedPath } from 'node:path'
interface A { b: number }
export type { Stats } from 'node:fs'
type B = A
(() => { print(join('a', 'b')); throw new Error('late') })()
import { type Dirent } from 'node:fs'`,
  ),
];

const compiled = (name: string, source: string, expected: string): Snippet => ({
  name,
  format: "module",
  language: "ts",
  source,
  plain: expected,
});

/** These need a compiler; the expected program is written by hand. */
export const COMPILED: readonly Snippet[] = [
  compiled(
    "enums",
    `enum Level { Low = 1, High }
const enum C { A = 'a' } print(Level.High, Level[1], C.A)`,
    `print(2, 'Low', 'a')`,
  ),
  compiled(
    "namespaces",
    `namespace Rules { export const limit = 3; export namespace Inner { export function f(): number { return limit } } } print(Rules.limit, Rules.Inner.f())`,
    `print(3, 3)`,
  ),
  compiled(
    "parameter properties",
    `class Meter { constructor(private readonly label: string, public level: number = 2) {} read(scale: number): string { return this.label + this.level * scale } } print(new Meter('a').read(3), Object.keys(new Meter('b', 1)))`,
    `print('a6', ['label', 'level'])`,
  ),
  compiled(
    "unused imports stay",
    `enum E { A } import fs from 'node:fs'; import { type Stats } from 'node:fs'; print(E.A)`,
    `print(0)`,
  ),
  {
    name: "import = in scripts",
    format: "commonjs",
    language: "ts",
    source: `import path = require('node:path'); print(typeof path.join, typeof require); enum A { B = 'c' } print(A.B)`,
    plain: `print('function', 'function'); print('c')`,
  },
  compiled(
    "closures in what was compiled",
    `enum E { A = 5 }
async function f(n: number): Promise<number> { const early = async () => { await 0; try { return late } catch (e) { return (e as Error).name as any } }; print(await early()); let late: number = n; class P { constructor(public q: number) {} async m() { await 0; return late + this.q + E.A } } late++; print(await new P(1).m()); return early() }
print(await f(1));
namespace N { export const g = async (x: number) => { let y = x; const h = async () => { await null; return y++ }; return (await h()) + y } } print(await N.g(1))`,
    `print('ReferenceError'); print(8); print(2); print(3)`,
  ),
];
