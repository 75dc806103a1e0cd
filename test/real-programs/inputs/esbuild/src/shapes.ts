export type Shape = { kind: "circle"; r: number } | { kind: "square"; a: number };

export function area(shape: Shape): number {
  return shape.kind === "circle" ? Math.PI * shape.r ** 2 : shape.a ** 2;
}

export class Unused {
  static #count = 0;
  accessor size = Unused.#count++;
}
