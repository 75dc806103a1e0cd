interface A { n: number }
export function typed<T extends A>(a: T): number { if (a.n > 1) { return a.n as number; } return 0; }
const r: number = typed({ n: 1 } satisfies A);
console.log(r);
