export enum Kind { Circle = 1, Square }
export interface Shape<T extends Kind = Kind> { readonly kind: T; area(): number }
export abstract class Base<T extends Kind> implements Shape<T> {
  constructor(public readonly kind: T, protected readonly label = `shape ${kind}`) {}
  abstract area(): number;
  toString(): string { return `${this.label}: ${this.area().toFixed(2)}`; }
}
export class Circle extends Base<Kind.Circle> {
  #radius: number;
  constructor(radius: number) { super(Kind.Circle); this.#radius = radius; }
  override area(): number { return Math.PI * this.#radius ** 2; }
}
export namespace Units { export const meter = 1; export function scale(n: number): number { return n * meter; } }
export type Area<S> = S extends { area(): infer R } ? R : never;
