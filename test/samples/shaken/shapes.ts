// Only `area` is used.
const registry = /* #__PURE__ */ new Map<string, Shape>();

function make(name: string): Shape {
  return new Shape(name);
}

export class Shape {
  #name: string;
  static readonly unit = /* #__PURE__ */ make("unit");

  constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }
}

export const circle = /* #__PURE__ */ make("circle");

export function area(side: number): number {
  const half = side / 2;
  return half * side * 2;
}

export function volume(side: number): number {
  registry.set("cube", circle);
  return area(side) * side;
}

export const unused = { volume, text: "never in the bundle" };
