export class Stack<T> { #items: T[] = []; static readonly max = 10; push(...items: T[]): this { this.#items.push(...items); return this; } get size(): number { return this.#items?.length ?? 0; } async *drain() { while (this.#items.length) yield await Promise.resolve(this.#items.pop()); } }
export const { a, ...rest } = { a: 1, b: 2 } as Record<string, number>;
export const fn = async ({ x = 1 } = {}) => { for (const [k, v] of Object.entries(rest)) { const big = k ** v; await (() => big)(); } };
