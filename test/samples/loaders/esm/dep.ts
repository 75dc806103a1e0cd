export enum Kind { A = "a", B = "b" }
export class Box<T> { constructor(public readonly value: T, private kind: Kind) {}
  open(): T { if (this.kind === Kind.B) throw new TypeError("box " + this.kind); return this.value; } }
export const twice = (n: number): number => n * 2;
